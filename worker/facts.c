/*
 * One round of facts.  Paths are answered on the spot, requests by a few
 * connections of their own side by side; when the last is in, or the time is
 * up, all go to policyd in the order in which it asked.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "common/log.h"
#include "common/platform.h"
#include "worker/answer.h"
#include "worker/backend.h"
#include "worker/facts.h"
#include "worker/path.h"
#include "worker/policy_link.h"
#include "worker/request.h"
#include "worker/response.h"

enum {
	FACTS_AT_ONCE = 8,
	FACTS_TEXT = 15 * 1024 * 1024	/* of one FACTS frame */
};

enum lookup_state { LOOKUP_NONE, LOOKUP_WAITS, LOOKUP_RUNS, LOOKUP_DONE };

/* One question; those for the daemon have a connection. */
struct lookup {
	struct facts	*facts;
	uint8_t		 state;		/* enum lookup_state */
	struct str	 ask;		/* in facts->payload */
	struct fact	 fact;
	struct buf	 text;		/* what fact.text views at the end */
	struct upstream	*up;
	struct sendq	 out;
	bool		 keep;		/* nothing came behind the answer */
	struct buf	 head;		/* the answer until its head is read */
	struct response	*response;
	struct http_body body;
};

struct facts {
	struct request	*req;
	char		*payload;	/* NEED_FACTS, which the asks view */
	uint32_t	 count;
	uint32_t	 running;
	struct deadline	 deadline;	/* of the round */
	struct lookup	 lookup[];
};

static struct deadline_queue rounds;

static void	 launch(struct facts *);
static int	 dial_lookup(struct lookup *, bool may_reuse);
static void	 send_ask(struct lookup *);

static void
close_lookup(struct lookup *l)
{
	if (l->up != NULL)
		upstream_close(l->up);
	l->up = NULL;
	sendq_free(&l->out);
	buf_free(&l->head);
	free(l->response);
	l->response = NULL;
}

void
facts_free(struct request *req)
{
	struct facts *f = req->facts;

	if (f == NULL)
		return;
	req->facts = NULL;
	deadline_stop(&f->deadline);
	for (uint32_t i = 0; i < f->count; i++) {
		close_lookup(&f->lookup[i]);
		buf_free(&f->lookup[i].text);
	}
	free(f->payload);
	/* A look-up's callback may still be on the stack. */
	conn_bury(f);
}

/* ---- the end of a round ------------------------------------------------- */

static void
collect(const struct facts *f, struct msg_facts *m)
{
	size_t total = 0;

	m->count = f->count;
	for (uint32_t i = 0; i < f->count; i++) {
		const struct lookup *l = &f->lookup[i];

		m->fact[i] = l->fact;
		m->fact[i].text = buf_str(&l->text);
		total += l->text.len;
		/* More than one frame holds is as good as no answer. */
		if (total > FACTS_TEXT) {
			m->fact[i].status = FAULT_LARGE;
			m->fact[i].text = STR_NONE;
			total -= l->text.len;
		}
	}
}

static void
finish(struct facts *f)
{
	struct request *req = f->req;
	struct buf b = BUF_INIT(16 * 1024 * 1024);
	struct msg_facts m;
	int error;

	collect(f, &m);
	msg_put_facts(&b, &m);
	facts_free(req);
	deadline_stop(&req->conn->deadline);
	conn_set_state(req->conn, CONN_JUDGE);
	error = policy_link_send(req, PROTO_FACTS, buf_str(&b));
	buf_free(&b);
	if (error != 0)
		answer_refuse(req, -error, "the policy process takes no facts");
}

static void
finish_if_done(struct facts *f)
{
	for (uint32_t i = 0; i < f->count; i++)
		if (f->lookup[i].state != LOOKUP_DONE)
			return;
	finish(f);
}

static void
expired(void *arg)
{
	struct facts *f = arg;
	struct conn *c = f->req->conn;

	for (uint32_t i = 0; i < f->count; i++)
		if (f->lookup[i].state != LOOKUP_DONE) {
			f->lookup[i].fact.status = FAULT_LATE;
			buf_free(&f->lookup[i].text);
		}
	finish(f);
	conn_update(c);
}

/* ---- requests ----------------------------------------------------------- */

/* By a status, or without an answer by enum fact_fault. */
static void
end_lookup(struct lookup *l, uint16_t status)
{
	l->fact.status = status;
	l->state = LOOKUP_DONE;
	if (status < FAULT_COUNT)
		buf_free(&l->text);
	else if (l->keep && l->fact.kind == FACT_HTTP &&
	    sendq_len(&l->out) == 0) {
		upstream_keep(l->up);
		l->up = NULL;
	}
	close_lookup(l);
	l->facts->running--;
}

static void
take_body(struct lookup *l, char *bytes, size_t n)
{
	size_t used = 0, data;
	int done = http_body_is_done(&l->body) ? 1 : 0;

	if (done == 0) {
		done = http_body_decode(&l->body, bytes, n, &used, &data);
		buf_put(&l->text, bytes, data);
	}
	l->keep = used == n && !l->response->close;
	if (l->text.failed)
		end_lookup(l, FAULT_LARGE);
	else if (done < 0)
		end_lookup(l, FAULT_BROKEN);
	else if (done)
		end_lookup(l, l->response->status);
}

static void
take_head(struct lookup *l, const char *bytes, size_t n)
{
	bool is_head = str_starts(l->ask, "HEAD ");
	int got;

	buf_put(&l->head, bytes, n);
	got = l->head.failed ? -1 : response_feed(l->response,
	    buf_str(&l->head), is_head);
	while (got == 1 && l->response->status < 200) {
		buf_drop(&l->head, l->response->size);
		response_init(l->response);
		got = response_feed(l->response, buf_str(&l->head), is_head);
	}
	if (got < 0)
		end_lookup(l, FAULT_BROKEN);
	if (got != 1)
		return;
	http_body_init(&l->body, (enum http_framing)l->response->framing,
	    l->response->length, true);
	n = l->head.len - l->response->size;
	take_body(l, l->head.data + l->response->size, n);
}

/* A kept connection that gave no byte had gone before it was used. */
static bool
retry(struct lookup *l)
{
	if (!l->up->reused || l->head.len > 0 || l->response->size > 0)
		return false;
	upstream_close(l->up);
	l->up = NULL;
	sendq_free(&l->out);
	if (dial_lookup(l, false) != 0)
		end_lookup(l, FAULT_BROKEN);
	else
		send_ask(l);
	return true;
}

static void
end_of_answer(struct lookup *l)
{
	bool whole = l->response->size > 0 && http_body_close(&l->body) == 0;

	end_lookup(l, whole ? l->response->status : FAULT_BROKEN);
}

static void
read_lookup(struct lookup *l)
{
	while (l->state == LOOKUP_RUNS) {
		ssize_t n = recv(l->up->io.fd, conn_scratch(), CONN_SCRATCH,
		    0);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			if (!retry(l))
				end_of_answer(l);
		} else if (l->response->size == 0)
			take_head(l, conn_scratch(), (size_t)n);
		else
			take_body(l, conn_scratch(), (size_t)n);
	}
}

static void
want(struct lookup *l)
{
	io_want(&l->up->io, sendq_len(&l->out) > 0 ? EV_READ | EV_WRITE :
	    EV_READ);
}

static void
on_lookup(void *arg, short what)
{
	struct lookup *l = arg;
	struct facts *f = l->facts;
	struct conn *c = f->req->conn;

	/* A daemon that stops reading may have answered. */
	if ((what & EV_WRITE) != 0 && sendq_flush(&l->out,
	    l->up->io.fd) != 0)
		sendq_free(&l->out);
	if ((what & EV_READ) != 0)
		read_lookup(l);
	if (l->state == LOOKUP_RUNS) {
		want(l);
		return;
	}
	launch(f);
	conn_update(c);
}

/* ---- launching ---------------------------------------------------------- */

static void
launch_again(void *arg)
{
	struct request *req = arg;
	struct conn *c = req->conn;

	if (request_is_outdated(req))
		answer_refuse(req, R_BACKEND_DOWN, "the daemon changed while "
		    "the request was judged; try again");
	else
		launch(req->facts);
	conn_update(c);
}

static void
no_backend(void *arg)
{
	struct request *req = arg;
	struct conn *c = req->conn;

	request_refuse_down(req);
	conn_update(c);
}

/* No connection could be had.  -1: the round waits, or is over. */
static int
cannot_dial(struct lookup *l, int error)
{
	struct request *req = l->facts->req;
	struct conn *c = req->conn;

	if (error == -EAGAIN) {
		/* The round's own deadline bounds it. */
		backend_retry(&c->deadline, launch_again, req);
	} else if (error == -EMFILE || error == -ENOMEM) {
		answer_refuse(req, R_BUSY, "too many connections at once; try "
		    "again");
	} else if (!req->looked_for) {
		req->looked_for = true;
		backend_wait((enum face)c->face, &c->deadline,
		    launch_again, no_backend, req);
	} else
		request_refuse_down(req);
	return -1;
}

/* Sends the question on its connection. */
static void
send_ask(struct lookup *l)
{
	response_init(l->response);
	if (sendq_put(&l->out, l->ask) != 0) {
		end_lookup(l, FAULT_NONE);
		return;
	}
	if (sendq_flush(&l->out, l->up->io.fd) != 0)
		sendq_free(&l->out);
	want(l);
}

static int
dial_lookup(struct lookup *l, bool may_reuse)
{
	return upstream_open((enum face)l->facts->req->conn->face, may_reuse &&
	    l->fact.kind == FACT_HTTP, on_lookup, l, &l->up);
}

static int
open_lookup(struct lookup *l)
{
	int error = dial_lookup(l, true);

	if (error != 0)
		return cannot_dial(l, error);
	l->state = LOOKUP_RUNS;
	l->facts->running++;
	sendq_init(&l->out, 1024 * 1024);
	buf_init(&l->head, PROTO_HEAD_MAX + CONN_SCRATCH);
	l->response = malloc(sizeof(*l->response));
	if (l->response == NULL)
		end_lookup(l, FAULT_NONE);
	else
		send_ask(l);
	return 0;
}

static void
launch(struct facts *f)
{
	struct request *req = f->req;

	/* One of them waits for a daemon, and all of them with it. */
	if (deadline_is_waiting(&req->conn->deadline))
		return;
	for (uint32_t i = 0; i < f->count && f->running < FACTS_AT_ONCE; i++)
		if (f->lookup[i].state == LOOKUP_WAITS &&
		    open_lookup(&f->lookup[i]) != 0)
			return;
	if (req->facts == f)
		finish_if_done(f);
}

/* What needs no daemon is answered at once. */
static void
prepare(struct facts *f, struct lookup *l, const struct fact_ask *ask)
{
	l->facts = f;
	l->ask = ask->text;
	l->fact.kind = ask->kind;
	buf_init(&l->text, PROTO_FACT_MAX);
	l->state = LOOKUP_DONE;
	switch ((enum fact_kind)ask->kind) {
	case FACT_PATH:
		path_resolve(ask->text, &l->fact, &l->text);
		break;
	case EFFECT_MKDIR:
		l->fact.status = path_make(ask->text, settings_get()) == 0 ?
		    200 : 0;
		break;
	case FACT_ROUTES:
		l->fact.status = platform_routes(&l->text) == 0 ? 200 : 0;
		break;
	case FACT_HTTP:
	case EFFECT_HTTP:
		l->state = LOOKUP_WAITS;
		break;
	}
}

int
facts_start(struct request *req, struct str payload)
{
	static struct msg_need_facts m;
	struct facts *f;

	if (rounds.wait == 0)
		deadline_queue_init(&rounds, PROTO_FACT_SECONDS * 1000);
	if (msg_get_need_facts(payload, &m) != 0)
		return -R_INTERNAL;
	f = calloc(1, sizeof(*f) + m.count * sizeof(f->lookup[0]));
	if (f == NULL || (f->payload = malloc(payload.len)) == NULL) {
		free(f);
		answer_refuse(req, R_INTERNAL, "no memory for the look-ups");
		return 0;
	}
	memcpy(f->payload, payload.data, payload.len);
	if (msg_get_need_facts((struct str){ f->payload, payload.len },
	    &m) != 0)
		log_panic("facts", "a copy reads otherwise");
	f->req = req;
	f->count = m.count;
	req->facts = f;
	for (uint32_t i = 0; i < m.count; i++)
		prepare(f, &f->lookup[i], &m.ask[i]);
	deadline_start(&f->deadline, &rounds, expired, expired, f);
	launch(f);
	return 0;
}
