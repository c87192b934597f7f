/*
 * A child that does nothing but keep the protocol: it stands in for worker and
 * policyd where a test is about master.  Which of the two it is, its name
 * tells.  Files beside it change what it does:
 *
 *	NAME.die	ends with status 7 before it is ready
 *	NAME.mute	answers no PING
 *	NAME.busy	counts one request under way
 *	NAME.stay	does not end when it is told to drain
 *	NAME.garbage	answers a PING with a frame that masters alone send
 *	NAME.ask	asks for a new search with each PING
 *
 * What it is told it writes to its log.
 */
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/link.h"
#include "common/log.h"
#include "common/message.h"
#include "common/platform.h"

static char own[PATH_MAX];
static const char *name;

static bool
is_set(const char *what)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s.%s", own, what);
	return access(path, F_OK) == 0;
}

static void
note_config(const struct frame *frame)
{
	static struct msg_config m;

	if (msg_get_config(frame->payload, &m) != 0)
		exit(3);
	for (uint32_t i = 0; i < m.count; i++) {
		struct log_pair pairs[] = {
			LOG_STR("name", m.pair[i].name),
			LOG_STR("value", m.pair[i].value)
		};

		log_event(LOG_INFO, "fake-setting", pairs, 2);
	}
}

static void
note_backends(const struct frame *frame)
{
	struct msg_backends m;

	if (msg_get_backends(frame->payload, &m) != 0)
		exit(3);
	for (int i = 0; i < FACE_COUNT; i++)
		log_text(LOG_INFO, "fake-backend", "generation %u face %d kind "
		    "%u api %u.%u libpod %u.%u.%u path %.*s", m.generation, i,
		    m.face[i].kind, m.face[i].api_major, m.face[i].api_minor,
		    m.face[i].libpod[0], m.face[i].libpod[1],
		    m.face[i].libpod[2], STR_FMT(m.face[i].path));
}

static void
note_egress(const struct frame *frame)
{
	struct msg_egress m;

	if (msg_get_egress(frame->payload, &m) != 0)
		exit(3);
	for (int i = 0; i < FACE_COUNT; i++)
		log_text(LOG_INFO, "fake-egress", "mode %u face %d answers %u "
		    "url %.*s", m.mode, i, m.answers[i], STR_FMT(m.url[i]));
}

static void
answer_ping(struct link *l, const struct frame *frame)
{
	struct buf payload = BUF_INIT(16 * 1024);
	struct msg_pong pong = { .active = is_set("busy"), .requests = 3,
		.connections = 2, .refused_count = 3,
		.refused = { 0, 4, 0 } };

	if (is_set("mute"))
		return;
	if (is_set("garbage")) {
		/* A whole head, sent round the check in link_send(). */
		struct proto_head head = { 0, PROTO_DRAIN, PROTO_VERSION, 0,
			0 };

		if (write(l->fd, &head, sizeof(head)) < 0)
			exit(3);
		return;
	}
	if (is_set("ask"))
		link_send(l, PROTO_REDISCOVER, 0, STR("\0"), -1);
	msg_put_pong(&payload, &pong);
	link_send(l, PROTO_PONG, frame->id, buf_str(&payload), -1);
	buf_free(&payload);
}

static int
on_frame(struct link *l, const struct frame *frame, void *arg)
{
	(void)arg;
	switch (frame->type) {
	case PROTO_CONFIG:
		note_config(frame);
		return link_send(l, PROTO_READY, 0, STR_NONE, -1);
	case PROTO_BACKENDS:
		note_backends(frame);
		return 0;
	case PROTO_EGRESS:
		note_egress(frame);
		return 0;
	case PROTO_CHANNEL:
		log_text(LOG_INFO, "fake-channel", "id %u", (unsigned)frame->id);
		close(frame->fd);
		return 0;
	case PROTO_LOG_FD:
		dup2(frame->fd, STDERR_FILENO);
		close(frame->fd);
		log_text(LOG_INFO, "fake-log", "goes here from now");
		return 0;
	case PROTO_PING:
		answer_ping(l, frame);
		return 0;
	case PROTO_DRAIN:
		log_text(LOG_INFO, "fake-drain", "told");
		if (!is_set("stay"))
			exit(0);
		return 0;
	default:
		return -1;
	}
}

int
main(void)
{
	struct link link;
	int error;

	if (platform_executable(0, own, sizeof(own)) != 0)
		return 3;
	name = strrchr(own, '/') + 1;
	log_init(name, LOG_DEBUG);
	if (is_set("die"))
		return 7;
	link_open(&link, PROTO_FD_MASTER, strcmp(name, "policyd") == 0 ?
	    PROTO_POLICYD : PROTO_WORKER, PROTO_MASTER);
	do {
		struct pollfd pfd = { link.fd, POLLIN, 0 };

		poll(&pfd, 1, -1);
		error = link_read(&link, on_frame, NULL);
	} while (error == 0);
	link_close(&link);
	return error == 1 ? 0 : 4;
}
