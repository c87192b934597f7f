/*
 * Byte streams of hostile clients (test/policy/attacks-http.tsv), taken apart
 * by the worker's parsers and judged: where each request ends, and what comes
 * of it.  Heads are fed whole and byte by byte.
 */
#include <stdio.h>
#include <stdlib.h>

#include <check.h>

#include "test/policy/cases.h"
#include "test/policy/sound.h"
#include "worker/http_body.h"
#include "worker/http_head.h"

Suite	*framing_suite(void);

static struct case_list list;

/* Feeds what is there of a head; what http_head_feed() says in the end. */
static int
feed(struct http_head *head, struct str bytes, size_t step)
{
	int got = 0;

	http_head_init(head);
	for (size_t n = step; got == 0 && n < bytes.len + step; n += step)
		got = http_head_feed(head, str_first(bytes, n));
	return got;
}

static bool
same_head(const struct http_head *a, const struct http_head *b)
{
	return a->size == b->size && a->field_count == b->field_count &&
	    a->body_kind == b->body_kind && a->body_length ==
	    b->body_length && a->close == b->close && a->expect == b->expect;
}

static void
take_request(const struct http_head *head, const char *base,
    struct msg_request *r)
{
	r->method = http_span_str(base, head->method);
	r->target = http_span_str(base, head->target);
	r->body_kind = head->body_kind;
	r->body_length = head->body_length;
	r->header_count = head->field_count;
	for (uint32_t i = 0; i < head->field_count; i++) {
		r->header[i].name = http_span_str(base, head->field[i].name);
		r->header[i].value = http_span_str(base, head->field[i].value);
	}
}

/* Takes the body off *bytes; 1 whole, 0 cut, negative broken. */
static int
take_body(const struct http_head *head, struct arena *a, struct str *bytes,
    struct str *body)
{
	static const uint8_t framing[] = { [BODY_NONE] = FRAMING_NONE,
		[BODY_LENGTH] = FRAMING_LENGTH,
		[BODY_CHUNKED] = FRAMING_CHUNKED };
	char *copy = arena_text(a, *bytes);
	struct http_body b;
	size_t used = 0, data = 0;
	int done = 1;

	http_body_init(&b, framing[head->body_kind], head->body_length, false);
	if (!http_body_is_done(&b))
		done = http_body_decode(&b, copy, bytes->len, &used, &data);
	*body = (struct str){ copy, data };
	*bytes = str_skip(*bytes, used);
	return done;
}

static const char *
outcome_of(struct arena *a, const struct verdict *v)
{
	struct str head = v->forward.head;

	if (v->kind == VERDICT_DENY)
		return arena_printf(a, "deny %s", reason_find(
		    v->deny.reason)->key).data;
	head = str_first(head, str_find(head, '\r'));
	return arena_printf(a, "%s %.*s", v->forward.response_mode ==
	    FORWARD_HIJACK ? "hijack" : "forward", (int)(head.len -
	    strlen(" HTTP/1.1")), head.data).data;
}

/* The next request of the stream; *bytes moves on, empty when all ends. */
static const char *
next_outcome(struct world *w, struct arena *a, struct str *bytes,
    bool *is_closed)
{
	static struct http_head head, slow;
	struct msg_request request = { .face = w->face,
		.backend = w->backend };
	struct str body, whole = *bytes;
	const struct verdict *v;
	const char *outcome;
	int got = feed(&head, whole, whole.len), slowly = feed(&slow, whole,
	    1);

	*bytes = STR_NONE;
	if (*is_closed)
		return "close";
	if (got != slowly || (got > 0 && !same_head(&head, &slow)))
		return "one reading whole, another byte by byte";
	if (got < 0)
		return arena_printf(a, "framing %s",
		    reason_find(-got)->key).data;
	if (got == 0)
		return "cut";
	take_request(&head, whole.data, &request);
	whole = str_skip(whole, head.size);
	got = take_body(&head, a, &whole, &body);
	if (got <= 0)
		return got < 0 ? "framing bad-request" : "cut";
	v = world_decide(w, &request, body);
	ck_assert_msg(sound_verdict(v) == NULL, "%s", sound_verdict(v));
	outcome = outcome_of(a, v);
	*is_closed = head.close;
	if (strncmp(outcome, "hijack", 6) != 0)
		*bytes = whole;
	return outcome;
}

static void
check_stream(const struct policy_case *c)
{
	struct str left = c->detail, item, bytes;
	struct arena arena;
	struct world w;
	bool is_closed = false;

	arena_init(&arena, 16 * 1024 * 1024);
	world_init(&w);
	bytes = cases_text(&arena, c->request);
	while (cases_next(&left, &item)) {
		struct str want = world_expand(&arena, item);
		const char *got = next_outcome(&w, &arena, &bytes, &is_closed);

		ck_assert_msg(str_is(want, got), "%s: not %.*s, but %s",
		    c->name, STR_FMT(want), got);
	}
	ck_assert_msg(bytes.len == 0, "%s: more follows", c->name);
	world_free(&w);
	arena_free(&arena);
}

START_TEST(streams_end_where_they_should)
{
	for (size_t i = 0; i < list.count; i++)
		check_stream(&list.row[i]);
}
END_TEST

Suite *
framing_suite(void)
{
	Suite *suite = suite_create("framing");
	TCase *streams = tcase_create("streams");

	cases_load(&list, "attacks-http.tsv");
	tcase_set_timeout(streams, 60);
	tcase_add_test(streams, streams_end_where_they_should);
	suite_add_tcase(suite, streams);
	return suite;
}
