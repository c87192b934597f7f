/*
 * Hands out the handle.  Workers say nothing on these links but their end.
 */
#include <unistd.h>

#include <event2/event.h>

#include "common/link.h"
#include "common/log.h"
#include "common/reason.h"
#include "embedded/workers.h"

enum { WORKERS_MAX = 64 };

struct worker {
	struct link	 link;
	struct event	*readable;	/* NULL: no such worker */
};

static struct {
	struct event_base *base;
	int		 handle;
	struct worker	 worker[WORKERS_MAX];
} state = { .handle = -1 };

static void
drop(struct worker *w)
{
	if (w->readable == NULL)
		return;
	event_free(w->readable);
	w->readable = NULL;
	link_close(&w->link);
}

/* A message is so short that a worker which lives always has room for it. */
static void
tell(struct worker *w)
{
	if (w->readable == NULL || state.handle < 0)
		return;
	if (link_send(&w->link, PROTO_SERVICE_SOCKET, 0, STR_NONE,
	    state.handle) != 0 || link_wants_write(&w->link))
		drop(w);
}

static int
on_frame(struct link *l, const struct frame *f, void *arg)
{
	(void)l;
	(void)f;
	(void)arg;
	return -R_INTERNAL;
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct worker *w = arg;

	(void)fd;
	(void)what;
	if (link_read(&w->link, on_frame, NULL) != 0)
		drop(w);
}

void
workers_init(struct event_base *base)
{
	state.base = base;
}

void
workers_add(uint64_t number, int fd)
{
	struct worker *w;

	if (number >= WORKERS_MAX) {
		close(fd);
		return;
	}
	w = &state.worker[number];
	drop(w);
	link_open(&w->link, fd, PROTO_EMBEDDED, PROTO_WORKER);
	w->readable = event_new(state.base, fd, EV_READ | EV_PERSIST,
	    on_readable, w);
	if (w->readable == NULL || event_add(w->readable, NULL) != 0)
		log_panic("workers", "no memory for an event");
	tell(w);
}

void
workers_tell(int handle)
{
	state.handle = handle;
	for (int i = 0; i < WORKERS_MAX; i++)
		tell(&state.worker[i]);
}
