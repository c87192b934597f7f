/*
 * Paths inside a container, in one spelling.
 */
#ifndef POLICYD_CLEAN_PATH_H
#define POLICYD_CLEAN_PATH_H

#include <stdbool.h>

#include "common/arena.h"
#include "common/str.h"

/* From the root, whether the path begins with "/" or not; in the arena. */
struct str clean_path(struct arena *, struct str path);
/* A clean path: at or below /proc, /sys, /dev, but for /dev/shm. */
bool	 clean_path_is_kernel(struct str clean);

#endif
