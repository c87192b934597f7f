/*
 * Shows verdicts.  Bodies and heads come from the request: control bytes are
 * left out of what a terminal sees.
 */
#include <stdio.h>
#include <stdlib.h>

#include "hookctl/explain/print.h"
#include "hookctl/json.h"
#include "hookctl/paint.h"

static const char *const results[] = {
	[EXPLAIN_PASSES] = "passes", [EXPLAIN_REFUSED] = "refused",
	[EXPLAIN_UNDECIDED_HERE] = "undecided"
};

static void
put_str(struct json_object *json, const char *key, struct str s)
{
	json_object_object_add(json, key, json_object_new_string_len(
	    s.len > 0 ? s.data : "", (int)s.len));
}

static void
print_row(const char *name, struct str text)
{
	printf("%-10s ", name);
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.data[i];

		/* Continued lines stand below the first. */
		if (c == '\n' && i + 1 < text.len)
			printf("\n%-10s ", "");
		else if (c >= 0x20 && c != 0x7f)
			putchar(c);
	}
	putchar('\n');
}

static void
print_refusal(const struct msg_deny *d)
{
	const struct reason_row *row = reason_find(d->reason);

	printf("%-10s %d %s\n", "status", d->status, row->key);
	if (d->field.len > 0)
		print_row("field", d->field);
	print_row("answer", d->text);
	print_row("rule", str_from(row->text));
}

static void
print_forward(const struct verdict *v)
{
	static const char *const bodies[] = { "none", NULL, "the client's, as "
		"it streams", "the client's, read as it streams" };
	static const char *const answers[] = { "passed on", "a tunnel",
		"judged", "judged line by line" };

	if (v->kind == VERDICT_ANSWER) {
		printf("%-10s the gateway's own, no daemon is asked: %d\n",
		    "answer", v->answer.status);
		print_row("body", v->answer.body);
		return;
	}
	print_row("sent", v->forward.head);
	if (v->forward.body_mode == FORWARD_BODY_BYTES)
		print_row("body", v->forward.body);
	else
		printf("%-10s %s\n", "body", bodies[v->forward.body_mode % 4]);
	printf("%-10s %s\n", "answer", answers[v->forward.response_mode % 4]);
}

static void
print_for_people(const struct verdict *v, enum explain_result result,
    struct str unanswered)
{
	printf("%s%s%s\n", paint(result == EXPLAIN_PASSES ? PAINT_GOOD :
	    result == EXPLAIN_REFUSED ? PAINT_BAD : PAINT_MIDDLING),
	    results[result], paint(PAINT_NONE));
	if (v->row != NULL)
		printf("%-10s %s\n", "route", v->row);
	if (result == EXPLAIN_REFUSED)
		print_refusal(&v->deny);
	else if (result == EXPLAIN_PASSES)
		print_forward(v);
	else
		print_row("hangs on", unanswered);
}

static void
print_json(const struct verdict *v, enum explain_result result,
    struct str unanswered)
{
	struct json_object *json = json_object_new_object();

	json_put_text(json, "result", results[result]);
	if (v->row != NULL)
		json_put_text(json, "route", v->row);
	if (result == EXPLAIN_REFUSED) {
		json_put_int(json, "status", v->deny.status);
		json_put_text(json, "reason",
		    reason_find(v->deny.reason)->key);
		put_str(json, "field", v->deny.field);
		put_str(json, "text", v->deny.text);
		json_put_text(json, "rule", reason_find(v->deny.reason)->text);
	} else if (result == EXPLAIN_UNDECIDED_HERE)
		put_str(json, "hangs_on", unanswered);
	else if (v->kind == VERDICT_ANSWER) {
		json_put_int(json, "status", v->answer.status);
		put_str(json, "body", v->answer.body);
	} else {
		put_str(json, "head", v->forward.head);
		put_str(json, "body", v->forward.body);
	}
	puts(json_line(json));
	json_object_put(json);
}

void
explain_print(const struct verdict *v, enum explain_result result,
    struct str unanswered, bool as_json)
{
	if (as_json)
		print_json(v, result, unanswered);
	else
		print_for_people(v, result, unanswered);
}

void
explain_print_malformed(int reason, bool as_json)
{
	struct verdict v = { .kind = VERDICT_DENY };

	v.deny.reason = (uint16_t)abs(reason);
	v.deny.status = (uint16_t)reason_find(abs(reason))->status;
	v.deny.text = STR("the head cannot be read");
	explain_print(&v, EXPLAIN_REFUSED, STR_NONE, as_json);
}
