/*
 * Judged answers.  Whole ones are kept until policyd has said what the client
 * gets; of a stream each line is, in order, and a bounded number at a time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "worker/answer.h"
#include "worker/judge.h"
#include "worker/policy_link.h"
#include "worker/request.h"

enum {
	JUDGE_TURNS = 16,
	LINES_MAX = 32,			/* lines at policyd */
	LINES_KEPT = 2 * 1024 * 1024	/* bytes of lines, judged or waiting */
};

static bool
is_created(const struct request *req)
{
	return (req->flags & FORWARD_CREATES) != 0 &&
	    req->download.status >= 200 && req->download.status < 300;
}

/* ---- whole answers ------------------------------------------------------ */

static void
send_response(struct request *req, struct str body, bool is_line)
{
	struct buf b = BUF_INIT(PROTO_JUDGE_MAX + 64);
	struct msg_response m = { req->download.status, is_line, body };
	int error;

	msg_put_response(&b, &m);
	error = policy_link_send(req, PROTO_RESPONSE, buf_str(&b));
	buf_free(&b);
	if (error == 0)
		return;
	if (is_created(req))
		error = -R_NOT_CONFIRMED;
	answer_refuse(req, -error, "the daemon's answer could not be judged");
}

/* The daemon has said all. */
static void
finish(struct request *req)
{
	req->download.phase = DOWNLOAD_DONE;
	if (!req->download.close)
		request_keep_daemon(req);
	request_close_daemon(req);
	if (!req->at_policy) {
		judge_lost(req);
		return;
	}
	conn_set_state(req->conn, CONN_CONFIRM);
	send_response(req, buf_str(&req->download.kept), false);
}

/* Decodes n bytes at `bytes` (in place) and keeps them; as for a body. */
static int
keep(struct request *req, char *bytes, size_t n)
{
	struct download *d = &req->download;
	size_t used, data;
	int done = http_body_decode(&d->body, bytes, n, &used, &data);

	d->close |= done == 1 && used < n;
	buf_put(&d->kept, bytes, data);
	if (d->kept.failed) {
		download_fail(req, "the daemon's answer is larger than the "
		    "gateway judges; ask for less");
		return -1;
	}
	if (done < 0)
		download_fail(req, "the framing of the daemon's answer is "
		    "broken");
	return done;
}

/* Keeps the head for later, and what came behind it as the body's start. */
static int
begin(struct request *req, const struct response *r, struct str bytes)
{
	struct download *d = &req->download;
	struct buf head = BUF_INIT(PROTO_HEAD_MAX);
	struct str rest = str_skip(bytes, r->size);
	char *copy;
	int done;

	buf_put_str(&head, str_first(bytes, r->size));
	copy = malloc(rest.len + 1);
	if (head.failed || copy == NULL) {
		buf_free(&head);
		free(copy);
		answer_refuse(req, R_INTERNAL, "no memory for the answer");
		return -1;
	}
	if (rest.len > 0)
		memcpy(copy, rest.data, rest.len);
	buf_free(&d->in);
	d->in = head;
	d->close = r->close;
	http_body_init(&d->body, (enum http_framing)r->framing, r->length,
	    true);
	if (http_body_is_done(&d->body)) {
		d->close |= rest.len > 0;
		done = 1;
	} else
		done = keep(req, copy, rest.len);
	free(copy);
	return done;
}

void
judge_begin(struct request *req, const struct response *r, struct str bytes)
{
	req->download.phase = DOWNLOAD_GATHER;
	if (r->framing == FRAMING_LENGTH && r->length > PROTO_JUDGE_MAX) {
		download_fail(req, "the daemon's answer is larger than the "
		    "gateway judges; ask for less");
		return;
	}
	if (begin(req, r, bytes) == 1)
		finish(req);
}

/* Reads once.  1: the body is whole; 0: go on; -1: nothing now, or failed. */
static int
receive(struct request *req)
{
	struct download *d = &req->download;
	ssize_t n = recv(req->up->io.fd, conn_scratch(), CONN_SCRATCH, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return -1;
	if (n > 0)
		return keep(req, conn_scratch(), (size_t)n);
	if (n == 0 && http_body_close(&d->body) == 0)
		return 1;
	download_fail(req, "the daemon broke off");
	return -1;
}

void
judge_run(struct request *req)
{
	for (int turn = 0; turn < JUDGE_TURNS; turn++) {
		int done = receive(req);

		if (done == 1)
			finish(req);
		if (done != 0)
			return;
	}
}

/* Sends the head as the daemon gave it, but for what `change` says. */
static int
send_head(struct request *req, struct response_change *change)
{
	struct download *d = &req->download;
	struct conn *c = req->conn;
	struct buf head = BUF_INIT(4 * PROTO_HEAD_MAX);
	struct response r;
	int error;

	response_init(&r);
	if (response_feed(&r, buf_str(&d->in), req->is_head) != 1)
		return -1;
	/* What has no body keeps the fields that speak of one. */
	if (req->is_head || (r.framing == FRAMING_NONE &&
	    (change->status == 0 || change->status == r.status)))
		change->framing = RESPONSE_AS_IS;
	c->close |= conn_is_draining();
	change->close = c->close;
	response_write(&r, buf_str(&d->in), change, &head);
	d->started = true;
	answer_log_allow(req, change->status != 0 ? change->status :
	    r.status);
	error = conn_send_str(c, buf_str(&head));
	buf_free(&head);
	return error;
}

static int
answer_whole(struct request *req, const struct msg_answer *m)
{
	struct conn *c = req->conn;
	struct download *d = &req->download;
	struct str body = (m->flags & ANSWER_UNCHANGED) != 0 ?
	    buf_str(&d->kept) : m->body;
	struct response_change change = { m->status, RESPONSE_LENGTH,
		body.len, false };

	policy_link_remove(req);
	if (send_head(req, &change) != 0)
		return 0;
	if (change.framing == RESPONSE_LENGTH && body.len > 0 &&
	    conn_send_str(c, body) != 0)
		return 0;
	download_end(req);
	return 0;
}

/* ---- lines -------------------------------------------------------------- */

bool
judge_wants_lines(const struct request *req)
{
	const struct download *d = &req->download;

	return d->lines < LINES_MAX && d->kept.len < LINES_KEPT &&
	    sendq_len(&req->conn->out) == 0 && policy_link_has_room();
}

/* The line at the front of s, and its length with the newline; 0: not whole. */
static size_t
next_line(const struct download *d, struct str s, struct str *line)
{
	size_t end = str_find(s, '\n');
	size_t size = end < s.len ? end + 1 : end;

	if (end == s.len && !d->end)
		return 0;
	while (end > 0 && (s.data[end - 1] == '\r' || s.data[end - 1] == ' '))
		end--;
	*line = str_first(s, end);
	return size;
}

/* Empty lines say nothing; they are neither judged nor passed on. */
static void
drop_blanks(struct download *d)
{
	struct str line;
	size_t size;

	while (d->judged > 0) {
		size = next_line(d, buf_str(&d->kept), &line);
		if (line.len > 0)
			return;
		buf_drop(&d->kept, size);
		d->judged -= size;
	}
}

/* Sends what is whole to policyd. */
static void
send_lines(struct request *req)
{
	struct download *d = &req->download;
	struct conn *c = req->conn;
	struct str line;
	size_t size;

	while (c->state == CONN_FORWARD && d->lines < LINES_MAX &&
	    d->kept.len > d->judged) {
		struct str rest = str_skip(buf_str(&d->kept), d->judged);

		size = next_line(d, rest, &line);
		if (line.len > PROTO_LINE_MAX ||
		    (size == 0 && rest.len > PROTO_LINE_MAX)) {
			download_fail(req, "a line of the daemon's answer is "
			    "larger than the gateway judges");
			return;
		}
		if (size == 0)
			break;
		d->judged += size;
		if (line.len == 0)
			continue;
		d->lines++;
		send_response(req, line, true);
	}
	drop_blanks(d);
	if (!policy_link_has_room())
		policy_link_stall(req);
}

static void
end_lines(struct request *req)
{
	struct download *d = &req->download;

	if (!d->end || d->kept.len > 0)
		return;
	if (d->body.framing == FRAMING_NONE ||
	    conn_send_str(req->conn, STR("0\r\n\r\n")) == 0)
		download_end(req);
}

/* What was read is looked at; done as from http_body_decode(). */
static void
use_lines(struct request *req, int done)
{
	struct conn *c = req->conn;

	if (done == 1) {
		req->download.end = true;
		request_close_daemon(req);
	}
	send_lines(req);
	if (c->state == CONN_FORWARD)
		end_lines(req);
}

void
judge_begin_lines(struct request *req, const struct response *r,
    struct str bytes)
{
	struct response_change change = { 0, RESPONSE_CHUNKED, 0, false };
	int done;

	req->download.phase = DOWNLOAD_LINES;
	done = begin(req, r, bytes);
	if (done >= 0 && send_head(req, &change) == 0)
		use_lines(req, done);
}

void
judge_run_lines(struct request *req)
{
	struct conn *c = req->conn;

	for (int turn = 0; turn < JUDGE_TURNS && judge_wants_lines(req) &&
	    req->up != NULL; turn++) {
		int done = receive(req);

		if (done < 0)
			return;
		use_lines(req, done);
		if (c->state != CONN_FORWARD)
			return;
	}
}

/* One line to the client, as a chunk of its own. */
static int
pass_line(struct conn *c, struct str line)
{
	bool whole = line.len > 0 && line.data[line.len - 1] == '\n';
	char size[24];
	struct iovec iov[3];

	if (line.len == 0)
		return 0;
	iov[0].iov_base = size;
	iov[0].iov_len = (size_t)snprintf(size, sizeof(size), "%zx\r\n",
	    line.len + (whole ? 0 : 1));
	iov[1] = str_iov(line);
	iov[2] = str_iov(whole ? STR("\r\n") : STR("\n\r\n"));
	return conn_send(c, iov, 3);
}

static int
answer_line(struct request *req, const struct msg_answer *m)
{
	struct download *d = &req->download;
	struct conn *c = req->conn;
	struct str line, own;
	size_t size;

	if (d->lines == 0)
		return -R_INTERNAL;
	drop_blanks(d);
	size = next_line(d, buf_str(&d->kept), &line);
	own = str_first(buf_str(&d->kept), size);
	if ((m->flags & ANSWER_DROP) == 0 && pass_line(c,
	    (m->flags & ANSWER_UNCHANGED) != 0 ? own : m->body) != 0)
		return 0;
	buf_drop(&d->kept, size);
	d->judged -= size;
	d->lines--;
	send_lines(req);
	if (c->state == CONN_FORWARD)
		end_lines(req);
	return 0;
}

/* ---- policyd ------------------------------------------------------------ */

int
judge_answer(struct request *req, const struct msg_answer *m)
{
	if ((m->flags & ANSWER_OWN) != 0)
		return -R_INTERNAL;
	if (req->conn->state == CONN_CONFIRM)
		return answer_whole(req, m);
	if (req->response_mode == FORWARD_JUDGE_LINES)
		return answer_line(req, m);
	return -R_INTERNAL;
}

void
judge_lost(struct request *req)
{
	bool over = req->download.phase == DOWNLOAD_DONE;

	/*
	 * Cutting a create off could leave it half made: it is heard out, and
	 * then told for what it is.
	 */
	if (!over && (req->flags & FORWARD_CREATES) != 0 &&
	    req->response_mode == FORWARD_JUDGE)
		return;
	if (is_created(req))
		answer_refuse(req, R_NOT_CONFIRMED, "it was created and "
		    "carries the project's label, but the policy process "
		    "ended before it could judge the answer");
	else
		answer_refuse(req, R_POLICY_DOWN, "the policy process ended "
		    "before it could judge the daemon's answer; try again");
}
