/*
 * A set of paths of which only hashes are kept: it may say yes to a path that
 * was not put in (once in 2^40 or so), never no to one that was.
 */
#ifndef POLICYD_PATH_SET_H
#define POLICYD_PATH_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/str.h"

struct path_set {
	uint64_t	*slot;		/* 0: free */
	size_t		 size;		/* a power of two, or 0 */
	size_t		 count;
};

void	 path_set_free(struct path_set *);
void	 path_set_add(struct path_set *, struct str path);
bool	 path_set_has(const struct path_set *, struct str path);
/* A directory above the path is in it. */
bool	 path_set_has_above(const struct path_set *, struct str path);

#endif
