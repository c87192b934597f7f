/*
 * The layout of a git checkout, read without running git: the top directory,
 * the common directory, and whether a linked worktree is one that its
 * repository knows.  Knows nothing of what is put there.
 */
#ifndef MASTER_WORKTREE_H
#define MASTER_WORKTREE_H

#include <limits.h>
#include <stdbool.h>

#include "master/fault.h"

struct worktree {
	bool	is_linked;
	char	common[PATH_MAX];	/* canonical: the git common directory */
	char	id[NAME_MAX + 1];	/* "main", or the linked worktree's */
	char	main_top[PATH_MAX];	/* linked: the main checkout; "" where
					 * the repository is bare */
};

/* The git top directory above the canonical path dir: 0, or 1 outside git. */
int	 worktree_find_top(const char *dir, char top[PATH_MAX]);
/* What top/.git is.  Refuses what git itself would not have laid out. */
int	 worktree_read(const char *top, struct worktree *, struct fault *);

#endif
