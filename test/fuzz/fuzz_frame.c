/*
 * Frames between the processes: whatever one end of a link sends, the other
 * must survive, refuse what is out of contract, and read every payload within
 * its bounds.  What reads well must read the same after it is written again.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/link.h"
#include "common/message.h"
#include "common/reason.h"
#include "common/xfd.h"

int	 LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
require(bool holds)
{
	if (!holds)
		abort();
}

/* Every byte of a view is touched, so that a bad one is caught. */
static void
touch(struct str s)
{
	unsigned char sum = 0;

	for (size_t i = 0; i < s.len; i++)
		sum = (unsigned char)(sum ^ (unsigned char)s.data[i]);
	if (sum == 1 && s.len == SIZE_MAX)
		abort();
}

#define FRAME(name)							\
static int								\
read_##name(struct str payload)						\
{									\
	static struct msg_##name m;					\
	struct buf b = BUF_INIT(64 * 1024 * 1024);			\
									\
	if (msg_get_##name(payload, &m) != 0)				\
		return -R_INTERNAL;					\
	require(msg_put_##name(&b, &m) == 0);				\
	require(str_equal(buf_str(&b), payload));			\
	touch(buf_str(&b));						\
	buf_free(&b);							\
	return 0;							\
}

FRAME(backends)
FRAME(rediscover)
FRAME(serve)
FRAME(service)
FRAME(config)
FRAME(egress)
FRAME(request)
FRAME(body)
FRAME(window)
FRAME(deny)
FRAME(need_body)
FRAME(need_facts)
FRAME(facts)
FRAME(forward)
FRAME(response)
FRAME(answer)
FRAME(pong)

static const struct {
	enum proto_type	 type;
	int		(*read)(struct str);
} rows[] = {
	{ PROTO_BACKENDS, read_backends }, { PROTO_CONFIG, read_config },
	{ PROTO_EGRESS, read_egress }, { PROTO_REQUEST, read_request },
	{ PROTO_BODY, read_body }, { PROTO_WINDOW, read_window },
	{ PROTO_DENY, read_deny }, { PROTO_NEED_BODY, read_need_body },
	{ PROTO_NEED_FACTS, read_need_facts }, { PROTO_FACTS, read_facts },
	{ PROTO_FORWARD, read_forward }, { PROTO_RESPONSE, read_response },
	{ PROTO_ANSWER, read_answer }, { PROTO_PONG, read_pong },
	{ PROTO_REDISCOVER, read_rediscover }, { PROTO_SERVE, read_serve },
	{ PROTO_SERVICE, read_service },
};

static int
on_frame(struct link *l, const struct frame *f, void *arg)
{
	const struct proto_row *row = proto_find((uint16_t)f->type);

	(void)arg;
	if (f->fd >= 0)
		close(f->fd);
	require(row != NULL && (row->from & l->peer) != 0 &&
	    (row->to & l->self) != 0 && f->payload.len >= row->min &&
	    f->payload.len <= row->max);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].type == f->type)
			return rows[i].read(f->payload);
	return 0;
}

/* The link is read until the sender's end; its reader must come to an end. */
static void
receive(const uint8_t *data, size_t size, enum proto_role self,
    enum proto_role peer)
{
	struct link l;
	int fds[2];

	require(xfd_socketpair(fds) == 0);
	link_open(&l, fds[0], self, peer);
	while (size > 0) {
		ssize_t n = send(fds[1], data, size, MSG_NOSIGNAL);

		if (n > 0) {
			data += n;
			size -= (size_t)n;
		}
		if (link_read(&l, on_frame, NULL) != 0)
			break;
	}
	close(fds[1]);
	while (link_is_open(&l) && link_read(&l, on_frame, NULL) == 0)
		;
	link_close(&l);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		enum proto_role self, peer;
	} ends[] = {
		{ PROTO_WORKER, PROTO_POLICYD },
		{ PROTO_POLICYD, PROTO_WORKER },
		{ PROTO_WORKER, PROTO_MASTER }, { PROTO_MASTER, PROTO_WORKER },
		{ PROTO_MASTER, PROTO_EMBEDDED },
		{ PROTO_EMBEDDED, PROTO_MASTER },
		{ PROTO_WORKER, PROTO_EMBEDDED },
	};
	const size_t count = sizeof(ends) / sizeof(*ends);

	/* The first byte says whose link it is, or which payload alone. */
	if (size == 0)
		return 0;
	if (data[0] < count)
		receive(data + 1, size - 1, ends[data[0]].self,
		    ends[data[0]].peer);
	else
		rows[data[0] % (sizeof(rows) / sizeof(*rows))].read(
		    (struct str){ (const char *)data + 1, size - 1 });
	return 0;
}
