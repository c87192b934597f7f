/*
 * Keeps the way to the gateway's own podman service: a descriptor, since that
 * socket has no name.
 */
#include <unistd.h>

#include "common/link.h"
#include "common/log.h"
#include "common/reason.h"
#include "worker/loop.h"
#include "worker/service_link.h"

static struct {
	struct link	 link;
	struct event	 readable;
	int		 socket;
} state;

void
service_link_init(void)
{
	state.link.fd = state.socket = -1;
}

static void
replace_socket(int fd)
{
	if (state.socket >= 0)
		close(state.socket);
	state.socket = fd;
}

/* With embedded its service ends. */
static void
lose(const char *why)
{
	log_text(LOG_DEBUG, "service-lost", "%s", why);
	event_del(&state.readable);
	link_close(&state.link);
	replace_socket(-1);
}

static int
on_frame(struct link *l, const struct frame *f, void *arg)
{
	(void)l;
	(void)arg;
	if (f->type != PROTO_SERVICE_SOCKET)
		return -R_INTERNAL;
	replace_socket(f->fd);
	return 0;
}

static int
read_once(void)
{
	int error = link_read(&state.link, on_frame, NULL);

	if (error != 0)
		lose(error > 0 ? "it closed its channel" :
		    "it broke the contract");
	return error;
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	read_once();
}

void
service_link_catch_up(void)
{
	int before;

	/* One read brings one descriptor at most. */
	do
		before = state.socket;
	while (link_is_open(&state.link) && read_once() == 0 &&
	    state.socket != before);
}

void
service_link_open(int fd)
{
	if (link_is_open(&state.link))
		lose("it was replaced");
	link_open(&state.link, fd, PROTO_WORKER, PROTO_EMBEDDED);
	event_assign(&state.readable, loop_base(), fd, EV_READ | EV_PERSIST,
	    on_readable, NULL);
	event_add(&state.readable, NULL);
}

int
service_link_socket(void)
{
	return state.socket;
}
