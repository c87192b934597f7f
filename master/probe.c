/*
 * Probes.  The answer is read leniently and used for a version or a yes:
 * nothing is forwarded from here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event2/event.h>

#include "common/platform.h"
#include "master/clock.h"
#include "master/probe.h"

struct probe {
	int		 fd;		/* -1: it could not be dialled */
	int		 error;		/* of dialling */
	struct event	*event;
	struct str	 unsent;
	uint64_t	 end_ms;
	size_t		 len;
	probe_done	 done;
	void		*arg;
	char		 head[PROBE_HEAD_MAX];
};

void
probe_cancel(struct probe *p)
{
	if (p == NULL)
		return;
	if (p->event != NULL)
		event_free(p->event);
	if (p->fd >= 0)
		close(p->fd);
	free(p);
}

static void
finish(struct probe *p, int error)
{
	struct str head = { p->head, error == 0 ? p->len : 0 };

	p->done(p->arg, error, head);
	probe_cancel(p);
}

/* Where the head ends, with its empty line; or 0. */
static size_t
head_end(const struct probe *p)
{
	const char *at = memmem(p->head, p->len, "\r\n\r\n", 4);

	return at != NULL ? (size_t)(at - p->head) + 4 : 0;
}

/* Reads; true when there is nothing more to wait for. */
static bool
take_answer(struct probe *p, int *error)
{
	ssize_t got = read(p->fd, p->head + p->len, sizeof(p->head) - p->len);
	size_t end;

	*error = 0;
	if (got < 0) {
		*error = errno;
		return errno != EAGAIN && errno != EINTR;
	}
	p->len += (size_t)got;
	end = head_end(p);
	if (end > 0)
		p->len = end;
	return got == 0 || end > 0 || p->len == sizeof(p->head);
}

static bool
send_request(struct probe *p, int *error)
{
	ssize_t sent = send(p->fd, p->unsent.data, p->unsent.len,
	    MSG_NOSIGNAL);

	*error = errno;
	if (sent < 0)
		return errno != EAGAIN && errno != EINTR;
	p->unsent = str_skip(p->unsent, (size_t)sent);
	return false;
}

/* Waits for what comes next, within what is left of the deadline. */
static bool
wait_more(struct probe *p)
{
	uint64_t now = clock_ms();
	struct timeval left = clock_interval(p->end_ms > now ?
	    p->end_ms - now : 0);

	return event_add(p->event, &left) == 0;
}

static void
on_event(evutil_socket_t fd, short what, void *arg)
{
	struct event_base *base;
	struct probe *p = arg;
	int error = 0;

	if (p->fd < 0) {
		finish(p, p->error);
		return;
	}
	if ((what & EV_TIMEOUT) != 0) {
		finish(p, ETIMEDOUT);
		return;
	}
	if ((what & EV_WRITE) != 0 ? send_request(p, &error) :
	    take_answer(p, &error)) {
		finish(p, error);
		return;
	}
	base = event_get_base(p->event);
	event_assign(p->event, base, fd, p->unsent.len > 0 ? EV_WRITE :
	    EV_READ, on_event, p);
	if (!wait_more(p))
		finish(p, ENOMEM);
}

/* A connected, or connecting, socket in p->fd; else p->error. */
static void
dial(struct probe *p, const struct sockaddr *to, socklen_t len)
{
	pid_t pid;
	uid_t uid;

	p->fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC |
	    SOCK_NONBLOCK, 0);
	if (p->fd < 0) {
		p->error = errno;
		return;
	}
	if (connect(p->fd, to, len) != 0 && errno != EINPROGRESS)
		p->error = errno;
	else if (to->sa_family == AF_UNIX && platform_peer(p->fd, &pid,
	    &uid) == 0 && pid == getpid())
		p->error = ELOOP;
	else
		return;
	close(p->fd);
	p->fd = -1;
}

struct probe *
probe_start(struct event_base *base, const struct sockaddr *to, socklen_t len,
    struct str request, uint32_t ms, probe_done done, void *arg)
{
	struct probe *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->unsent = request;
	p->end_ms = clock_ms() + ms;
	p->done = done;
	p->arg = arg;
	dial(p, to, len);
	p->event = event_new(base, p->fd, p->fd < 0 ? 0 : EV_WRITE, on_event,
	    p);
	if (p->event == NULL) {
		probe_cancel(p);
		return NULL;
	}
	if (p->fd < 0)
		event_active(p->event, EV_TIMEOUT, 0);
	else if (!wait_more(p)) {
		probe_cancel(p);
		return NULL;
	}
	return p;
}

struct str
probe_header(struct str head, const char *name)
{
	while (head.len > 0) {
		struct str line = str_first(head, str_find(head, '\n'));
		struct str field = str_first(line, str_find(line, ':'));

		head = str_skip(head, line.len + 1);
		if (!str_equal_nocase(field, str_from(name)))
			continue;
		line = str_skip(line, field.len + 1);
		while (line.len > 0 && (line.data[0] == ' ' ||
		    line.data[0] == '\t'))
			line = str_skip(line, 1);
		while (line.len > 0 && (line.data[line.len - 1] == '\r' ||
		    line.data[line.len - 1] == ' '))
			line.len--;
		return line;
	}
	return STR_NONE;
}

unsigned
probe_status(struct str head)
{
	unsigned status = 0;

	if (!str_starts(head, "HTTP/1.") || head.len < 12 ||
	    head.data[8] != ' ')
		return 0;
	for (size_t i = 9; i < 12; i++) {
		if (head.data[i] < '0' || head.data[i] > '9')
			return 0;
		status = status * 10 + (unsigned)(head.data[i] - '0');
	}
	return status;
}
