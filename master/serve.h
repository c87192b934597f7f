/*
 * The steps between the modules from the first event to the last: what
 * follows when a child is ready, a daemon was found, a second has passed.
 */
#ifndef MASTER_SERVE_H
#define MASTER_SERVE_H

struct master;

/* Sockets, loop, children and searches; then serve_run(). */
int	 serve_open(struct master *);
void	 serve_run(struct master *);	/* returns when all is over */
void	 serve_close(struct master *);	/* whatever was opened */

/* A child said that it is ready: the gateway serves when all are. */
void	 serve_child_ready(struct master *);
/* It cannot start; the fault is set.  Leaves the loop. */
void	 serve_fail(struct master *);

#endif
