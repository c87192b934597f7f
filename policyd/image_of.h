/*
 * The image that a create names, as the daemon has it.
 */
#ifndef POLICYD_IMAGE_OF_H
#define POLICYD_IMAGE_OF_H

#include "policyd/context.h"

/*
 * Looks up the image that the body names in key.  *config: its configuration;
 * NULL: none is named, it is not there, or it was only now asked for.
 *
 * On podman its annotations are judged, and the full id goes out in place of
 * the name: a pull that ends in between cannot put another image under it.
 */
int	 image_settle(struct judge *, const char *key,
	    struct json_object **config);

#endif
