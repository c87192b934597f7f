/*
 * One child process as master sees it: its link, its health, its counters.
 * Knows nothing of what a child does.
 */
#ifndef MASTER_CHILD_H
#define MASTER_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/link.h"
#include "common/message.h"
#include "master/throttle.h"

struct event;
struct master;

enum child_state { CHILD_DOWN, CHILD_STARTING, CHILD_READY };

enum {
	CHILD_WORKERS_MAX = 64,
	CHILD_GIFTS_MAX = CHILD_WORKERS_MAX + 8
};

/* A descriptor that waits for its turn: a link passes one at a time. */
struct gift {
	enum proto_type	 type;
	uint64_t	 id;
	int		 fd;		/* owned */
};

struct child {
	struct master	*master;
	enum proto_role	 role;
	unsigned	 number;	/* of a worker; also its channel's id */
	enum child_state state;
	pid_t		 pid;		/* 0: none */
	struct link	 link;
	struct event	*readable;
	struct event	*writable;
	struct event	*respawn;
	struct gift	 gift[CHILD_GIFTS_MAX];
	unsigned	 gift_count;
	struct throttle	 throttle;
	uint64_t	 started_ms;
	unsigned	 starts;
	uint64_t	 ping;		/* serial of the last PING */
	bool		 is_asked;	/* it is not answered yet */
	unsigned	 silent;	/* seconds of that */
	bool		 wants_backends;
	bool		 is_broken;	/* killed; waits to be reaped */
	struct msg_pong	 counters;
};

const char *child_name(const struct child *);	/* its program's */

/* Starts the process and tells it all that is known so far: 0 or -1. */
int	 child_start(struct child *);
/* Starts it after the pause that its throttle asks for. */
void	 child_schedule(struct child *);
/* After waitpid(2): closes what belonged to the process. */
void	 child_forget(struct child *);
void	 child_signal(struct child *, int sig);

/* A child that cannot be told any more is killed; reaping does the rest. */
void	 child_send(struct child *, enum proto_type, struct str payload);
void	 child_give(struct child *, enum proto_type, uint64_t id, int fd);
void	 child_tell_backends(struct child *);
void	 child_tell_egress(struct child *);
void	 child_ping(struct child *);
/* Once a second: PING, and the end of a child that is silent for too long. */
void	 child_tick(struct child *);

#endif
