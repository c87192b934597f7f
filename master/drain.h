/*
 * The end, in order: no new connections, time for what runs, then none.
 */
#ifndef MASTER_DRAIN_H
#define MASTER_DRAIN_H

struct event;
struct master;

enum { DRAIN_SECONDS = 10 };

struct drain {
	struct event	*timer;
	int		 stage;
};

/* why: for the log.  Called again, it waits for nothing any more. */
void	 drain_begin(struct master *, const char *why);
/* A child ended: goes on, or leaves the loop. */
void	 drain_step(struct master *);

#endif
