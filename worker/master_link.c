/*
 * What master says and what it is told.  Its end is ours: without it nobody
 * would replace policyd or stop us.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/link.h"
#include "common/log.h"
#include "common/message.h"
#include "worker/accept.h"
#include "worker/backend.h"
#include "worker/cache.h"
#include "worker/conn.h"
#include "worker/loop.h"
#include "worker/master_link.h"
#include "worker/policy_link.h"
#include "worker/service_link.h"
#include "worker/settings.h"
#include "worker/stats.h"
#include "worker/upstream.h"

enum { TERM_MS = 1000 };

static struct {
	struct link	 link;
	struct event	 readable;
	struct event	 writable;
	bool		 in_loop;
	bool		 configured;
	uint64_t	 drain_since;	/* 0: not draining */
	struct event	 term;
	struct buf	 egress;	/* the last EGRESS, to see a change */
} state = { .egress = BUF_INIT(64 * 1024) };

static void
send_frame(enum proto_type type, uint64_t id, struct str payload)
{
	if (link_send(&state.link, type, id, payload, -1) != 0)
		log_fatal("master", "the channel to master is broken");
	if (state.in_loop && link_wants_write(&state.link))
		event_add(&state.writable, NULL);
}

static int
on_config(const struct frame *f)
{
	static struct msg_config m;

	if (msg_get_config(f->payload, &m) != 0)
		return -R_INTERNAL;
	settings_load(&m);
	cache_clear();
	state.configured = true;
	return 0;
}

static int
on_backends(const struct frame *f)
{
	struct msg_backends m;

	if (msg_get_backends(f->payload, &m) != 0)
		return -R_INTERNAL;
	/* What is to be dialled was handed out before this was said. */
	service_link_catch_up();
	if (backend_update(&m)) {
		cache_clear();
		upstream_forget();
	}
	return 0;
}

/* The proxy's state is policyd's business; that it changed is ours. */
static int
on_egress(const struct frame *f)
{
	if (str_equal(buf_str(&state.egress), f->payload))
		return 0;
	buf_clear(&state.egress);
	buf_put_str(&state.egress, f->payload);
	cache_clear();
	return 0;
}

static int
on_channel(const struct frame *f)
{
	cache_clear();
	policy_link_open(f->fd);
	return 0;
}

static int
on_service_channel(const struct frame *f)
{
	service_link_open(f->fd);
	return 0;
}

static int
on_ping(const struct frame *f)
{
	struct buf b = BUF_INIT(16 * 1024);
	struct msg_pong m;

	stats_fill(&m);
	msg_put_pong(&b, &m);
	send_frame(PROTO_PONG, f->id, buf_str(&b));
	buf_free(&b);
	return 0;
}

static int
on_log_fd(const struct frame *f)
{
	int old = log_get_fd();

	log_set_fd(f->fd);
	if (old != PROTO_FD_LOG)
		close(old);
	return 0;
}

static void
drain(void)
{
	if (state.drain_since == 0)
		state.drain_since = loop_now();
	accept_stop();
	upstream_forget();
	conn_drain();
}

static int
on_drain(const struct frame *f)
{
	(void)f;
	drain();
	return 0;
}

/*
 * A service manager signals all processes of a unit at once, master and
 * workers: that is a wish to end, and what runs is finished.  Later it is
 * master, whose patience is at its end.
 */
static void
on_term(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	if (state.drain_since != 0 &&
	    loop_now() - state.drain_since >= TERM_MS) {
		log_text(LOG_INFO, "end", "terminated");
		exit(0);
	}
	drain();
}

static const struct link_row rows[] = {
	{ PROTO_CONFIG, on_config },
	{ PROTO_BACKENDS, on_backends },
	{ PROTO_EGRESS, on_egress },
	{ PROTO_CHANNEL, on_channel },
	{ PROTO_SERVICE_CHANNEL, on_service_channel },
	{ PROTO_PING, on_ping },
	{ PROTO_LOG_FD, on_log_fd },
	{ PROTO_DRAIN, on_drain },
};

static int
on_frame(struct link *l, const struct frame *f, void *arg)
{
	(void)l;
	(void)arg;
	return link_dispatch(rows, sizeof(rows) / sizeof(*rows), f);
}

static void
read_link(void)
{
	int error = link_read(&state.link, on_frame, NULL);

	if (error == 0)
		return;
	if (error > 0) {
		log_text(LOG_INFO, "end", "master is gone");
		exit(0);
	}
	log_fatal("master", "master broke the contract");
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	read_link();
}

static void
on_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	if (link_flush(&state.link) != 0)
		log_fatal("master", "the channel to master is broken");
	if (!link_wants_write(&state.link))
		event_del(&state.writable);
}

void
master_link_init(void)
{
	link_open(&state.link, PROTO_FD_MASTER, PROTO_WORKER, PROTO_MASTER);
}

void
master_link_wait_config(void)
{
	struct pollfd p = { .fd = state.link.fd, .events = POLLIN };

	while (!state.configured) {
		if (poll(&p, 1, -1) < 0 && errno != EINTR)
			log_fatal("master", "poll: %s", strerror(errno));
		read_link();
	}
}

void
master_link_ready(void)
{
	event_assign(&state.readable, loop_base(), state.link.fd,
	    EV_READ | EV_PERSIST, on_readable, NULL);
	event_assign(&state.writable, loop_base(), state.link.fd,
	    EV_WRITE | EV_PERSIST, on_writable, NULL);
	event_add(&state.readable, NULL);
	evsignal_assign(&state.term, loop_base(), SIGTERM, on_term, NULL);
	event_add(&state.term, NULL);
	state.in_loop = true;
	send_frame(PROTO_READY, 0, STR_NONE);
}

void
master_link_rediscover(enum face face)
{
	const struct msg_rediscover m = { (uint8_t)face };
	struct buf b = BUF_INIT(64);

	if (msg_put_rediscover(&b, &m) == 0)
		send_frame(PROTO_REDISCOVER, 0, buf_str(&b));
	buf_free(&b);
}

void
master_link_rechannel(void)
{
	send_frame(PROTO_RECHANNEL, 0, STR_NONE);
}
