/*
 * Follows a path from the root, one component and one link at a time, and
 * shows each step.  What is looked at is what is opened: the steps are
 * descriptors, not names looked up again.
 */
#ifndef HOOKCTL_PATHWALK_H
#define HOOKCTL_PATHWALK_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

enum { PATHWALK_LINKS = 40 };

struct pathwalk_step {
	const char		*path;		/* resolved so far */
	int			 fd;		/* O_PATH; closed after the step */
	const struct stat	*st;
	bool			 is_last;	/* what the path names */
};

/* 0 to go on; anything else ends the walk, which returns it. */
typedef int (*pathwalk_visit)(const struct pathwalk_step *, void *);

struct pathwalk {
	char		 path[PATH_MAX];	/* canonical; missing rest appended */
	struct stat	 st;			/* of the last object that exists */
	int		 fd;			/* that object, O_PATH */
	bool		 is_missing;		/* part of the path is not there */
};

/*
 * An absolute path.  0, what visit() returned, or -errno (not ENOENT: a path
 * that ends in nothing is a finding, not an error).  The walk holds `fd` after
 * 0; pathwalk_end() closes it.
 */
int	 pathwalk_run(struct pathwalk *, const char *path, pathwalk_visit, void *);
void	 pathwalk_end(struct pathwalk *);

#endif
