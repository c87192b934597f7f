/*
 * What becomes of a child that ended.
 */
#ifndef MASTER_REAP_H
#define MASTER_REAP_H

struct master;

/* After SIGCHLD: collects all that ended. */
void	 reap_children(struct master *);

#endif
