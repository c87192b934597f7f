/*
 * The directories that a sandboxed command may write, each with where that is
 * said.  Directories are known by device and inode, so that a bind mount, a
 * link or another spelling of the same place is the same place.
 */
#ifndef HOOKCTL_ROOTS_H
#define HOOKCTL_ROOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "hookctl/pathwalk.h"

enum { ROOTS_MAX = 4096 };

struct root {
	bool	 exists;
	dev_t	 dev;
	ino_t	 ino;
	char	*path;		/* canonical, as far as it exists */
	char	*source;	/* for people: which file and entry */
};

struct roots {
	struct root	*root;
	size_t		 count;
	bool		 failed;	/* full, or no memory: cover everything */
};

/* Any absolute path, there or not. */
void	 roots_add(struct roots *, const char *path, const char *source, ...)
	    __attribute__((format(printf, 3, 4)));
void	 roots_free(struct roots *);
/* The root that this step of a walk is, or NULL. */
const struct root *roots_find(const struct roots *, const struct pathwalk_step *);
/* The root that does not exist yet and lies above or at path, or NULL. */
const struct root *roots_find_missing(const struct roots *, const char *path);
/* A root above or at an absolute path, or NULL. */
const struct root *roots_cover(const struct roots *, const char *path);

#endif
