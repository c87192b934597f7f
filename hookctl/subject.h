/*
 * Whom a call is about: the project, and every directory that the harness may
 * take for it.  From the recorded session or the command line; the payload's
 * current directory only adds to what counts as writable.
 */
#ifndef HOOKCTL_SUBJECT_H
#define HOOKCTL_SUBJECT_H

#include <limits.h>

#include "master/fault.h"

struct subject {
	char	 project[PATH_MAX];	/* canonical: git top, or start_dir */
	char	 start_dir[PATH_MAX];	/* canonical: where the session began;
					 * what the sandbox may write, and the
					 * gateway's bind root */
	char	 claude_dir[PATH_MAX];	/* $CLAUDE_PROJECT_DIR, or "" */
	char	 cwd[PATH_MAX];		/* the payload's, or "" */
	char	 scratchpad[PATH_MAX];	/* the payload's, or "" */
};

/* A session or a person begins in dir. */
int	 subject_begin(struct subject *, const char *dir, struct fault *);
/* What the environment and the payload (either may be NULL) add. */
void	 subject_extend(struct subject *, const char *cwd,
	    const char *scratchpad);

#endif
