/*
 * Whether a file can be believed: nobody but root and the user can change it
 * or exchange it, and it does not lie where a sandboxed command may write.
 */
#ifndef HOOKCTL_SOUND_H
#define HOOKCTL_SOUND_H

#include "hookctl/roots.h"
#include "master/fault.h"

enum sound_kind { SOUND_FILE, SOUND_PROGRAM, SOUND_DIRECTORY };

/*
 * Walks the absolute path.  0 with *out holding the object (the caller ends
 * the walk; out may be NULL), or negative with a fault whose last words are
 * `remedy`.
 */
int	 sound_check(const struct roots *, const char *path, enum sound_kind,
	    const char *remedy, struct pathwalk *out, struct fault *);

#endif
