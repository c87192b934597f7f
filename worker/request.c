/*
 * Requests: asking policyd, reaching the daemon, and coming to an end.  What
 * the verdict says is verdict.c's; bodies are upload.c's and download.c's.
 */
#include <errno.h>
#include <stdlib.h>

#include "worker/answer.h"
#include "worker/backend.h"
#include "worker/cache.h"
#include "worker/facts.h"
#include "worker/hijack.h"
#include "worker/policy_link.h"
#include "worker/request.h"
#include "worker/stats.h"

enum { DIALS_MAX = 500 };	/* 10 ms apart */

static void	 ask(struct request *, const struct http_head *);
static void	 dial(struct request *);

uint64_t
request_next_id(void)
{
	static uint64_t last;

	return ++last;
}

struct request *
request_new(struct conn *c, const struct http_head *head, struct str raw)
{
	struct request *req = calloc(1, sizeof(*req) + raw.len);
	char *copy;

	if (req == NULL)
		return NULL;
	copy = (char *)(req + 1);
	memcpy(copy, raw.data, raw.len);
	req->id = request_next_id();
	req->conn = c;
	req->raw = (struct str){ copy, raw.len };
	req->method = http_span_str(copy, head->method);
	req->target = http_span_str(copy, head->target);
	req->is_head = str_is(req->method, "HEAD");
	buf_init(&req->again, CONN_OUT_MAX);
	sendq_init(&req->up_out, CONN_OUT_MAX);
	upload_init(&req->upload, head);
	download_init(&req->download);
	flow_init(&req->tunnel[0], FLOW_ENDLESS);
	flow_init(&req->tunnel[1], FLOW_ENDLESS);
	c->request = req;
	c->close |= head->close;
	stats.requests++;
	stats.active++;
	return req;
}

void
request_close_daemon(struct request *req)
{
	if (req->up != NULL)
		upstream_close(req->up);
	req->up = NULL;
	if (!upload_is_done(req) && (req->upload.sink == UPLOAD_DAEMON ||
	    req->upload.sink == UPLOAD_SCAN))
		upload_abandon(req);
	sendq_free(&req->up_out);
}

static void
leave_policy(struct request *req)
{
	if (!req->at_policy)
		return;
	policy_link_remove(req);
	policy_link_send(req, PROTO_CANCEL, STR_NONE);
}

void
request_leave(struct request *req)
{
	leave_policy(req);
	facts_free(req);
	deadline_stop(&req->conn->deadline);
	request_close_daemon(req);
}

void
request_free(struct request *req)
{
	request_leave(req);
	policy_link_unstall(req);
	buf_free(&req->again);
	upload_free(&req->upload);
	download_free(&req->download);
	flow_free(&req->tunnel[0]);
	flow_free(&req->tunnel[1]);
	stats.active--;
	conn_bury(req);
}

/* ---- asking policyd ----------------------------------------------------- */

static void
ask_again(void *arg)
{
	struct request *req = arg;
	struct conn *c = req->conn;

	ask(req, NULL);
	conn_update(c);
}

static void
no_policy(void *arg)
{
	struct request *req = arg;
	struct conn *c = req->conn;

	answer_refuse(req, R_POLICY_DOWN, "there is no policy process now; "
	    "try again");
	conn_update(c);
}

void
request_refuse_down(struct request *req)
{
	struct buf text = BUF_INIT(1024);

	backend_describe((enum face)req->conn->face, &text);
	answer_refuse(req, R_BACKEND_DOWN, "%.*s", STR_FMT(buf_str(&text)));
	buf_free(&text);
}

static void
no_backend(void *arg)
{
	struct request *req = arg;
	struct conn *c = req->conn;

	request_refuse_down(req);
	conn_update(c);
}

static void
fill_request(const struct request *req, const struct http_head *head,
    struct msg_request *m)
{
	const struct conn *c = req->conn;

	m->face = c->face;
	m->backend = req->judged_for;
	m->peer_uid = (uint32_t)c->peer;
	m->body_kind = head->body_kind;
	m->body_length = head->body_length;
	m->method = req->method;
	m->target = req->target;
	m->header_count = head->field_count;
	for (uint32_t i = 0; i < head->field_count; i++) {
		m->header[i].name = http_span_str(req->raw.data,
		    head->field[i].name);
		m->header[i].value = http_span_str(req->raw.data,
		    head->field[i].value);
	}
}

static void
send_request(struct request *req, const struct http_head *head)
{
	static struct buf b = BUF_INIT(PROTO_HEAD_MAX + 16 * 1024);
	static struct msg_request m;
	int error;

	req->judged_for = *backend_get((enum face)req->conn->face);
	req->judged_for.path = STR_NONE;
	req->epoch = cache_epoch();
	fill_request(req, head, &m);
	buf_clear(&b);
	msg_put_request(&b, &m);
	conn_set_state(req->conn, CONN_JUDGE);
	policy_link_add(req);
	error = policy_link_send(req, PROTO_REQUEST, buf_str(&b));
	if (error == 0)
		return;
	policy_link_remove(req);
	/* It is dead, only not yet noticed: nothing was judged, so wait. */
	if (error == -R_POLICY_DOWN) {
		conn_set_state(req->conn, CONN_WAIT);
		policy_link_wait(&req->conn->deadline, ask_again, no_policy,
		    req);
		return;
	}
	answer_refuse(req, -error, "the policy process cannot be asked; try "
	    "again");
}

/* head may be NULL: it is then read from raw again. */
static void
ask(struct request *req, const struct http_head *head)
{
	static struct http_head again;
	struct conn *c = req->conn;

	conn_set_state(c, CONN_WAIT);
	if (!policy_link_is_up()) {
		policy_link_wait(&c->deadline, ask_again, no_policy, req);
		return;
	}
	if (backend_get((enum face)c->face)->kind == BACKEND_NONE) {
		if (req->looked_for)
			request_refuse_down(req);
		else
			backend_wait((enum face)c->face, &c->deadline,
			    ask_again, no_backend, req);
		req->looked_for = true;
		return;
	}
	if (head == NULL) {
		http_head_init(&again);
		(void)http_head_feed(&again, req->raw);
		head = &again;
	}
	send_request(req, head);
}

void
request_start(struct request *req, const struct http_head *head)
{
	struct conn *c = req->conn;
	struct str cached = STR_NONE;

	if (head->body_kind == BODY_NONE)
		cached = cache_find((enum face)c->face, req->raw);
	if (cached.data == NULL) {
		ask(req, head);
		return;
	}
	req->judged_for = *backend_get((enum face)c->face);
	req->body_mode = FORWARD_BODY_NONE;
	req->response_mode = FORWARD_RELAY;
	request_forward(req, cached, STR_NONE);
}

/* ---- reaching the daemon ------------------------------------------------ */

bool
request_is_outdated(const struct request *req)
{
	return !backend_is_alike(&req->judged_for,
	    backend_get((enum face)req->conn->face));
}

static void
on_daemon(void *arg, short what)
{
	struct request *req = arg;
	struct conn *c = req->conn;

	if (c->state == CONN_TUNNEL) {
		hijack_run(req);
		conn_update(c);
		return;
	}
	if ((what & EV_WRITE) != 0) {
		if (sendq_flush(&req->up_out, req->up->io.fd) != 0)
			upload_abandon(req);
		upload_run(req);
	}
	if ((what & EV_READ) != 0 && req->up != NULL)
		download_run(req);
	conn_update(c);
}

/* Nothing of the client's is sent, and the answer's end is certain. */
static bool
may_reuse(const struct request *req)
{
	return req->body_mode == FORWARD_BODY_NONE &&
	    (req->response_mode == FORWARD_RELAY ||
	    req->response_mode == FORWARD_JUDGE) &&
	    (req->is_head || str_is(req->method, "GET"));
}

static void
connected(struct request *req)
{
	/* Gone already?  Its answer, if any, is still to be read. */
	if (sendq_flush(&req->up_out, req->up->io.fd) != 0)
		upload_abandon(req);
	else if (req->body_mode == FORWARD_BODY_STREAM)
		upload_start(req, UPLOAD_DAEMON, 0);
	else if (req->body_mode == FORWARD_BODY_SCAN)
		upload_start(req, UPLOAD_SCAN, 0);
	upload_run(req);
}

static void
dial_again(void *arg)
{
	struct request *req = arg;
	struct conn *c = req->conn;

	if (request_is_outdated(req))
		answer_refuse(req, R_BACKEND_DOWN, "the daemon changed while "
		    "the request was judged; try again");
	else
		dial(req);
	conn_update(c);
}

static void
dial(struct request *req)
{
	struct conn *c = req->conn;
	int error = upstream_open((enum face)c->face, may_reuse(req) &&
	    req->again.len == 0, on_daemon, req, &req->up);

	if (error == 0) {
		if (req->up->reused)
			buf_put_str(&req->again, buf_str(&req->up_out.bytes));
		connected(req);
	} else if (error == -EAGAIN && req->dials++ < DIALS_MAX)
		backend_retry(&c->deadline, dial_again, req);
	else if (error == -EAGAIN || error == -EMFILE || error == -ENOMEM)
		answer_refuse(req, R_BUSY, "too many connections at once; try "
		    "again");
	else if (!req->looked_for) {
		req->looked_for = true;
		backend_wait((enum face)c->face, &c->deadline,
		    dial_again, no_backend, req);
	} else
		request_refuse_down(req);
}

void
request_forward(struct request *req, struct str head, struct str body)
{
	conn_set_state(req->conn, CONN_FORWARD);
	if (sendq_put(&req->up_out, head) != 0 ||
	    sendq_put(&req->up_out, body) != 0) {
		answer_refuse(req, R_INTERNAL, "no memory for the request");
		return;
	}
	dial(req);
}

bool
request_retry(struct request *req)
{
	if (!req->up->reused || req->again.failed)
		return false;
	upstream_close(req->up);
	req->up = NULL;
	sendq_free(&req->up_out);
	if (sendq_put(&req->up_out, buf_str(&req->again)) != 0)
		return false;
	dial(req);
	return true;
}

void
request_keep_daemon(struct request *req)
{
	if (may_reuse(req) && !conn_is_draining() &&
	    sendq_len(&req->up_out) == 0) {
		upstream_keep(req->up);
		req->up = NULL;
	}
}

void
request_watch_daemon(struct request *req)
{
	short what = 0;

	if (req->up == NULL)
		return;
	if (req->conn->state == CONN_TUNNEL)
		what = hijack_wants_daemon(req);
	else {
		if (download_wants_daemon(req))
			what |= EV_READ;
		if (upload_wants_daemon(req))
			what |= EV_WRITE;
	}
	io_want(&req->up->io, what);
}

/* ---- the end ------------------------------------------------------------ */

static void
drain_expired(void *arg)
{
	conn_kill(arg);
}

void
request_settle(struct request *req)
{
	struct conn *c = req->conn;

	if (c->state == CONN_DEAD)
		return;
	request_leave(req);
	conn_set_state(c, CONN_ANSWER);
	if (!upload_is_done(req) && !req->upload.broken) {
		conn_limit(c, drain_expired);
		upload_start(req, UPLOAD_DISCARD,
		    req->upload.decoded + ANSWER_DRAIN_MAX);
		upload_run(req);
	}
	request_progress(req);
}

void
request_progress(struct request *req)
{
	struct conn *c = req->conn;

	if (c->state != CONN_ANSWER || c->request != req)
		return;
	if (upload_is_done(req))
		deadline_stop(&c->deadline);
	if (sendq_len(&c->out) > 0)
		return;
	if (upload_is_done(req))
		conn_next(c);
	else if (req->upload.broken)
		conn_linger(c);
}
