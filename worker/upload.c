/*
 * Uploads.  Nothing is read before the verdict has a use for it, so a client
 * is held back by its own socket; nothing is passed on undecoded.
 */
#include <stdio.h>

#include "worker/answer.h"
#include "worker/policy_link.h"
#include "worker/request.h"
#include "worker/upload.h"

enum {
	UPLOAD_TURNS = 16,			/* reads of one run */
	UPLOAD_HOLD_MAX = 8 * 1024 * 1024	/* taken but not released */
};

void
upload_init(struct upload *u, const struct http_head *head)
{
	static const enum http_framing framing[] = {
		[BODY_NONE] = FRAMING_NONE,
		[BODY_LENGTH] = FRAMING_LENGTH,
		[BODY_CHUNKED] = FRAMING_CHUNKED,
	};

	memset(u, 0, sizeof(*u));
	http_body_init(&u->body, framing[head->body_kind], head->body_length,
	    false);
	u->expect = head->expect;
	buf_init(&u->hold, UPLOAD_HOLD_MAX + PROTO_BODY_CHUNK);
	flow_init(&u->flow, head->body_length);
}

void
upload_free(struct upload *u)
{
	buf_free(&u->hold);
	flow_free(&u->flow);
}

bool
upload_is_done(const struct request *req)
{
	return http_body_is_done(&req->upload.body);
}

static uint64_t
window_left(const struct upload *u)
{
	uint64_t end = u->taken + PROTO_BODY_WINDOW;

	return end > u->sent ? end - u->sent : 0;
}

/* How many bytes may be read now. */
static size_t
room(const struct request *req)
{
	const struct upload *u = &req->upload;
	uint64_t left;

	switch ((enum upload_sink)u->sink) {
	case UPLOAD_HOLD:
		return 0;
	case UPLOAD_DAEMON:
		return sendq_len(&req->up_out) == 0 ? CONN_SCRATCH : 0;
	case UPLOAD_DISCARD:
		return u->decoded < u->max ? CONN_SCRATCH : 0;
	case UPLOAD_POLICY:
	case UPLOAD_SCAN:
		break;
	}
	/* A slow daemon, and a policyd that lets nothing go, stop it. */
	if (!policy_link_has_room() || u->hold.len > UPLOAD_HOLD_MAX ||
	    u->released - u->passed >= PROTO_BODY_WINDOW)
		return 0;
	left = window_left(u);
	return left < CONN_SCRATCH ? (size_t)left : CONN_SCRATCH;
}

/* Bytes may go from socket to socket, unseen. */
static bool
is_flow(const struct request *req)
{
	const struct upload *u = &req->upload;

	return u->sink == UPLOAD_DAEMON && u->body.framing == FRAMING_LENGTH &&
	    (req->conn->in.len == 0 || u->flow.in_pipe > 0);
}

bool
upload_wants_read(const struct request *req)
{
	if (upload_is_done(req))
		return false;
	if (is_flow(req))
		return req->upload.flow.last != FLOW_WRITE;
	return room(req) > 0;
}

bool
upload_wants_daemon(const struct request *req)
{
	return sendq_len(&req->up_out) > 0 ||
	    (is_flow(req) && req->upload.flow.last == FLOW_WRITE);
}

void
upload_abandon(struct request *req)
{
	sendq_free(&req->up_out);
	flow_free(&req->upload.flow);
	upload_start(req, UPLOAD_DISCARD, ANSWER_DRAIN_MAX);
}

/* It ended before its end, or its framing is broken. */
static void
breaks(struct request *req, const char *how)
{
	struct conn *c = req->conn;

	if (c->state == CONN_DEAD)
		return;
	req->upload.broken = true;
	c->close = true;
	if (req->upload.sink != UPLOAD_DISCARD)
		answer_refuse(req, R_BAD_REQUEST, "%s", how);
	else if (c->state == CONN_ANSWER)
		request_progress(req);
}

/* ---- the sinks ---------------------------------------------------------- */

static int
send_body(struct request *req, struct str bytes, bool last)
{
	struct msg_body m = { last, bytes };
	struct buf b = BUF_INIT(PROTO_BODY_CHUNK + 64);
	int error;

	msg_put_body(&b, &m);
	error = policy_link_send(req, PROTO_BODY, buf_str(&b));
	buf_free(&b);
	if (error != 0) {
		answer_refuse(req, -error, "the policy process takes no more");
		return -1;
	}
	req->upload.sent += bytes.len;
	req->upload.whole = last;
	return 0;
}

static void
sink_policy(struct request *req, struct str bytes, bool last)
{
	struct upload *u = &req->upload;

	if (u->decoded > u->max) {
		answer_refuse(req, R_TOO_LARGE, "the body is larger than %llu "
		    "bytes", (unsigned long long)u->max);
		return;
	}
	if (send_body(req, bytes, last) == 0 && last) {
		deadline_stop(&req->conn->deadline);
		conn_set_state(req->conn, CONN_JUDGE);
	}
}

/* Sends body bytes to the daemon in the framing that was announced. */
static void
to_daemon(struct request *req, struct str bytes, bool last)
{
	char size[24];
	struct iovec iov[4];
	int n = 0;

	if (req->upload.body.framing == FRAMING_CHUNKED && bytes.len > 0) {
		iov[n].iov_base = size;
		iov[n++].iov_len = (size_t)snprintf(size, sizeof(size),
		    "%zx\r\n", bytes.len);
	}
	iov[n++] = str_iov(bytes);
	if (req->upload.body.framing == FRAMING_CHUNKED && bytes.len > 0)
		iov[n++] = str_iov(STR("\r\n"));
	if (req->upload.body.framing == FRAMING_CHUNKED && last)
		iov[n++] = str_iov(STR("0\r\n\r\n"));
	if (req->up == NULL)
		return;
	/* It may have answered already, and closed its side. */
	if (sendq_write(&req->up_out, req->up->io.fd, iov, n) != 0)
		upload_abandon(req);
}

/* Passes on what policyd released. */
static void
pass_released(struct request *req)
{
	struct upload *u = &req->upload;
	size_t n = 0;

	/* As fast as the daemon takes them; its socket wakes us for more. */
	while (u->sink == UPLOAD_SCAN && u->passed < u->released &&
	    sendq_len(&req->up_out) == 0) {
		struct str part = str_first(str_skip(buf_str(&u->hold), n),
		    (size_t)(u->released - u->passed));

		part = str_first(part, CONN_SCRATCH);
		n += part.len;
		u->passed += part.len;
		to_daemon(req, part, false);
	}
	if (u->sink == UPLOAD_SCAN && u->good && u->passed == u->sent &&
	    !u->ended) {
		u->ended = true;
		to_daemon(req, STR_NONE, true);
	}
	buf_drop(&u->hold, n);
	if (u->hold.len == 0)
		buf_free(&u->hold);
}

static void
sink_scan(struct request *req, struct str bytes, bool last)
{
	buf_put_str(&req->upload.hold, bytes);
	if (req->upload.hold.failed)
		answer_refuse(req, R_INTERNAL, "no memory for the scan");
	else
		send_body(req, bytes, last);
}

static void
sink_discard(struct request *req, struct str bytes, bool last)
{
	struct conn *c = req->conn;

	(void)bytes;
	if (!last && req->upload.decoded >= req->upload.max) {
		req->upload.broken = true;
		c->close = true;
	}
	if (c->state == CONN_ANSWER && (last || req->upload.broken))
		request_progress(req);
}

static void (*const sinks[])(struct request *, struct str, bool) = {
	[UPLOAD_HOLD] = NULL,
	[UPLOAD_POLICY] = sink_policy,
	[UPLOAD_DAEMON] = to_daemon,
	[UPLOAD_SCAN] = sink_scan,
	[UPLOAD_DISCARD] = sink_discard,
};

static void
begin(struct request *req)
{
	struct upload *u = &req->upload;

	/* A client that waits for it is told to go on: only now. */
	if (u->expect) {
		u->expect = false;
		conn_send_str(req->conn, STR("HTTP/1.1 100 Continue\r\n\r\n"));
	}
}

void
upload_start(struct request *req, enum upload_sink sink, uint64_t max)
{
	struct upload *u = &req->upload;

	u->sink = (uint8_t)sink;
	u->max = max;
	if (!upload_is_done(req)) {
		if (sink != UPLOAD_HOLD && sink != UPLOAD_DISCARD)
			begin(req);
	} else if ((sink == UPLOAD_POLICY || sink == UPLOAD_SCAN) &&
	    !u->whole)
		/* There is none: policyd is told so. */
		sinks[sink](req, STR_NONE, true);
}

/* ---- reading ------------------------------------------------------------ */

/* Bytes to decode, in the scratch: what was read ahead, or fresh ones. */
static ssize_t
fetch(struct request *req, size_t max)
{
	struct conn *c = req->conn;
	size_t n = c->in.len < max ? c->in.len : max;

	if (n == 0)
		return conn_receive(c, conn_scratch(), max);
	memcpy(conn_scratch(), c->in.data, n);
	return (ssize_t)n;
}

/* One read.  1: go on; 0: nothing to do now; -1: the request took a turn. */
static int
step(struct request *req)
{
	struct conn *c = req->conn;
	struct upload *u = &req->upload;
	char *scratch = conn_scratch();
	bool ahead = c->in.len > 0;
	ssize_t n = fetch(req, room(req));
	size_t used, data;
	int got;

	if (n < 0)
		breaks(req, "the body ended early");
	if (n <= 0)
		return (int)n;
	got = http_body_decode(&u->body, scratch, (size_t)n, &used, &data);
	/* What lies behind the body is the next request's. */
	if (ahead)
		buf_drop(&c->in, used);
	else
		buf_put(&c->in, scratch + used, (size_t)n - used);
	u->begun = true;
	u->decoded += data;
	if (got < 0) {
		breaks(req, "the chunked framing of the body is broken");
		return -1;
	}
	if (data > 0 || got == 1)
		sinks[u->sink](req, (struct str){ scratch, data }, got == 1);
	return c->state != CONN_DEAD && c->request == req ? 1 : -1;
}

/* From socket to socket, as far as the length goes. */
static void
run_flow(struct request *req)
{
	struct upload *u = &req->upload;
	struct conn *c = req->conn;
	uint64_t before = u->flow.left = http_body_left(&u->body);
	enum flow_result result = flow_run(&u->flow, c->io.fd, req->up->io.fd,
	    &req->up_out);

	if (before != u->flow.left)
		u->begun = true;
	http_body_skip(&u->body, before - u->flow.left);
	if (result == FLOW_SINK)
		upload_abandon(req);
	else if (result == FLOW_SOURCE &&
	    conn_receive(c, conn_scratch(), CONN_SCRATCH) < 0)
		breaks(req, "the body ended early");
}

void
upload_run(struct request *req)
{
	struct conn *c = req->conn;
	struct upload *u = &req->upload;
	unsigned reads = 0;

	if (u->sink == UPLOAD_SCAN)
		pass_released(req);
	if (is_flow(req) && u->flow.last != FLOW_DONE) {
		if (req->up != NULL)
			run_flow(req);
		if (u->sink == UPLOAD_DAEMON)
			return;
	}
	while (c->state != CONN_DEAD && c->request == req &&
	    !upload_is_done(req)) {
		if (room(req) == 0) {
			if ((u->sink == UPLOAD_POLICY ||
			    u->sink == UPLOAD_SCAN) && !policy_link_has_room())
				policy_link_stall(req);
			return;
		}
		if (c->in.len == 0 && reads++ == UPLOAD_TURNS)
			return;
		if (step(req) <= 0)
			return;
	}
}

int
upload_window(struct request *req, const struct msg_window *m)
{
	struct upload *u = &req->upload;

	if (m->taken < u->taken || m->taken > u->sent ||
	    m->released < u->released || m->released > u->sent ||
	    (m->done && !u->whole))
		return -R_INTERNAL;
	u->taken = m->taken;
	if (u->sink != UPLOAD_SCAN && u->sink != UPLOAD_POLICY)
		return 0;
	if (u->sink == UPLOAD_SCAN) {
		u->released = m->done ? u->sent : m->released;
		u->good = m->done;
		if (u->hold.len > UPLOAD_HOLD_MAX && u->taken == u->sent &&
		    u->released == u->passed) {
			answer_refuse(req, R_TOO_LARGE, "more of the body "
			    "would have to be held back than the gateway "
			    "holds");
			return 0;
		}
	}
	upload_run(req);
	return 0;
}

void
upload_put_framing(const struct request *req, struct buf *out)
{
	const struct http_body *b = &req->upload.body;

	if (b->framing == FRAMING_CHUNKED)
		buf_put_text(out, "Transfer-Encoding: chunked\r\n");
	else
		buf_printf(out, "Content-Length: %llu\r\n",
		    (unsigned long long)http_body_left(b));
}
