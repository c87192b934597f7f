/*
 * The pid file and the lock on it: one gateway a run directory.  The lock is
 * a record lock, so the kernel names its holder and no child inherits it.
 */
#ifndef MASTER_PIDFILE_H
#define MASTER_PIDFILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "master/fault.h"
#include "master/rundir.h"

struct pidfile {
	int			 fd;	/* -1: not taken */
	struct rundir_file	 at;
};

enum { PIDFILE_TAKEN = 0, PIDFILE_HELD = 1 };

/*
 * Takes the lock on `at`, replacing what a dead gateway or anybody else left there.
 * PIDFILE_HELD: `is_gateway` says that *holder is one.  Negative: fault.
 */
int	 pidfile_take(struct pidfile *, bool (*is_gateway)(pid_t),
	    pid_t *holder, struct fault *);
/* Gives the lock back, and removes the file unless it was replaced. */
void	 pidfile_release(struct pidfile *);

#endif
