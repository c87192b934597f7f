/*
 * Which podman program the gateway may start itself.  Runs nothing.
 */
#ifndef MASTER_PODMAN_H
#define MASTER_PODMAN_H

#include <limits.h>
#include <stddef.h>

#include "master/fault.h"
#include "master/project.h"

/*
 * The first sound one of the system's places, resolved.  0, or negative with
 * a fault that says what was found instead.
 */
int	 podman_find(const struct project *, char path[PATH_MAX],
	    struct fault *);
/*
 * Is that one sound: a program that, like every directory on its way, root
 * alone can write, and nothing that containers may mount?  As podman_find().
 */
int	 podman_check(const struct project *, const char *name,
	    char path[PATH_MAX], struct fault *);

/* The places, in order; NULL after the last. */
const char *podman_place(size_t);

#endif
