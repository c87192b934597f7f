/*
 * Answers of the daemon.  Its head is read here; by what the verdict and the
 * head say, the body is relayed (here), judged (judge.c), or no body at all
 * but a tunnel (hijack.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "worker/answer.h"
#include "worker/download.h"
#include "worker/hijack.h"
#include "worker/judge.h"
#include "worker/request.h"

enum { DOWNLOAD_TURNS = 16, DOWNLOAD_QUEUE = 256 * 1024 };

void
download_init(struct download *d)
{
	memset(d, 0, sizeof(*d));
	buf_init(&d->in, PROTO_HEAD_MAX + CONN_SCRATCH);
	buf_init(&d->kept, PROTO_JUDGE_MAX);
	flow_init(&d->flow, 0);
}

void
download_free(struct download *d)
{
	free(d->partial);
	d->partial = NULL;
	buf_free(&d->in);
	buf_free(&d->kept);
	flow_free(&d->flow);
}

bool
download_wants_daemon(const struct request *req)
{
	const struct download *d = &req->download;

	switch ((enum download_phase)d->phase) {
	case DOWNLOAD_HEAD:
	case DOWNLOAD_GATHER:
		return true;
	case DOWNLOAD_FLOW:
		return d->flow.last != FLOW_WRITE;
	case DOWNLOAD_CHUNKS:
		return sendq_len(&req->conn->out) == 0;
	case DOWNLOAD_LINES:
		return judge_wants_lines(req);
	case DOWNLOAD_DONE:
		break;
	}
	return false;
}

bool
download_wants_client(const struct request *req)
{
	return req->download.phase == DOWNLOAD_FLOW &&
	    req->download.flow.last == FLOW_WRITE;
}

void
download_end(struct request *req)
{
	req->download.phase = DOWNLOAD_DONE;
	if (req->up != NULL && !req->download.close)
		request_keep_daemon(req);
	request_close_daemon(req);
	request_settle(req);
}

void
download_fail(struct request *req, const char *why)
{
	bool created = (req->flags & FORWARD_CREATES) != 0 &&
	    req->download.status >= 200 && req->download.status < 300;

	answer_refuse(req, created ? R_NOT_CONFIRMED : R_BACKEND_ANSWER,
	    "%s", why);
}

/* Reads once.  Bytes; 0: none now; -1: the daemon has ended or broke. */
static ssize_t
receive(struct request *req)
{
	ssize_t n;

	do
		n = recv(req->up->io.fd, conn_scratch(), CONN_SCRATCH, 0);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		return n;
	return n < 0 && errno == EAGAIN ? 0 : -1;
}

/* ---- relaying ----------------------------------------------------------- */

/* How much of what came with the head belongs to the body. */
static int
first_part(struct download *d, const struct response *r, struct str *rest)
{
	size_t used = rest->len;
	int done = 0;

	d->close = r->close;

	http_body_init(&d->body, (enum http_framing)r->framing, r->length,
	    true);
	if (http_body_is_done(&d->body)) {
		d->close |= rest->len > 0;
		*rest = STR_NONE;
		return 1;
	}
	if (rest->len > 0)
		done = http_body_follow(&d->body, rest->data, rest->len, &used);
	d->close |= used < rest->len;
	*rest = str_first(*rest, used);
	return done;
}

static void
relay(struct request *req, const struct response *r, struct str bytes)
{
	static struct buf head = BUF_INIT(4 * PROTO_HEAD_MAX);
	struct download *d = &req->download;
	struct conn *c = req->conn;
	struct str rest = str_skip(bytes, r->size);
	struct response_change change = { 0, RESPONSE_AS_IS, 0, false };
	struct iovec iov[2];
	int done = first_part(d, r, &rest), error;

	if (done < 0) {
		download_fail(req, "the framing of the daemon's answer is "
		    "broken");
		return;
	}
	c->close |= r->framing == FRAMING_CLOSE || conn_is_draining();
	change.close = c->close;
	buf_clear(&head);
	response_write(r, bytes, &change, &head);
	iov[0] = str_iov(buf_str(&head));
	iov[1] = str_iov(rest);
	d->started = true;
	error = conn_send(c, iov, rest.len > 0 ? 2 : 1);
	/* The client need not wait for the log. */
	answer_log_allow(req, r->status);
	if (error != 0)
		return;
	if (done) {
		download_end(req);
		return;
	}
	d->phase = r->framing == FRAMING_CHUNKED ? DOWNLOAD_CHUNKS :
	    DOWNLOAD_FLOW;
	flow_init(&d->flow, r->framing == FRAMING_CLOSE ? FLOW_ENDLESS :
	    http_body_left(&d->body));
}

static void
run_flow(struct request *req)
{
	struct conn *c = req->conn;

	switch (flow_run(&req->download.flow, req->up->io.fd, c->io.fd,
	    &c->out)) {
	case FLOW_READ:
	case FLOW_WRITE:
		break;
	case FLOW_DONE:
		download_end(req);
		break;
	case FLOW_SOURCE:
		download_fail(req, "the daemon broke off");
		break;
	case FLOW_SINK:
		conn_kill(c);
		break;
	}
}

static void
run_chunks(struct request *req)
{
	struct conn *c = req->conn;
	struct download *d = &req->download;
	size_t used;

	for (int turn = 0; turn < DOWNLOAD_TURNS; turn++) {
		ssize_t n;
		int done;

		if (sendq_len(&c->out) > 0 || (n = receive(req)) == 0)
			return;
		done = n < 0 ? -1 : http_body_follow(&d->body, conn_scratch(),
		    (size_t)n, &used);
		if (done < 0) {
			download_fail(req, "the daemon broke off");
			return;
		}
		d->close |= used < (size_t)n;
		if (conn_send_str(c, (struct str){ conn_scratch(), used }) != 0)
			return;
		if (done) {
			download_end(req);
			return;
		}
	}
}

/* ---- the head ----------------------------------------------------------- */

static bool
is_redirect(unsigned status)
{
	/* 304 leads nowhere: it is how docker says "is started already". */
	return status >= 300 && status < 400 && status != 304;
}

static bool
is_tunnel(const struct request *req, const struct response *r)
{
	if (req->response_mode != FORWARD_HIJACK || req->is_head)
		return false;
	return r->status == 101 || (r->status == 200 && r->raw_stream &&
	    r->framing == FRAMING_CLOSE);
}

static void
use_head(struct request *req, const struct response *r, struct str bytes)
{
	req->download.status = r->status;
	if (is_redirect(r->status))
		download_fail(req, "the daemon answered with a redirection");
	else if (is_tunnel(req, r))
		hijack_start(req, r, bytes);
	else if (r->status == 101)
		download_fail(req, "the daemon switched protocols unasked");
	else if (req->response_mode == FORWARD_JUDGE)
		judge_begin(req, r, bytes);
	else if (req->response_mode == FORWARD_JUDGE_LINES)
		judge_begin_lines(req, r, bytes);
	else
		relay(req, r, bytes);
}

/* The head has not come whole: its bytes and the parser are kept. */
static void
keep_head(struct request *req, const struct response *r, struct str bytes)
{
	struct download *d = &req->download;

	if (d->in.len == 0)
		buf_put_str(&d->in, bytes);
	if (d->partial == NULL && (d->partial = malloc(sizeof(*r))) != NULL)
		*d->partial = *r;
	if (d->in.failed || d->partial == NULL)
		answer_refuse(req, R_INTERNAL, "no memory for the answer");
}

/* 1: an interim answer was taken off the front; 0: done with these bytes. */
static int
parse_head(struct request *req, struct str *bytes)
{
	static struct response first;
	struct download *d = &req->download;
	struct response *r = d->partial != NULL ? d->partial : &first;
	int got;

	if (r == &first)
		response_init(r);
	got = response_feed(r, *bytes, req->is_head);
	if (got == 0) {
		keep_head(req, r, *bytes);
		return 0;
	}
	d->partial = NULL;
	if (got == 1 && r->status < 200 && r->status != 101)
		*bytes = str_skip(*bytes, r->size);
	else if (got < 0)
		download_fail(req, "the daemon's answer is no HTTP");
	else {
		use_head(req, r, *bytes);
		got = 0;
	}
	if (r != &first)
		free(r);
	return got == 1;
}

static void
run_head(struct request *req)
{
	struct download *d = &req->download;
	struct str bytes = { conn_scratch(), 0 };
	ssize_t n = receive(req);

	if (n < 0 && d->in.len == 0 && request_retry(req))
		return;
	if (n < 0)
		download_fail(req, "the daemon closed the connection without "
		    "an answer");
	if (n <= 0)
		return;
	bytes.len = (size_t)n;
	if (d->in.len > 0) {
		buf_put_str(&d->in, bytes);
		bytes = buf_str(&d->in);
		if (d->in.failed) {
			download_fail(req, "the head of the daemon's answer "
			    "is too large");
			return;
		}
	}
	while (parse_head(req, &bytes) == 1) {
		/* An interim answer is not for the client. */
		if (d->in.len > 0) {
			buf_drop(&d->in, d->in.len - bytes.len);
			bytes = buf_str(&d->in);
		}
		if (bytes.len == 0)
			break;
	}
}

static void (*const runs[])(struct request *) = {
	[DOWNLOAD_HEAD] = run_head,
	[DOWNLOAD_FLOW] = run_flow,
	[DOWNLOAD_CHUNKS] = run_chunks,
	[DOWNLOAD_GATHER] = judge_run,
	[DOWNLOAD_LINES] = judge_run_lines,
};

void
download_run(struct request *req)
{
	if (req->up != NULL && req->download.phase != DOWNLOAD_DONE)
		runs[req->download.phase](req);
}
