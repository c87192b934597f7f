/*
 * Bytes one way, from a socket to a socket, with back-pressure: copied while
 * they are few, spliced through a pipe once they are many.
 */
#ifndef WORKER_RELAY_H
#define WORKER_RELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/sendq.h"

#define FLOW_ENDLESS	UINT64_MAX	/* until the source ends */

enum flow_result {
	FLOW_READ,	/* go on when the source is readable */
	FLOW_WRITE,	/* go on when the sink is writable */
	FLOW_DONE,	/* all has been written */
	FLOW_SOURCE,	/* the source broke, or ended too early */
	FLOW_SINK	/* the sink broke */
};

struct flow {
	uint64_t	 left;		/* bytes still to be read */
	int		 pipe[2];	/* -1: none yet */
	size_t		 in_pipe;
	bool		 ended;		/* the source gives no more */
	bool		 no_splice;	/* it cannot be done here */
	uint8_t		 last;		/* enum flow_result of the last run */
};

void	 flow_init(struct flow *, uint64_t left);
void	 flow_free(struct flow *);
/*
 * Moves what can be moved now, up to a bound, so that no stream holds up the
 * others.  What `queue` holds for the sink goes first.
 */
enum flow_result flow_run(struct flow *, int source, int sink,
    struct sendq *queue);

#endif
