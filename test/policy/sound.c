/*
 * A refusal is one printable line that names its reason.  What goes out is a
 * well-formed head of one reading, and judged again it goes out as it is.
 */
#include <stdio.h>
#include <stdlib.h>

#include "policyd/lexer.h"
#include "test/policy/sound.h"

static const char *
check_deny(const struct msg_deny *deny)
{
	const struct reason_row *row = reason_find(deny->reason);
	char prefix[128];

	if (deny->reason == R_NONE || deny->reason == R_INTERNAL)
		return "a refusal without a reason";
	if (deny->status != row->status)
		return "a refusal with another status than its reason's";
	for (size_t i = 0; i < deny->text.len; i++)
		if ((unsigned char)deny->text.data[i] < 0x20 ||
		    (unsigned char)deny->text.data[i] > 0x7e)
			return "a refusal that is not one printable line";
	/* In the daemon's own words. */
	if (deny->reason == R_NOT_FOUND || deny->reason == R_BAD_VERSION)
		return deny->text.len > 0 ? NULL : "a refusal without a text";
	snprintf(prefix, sizeof(prefix), "container-gateway: %s: ", row->key);
	return str_starts(deny->text, prefix) && deny->text.len >
	    strlen(prefix) ? NULL : "a refusal that does not name its reason";
}

/* The next line of a head, without its CRLF; false when it has none. */
static bool
next_line(struct str *head, struct str *line)
{
	*line = str_first(*head, str_find(*head, '\r'));
	if (!str_starts(str_skip(*head, line->len), "\r\n"))
		return false;
	*head = str_skip(*head, line->len + 2);
	return true;
}

static bool
is_printable(struct str line, unsigned char least)
{
	for (size_t i = 0; i < line.len; i++)
		if ((unsigned char)line.data[i] < least ||
		    (unsigned char)line.data[i] > 0x7e)
			return false;
	return true;
}

/* METHOD TARGET HTTP/1.1, with one reading. */
static const char *
check_request_line(struct str line)
{
	struct str method = str_first(line, str_find(line, ' '));
	struct str target = str_skip(line, method.len + 1);
	struct str rest;

	target = str_first(target, str_find(target, ' '));
	rest = str_skip(line, method.len + 1 + target.len);
	if (!str_is(rest, " HTTP/1.1") || method.len == 0 ||
	    !str_starts(target, "/"))
		return "a request line that is none";
	if (!is_printable(target, 0x21))
		return "a target with a byte that must not stand there";
	for (size_t i = 0; i + 1 < target.len; i++) {
		struct str at = str_skip(target, i);

		if (at.data[0] == '?')
			break;
		if (str_starts(at, "//") || str_starts(at, "/../") ||
		    str_starts(at, "/./") || str_starts(at, "%2F") ||
		    str_starts(at, "%25"))
			return "a path with two readings";
	}
	return NULL;
}

static const char *
check_head(const struct msg_forward *f)
{
	bool is_stream = f->body_mode == FORWARD_BODY_STREAM ||
	    f->body_mode == FORWARD_BODY_SCAN;
	struct str left = f->head, line;
	long long length = -1;
	bool is_first = true, is_ended = false;

	while (!is_ended && next_line(&left, &line)) {
		const char *bad = NULL;

		is_ended = line.len == 0;
		if (is_ended)
			break;
		if (is_first)
			bad = check_request_line(line);
		else if (!is_printable(line, 0x20) || str_find(line, ':') ==
		    line.len)
			bad = "a header that is none";
		if (bad != NULL)
			return bad;
		is_first = false;
		if (str_starts(line, "Content-Length: "))
			length = strtoll(line.data + 16, NULL, 10);
	}
	if (left.len > 0)
		return "a head that does not end in its empty line";
	if (is_stream)
		return length < 0 && !is_ended ? NULL :
		    "a stream with framing of its own";
	if (!is_ended)
		return "a head without its empty line";
	if ((size_t)(length < 0 ? 0 : length) != f->body.len)
		return "a Content-Length that is not the body's";
	return NULL;
}

static const char *
check_forward(const struct msg_forward *f)
{
	struct lexer_error error;
	const char *bad = check_head(f);

	if (bad != NULL)
		return bad;
	if (f->body.len > 0 && lexer_check(f->body, &error) != 0)
		return "a body that is not strict JSON";
	if ((f->body_mode == FORWARD_BODY_BYTES) != (f->body.len > 0))
		return "a body that its mode does not tell of";
	return NULL;
}

/* What is kept for the answer has to be there when decide() has ended. */
static const char *
check_memo(const struct answer_memo *memo)
{
	return is_printable(memo->subject, 0x20) && is_printable(memo->object,
	    0x20) ? NULL : "a memo that nobody can read";
}

const char *
sound_verdict(const struct verdict *v)
{
	struct lexer_error error;
	const char *bad;

	switch (v->kind) {
	case VERDICT_DENY:
		return check_deny(&v->deny);
	case VERDICT_FORWARD:
		bad = check_forward(&v->forward);
		return bad != NULL ? bad : check_memo(&v->memo);
	case VERDICT_ANSWER:
		return v->answer.body.len == 0 || lexer_check(v->answer.body,
		    &error) == 0 ? NULL : "an answer that is not strict JSON";
	case VERDICT_NEED_BODY:
	case VERDICT_NEED_FACTS:
		break;
	}
	return "no final verdict";
}

/* Effects come after every other check: only they themselves may fail. */
static const char *
check_effects(const struct case_run *run)
{
	const struct fact_store *facts = &run->world.facts;
	const struct msg_deny *deny = &run->verdict->deny;

	if (run->verdict->kind != VERDICT_DENY || deny->reason ==
	    R_BIND_MISSING || deny->reason == R_VOLUME || deny->reason ==
	    R_FACTS)
		return NULL;
	for (size_t i = 0; i < facts->count; i++)
		if (facts->known[i].kind == EFFECT_MKDIR ||
		    facts->known[i].kind == EFFECT_HTTP)
			return "an effect before a refusal";
	return NULL;
}

/* The request that goes out, as if a client had sent it. */
static void
read_back(const struct verdict *v, struct arena *a, struct msg_request *r,
    struct str *body)
{
	struct str left = arena_str(a, v->forward.head), line;

	next_line(&left, &line);
	r->method = str_first(line, str_find(line, ' '));
	r->target = str_skip(line, r->method.len + 1);
	r->target = str_first(r->target, str_find(r->target, ' '));
	r->header_count = 0;
	while (next_line(&left, &line) && line.len > 0) {
		struct pair *h = &r->header[r->header_count++];

		h->name = str_first(line, str_find(line, ':'));
		h->value = str_skip(line, h->name.len + 2);
	}
	*body = arena_str(a, v->forward.body);
	if (v->forward.body_mode == FORWARD_BODY_NONE ||
	    v->forward.body_mode == FORWARD_BODY_BYTES) {
		r->body_kind = body->len > 0 ? BODY_LENGTH : BODY_NONE;
		r->body_length = body->len;
	}
}

static bool
is_libpod(struct str head)
{
	struct str line = str_first(head, str_find(head, '\r'));

	for (; line.len > 0; line = str_skip(line, 1))
		if (str_starts(line, "/libpod/"))
			return true;
	return false;
}

/*
 * Asked of docker's API, sent on podman's own: that table has an order of its
 * own, so what is to stay as it is is what it makes of it.
 */
static void
cross_over(struct case_run *run, struct str *head)
{
	struct str body;

	if (!is_libpod(*head) || is_libpod(run->request.target))
		return;
	run->request.face = FACE_PODMAN;
	read_back(run->verdict, &run->arena, &run->request, &body);
	run->verdict = world_decide(&run->world, &run->request, body);
	*head = arena_str(&run->arena, run->verdict->forward.head);
}

const char *
sound_check(struct case_run *run)
{
	const char *bad = sound_verdict(run->verdict);
	struct str head, body = STR_NONE, again;

	if (bad == NULL)
		bad = check_effects(run);
	if (bad != NULL || run->verdict->kind != VERDICT_FORWARD)
		return bad;
	head = arena_str(&run->arena, run->verdict->forward.head);
	/* Our label on a commit is a change that no client may give. */
	if (str_is(str_from(run->verdict->row), "/commit"))
		return NULL;
	cross_over(run, &head);
	if (run->verdict->kind == VERDICT_FORWARD) {
		read_back(run->verdict, &run->arena, &run->request, &body);
		run->verdict = world_decide(&run->world, &run->request, body);
	}
	again = run->verdict->forward.body;
	/* With ours there may be more parameters than a client may send. */
	if (run->verdict->kind == VERDICT_DENY && run->verdict->deny.reason ==
	    R_BAD_QUERY && str_is(run->verdict->deny.field, "string"))
		return NULL;
	if (run->verdict->kind != VERDICT_FORWARD) {
		run->out = run->verdict->deny.text;
		return "refused when judged again";
	}
	if (str_equal(run->verdict->forward.head, head) && str_equal(again,
	    body))
		return NULL;
	run->out = arena_printf(&run->arena, "%.*s\n%.*s", STR_FMT(
	    run->verdict->forward.head), STR_FMT(again));
	return "other bytes when judged again";
}
