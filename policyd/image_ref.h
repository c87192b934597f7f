/*
 * Whether the name of an image is a plain reference, or leads podman to files
 * of the host by a transport.
 */
#ifndef POLICYD_IMAGE_REF_H
#define POLICYD_IMAGE_REF_H

#include "common/str.h"

/*
 * NULL when it is plain, else why not.  '\x01' in the name stands for an
 * unknown word without ':'.
 */
const char	*image_ref_check(struct str name);

#endif
