/*
 * One gateway a run directory: finds the one that serves already, or takes the
 * place of whatever else is there.
 */
#ifndef MASTER_TAKEOVER_H
#define MASTER_TAKEOVER_H

#include <sys/types.h>

struct master;

enum { TAKEOVER_DONE = 0, TAKEOVER_SERVED = 1 };

/*
 * The run directory is open and the current directory.  DONE: the lock is
 * ours; SERVED: *pid serves this project there; negative: fault.
 */
int	 takeover_run(struct master *, pid_t *pid);

#endif
