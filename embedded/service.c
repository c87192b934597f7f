/*
 * The service's states.  A death while it answered is made good at once, and
 * after growing pauses when it repeats; a start that failed is tried again by
 * the next who asks.  Each start has a socket of its own, so that a dead
 * service refuses connections instead of letting them wait.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <event2/event.h>

#include "common/log.h"
#include "embedded/service.h"
#include "embedded/unnamed.h"
#include "embedded/workers.h"
#include "master/clock.h"

enum {
	START_MS = 15 * 1000,	/* a first start unpacks nothing, but checks
				 * the whole storage */
	CHECK_MS = 2000,	/* an answer of one that served before */
	RETRY_MS = 10,		/* it does not listen yet */
	PATIENCE_MS = 2000	/* a pause that those who ask wait for */
};

static const char ping[] = "GET /_ping HTTP/1.1\r\nHost: d\r\n"
    "User-Agent: container-gateway\r\nConnection: close\r\n\r\n";

static void	 start(struct service *);
static void	 note_set(struct service *, const char *, ...)
		    __attribute__((format(printf, 2, 3)));

/* ---- what it says -------------------------------------------------------- */

/* One line for a person: no byte that a terminal would act upon. */
static void
note_set(struct service *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->note, sizeof(s->note), fmt, ap);
	va_end(ap);
	for (char *c = s->note; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

static void
take_line(struct service *s)
{
	s->line[s->line_len] = '\0';
	s->line_len = 0;
	if (s->line[0] == '\0')
		return;
	note_set(s, "%s", s->line);
	log_text(LOG_DEBUG, "podman", "%s", s->note);
}

/* 1: there may be more; 0: not now; -1: never again. */
static int
read_errors(struct service *s)
{
	char bytes[1024];
	ssize_t n = read(s->error_fd, bytes, sizeof(bytes));

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	for (ssize_t i = 0; i < n; i++)
		if (bytes[i] == '\n')
			take_line(s);
		else if (s->line_len < sizeof(s->line) - 1)
			s->line[s->line_len++] = bytes[i];
	return n > 0 ? 1 : -1;
}

static void
close_errors(struct service *s)
{
	if (s->errors != NULL)
		event_free(s->errors);
	s->errors = NULL;
	if (s->error_fd >= 0)
		close(s->error_fd);
	s->error_fd = -1;
}

static void
on_errors(evutil_socket_t fd, short what, void *arg)
{
	struct service *s = arg;

	(void)fd;
	(void)what;
	if (read_errors(s) < 0)
		close_errors(s);
}

/* ---- is it there? -------------------------------------------------------- */

static void
tell(struct service *s)
{
	uint32_t serial = s->serial;

	s->serial = 0;
	s->news(s->arg, s, serial);
}

static void
wait_for(struct service *s, uint64_t ms)
{
	struct timeval time = clock_interval(ms);

	if (event_add(s->timer, &time) != 0)
		log_panic("service", "no memory for a timer");
}

static void
came_up(struct service *s, struct str head)
{
	memcpy(s->head, head.data, head.len);
	s->head_len = head.len;
	s->state = SERVICE_UP;
	s->note[0] = '\0';
	log_text(LOG_INFO, "service-up", "podman system service (pid %d) "
	    "answers after %u ms", (int)s->pid, (unsigned)(clock_ms() -
	    s->started_ms));
	/* First those who dial it, then those who tell them to. */
	workers_tell(s->handle);
	tell(s);
}

static void
on_answer(void *arg, int error, struct str head)
{
	struct service *s = arg;
	bool is_new = s->state == SERVICE_STARTING;

	s->probe = NULL;
	if (is_new && error == 0 && probe_status(head) == 200) {
		came_up(s, head);
		return;
	}
	/* One that is slow is none that is dead: it has work. */
	if (!is_new && error != ECONNREFUSED && error != ECONNRESET) {
		tell(s);
		return;
	}
	if (is_new && error == ECONNREFUSED &&
	    clock_ms() - s->started_ms < START_MS) {
		wait_for(s, RETRY_MS);
		return;
	}
	/* Its death is noticed in service_reap(), and judged there. */
	log_text(LOG_WARN, "service-silent", "podman system service (pid %d) "
	    "does not answer: %s", (int)s->pid, error == 0 ?
	    "not with 200" : strerror(error));
	if (s->note[0] == '\0')
		note_set(s, "it did not answer");
	kill(s->pid, SIGKILL);
}

static void
ask(struct service *s)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	char path[UNNAMED_PATH];

	if (s->probe != NULL)
		return;
	unnamed_path(s->handle, path);
	memcpy(to.sun_path, path, sizeof(path));
	s->probe = probe_start(s->base, (struct sockaddr *)&to, sizeof(to),
	    str_from(ping), s->state == SERVICE_UP ? CHECK_MS : START_MS,
	    on_answer, s);
	if (s->probe == NULL)
		log_panic("service", "no memory for a probe");
}

/* ---- beginning and end --------------------------------------------------- */

static void
fail(struct service *s)
{
	log_text(LOG_WARN, "service-failed", "podman system service did not "
	    "start: %s", s->note);
	s->state = SERVICE_DOWN;
	tell(s);
}

/* For a socket that must have a name for an instant. */
static const char *
find_folder(const struct service *s)
{
	if (s->place.runtime_dir != NULL)
		return s->place.runtime_dir;
	return geteuid() == 0 ? "/run" : "/tmp";
}

static void
start(struct service *s)
{
	struct unnamed u;
	pid_t pid = -1;

	s->note[0] = '\0';
	s->started_ms = clock_ms();
	if (unnamed_make(find_folder(s), &u) != 0)
		note_set(s, "no socket for it: %s", strerror(errno));
	else {
		pid = podman_start(&s->place, u.socket, &s->error_fd);
		if (pid < 0)
			note_set(s, "no process for it: %s", strerror(errno));
		close(u.socket);
	}
	if (pid < 0) {
		if (u.handle >= 0)
			close(u.handle);
		fail(s);
		return;
	}
	s->pid = pid;
	s->handle = u.handle;
	s->state = SERVICE_STARTING;
	s->errors = event_new(s->base, s->error_fd, EV_READ | EV_PERSIST,
	    on_errors, s);
	if (s->errors == NULL || event_add(s->errors, NULL) != 0)
		log_panic("service", "no memory for an event");
	ask(s);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct service *s = arg;

	(void)fd;
	(void)what;
	if (s->state == SERVICE_PAUSE)
		start(s);
	else if (s->state == SERVICE_STARTING)
		ask(s);
}

/* Everything that belonged to the process. */
static void
forget(struct service *s)
{
	while (s->errors != NULL && read_errors(s) > 0)
		;
	take_line(s);
	close_errors(s);
	probe_cancel(s->probe);
	s->probe = NULL;
	event_del(s->timer);
	workers_tell(-1);
	if (s->handle >= 0)
		close(s->handle);
	s->handle = -1;
	s->pid = 0;
	s->head_len = 0;
}

void
service_reap(struct service *s)
{
	bool was_up = s->state == SERVICE_UP;
	uint32_t pause;
	int status;
	pid_t pid = s->pid;

	if (pid == 0 || waitpid(pid, &status, WNOHANG) != pid)
		return;
	podman_sweep(pid);
	forget(s);
	/* One that served said much that has nothing to do with its end. */
	if (WIFSIGNALED(status) && (was_up || s->note[0] == '\0'))
		note_set(s, "it was ended by signal %d", WTERMSIG(status));
	else if (s->note[0] == '\0')
		note_set(s, "it ended with status %d", WEXITSTATUS(status));
	pause = throttle_next(&s->throttle, clock_ms() - s->started_ms);
	s->not_before_ms = clock_ms() + pause;
	if (!was_up) {
		fail(s);
		return;
	}
	log_text(LOG_WARN, "service-ended", "podman system service (pid %d): "
	    "%s; started again in %u ms", (int)pid, s->note, pause);
	s->state = SERVICE_PAUSE;
	wait_for(s, pause);
	/* Who asked waits for the next start, unless that is far. */
	if (s->serial == 0 || pause > PATIENCE_MS)
		tell(s);
}

void
service_serve(struct service *s, uint32_t serial)
{
	uint64_t now = clock_ms();
	uint64_t left = s->not_before_ms > now ? s->not_before_ms - now : 0;

	s->serial = serial;
	/* It may be dead already, and its end not yet heard of. */
	service_reap(s);
	if (s->serial == 0 || s->state == SERVICE_STARTING)
		return;
	if (s->state == SERVICE_UP)
		ask(s);
	else if (left > PATIENCE_MS)
		tell(s);
	else if (s->state == SERVICE_DOWN) {
		s->state = SERVICE_PAUSE;
		wait_for(s, left);
	}
}

int
service_init(struct service *s, struct event_base *base, service_news news,
    void *arg)
{
	memset(s, 0, sizeof(*s));
	s->base = base;
	s->news = news;
	s->arg = arg;
	s->handle = s->error_fd = -1;
	s->timer = evtimer_new(base, on_timer, s);
	return s->timer != NULL ? 0 : -1;
}

void
service_end(struct service *s)
{
	pid_t pid = s->pid;

	if (pid == 0)
		return;
	forget(s);
	podman_end(pid);
}
