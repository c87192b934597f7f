/*
 * Daemon connections.  Kept ones are few and short-lived: a daemon that is
 * started by its socket shall be able to go to sleep again.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "worker/backend.h"
#include "worker/conn.h"
#include "worker/upstream.h"

enum { KEPT_MAX = 64, KEPT_MS = 1000 };

static struct {
	TAILQ_HEAD(kept, upstream) kept[FACE_COUNT];	/* youngest first */
	unsigned		 count[FACE_COUNT];
	struct deadline_queue	 idle;
} state;

void
upstream_init(void)
{
	for (int i = 0; i < FACE_COUNT; i++)
		TAILQ_INIT(&state.kept[i]);
	deadline_queue_init(&state.idle, KEPT_MS);
}

void
upstream_close(struct upstream *up)
{
	io_close(&up->io);
	/* It may be closed by its own event. */
	conn_bury(up);
}

static void
take_out(struct upstream *up)
{
	deadline_stop(&up->idle);
	TAILQ_REMOVE(&state.kept[up->face], up, kept);
	state.count[up->face]--;
}

/* The daemon closed it, or says what nobody asked for. */
static void
on_kept(void *arg, short what)
{
	struct upstream *up = arg;

	(void)what;
	take_out(up);
	upstream_close(up);
}

static void
idle_over(void *arg)
{
	on_kept(arg, 0);
}

int
upstream_open(enum face face, bool may_reuse, io_fn fn, void *arg,
    struct upstream **out)
{
	struct upstream *up = may_reuse ? TAILQ_FIRST(&state.kept[face]) :
	    NULL;
	int fd;

	if (up != NULL) {
		take_out(up);
		io_hand_over(&up->io, fn, arg);
		up->reused = true;
		*out = up;
		return 0;
	}
	if ((fd = backend_dial(face)) < 0)
		return fd;
	if ((up = calloc(1, sizeof(*up))) == NULL) {
		close(fd);
		return -ENOMEM;
	}
	up->face = (uint8_t)face;
	io_open(&up->io, fd, fn, arg);
	*out = up;
	return 0;
}

void
upstream_keep(struct upstream *up)
{
	if (state.count[up->face] == KEPT_MAX) {
		upstream_close(up);
		return;
	}
	io_hand_over(&up->io, on_kept, up);
	io_want(&up->io, EV_READ);
	TAILQ_INSERT_HEAD(&state.kept[up->face], up, kept);
	state.count[up->face]++;
	deadline_start(&up->idle, &state.idle, idle_over, idle_over, up);
}

void
upstream_forget(void)
{
	for (int i = 0; i < FACE_COUNT; i++)
		while (!TAILQ_EMPTY(&state.kept[i]))
			on_kept(TAILQ_FIRST(&state.kept[i]), 0);
}
