/*
 * Requests from their first frame to their last.  Holds what a request has
 * sent and been told so far; judges nothing itself.
 *
 * A request is forgotten as soon as the worker needs nothing more from here:
 * after a refusal, an own answer, or a forward that is neither scanned nor
 * judged.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/log.h"
#include "policyd/docket.h"
#include "policyd/server.h"

enum { REQUEST_ARENA_MAX = 48 * 1024 * 1024 };

struct pending **
docket_find(struct docket *d, uint64_t id)
{
	struct pending **p = &d->bucket[id % DOCKET_BUCKETS];

	while (*p != NULL && (*p)->id != id)
		p = &(*p)->next;
	return p;
}

/* Whether there is room for what the request has come to hold. */
static bool
has_room(struct pending *p)
{
	struct court *court = p->docket->court;
	size_t held = sizeof(*p) + p->keep.used + p->body.cap +
	    (p->scan != NULL ? scan_held(p->scan) : 0);

	court->held += held - p->held;
	p->held = held;
	return court->held <= SERVER_HELD_MAX;
}

void
docket_forget(struct docket *d, struct pending **p)
{
	struct pending *gone = *p;

	*p = gone->next;
	d->court->active--;
	d->court->held -= gone->held;
	docket_scan_stop(gone);
	arena_free(&gone->keep);
	free(gone);
}

int
docket_send(struct docket *d, enum proto_type type, uint64_t id,
    struct buf *payload, int error)
{
	if (error == 0)
		error = link_send(&d->link, type, id, buf_str(payload), -1);
	buf_free(payload);
	return error;
}

int
docket_deny(struct docket *d, struct pending **p, const struct msg_deny *deny)
{
	struct buf payload = BUF_INIT(64 * 1024);
	uint64_t id = (*p)->id;

	docket_forget(d, p);
	return docket_send(d, PROTO_DENY, id, &payload,
	    msg_put_deny(&payload, deny));
}

/* A refusal of the server's own: bounds, and answers that nobody can judge. */
int
docket_refuse(struct docket *d, struct pending **p, enum reason reason)
{
	const struct reason_row *row = reason_find((int)reason);
	struct msg_deny deny = { .status = (uint16_t)row->status,
		.reason = (uint16_t)reason, .shape = (*p)->shape };
	char text[256];

	snprintf(text, sizeof(text), "container-gateway: %s: %s", row->key,
	    row->text);
	deny.text = str_from(text);
	return docket_deny(d, p, &deny);
}

static int
ask_body(struct docket *d, struct pending *p, const struct verdict *v)
{
	struct buf payload = BUF_INIT(64);

	p->stage = STAGE_BODY;
	buf_init(&p->body, (size_t)v->need_body.max);
	return docket_send(d, PROTO_NEED_BODY, p->id, &payload,
	    msg_put_need_body(&payload, &v->need_body));
}

static int
ask_facts(struct docket *d, struct pending **p, const struct verdict *v)
{
	struct buf payload = BUF_INIT(1024 * 1024);
	struct pending *r = *p;

	if (++r->rounds > PROTO_ROUNDS_MAX || r->facts.count +
	    v->need_facts.count > JUDGE_FACTS_MAX)
		return docket_refuse(d, p, R_BUDGET);
	r->stage = STAGE_FACTS;
	r->asked.count = v->need_facts.count;
	for (uint32_t i = 0; i < r->asked.count; i++) {
		r->asked.ask[i].kind = v->need_facts.ask[i].kind;
		r->asked.ask[i].text = arena_str(&r->keep,
		    v->need_facts.ask[i].text);
	}
	return docket_send(d, PROTO_NEED_FACTS, r->id, &payload,
	    msg_put_need_facts(&payload, &r->asked));
}

/* What has to be kept for the daemon's answer, if that is judged. */
static void
expect_answer(struct pending *p, const struct verdict *v)
{
	uint8_t mode = v->forward.response_mode;

	p->stage = STAGE_RESPONSE;
	p->shape = v->deny.shape;
	p->by_lines = mode == FORWARD_JUDGE_LINES;
	p->judges_answer = p->by_lines || mode == FORWARD_JUDGE;
	p->creates = (v->forward.flags & FORWARD_CREATES) != 0;
	if (!p->judges_answer)
		return;
	p->memo = v->memo;
	p->memo.subject = arena_str(&p->keep, v->memo.subject);
	p->memo.object = arena_str(&p->keep, v->memo.object);
}

static int
send_forward(struct docket *d, struct pending **p, const struct verdict *v)
{
	struct buf payload = BUF_INIT(8 * 1024 * 1024);
	struct pending *r = *p;
	uint64_t id = r->id;
	int error = msg_put_forward(&payload, &v->forward);

	/* A body that nobody says how to judge is not let through. */
	if (error != 0 || (v->forward.body_mode == FORWARD_BODY_SCAN &&
	    v->scan.kind == SCAN_NONE)) {
		buf_free(&payload);
		return docket_refuse(d, p, error != 0 ? R_TOO_LARGE :
		    R_INTERNAL);
	}
	expect_answer(r, v);
	if (v->forward.body_mode == FORWARD_BODY_SCAN)
		docket_scan_start(r, &v->scan);
	else if (!r->judges_answer)
		docket_forget(d, p);
	return docket_send(d, PROTO_FORWARD, id, &payload, 0);
}

static int
send_answer(struct docket *d, uint64_t id, const struct msg_answer *answer)
{
	struct buf payload = BUF_INIT(2 * PROTO_JUDGE_MAX);

	return docket_send(d, PROTO_ANSWER, id, &payload,
	    msg_put_answer(&payload, answer));
}

static int
act(struct docket *d, struct pending **p, const struct verdict *v)
{
	uint64_t id = (*p)->id;

	for (size_t i = 0; i < v->learnt_count; i++)
		ids_add(d->court->ids, v->learnt[i], STR_NONE);
	switch (v->kind) {
	case VERDICT_NEED_BODY:
		return ask_body(d, *p, v);
	case VERDICT_NEED_FACTS:
		return ask_facts(d, p, v);
	case VERDICT_FORWARD:
		return send_forward(d, p, v);
	case VERDICT_ANSWER:
		docket_forget(d, p);
		return send_answer(d, id, &v->answer);
	case VERDICT_DENY:
		break;
	}
	return docket_deny(d, p, &v->deny);
}

static struct case_file
file_of(struct docket *d, const struct pending *p)
{
	return (struct case_file){ &d->court->settings, &p->request,
		d->court->ids, &p->facts, p->has_body, buf_str(&p->body) };
}

static int
judge(struct docket *d, struct pending **p)
{
	struct case_file file = file_of(d, *p);
	struct verdict *v;
	struct arena scratch;
	int error;

	arena_init(&scratch, JUDGE_ARENA_MAX);
	v = arena_alloc(&scratch, sizeof(*v));
	decide(&file, &scratch, v);
	error = act(d, p, v);
	arena_free(&scratch);
	return error;
}

static int
on_request(struct docket *d, const struct frame *f)
{
	struct pending **p = docket_find(d, f->id);
	struct pending *r;
	struct str copy;

	if (*p != NULL)
		return -R_INTERNAL;
	r = calloc(1, sizeof(*r));
	if (r == NULL)
		log_panic("server", "out of memory");
	*p = r;
	r->id = f->id;
	r->docket = d;
	d->court->active++;
	d->court->total++;
	arena_init(&r->keep, REQUEST_ARENA_MAX);
	copy = arena_str(&r->keep, f->payload);
	if (msg_get_request(copy, &r->request) != 0)
		return -R_INTERNAL;
	return has_room(r) ? judge(d, p) : docket_refuse(d, p, R_BUSY);
}

int
docket_window(struct docket *d, struct pending *p, const struct msg_window *m)
{
	struct buf payload = BUF_INIT(64);

	p->window_at = m->taken;
	return docket_send(d, PROTO_WINDOW, p->id, &payload,
	    msg_put_window(&payload, m));
}

static int
on_body(struct docket *d, const struct frame *f)
{
	struct pending **p = docket_find(d, f->id);
	struct pending *r = *p;
	struct msg_body body;

	/* What was already refused may still be on its way here. */
	if (r == NULL)
		return 0;
	if (msg_get_body(f->payload, &body) != 0)
		return -R_INTERNAL;
	if (r->stage == STAGE_SCAN)
		return has_room(r) ? docket_scan_body(d, p, &body) :
		    docket_refuse(d, p, R_BUSY);
	if (r->stage != STAGE_BODY)
		return -R_INTERNAL;
	buf_put_str(&r->body, body.bytes);
	if (r->body.failed)
		return docket_refuse(d, p, R_TOO_LARGE);
	if (!has_room(r))
		return docket_refuse(d, p, R_BUSY);
	if (body.last) {
		r->has_body = true;
		return judge(d, p);
	}
	if (r->body.len - r->window_at < PROTO_BODY_WINDOW / 4)
		return 0;
	return docket_window(d, r, &(struct msg_window){ r->body.len, 0,
	    false });
}

static int
on_facts(struct docket *d, const struct frame *f)
{
	struct pending **p = docket_find(d, f->id);
	struct pending *r = *p;
	struct msg_facts *facts;
	int error;

	if (r == NULL)
		return 0;
	if (r->keep.used + f->payload.len > REQUEST_ARENA_MAX / 2)
		return docket_refuse(d, p, R_BUDGET);
	facts = arena_alloc(&r->keep, sizeof(*facts));
	error = msg_get_facts(arena_str(&r->keep, f->payload), facts);
	if (error != 0 || r->stage != STAGE_FACTS ||
	    facts->count != r->asked.count)
		return -R_INTERNAL;
	for (uint32_t i = 0; i < facts->count; i++) {
		if (facts->fact[i].kind != r->asked.ask[i].kind)
			return -R_INTERNAL;
		r->facts.known[r->facts.count++] = (struct known_fact){
			(enum fact_kind)r->asked.ask[i].kind,
			r->asked.ask[i].text, facts->fact[i] };
	}
	return has_room(r) ? judge(d, p) : docket_refuse(d, p, R_BUSY);
}

static int
on_response(struct docket *d, const struct frame *f)
{
	struct pending **p = docket_find(d, f->id);
	struct pending *r = *p;
	struct msg_response response;
	struct msg_answer answer;
	struct case_file file;
	struct arena scratch;
	uint64_t id = f->id;
	int error;

	if (r == NULL)
		return 0;
	/* A daemon may answer before the end of what it was sent. */
	if (!r->judges_answer || (r->stage != STAGE_RESPONSE && r->stage !=
	    STAGE_SCAN) || msg_get_response(f->payload, &response) != 0 ||
	    response.is_line != r->by_lines)
		return -R_INTERNAL;
	file = file_of(d, r);
	arena_init(&scratch, JUDGE_ARENA_MAX);
	error = decide_answer(&file, &r->memo, &response, &scratch,
	    d->court->ids, &answer);
	if (error != 0)
		error = docket_refuse(d, p, error == -R_CONFLICT ? R_CONFLICT :
		    r->creates && response.status < 300 ?
		    R_NOT_CONFIRMED : R_BACKEND_ANSWER);
	else {
		if (!r->by_lines)
			docket_forget(d, p);
		error = send_answer(d, id, &answer);
	}
	arena_free(&scratch);
	return error;
}

static int
on_cancel(struct docket *d, const struct frame *f)
{
	struct pending **p = docket_find(d, f->id);

	if (*p != NULL)
		docket_forget(d, p);
	return 0;
}

/* One row a frame that a worker sends. */
static const struct frame_row {
	enum proto_type	 type;
	int		(*handle)(struct docket *, const struct frame *);
} frame_rows[] = {
	{ PROTO_REQUEST,	on_request },
	{ PROTO_BODY,		on_body },
	{ PROTO_FACTS,		on_facts },
	{ PROTO_RESPONSE,	on_response },
	{ PROTO_CANCEL,		on_cancel },
};

int
docket_frame(struct link *link, const struct frame *f, void *arg)
{
	(void)link;
	for (size_t i = 0; i < sizeof(frame_rows) / sizeof(*frame_rows); i++)
		if (frame_rows[i].type == f->type)
			return frame_rows[i].handle(arg, f);
	return -R_INTERNAL;
}

/* ---- dockets ------------------------------------------------------------ */

void
court_init(struct court *court)
{
	TAILQ_INIT(&court->busy);
	court->ids = ids_new(SERVER_IDS);
	if (court->ids == NULL)
		log_panic("server", "out of memory");
}

struct docket *
docket_new(struct court *court, int fd)
{
	struct docket *d = calloc(1, sizeof(*d));

	if (d == NULL)
		log_panic("server", "out of memory");
	d->court = court;
	link_open(&d->link, fd, PROTO_POLICYD, PROTO_WORKER);
	return d;
}

void
docket_free(struct docket *d)
{
	for (size_t b = 0; b < DOCKET_BUCKETS; b++)
		while (d->bucket[b] != NULL)
			docket_forget(d, &d->bucket[b]);
	link_close(&d->link);
	free(d);
}
