/*
 * Event loop, watched descriptors, deadline queues.  Knows nothing of HTTP.
 */
#include <time.h>
#include <unistd.h>

#include "common/log.h"
#include "worker/loop.h"

static struct event_base *base;

/*
 * Those that were nudged.  Beside libevent: an event that is made active by
 * hand must be deleted before it is assigned anew, which would lose the nudge.
 */
static struct {
	TAILQ_HEAD(nudged, io)	 members;
	struct event		 next;
	uint64_t		 turn;
} nudged;

/* Who is nudged meanwhile comes in the next turn, after other descriptors. */
static void
on_next(evutil_socket_t fd, short what, void *arg)
{
	const struct timeval at_once = { 0, 0 };
	uint64_t turn = nudged.turn++;
	struct io *io;

	(void)fd;
	(void)what;
	(void)arg;
	while ((io = TAILQ_FIRST(&nudged.members)) != NULL &&
	    io->turn == turn) {
		TAILQ_REMOVE(&nudged.members, io, nudges);
		io->turn = 0;
		io->fn(io->arg, EV_READ);
	}
	if (io != NULL)
		event_add(&nudged.next, &at_once);
}

int
loop_init(void)
{
	struct event_config *config = event_config_new();

	if (config == NULL)
		return -1;
	/*
	 * Additions and removals are gathered and made once a turn: a daemon
	 * connection that opens and closes within one turn costs no call.
	 * Nothing here duplicates a watched descriptor, which would be the
	 * danger of this flag.
	 */
	event_config_set_flag(config, EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST |
	    EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_IGNORE_ENV);
	base = event_base_new_with_config(config);
	event_config_free(config);
	if (base == NULL)
		return -1;
	TAILQ_INIT(&nudged.members);
	nudged.turn = 1;
	event_assign(&nudged.next, base, -1, 0, on_next, NULL);
	return 0;
}

void
loop_run(void)
{
	if (event_base_loop(base, EVLOOP_NO_EXIT_ON_EMPTY) < 0)
		log_panic("loop", "the event loop failed");
	event_base_free(base);
	base = NULL;
}

void
loop_stop(void)
{
	event_base_loopbreak(base);
}

struct event_base *
loop_base(void)
{
	return base;
}

uint64_t
loop_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void
io_init(struct io *io)
{
	io->fd = -1;
	io->want = 0;
}

static void
on_io(evutil_socket_t fd, short what, void *arg)
{
	struct io *io = arg;

	(void)fd;
	io->fn(io->arg, what);
}

void
io_open(struct io *io, int fd, io_fn fn, void *arg)
{
	io->fd = fd;
	io->want = 0;
	io->turn = 0;
	io_hand_over(io, fn, arg);
	event_assign(&io->ev, base, fd, EV_READ | EV_PERSIST, on_io, io);
}

void
io_hand_over(struct io *io, io_fn fn, void *arg)
{
	io->fn = fn;
	io->arg = arg;
}

void
io_want(struct io *io, short what)
{
	if (io->fd < 0 || io->want == what)
		return;
	if (io->want != 0)
		event_del(&io->ev);
	io->want = what;
	if (what == 0)
		return;
	event_assign(&io->ev, base, io->fd, (short)(what | EV_PERSIST), on_io,
	    io);
	if (event_add(&io->ev, NULL) != 0)
		log_panic("loop", "a descriptor cannot be watched");
}

void
io_nudge(struct io *io)
{
	const struct timeval at_once = { 0, 0 };

	if (io->turn != 0)
		return;
	if (TAILQ_EMPTY(&nudged.members))
		event_add(&nudged.next, &at_once);
	io->turn = nudged.turn;
	TAILQ_INSERT_TAIL(&nudged.members, io, nudges);
}

void
io_close(struct io *io)
{
	if (io->fd < 0)
		return;
	event_del(&io->ev);
	if (io->turn != 0)
		TAILQ_REMOVE(&nudged.members, io, nudges);
	io->turn = 0;
	close(io->fd);
	io->fd = -1;
	io->want = 0;
}

bool
io_is_open(const struct io *io)
{
	return io->fd >= 0;
}

static void
arm(struct deadline_queue *q)
{
	struct deadline *first = TAILQ_FIRST(&q->members);
	uint64_t now = loop_now(), left;
	struct timeval tv;

	if (first == NULL || q->armed)
		return;
	/* The clock is coarse: a little later is never too early. */
	left = first->due > now ? first->due - now : 0;
	left += 1;
	tv.tv_sec = (time_t)(left / 1000);
	tv.tv_usec = (suseconds_t)(left % 1000) * 1000;
	q->armed = event_add(&q->timer, &tv) == 0;
}

static void
expire(evutil_socket_t fd, short what, void *arg)
{
	struct deadline_queue *q = arg;
	struct deadline *d;
	uint64_t now = loop_now();

	(void)fd;
	(void)what;
	q->armed = false;
	while ((d = TAILQ_FIRST(&q->members)) != NULL && d->due <= now) {
		deadline_stop(d);
		d->expired(d->arg);
	}
	arm(q);
}

void
deadline_queue_init(struct deadline_queue *q, uint64_t milliseconds)
{
	TAILQ_INIT(&q->members);
	q->wait = milliseconds;
	q->round = 0;
	q->armed = false;
	event_assign(&q->timer, base, -1, 0, expire, q);
}

void
deadline_start(struct deadline *d, struct deadline_queue *q,
    deadline_fn woken, deadline_fn expired, void *arg)
{
	deadline_stop(d);
	d->queue = q;
	d->due = loop_now() + q->wait;
	d->round = q->round;
	d->woken = woken;
	d->expired = expired;
	d->arg = arg;
	TAILQ_INSERT_TAIL(&q->members, d, link);
	arm(q);
}

bool
deadline_is_waiting(const struct deadline *d)
{
	return d->queue != NULL;
}

void
deadline_stop(struct deadline *d)
{
	if (d->queue == NULL)
		return;
	TAILQ_REMOVE(&d->queue->members, d, link);
	d->queue = NULL;
}

void
deadline_wake(struct deadline_queue *q)
{
	uint64_t round = ++q->round;
	struct deadline *d;

	/* Whoever joins again while being told is of this round, and last. */
	while ((d = TAILQ_FIRST(&q->members)) != NULL && d->round < round) {
		deadline_stop(d);
		d->woken(d->arg);
	}
}
