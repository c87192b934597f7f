/*
 * The worker's event loop and the two things that everything is built from:
 * a watched descriptor, and a deadline in a queue of equal waits.
 */
#ifndef WORKER_LOOP_H
#define WORKER_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <event2/event.h>
#include <event2/event_struct.h>

int	 loop_init(void);	/* 0, or -1 */
void	 loop_run(void);	/* until loop_stop() */
void	 loop_stop(void);
struct event_base *loop_base(void);

/* A descriptor and what is waited for on it; one struct, no allocation. */
typedef void (*io_fn)(void *arg, short what);

struct io {
	int		 fd;	/* owned; -1 when closed */
	short		 want;	/* EV_READ, EV_WRITE, both or 0 */
	io_fn		 fn;
	void		*arg;
	struct event	 ev;
	TAILQ_ENTRY(io)	 nudges;
	uint64_t	 turn;	/* that it was nudged in; 0: it was not */
};

void	 io_init(struct io *);	/* closed */
void	 io_open(struct io *, int fd, io_fn, void *arg);
/* From now on it is somebody else's; what is waited for stays. */
void	 io_hand_over(struct io *, io_fn, void *arg);
void	 io_want(struct io *, short what);
/*
 * Calls back in the next turn of the loop, as if it had become readable;
 * whatever is waited for by then, unless it is closed.
 */
void	 io_nudge(struct io *);
void	 io_close(struct io *);
bool	 io_is_open(const struct io *);

/*
 * A queue of things that all wait equally long, oldest first: one timer for
 * the queue, nothing allocated for a member.  A member is told `woken` when
 * deadline_wake() finds it in time, `expired` when nothing did.
 */
struct deadline;
typedef void (*deadline_fn)(void *);

struct deadline_queue {
	TAILQ_HEAD(deadlines, deadline)	 members;
	uint64_t		 wait;		/* milliseconds */
	uint64_t		 round;		/* grows with every wake */
	struct event		 timer;
	bool			 armed;
};

struct deadline {
	TAILQ_ENTRY(deadline)	 link;
	struct deadline_queue	*queue;		/* NULL: not waiting */
	uint64_t		 due;
	uint64_t		 round;
	deadline_fn		 woken;
	deadline_fn		 expired;
	void			*arg;
};

void	 deadline_queue_init(struct deadline_queue *, uint64_t milliseconds);
/* A member that waits already is moved. */
void	 deadline_start(struct deadline *, struct deadline_queue *,
	    deadline_fn woken, deadline_fn expired, void *arg);
bool	 deadline_is_waiting(const struct deadline *);
void	 deadline_stop(struct deadline *);	/* safe when it does not wait */
/* Empties the queue and tells each member; they may join it again. */
void	 deadline_wake(struct deadline_queue *);

uint64_t loop_now(void);	/* monotonic, milliseconds */

#endif
