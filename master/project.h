/*
 * Which project is served: its directory, its slug, and what may be mounted
 * from where.  Reads the file system, writes nothing.
 */
#ifndef MASTER_PROJECT_H
#define MASTER_PROJECT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "master/fault.h"
#include "master/option.h"
#include "master/worktree.h"

enum {
	PROJECT_NAME_MAX = 40,		/* bytes of the slug's readable part */
	PROJECT_HASH_DIGITS = 12,
	PROJECT_SLUG_MAX = PROJECT_NAME_MAX + 1 + PROJECT_HASH_DIGITS + 1
};

#define PROJECT_LOCK		".apache-magpie.lock"
#define PROJECT_PERSONAL	".apache-magpie-local"

struct project {
	char		 path[PATH_MAX];	/* canonical */
	char		 bind_root[PATH_MAX];	/* canonical, inside path */
	char		*extra_root[OPTION_LIST_MAX]; /* owned; canonical */
	uint32_t	 extra_count;
	char		 slug[PROJECT_SLUG_MAX];
	bool		 is_git;
	bool		 is_adopted;		/* has a PROJECT_LOCK */
};

int	 project_find(struct project *, const struct options *,
	    struct fault *);
void	 project_free(struct project *);
/* The label value for a canonical path. */
void	 project_slug(const char *path, char slug[PROJECT_SLUG_MAX]);
/*
 * The directories of personal settings, which no container may see: the
 * project's, and in a linked worktree the main checkout's.  How many.
 */
unsigned project_personal(const struct project *, char out[2][PATH_MAX]);

#endif
