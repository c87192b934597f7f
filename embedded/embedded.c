/*
 * embedded: keeps podman system service for a gateway on a machine where no
 * daemon runs.  It alone has the way to that service's socket, and gives it to
 * the workers; master, which is open to inspection, never has it.
 *
 * Not dumpable, but free to start setuid programs: podman's newuidmap is one.
 * Reads no client's byte and knows no API.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event2/event.h>

#include "common/link.h"
#include "common/log.h"
#include "common/message.h"
#include "common/platform.h"
#include "common/reason.h"
#include "common/setting.h"
#include "embedded/service.h"
#include "embedded/workers.h"

static struct {
	struct event_base *base;
	struct link	 master;
	struct event	*readable;
	struct event	*writable;
	struct event	*term;
	struct event	*child;
	struct service	 service;
} state;

static void
send_frame(enum proto_type type, uint64_t id, struct str payload)
{
	if (link_send(&state.master, type, id, payload, -1) != 0)
		event_base_loopbreak(state.base);
	else if (link_wants_write(&state.master))
		event_add(state.writable, NULL);
}

static void
on_news(void *arg, const struct service *s, uint32_t serial)
{
	struct buf b = BUF_INIT(64 * 1024);
	struct msg_service m = { .serial = serial };

	(void)arg;
	if (s->state == SERVICE_UP) {
		m.pid = (uint32_t)s->pid;
		m.head = (struct str){ s->head, s->head_len };
	} else
		m.note = str_from(s->note);
	if (msg_put_service(&b, &m) == 0)
		send_frame(PROTO_SERVICE, 0, buf_str(&b));
	buf_free(&b);
}

/* ---- what master says ---------------------------------------------------- */

static void
set_level(struct str value)
{
	enum log_level level;
	char name[16];

	snprintf(name, sizeof(name), "%.*s", STR_FMT(value));
	if (log_level_parse(name, &level) == 0)
		log_set_level(level);
}

static void
set_text(char **to, struct str value)
{
	free(*to);
	*to = strndup(value.data, value.len);
	if (*to == NULL)
		log_fatal("config", "out of memory");
}

static int
on_config(const struct frame *f)
{
	static struct msg_config m;
	struct podman_place *p = &state.service.place;

	if (msg_get_config(f->payload, &m) != 0)
		return -R_INTERNAL;
	for (uint32_t i = 0; i < m.count; i++) {
		const struct pair *pair = &m.pair[i];

		if (str_is(pair->name, SETTING_PODMAN))
			set_text(&p->program, pair->value);
		else if (str_is(pair->name, SETTING_HOME))
			set_text(&p->home, pair->value);
		else if (str_is(pair->name, SETTING_RUNTIME_DIR))
			set_text(&p->runtime_dir, pair->value);
		else if (str_is(pair->name, SETTING_LOG_LEVEL))
			set_level(pair->value);
	}
	if (p->program == NULL || p->home == NULL)
		log_fatal("config", "no podman, or no home, was given");
	send_frame(PROTO_READY, 0, STR_NONE);
	return 0;
}

static int
on_serve(const struct frame *f)
{
	struct msg_serve m;

	if (msg_get_serve(f->payload, &m) != 0 ||
	    state.service.place.program == NULL)
		return -R_INTERNAL;
	service_serve(&state.service, m.serial);
	return 0;
}

static int
on_channel(const struct frame *f)
{
	workers_add(f->id, f->fd);
	return 0;
}

static int
on_ping(const struct frame *f)
{
	static const struct msg_pong pong;
	struct buf b = BUF_INIT(16 * 1024);

	if (msg_put_pong(&b, &pong) == 0)
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

static const struct link_row rows[] = {
	{ PROTO_CONFIG, on_config },
	{ PROTO_SERVE, on_serve },
	{ PROTO_SERVICE_CHANNEL, on_channel },
	{ PROTO_PING, on_ping },
	{ PROTO_LOG_FD, on_log_fd },
};

static int
on_frame(struct link *l, const struct frame *f, void *arg)
{
	(void)l;
	(void)arg;
	return link_dispatch(rows, sizeof(rows) / sizeof(*rows), f);
}

/* ---- the loop ------------------------------------------------------------ */

/* Without master there is nobody to serve. */
static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	if (link_read(&state.master, on_frame, NULL) != 0)
		event_base_loopbreak(state.base);
}

static void
on_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	if (link_flush(&state.master) != 0)
		event_base_loopbreak(state.base);
	else if (link_wants_write(&state.master))
		event_add(state.writable, NULL);
}

static void
on_signal(evutil_socket_t sig, short what, void *arg)
{
	(void)what;
	(void)arg;
	if (sig == SIGCHLD)
		service_reap(&state.service);
	else
		event_base_loopbreak(state.base);
}

static int
make_loop(void)
{
	struct event_config *config = event_config_new();

	if (config == NULL || event_config_set_flag(config,
	    EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_IGNORE_ENV) != 0)
		return -1;
	state.base = event_base_new_with_config(config);
	event_config_free(config);
	if (state.base == NULL)
		return -1;
	link_open(&state.master, PROTO_FD_MASTER, PROTO_EMBEDDED,
	    PROTO_MASTER);
	state.readable = event_new(state.base, PROTO_FD_MASTER, EV_READ |
	    EV_PERSIST, on_readable, NULL);
	state.writable = event_new(state.base, PROTO_FD_MASTER, EV_WRITE,
	    on_writable, NULL);
	state.term = evsignal_new(state.base, SIGTERM, on_signal, NULL);
	state.child = evsignal_new(state.base, SIGCHLD, on_signal, NULL);
	if (state.readable == NULL || state.writable == NULL ||
	    state.term == NULL || state.child == NULL)
		return -1;
	return event_add(state.readable, NULL) != 0 || event_add(state.term,
	    NULL) != 0 || event_add(state.child, NULL) != 0 ? -1 : 0;
}

int
main(void)
{
	log_init("embedded", LOG_INFO);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	if (platform_conceal() != 0)
		log_fatal("start", "this process cannot be concealed");
	if (make_loop() != 0 || service_init(&state.service, state.base,
	    on_news, NULL) != 0)
		log_fatal("start", "no event loop");
	workers_init(state.base);
	event_base_dispatch(state.base);
	service_end(&state.service);
	log_text(LOG_DEBUG, "end", "podman's service has ended too");
	return 0;
}
