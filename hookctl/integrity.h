/*
 * Whether a file can be believed: nobody but root and the user can change it
 * or exchange it, and it does not lie where a sandboxed command may write.
 */
#ifndef HOOKCTL_INTEGRITY_H
#define HOOKCTL_INTEGRITY_H

#include "hookctl/roots.h"
#include "master/fault.h"

enum integrity { INTEGRITY_FILE, INTEGRITY_PROGRAM, INTEGRITY_DIRECTORY };

/*
 * Walks the absolute path.  0 with *out holding the object (the caller ends
 * the walk; out may be NULL), or negative with a fault whose last words are
 * `remedy`.
 */
int	 integrity_check(const struct roots *, const char *path, enum integrity,
	    const char *remedy, struct pathwalk *out, struct fault *);

#endif
