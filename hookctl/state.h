/*
 * What hookctl remembers of a project between calls, and the lock that makes
 * two calls at once start one gateway.  In the trusted state directory, never
 * in the run directory, where a sandboxed command could hold the lock.
 */
#ifndef HOOKCTL_STATE_H
#define HOOKCTL_STATE_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "hookctl/home.h"

enum {
	STATE_BACKOFF_SECONDS = 10,
	STATE_KEY_DIGITS = 24,
	STATE_FILE_MAX = 16 * 1024
};

struct state {
	int		 dir;			/* not owned */
	char		 key[STATE_KEY_DIGITS + 1];
	int		 lock;			/* -1: not held */
	char		 project[PATH_MAX];
	char		 run_dir[PATH_MAX];
	pid_t		 pid;			/* of the gateway last started */
	uint64_t	 pid_start;
	int64_t		 failed;		/* when a start last failed, or 0 */
	char		 failure[512];
};

/* project is canonical.  Reads what is remembered; the lock is not taken. */
void	 state_open(struct state *, const struct home *, const char *project);
void	 state_close(struct state *);
/* 0, or -1 when somebody else held it for so long. */
int	 state_lock(struct state *, int ms);
/* Reads it again: while waiting for the lock another call may have written. */
void	 state_read(struct state *);
int	 state_write(const struct state *);
/* A start failed a moment ago. */
int	 state_backs_off(const struct state *);
void	 state_set_failure(struct state *, const char *text);

/* Every project that is remembered. */
void	 state_each(const struct home *, void (*)(struct state *, void *),
	    void *);

#endif
