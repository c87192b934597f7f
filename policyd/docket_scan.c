/*
 * A body that is judged while it streams past: its frames to the scanner, what
 * the scanner releases back to the worker.
 *
 * A compressed frame can grow a thousandfold.  The scanner gives up after each
 * turn, and the rest waits in line here, so that nobody else's verdict waits
 * for it.
 */
#include <stdio.h>

#include "policyd/docket.h"

/* What a worker may have sent beyond what was taken. */
enum { BODY_MAX = PROTO_BODY_WINDOW + PROTO_BODY_CHUNK };

void
docket_scan_start(struct pending *p, const struct scan_options *options)
{
	p->stage = STAGE_SCAN;
	p->scan = scan_new(options);
	p->has_body = false;
	buf_free(&p->body);
	buf_init(&p->body, BODY_MAX);
}

static void
leave_line(struct pending *p)
{
	if (p->is_busy)
		TAILQ_REMOVE(&p->docket->court->busy, p, busy);
	p->is_busy = false;
}

/* Behind all others. */
static void
join_line(struct pending *p)
{
	leave_line(p);
	TAILQ_INSERT_TAIL(&p->docket->court->busy, p, busy);
	p->is_busy = true;
}

void
docket_scan_stop(struct pending *p)
{
	leave_line(p);
	scan_free(p->scan);
	p->scan = NULL;
	buf_free(&p->body);
}

static int
refuse(struct docket *d, struct pending **at)
{
	const struct scan_refusal *r = scan_refusal((*at)->scan);
	const struct reason_row *row = reason_find((int)r->reason);
	struct msg_deny deny = { .status = (uint16_t)row->status,
		.reason = (uint16_t)r->reason, .shape = (*at)->shape };
	char text[1024], field[sizeof(r->field)];

	snprintf(text, sizeof(text), "container-gateway: %s: %s", row->key,
	    r->text);
	snprintf(field, sizeof(field), "%s", r->field);
	deny.text = str_from(text);
	deny.field = str_from(field);
	return docket_deny(d, at, &deny);
}

/* All of it was good: the end goes, and then perhaps the answer comes. */
static int
finish(struct docket *d, struct pending **at)
{
	struct pending *p = *at;
	struct msg_window window = { p->taken, p->taken, true };
	int error;

	if (scan_finish(p->scan) != 0)
		return refuse(d, at);
	error = docket_window(d, p, &window);
	docket_scan_stop(p);
	p->stage = STAGE_RESPONSE;
	if (!p->judges_answer)
		docket_forget(d, at);
	return error;
}

/* One turn over bytes, which are those that wait, or come first of all. */
static int
turn(struct docket *d, struct pending **at, struct str bytes)
{
	struct pending *p = *at;
	struct msg_window window;
	size_t used;
	int more = scan_feed(p->scan, bytes, &used);

	if (more < 0)
		return refuse(d, at);
	p->taken += used;
	if (p->body.len > 0)
		buf_drop(&p->body, used);
	else
		buf_put_str(&p->body, str_skip(bytes, used));
	if (more == 1)
		join_line(p);
	else {
		leave_line(p);
		if (p->has_body)
			return finish(d, at);
	}
	if (p->taken - p->window_at < PROTO_BODY_WINDOW / 4)
		return 0;
	window = (struct msg_window){ p->taken, scan_released(p->scan),
		false };
	return docket_window(d, p, &window);
}

int
docket_scan_body(struct docket *d, struct pending **at,
    const struct msg_body *body)
{
	struct pending *p = *at;

	/* More than the window, or behind the last. */
	if (p->has_body || p->body.len + body->bytes.len > BODY_MAX)
		return -R_INTERNAL;
	p->has_body = body->last;
	if (!p->is_busy)
		return turn(d, at, body->bytes);
	buf_put_str(&p->body, body->bytes);
	return 0;
}

bool
court_is_busy(const struct court *court)
{
	return !TAILQ_EMPTY(&court->busy);
}

struct docket *
court_work(struct court *court)
{
	struct pending *p = TAILQ_FIRST(&court->busy);
	struct docket *d;

	if (p == NULL)
		return NULL;
	d = p->docket;
	return turn(d, docket_find(d, p->id), buf_str(&p->body)) == 0 ?
	    NULL : d;
}
