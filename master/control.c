/*
 * Serves control.sock.  A client sends one line and gets one; it may only
 * learn, and say that the gateway is still wanted.  Stopping is a signal, sent
 * by somebody who made sure of the process.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/event.h>

#include "common/platform.h"
#include "common/str.h"
#include "master/clock.h"
#include "master/master.h"
#include "master/status.h"

static void on_client(evutil_socket_t, short, void *);

static void
drop(struct control_client *c)
{
	if (c->event != NULL)
		event_free(c->event);
	if (c->fd >= 0)
		close(c->fd);
	buf_free(&c->answer);
	c->event = NULL;
	c->fd = -1;
	c->state = CONTROL_FREE;
}

/* Waits for `what` on the client's socket, or only for the time. */
static void
wait_for(struct control_client *c, short what, uint64_t ms)
{
	struct timeval time = clock_interval(ms);

	event_del(c->event);
	event_assign(c->event, c->master->base, c->fd, what, on_client, c);
	if (event_add(c->event, &time) != 0)
		drop(c);
}

static void
send_answer(struct control_client *c)
{
	while (c->sent < c->answer.len) {
		ssize_t n = send(c->fd, c->answer.data + c->sent,
		    c->answer.len - c->sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			wait_for(c, EV_WRITE, CONTROL_SECONDS * 1000);
			return;
		}
		if (n < 0)
			break;
		c->sent += (size_t)n;
	}
	drop(c);
}

static void
answer_status(struct control_client *c)
{
	c->state = CONTROL_WRITING;
	buf_init(&c->answer, STATUS_MAX);
	status_write(c->master, &c->answer);
	send_answer(c);
}

static void
answer_text(struct control_client *c, const char *text)
{
	c->state = CONTROL_WRITING;
	buf_init(&c->answer, CONTROL_LINE);
	buf_put_text(&c->answer, text);
	send_answer(c);
}

static bool
is_counting(const struct master *m)
{
	for (unsigned i = 1; i < m->child_count; i++)
		if (m->child[i].is_asked)
			return true;
	return false;
}

/* The workers are asked first: their counters are up to a second old. */
static void
begin_status(struct control_client *c)
{
	struct master *m = c->master;

	for (unsigned i = 1; i < m->child_count; i++)
		if (m->child[i].state == CHILD_READY)
			child_ping(&m->child[i]);
	if (!is_counting(m)) {
		answer_status(c);
		return;
	}
	c->state = CONTROL_COUNTING;
	wait_for(c, 0, CONTROL_FRESH_MS);
}

static void
take_line(struct control_client *c, struct str line)
{
	if (str_ends(line, "\r"))
		line.len--;
	if (str_is(line, "status touch"))
		idle_touch(&c->master->idle);
	else if (!str_is(line, "status")) {
		answer_text(c, "{\"error\":\"status or status touch\"}\n");
		return;
	}
	begin_status(c);
}

static void
read_line(struct control_client *c)
{
	ssize_t got = read(c->fd, c->line + c->len, sizeof(c->line) - c->len);
	struct str have;
	size_t end;

	if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
		wait_for(c, EV_READ, CONTROL_SECONDS * 1000);
		return;
	}
	if (got <= 0) {
		drop(c);
		return;
	}
	c->len += (size_t)got;
	have = (struct str){ c->line, c->len };
	end = str_find(have, '\n');
	if (end < have.len)
		take_line(c, str_first(have, end));
	else if (c->len == sizeof(c->line))
		take_line(c, have);
	else
		wait_for(c, EV_READ, CONTROL_SECONDS * 1000);
}

static void
on_client(evutil_socket_t fd, short what, void *arg)
{
	struct control_client *c = arg;

	(void)fd;
	if (c->state == CONTROL_COUNTING)
		answer_status(c);
	else if ((what & EV_TIMEOUT) != 0)
		drop(c);
	else if (c->state == CONTROL_READING)
		read_line(c);
	else
		send_answer(c);
}

void
control_child_answered(struct master *m)
{
	if (is_counting(m))
		return;
	for (size_t i = 0; i < CONTROL_CLIENTS; i++)
		if (m->control.client[i].state == CONTROL_COUNTING)
			answer_status(&m->control.client[i]);
}

/* A free place, or that of the client which has said nothing for longest. */
static struct control_client *
find_place(struct control *control)
{
	struct control_client *silent = NULL;

	for (size_t i = 0; i < CONTROL_CLIENTS; i++) {
		struct control_client *c = &control->client[i];

		if (c->state == CONTROL_FREE)
			return c;
		if (c->state == CONTROL_READING &&
		    (silent == NULL || c->number < silent->number))
			silent = c;
	}
	if (silent != NULL)
		drop(silent);
	return silent;
}

static void
on_connection(evutil_socket_t listener, short what, void *arg)
{
	struct master *m = arg;
	struct control_client *c;
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	uid_t uid;
	pid_t pid;

	(void)what;
	if (fd < 0)
		return;
	if (platform_peer(fd, &pid, &uid) != 0 ||
	    (uid != geteuid() && uid != 0) ||
	    (c = find_place(&m->control)) == NULL) {
		close(fd);
		return;
	}
	memset(c, 0, sizeof(*c));
	c->master = m;
	c->fd = fd;
	c->state = CONTROL_READING;
	c->number = m->control.accepted++;
	c->event = event_new(m->base, fd, EV_READ, on_client, c);
	/* Mostly the line is there already: it is served before others come. */
	if (c->event == NULL)
		drop(c);
	else
		read_line(c);
}

int
control_open(struct master *m)
{
	m->control.listening = event_new(m->base, m->listeners.control.fd,
	    EV_READ | EV_PERSIST, on_connection, m);
	if (m->control.listening == NULL)
		return -1;
	return event_add(m->control.listening, NULL);
}

void
control_close(struct control *control)
{
	if (control->listening != NULL)
		event_free(control->listening);
	control->listening = NULL;
	for (size_t i = 0; i < CONTROL_CLIENTS; i++)
		if (control->client[i].state != CONTROL_FREE)
			drop(&control->client[i]);
}
