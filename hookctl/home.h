/*
 * The user's home directories, and the tree below one of them that holds what
 * hookctl remembers:
 *
 *	~/.claude/magpie-gateway/sessions	one record a session
 *	~/.claude/magpie-gateway/state		locks and back-off, by project
 *	~/.claude/magpie-gateway/log		hookctl's and the gateways' logs
 *
 * Nothing here is believed before trust.c has found that no sandbox can write
 * it; opening checks links, owner and mode at each step.
 */
#ifndef HOOKCTL_HOME_H
#define HOOKCTL_HOME_H

#include <limits.h>
#include <stdbool.h>

#include "master/fault.h"

enum home_dir { HOME_SESSIONS, HOME_STATE, HOME_LOG, HOME_DIRS };

struct home {
	char		 path[PATH_MAX];	/* the one with our tree */
	char		 all[2][PATH_MAX];	/* what ~ can mean */
	unsigned	 count;
	int		 fd[HOME_DIRS];		/* -1: not opened */
};

/* From $HOME and the password file.  0, or negative with a fault. */
int	 home_find(struct home *, struct fault *);
/* Opens the tree; `make` creates what is missing. */
int	 home_open(struct home *, bool make, struct fault *);
void	 home_close(struct home *);
/* dir's path, for messages and for the gateway's --log-file. */
void	 home_path(const struct home *, enum home_dir, char out[PATH_MAX]);

#endif
