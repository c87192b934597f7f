/*
 * Runs the links to the children.  A child that breaks the protocol, closes
 * its link or stops answering is killed here and taken over by reap.c.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <event2/event.h>

#include "common/log.h"
#include "common/reason.h"
#include "master/channel.h"
#include "master/clock.h"
#include "master/master.h"

/* How many seconds without an answer are the end.  A worker may hang in a slow
 * file system for longer than the judge, which touches nothing. */
enum { SILENT_POLICYD = 5, SILENT_WORKER = 60, START_SECONDS = 10 };

const char *
child_name(const struct child *c)
{
	return c->role == PROTO_POLICYD ? "policyd" :
	    c->role == PROTO_WORKER ? "worker" : "embedded";
}

void
child_signal(struct child *c, int sig)
{
	if (c->pid > 0)
		kill(c->pid, sig);
}

static void
kill_broken(struct child *c, const char *why)
{
	log_text(c->master->state == MASTER_DRAINING ? LOG_DEBUG : LOG_WARN,
	    "child-broken", "%s %u (pid %d): %s", child_name(c), c->number,
	    (int)c->pid, why);
	event_del(c->readable);
	event_del(c->writable);
	c->is_broken = true;
	child_signal(c, SIGKILL);
}

static bool
is_open(const struct child *c)
{
	return link_is_open(&c->link) && !c->is_broken;
}

static void
watch_writable(struct child *c)
{
	if (link_wants_write(&c->link))
		event_add(c->writable, NULL);
}

/* Passes on the descriptors that wait, as far as the link takes them. */
static int
send_gifts(struct child *c)
{
	int error = 0;
	unsigned n = 0;

	for (; n < c->gift_count && error == 0 && c->link.fd_out < 0; n++) {
		struct gift *g = &c->gift[n];

		error = link_send(&c->link, g->type, g->id, STR_NONE, g->fd);
		close(g->fd);
	}
	c->gift_count -= n;
	memmove(c->gift, c->gift + n, c->gift_count * sizeof(*c->gift));
	return error;
}

void
child_send(struct child *c, enum proto_type type, struct str payload)
{
	if (!is_open(c))
		return;
	if (link_send(&c->link, type, type == PROTO_PING ? c->ping : 0,
	    payload, -1) != 0)
		kill_broken(c, "takes no more frames");
	else
		watch_writable(c);
}

void
child_give(struct child *c, enum proto_type type, uint64_t id, int fd)
{
	struct gift *g = &c->gift[c->gift_count];

	if (!is_open(c))
		return;
	if (c->gift_count == CHILD_GIFTS_MAX ||
	    (g->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3)) < 0) {
		kill_broken(c, "takes no more descriptors");
		return;
	}
	g->type = type;
	g->id = id;
	c->gift_count++;
	if (send_gifts(c) != 0)
		kill_broken(c, "takes no more frames");
	else
		watch_writable(c);
}

void
child_tell_backends(struct child *c)
{
	struct buf payload = BUF_INIT(64 * 1024);
	struct msg_backends m;

	discover_fill(&c->master->discovery, &m);
	if (msg_put_backends(&payload, &m) == 0)
		child_send(c, PROTO_BACKENDS, buf_str(&payload));
	buf_free(&payload);
	c->wants_backends = false;
}

void
child_tell_egress(struct child *c)
{
	struct buf payload = BUF_INIT(4 * 1024);
	struct msg_egress m;

	egress_fill(&c->master->egress, &m);
	if (msg_put_egress(&payload, &m) == 0)
		child_send(c, PROTO_EGRESS, buf_str(&payload));
	buf_free(&payload);
}

void
child_ping(struct child *c)
{
	if (c->is_asked || !is_open(c))
		return;
	c->is_asked = true;
	c->silent = 0;
	c->ping++;
	child_send(c, PROTO_PING, STR_NONE);
}

/*
 * Counted in ticks, not by the clock: when master itself was stopped for a
 * while, the answer is there and only not read yet.
 */
void
child_tick(struct child *c)
{
	unsigned most = c->role == PROTO_POLICYD ? SILENT_POLICYD :
	    SILENT_WORKER;

	if (!is_open(c))
		return;
	if (c->state == CHILD_STARTING)
		most = START_SECONDS;
	if (c->is_asked && ++c->silent >= most)
		kill_broken(c, "does not answer");
	else if (c->state == CHILD_READY)
		child_ping(c);
	else
		c->is_asked = true;
}

static int
take_pong(struct child *c, const struct frame *frame)
{
	struct msg_pong pong;

	if (!c->is_asked || frame->id != c->ping ||
	    msg_get_pong(frame->payload, &pong) != 0)
		return -R_INTERNAL;
	c->is_asked = false;
	c->silent = 0;
	idle_note(&c->master->idle, &c->counters, &pong,
	    c->role == PROTO_WORKER);
	c->counters = pong;
	control_child_answered(c->master);
	return 0;
}

static int
take_ready(struct child *c)
{
	if (c->state != CHILD_STARTING)
		return -R_INTERNAL;
	c->state = CHILD_READY;
	c->is_asked = false;
	log_text(LOG_DEBUG, "child-ready", "%s %u (pid %d)", child_name(c),
	    c->number, (int)c->pid);
	serve_child_ready(c->master);
	return 0;
}

static int
take_rediscover(struct child *c, const struct frame *frame)
{
	struct msg_rediscover m;

	if (msg_get_rediscover(frame->payload, &m) != 0)
		return -R_INTERNAL;
	c->wants_backends = true;
	discover_need(&c->master->discovery, (enum face)m.face);
	return 0;
}

static int
on_frame(struct link *l, const struct frame *frame, void *arg)
{
	struct child *c = arg;

	(void)l;
	switch (frame->type) {
	case PROTO_READY:
		return take_ready(c);
	case PROTO_PONG:
		return take_pong(c, frame);
	case PROTO_RECHANNEL:
		channel_open(c->master, c);
		return 0;
	case PROTO_REDISCOVER:
		return take_rediscover(c, frame);
	case PROTO_SERVICE:
		return embedded_take(c->master, frame->payload);
	default:
		return -R_INTERNAL;
	}
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct child *c = arg;
	int error = link_read(&c->link, on_frame, c);

	(void)fd;
	(void)what;
	if (error == 1)
		kill_broken(c, "closed its link");
	else if (error != 0)
		kill_broken(c, "sent what the protocol does not allow");
}

static void
on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct child *c = arg;

	(void)fd;
	(void)what;
	if (link_flush(&c->link) != 0 || send_gifts(c) != 0)
		kill_broken(c, "takes no more frames");
	else
		watch_writable(c);
}

static int
open_link(struct child *c, int fd)
{
	link_open(&c->link, fd, PROTO_MASTER, c->role);
	c->readable = event_new(c->master->base, fd, EV_READ | EV_PERSIST,
	    on_readable, c);
	c->writable = event_new(c->master->base, fd, EV_WRITE, on_writable,
	    c);
	if (c->readable == NULL || c->writable == NULL)
		return -1;
	return event_add(c->readable, NULL);
}

/* All that a child has to know; what is not known yet follows later. */
static void
introduce(struct child *c)
{
	if (c->role == PROTO_EMBEDDED) {
		embedded_introduce(c->master);
		return;
	}
	child_send(c, PROTO_CONFIG, buf_str(&c->master->config));
	if (!c->master->is_informed)
		return;
	child_tell_backends(c);
	child_tell_egress(c);
	if (c->role == PROTO_POLICYD)
		channel_open_all(c->master);
	else {
		channel_open(c->master, c);
		embedded_connect(c->master, c);
	}
}

static const struct program *
program_of(const struct child *c)
{
	const struct programs *p = &c->master->programs;

	return c->role == PROTO_WORKER ? &p->worker :
	    c->role == PROTO_POLICYD ? &p->policyd : &p->embedded;
}

int
child_start(struct child *c)
{
	const struct master *m = c->master;
	bool is_worker = c->role == PROTO_WORKER;
	const int listeners[FACE_COUNT] = { m->listeners.face[0].fd,
		m->listeners.face[1].fd };
	int fd = -1;

	memset(&c->counters, 0, sizeof(c->counters));
	c->is_asked = c->wants_backends = c->is_broken = false;
	c->silent = 0;
	c->started_ms = clock_ms();
	c->pid = spawn_child(program_of(c), m->log.fd, is_worker ? listeners :
	    NULL, &fd);
	if (c->pid < 0) {
		c->pid = 0;
		return -1;
	}
	c->starts++;
	c->state = CHILD_STARTING;
	/* Without memory for the link the child goes as a broken one. */
	if (open_link(c, fd) != 0) {
		link_close(&c->link);
		child_signal(c, SIGKILL);
		return 0;
	}
	introduce(c);
	return 0;
}

static void
on_respawn(evutil_socket_t fd, short what, void *arg)
{
	struct child *c = arg;

	(void)fd;
	(void)what;
	if (c->master->state == MASTER_DRAINING)
		return;
	if (child_start(c) != 0) {
		log_text(LOG_ERROR, "spawn-failed", "%s %u: %m",
		    child_name(c), c->number);
		child_schedule(c);
	}
}

void
child_schedule(struct child *c)
{
	uint32_t pause = throttle_next(&c->throttle, clock_ms() -
	    c->started_ms);
	struct timeval wait = clock_interval(pause);

	if (pause > 0)
		log_text(LOG_WARN, "respawn-later", "%s %u in %u ms",
		    child_name(c), c->number, pause);
	if (c->respawn == NULL)
		c->respawn = evtimer_new(c->master->base, on_respawn, c);
	if (c->respawn == NULL || event_add(c->respawn, &wait) != 0)
		log_panic("child", "no memory for a timer");
}

void
child_forget(struct child *c)
{
	if (c->readable != NULL)
		event_free(c->readable);
	if (c->writable != NULL)
		event_free(c->writable);
	c->readable = c->writable = NULL;
	link_close(&c->link);
	for (unsigned i = 0; i < c->gift_count; i++)
		close(c->gift[i].fd);
	c->gift_count = 0;
	c->pid = 0;
	c->state = CHILD_DOWN;
}
