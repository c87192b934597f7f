/*
 * Verdicts.  The table says in which states each message may come; one out of
 * turn means that policyd is not what it was, and it is treated as dead.
 */
#include <stdlib.h>

#include "worker/answer.h"
#include "worker/cache.h"
#include "worker/facts.h"
#include "worker/judge.h"
#include "worker/policy_link.h"
#include "worker/request.h"
#include "worker/verdict.h"

#define IN(state)	(1u << (state))

static int
on_deny(struct request *req, struct str payload)
{
	struct msg_deny m;

	if (msg_get_deny(payload, &m) != 0)
		return -R_INTERNAL;
	policy_link_remove(req);
	answer_deny(req, &m);
	return 0;
}

/*
 * What policyd holds of a body that does not come to its end is taken from
 * others.  A stream has no such bound, nor a scanned one: those hold little.
 */
enum { BODY_SECONDS = 60 };
static struct deadline_queue bodies;

static void
body_expired(void *arg)
{
	struct request *req = arg;
	struct conn *c = req->conn;

	answer_refuse(req, R_BAD_BODY, "the body did not come to its end "
	    "within %d seconds; send it again", BODY_SECONDS);
	conn_update(c);
}

static void
limit_body(struct request *req)
{
	if (bodies.wait == 0)
		deadline_queue_init(&bodies, BODY_SECONDS * 1000);
	deadline_start(&req->conn->deadline, &bodies, body_expired,
	    body_expired, req);
}

static int
on_need_body(struct request *req, struct str payload)
{
	struct msg_need_body m;
	const struct http_body *b = &req->upload.body;

	if (msg_get_need_body(payload, &m) != 0 || req->upload.whole)
		return -R_INTERNAL;
	if (b->framing == FRAMING_LENGTH && http_body_left(b) > m.max) {
		answer_refuse(req, R_TOO_LARGE, "the body is larger than %llu "
		    "bytes", (unsigned long long)m.max);
		return 0;
	}
	conn_set_state(req->conn, CONN_BODY);
	upload_start(req, UPLOAD_POLICY, m.max);
	upload_run(req);
	if (req->conn->state == CONN_BODY)
		limit_body(req);
	return 0;
}

static int
on_need_facts(struct request *req, struct str payload)
{
	if (++req->rounds > PROTO_ROUNDS_MAX) {
		answer_refuse(req, R_BUDGET, "more than %d rounds of look-ups",
		    PROTO_ROUNDS_MAX);
		return 0;
	}
	conn_set_state(req->conn, CONN_FACTS);
	return facts_start(req, payload);
}

/* policyd hears of the request again, or this was its last word. */
static bool
is_last_word(const struct msg_forward *m)
{
	return m->body_mode != FORWARD_BODY_SCAN &&
	    (m->response_mode == FORWARD_RELAY ||
	    m->response_mode == FORWARD_HIJACK);
}

static bool
is_keepable(const struct request *req, const struct msg_forward *m)
{
	return (m->flags & FORWARD_REUSABLE) != 0 &&
	    m->body_mode == FORWARD_BODY_NONE &&
	    m->response_mode == FORWARD_RELAY && upload_is_done(req) &&
	    !req->upload.begun && req->rounds == 0;
}

static int
on_forward(struct request *req, struct str payload)
{
	struct msg_forward m;
	bool streams;

	if (msg_get_forward(payload, &m) != 0)
		return -R_INTERNAL;
	streams = m.body_mode == FORWARD_BODY_STREAM ||
	    m.body_mode == FORWARD_BODY_SCAN;
	/* A body that policyd has read is not there to be streamed. */
	if (streams && req->upload.whole)
		return -R_INTERNAL;
	req->body_mode = m.body_mode;
	req->response_mode = m.response_mode;
	req->flags = m.flags;
	if (is_last_word(&m))
		policy_link_remove(req);
	if (is_keepable(req, &m))
		cache_store((enum face)req->conn->face, req->raw, m.head,
		    req->epoch);
	if (streams) {
		struct buf head = BUF_INIT(PROTO_HEAD_MAX + 1024);

		buf_put_str(&head, m.head);
		upload_put_framing(req, &head);
		buf_put_text(&head, "\r\n");
		request_forward(req, buf_str(&head), STR_NONE);
		buf_free(&head);
	} else
		request_forward(req, m.head, m.body);
	return 0;
}

static int
on_answer(struct request *req, struct str payload)
{
	struct msg_answer m;

	if (msg_get_answer(payload, &m) != 0)
		return -R_INTERNAL;
	if (req->conn->state != CONN_JUDGE)
		return judge_answer(req, &m);
	if ((m.flags & ANSWER_OWN) == 0 || m.status < 200 || m.status > 599)
		return -R_INTERNAL;
	policy_link_remove(req);
	answer_own(req, m.status, m.body);
	return 0;
}

static int
on_window(struct request *req, struct str payload)
{
	struct msg_window m;
	int error;

	if (msg_get_window(payload, &m) != 0)
		return -R_INTERNAL;
	error = upload_window(req, &m);
	/* Scanned and let go: the answer is none of policyd's business. */
	if (error == 0 && m.done && (req->response_mode == FORWARD_RELAY ||
	    req->response_mode == FORWARD_HIJACK))
		policy_link_remove(req);
	return error;
}

static const struct {
	enum proto_type	 type;
	unsigned	 states;
	int		(*handle)(struct request *, struct str);
} rows[] = {
	{ PROTO_DENY, IN(CONN_JUDGE) | IN(CONN_BODY) | IN(CONN_FORWARD) |
	    IN(CONN_CONFIRM), on_deny },
	{ PROTO_NEED_BODY, IN(CONN_JUDGE), on_need_body },
	{ PROTO_NEED_FACTS, IN(CONN_JUDGE), on_need_facts },
	{ PROTO_FORWARD, IN(CONN_JUDGE), on_forward },
	{ PROTO_ANSWER, IN(CONN_JUDGE) | IN(CONN_FORWARD) | IN(CONN_CONFIRM),
	    on_answer },
	{ PROTO_WINDOW, IN(CONN_JUDGE) | IN(CONN_BODY) | IN(CONN_FACTS) |
	    IN(CONN_FORWARD) | IN(CONN_CONFIRM), on_window },
};

int
verdict_handle(struct request *req, enum proto_type type, struct str payload)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].type == type)
			return (rows[i].states & IN(req->conn->state)) != 0 ?
			    rows[i].handle(req, payload) : -R_INTERNAL;
	return -R_INTERNAL;
}

void
verdict_lost(struct request *req)
{
	switch ((enum conn_state)req->conn->state) {
	case CONN_FORWARD:
	case CONN_CONFIRM:
		if (req->response_mode == FORWARD_JUDGE ||
		    req->response_mode == FORWARD_JUDGE_LINES) {
			judge_lost(req);
			return;
		}
		break;
	default:
		break;
	}
	answer_refuse(req, R_POLICY_DOWN, "the policy process ended before it "
	    "had judged this; try again");
}
