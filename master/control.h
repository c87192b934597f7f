/*
 * control.sock: answers "status" and "status touch", and nothing else.
 */
#ifndef MASTER_CONTROL_H
#define MASTER_CONTROL_H

#include "common/buf.h"

struct event;
struct master;

enum {
	CONTROL_CLIENTS = 16,
	CONTROL_LINE = 64,		/* bytes of a request line */
	CONTROL_FRESH_MS = 200,		/* patience with the workers' counters */
	CONTROL_SECONDS = 5		/* time for one client, all in all */
};

enum control_state { CONTROL_FREE, CONTROL_READING, CONTROL_COUNTING,
	CONTROL_WRITING };

struct control_client {
	struct master		*master;
	enum control_state	 state;
	uint64_t		 number;	/* grows with each client */
	int			 fd;
	struct event		*event;
	char			 line[CONTROL_LINE];
	size_t			 len;
	struct buf		 answer;
	size_t			 sent;
};

struct control {
	struct event		*listening;
	uint64_t		 accepted;
	struct control_client	 client[CONTROL_CLIENTS];
};

/* Serves listeners.control: 0 or -1. */
int	 control_open(struct master *);
void	 control_close(struct control *);
/* A child answered a PING: whoever waits for fresh counters may have them. */
void	 control_child_answered(struct master *);

#endif
