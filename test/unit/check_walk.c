/*
 * The walker by itself, over a small table: order, spelling, kinds, zeroes,
 * what no row names, and replacement.
 */
#include <stdio.h>

#include <check.h>

#include "policyd/checks.h"

Suite	*walk_suite(void);

static struct arena arena;
static struct verdict verdict;
static struct judge judge;
static char trace[256];

static void
set_up(void)
{
	arena_init(&arena, 16 * 1024 * 1024);
	memset(&judge, 0, sizeof(judge));
	memset(&verdict, 0, sizeof(verdict));
	judge.arena = &arena;
	judge.out = &verdict;
	trace[0] = '\0';
}

static void
tear_down(void)
{
	arena_free(&arena);
}

/* Notes that it was called, and with which value. */
static int
note(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	size_t n = strlen(trace);

	(void)j;
	snprintf(trace + n, sizeof(trace) - n, "%s=%s/%s ", row->name,
	    at->key != NULL ? at->key : "[]", json_object_to_json_string(
	    value));
	return 0;
}

static int
refuse(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	note(j, at, row, value);
	return judge_refuse_at(j, row->reason, at, "no");
}

static int
replace(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	note(j, at, row, value);
	judge_replace(at, json_object_new_string("new"));
	return 0;
}

static const struct field inner[] = {
	{ "Leaf", K_STRING, note, NULL, R_BIND, "" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field table[] = {
	{ "First", K_STRING, note, NULL, R_BIND, "" },
	{ "Kisses", K_BOOL | K_INT, note, NULL, R_BIND, "" },
	{ "Bad", K_STRING, refuse, NULL, R_DEVICE, "" },
	{ "Changed", K_STRING, replace, NULL, R_BIND, "" },
	{ "Inner", K_OBJECT, check_object, inner, R_BIND, "" },
	{ "Any", K_ANY, note, NULL, R_BIND, "" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field with_rest[] = {
	{ "First", K_STRING, note, NULL, R_BIND, "" },
	{ "*", K_STRING, note, NULL, R_BIND, "" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

/* What came of a body; *text is the body afterwards. */
static int
walk(const struct field *rows, const char *body, const char **text)
{
	struct json_object *object = json_tokener_parse(body);
	int error = walk_object(&judge, NULL, rows, object);

	*text = arena_str(&arena, str_from(json_object_to_json_string_ext(
	    object, JSON_C_TO_STRING_PLAIN))).data;
	json_object_put(object);
	return error;
}

static const struct row {
	const char	*body;
	int		 error;
	const char	*field;		/* of the refusal */
	const char	*trace;
} rows[] = {
	/* The table's order, whatever the client's was. */
	{ "{\"Kisses\":true,\"First\":\"a\"}", 0, "",
	    "First=First/\"a\" Kisses=Kisses/true " },
	{ "{\"Bad\":\"x\",\"First\":\"a\"}", -R_DEVICE, "Bad",
	    "First=First/\"a\" Bad=Bad/\"x\" " },
	/* Nothing behind a refusal is looked at. */
	{ "{\"Bad\":\"x\",\"Any\":1}", -R_DEVICE, "Bad", "Bad=Bad/\"x\" " },
	/* null is not given. */
	{ "{\"First\":null,\"Bad\":null}", 0, "", "" },
	{ "{\"Unknown\":null}", 0, "", "" },
	/* What no row names. */
	{ "{\"Unknown\":0}", -R_UNKNOWN_FIELD, "Unknown", "" },
	{ "{\"Unknown\":0,\"First\":\"a\"}", -R_UNKNOWN_FIELD, "Unknown",
	    "First=First/\"a\" " },
	{ "{\"Inner\":{\"Leaf\":\"a\",\"X\":1}}", -R_UNKNOWN_FIELD, "Inner.X",
	    "Leaf=Leaf/\"a\" " },
	{ "{\"Firs\":\"a\"}", -R_UNKNOWN_FIELD, "Firs", "" },
	{ "{\"Firstt\":\"a\"}", -R_UNKNOWN_FIELD, "Firstt", "" },
	{ "{\"\":\"a\"}", -R_UNKNOWN_FIELD, "", "" },
	/* Kinds. */
	{ "{\"First\":1}", -R_BAD_VALUE, "First", "" },
	{ "{\"First\":true}", -R_BAD_VALUE, "First", "" },
	{ "{\"First\":[]}", -R_BAD_VALUE, "First", "" },
	{ "{\"Kisses\":1}", 0, "", "Kisses=Kisses/1 " },
	{ "{\"Kisses\":1.0}", -R_BAD_VALUE, "Kisses", "" },
	{ "{\"Kisses\":\"1\"}", -R_BAD_VALUE, "Kisses", "" },
	{ "{\"Any\":1.5}", -R_BAD_VALUE, "Any", "" },
	{ "{\"Inner\":[]}", -R_BAD_VALUE, "Inner", "" },
	{ "{\"Inner\":{\"Leaf\":{}}}", -R_BAD_VALUE, "Inner.Leaf", "" },
	/* Folded keys are judged by their row; the spelling is noted. */
	{ "{\"first\":\"a\"}", 0, "", "First=first/\"a\" " },
	{ "{\"BAD\":\"a\"}", -R_DEVICE, "BAD", "Bad=BAD/\"a\" " },
	{ "{\"fir\xc5\xbft\":\"a\"}", 0, "",
	    "First=fir\xc5\xbft/\"a\" " },
	{ "{\"\xe2\x84\xaai\xc5\xbf\xc5\xbf""eS\":true}", 0, "",
	    "Kisses=\xe2\x84\xaai\xc5\xbf\xc5\xbf""eS/true " },
	{ "{\"F\xc4\xb1rst\":\"a\"}", -R_UNKNOWN_FIELD,
	    "F\\xc4\\xb1rst", "" },
	{ "{\"fir\xc5\xbf\":\"a\"}", -R_UNKNOWN_FIELD, "fir\\xc5\\xbf", "" },
	/* Two spellings are one key twice. */
	{ "{\"First\":\"a\",\"first\":\"b\"}", -R_DUPLICATE_KEY, "first", "" },
	{ "{\"first\":null,\"FIRST\":\"b\"}", -R_DUPLICATE_KEY, "FIRST", "" },
	{ "{\"Inner\":{\"Leaf\":\"a\",\"leaf\":\"b\"}}", -R_DUPLICATE_KEY,
	    "Inner.leaf", "" },
};

START_TEST(walked)
{
	const struct row *want = &rows[_i];
	const char *text;

	ck_assert_int_eq(walk(table, want->body, &text), want->error);
	ck_assert_msg(str_is(verdict.deny.field, want->field), "%s: %.*s",
	    want->body, STR_FMT(verdict.deny.field));
	ck_assert_str_eq(trace, want->trace);
}
END_TEST

START_TEST(spelling_is_noted)
{
	const char *text;

	walk(table, "{\"First\":\"a\"}", &text);
	ck_assert_uint_eq(judge.misspelled.len, 0);
	walk(table, "{\"Inner\":{\"LEAF\":\"a\"},\"any\":\"b\"}", &text);
	/* The first one met stands. */
	ck_assert(judge.misspelled.len > 0);
	ck_assert(str_is(judge.misspelled, "any") ||
	    str_is(judge.misspelled, "Inner.LEAF"));
}
END_TEST

START_TEST(values_are_replaced)
{
	const char *text;

	ck_assert_int_eq(walk(table,
	    "{\"Any\":1,\"Changed\":\"old\",\"Unknown\":null}", &text), 0);
	ck_assert_str_eq(text, "{\"Any\":1,\"Changed\":\"new\"}");
}
END_TEST

START_TEST(rest_has_a_row)
{
	const char *text;

	ck_assert_int_eq(walk(with_rest, "{\"b\":\"x\",\"First\":\"a\","
	    "\"a\":\"y\",\"c\":null}", &text), 0);
	ck_assert_str_eq(trace,
	    "First=First/\"a\" *=b/\"x\" *=a/\"y\" ");
	ck_assert_str_eq(text,
	    "{\"b\":\"x\",\"First\":\"a\",\"a\":\"y\"}");
	ck_assert_int_eq(walk(with_rest, "{\"b\":1}", &text), -R_BAD_VALUE);
}
END_TEST

/* "*" is a row's name, and a client may send it as a key all the same. */
START_TEST(star_is_a_key)
{
	const char *text;

	ck_assert_int_eq(walk(with_rest, "{\"*\":\"x\"}", &text), 0);
	ck_assert_str_eq(trace, "*=*/\"x\" ");
	ck_assert_int_eq(walk(table, "{\"*\":\"x\"}", &text),
	    -R_UNKNOWN_FIELD);
}
END_TEST

START_TEST(zeroes)
{
	static const struct { const char *text; bool zero; } values[] = {
		{ "null", true }, { "\"\"", true }, { "[]", true },
		{ "{}", true }, { "0", true }, { "false", true },
		{ "-0", true }, { "\" \"", false }, { "[null]", false },
		{ "[0]", false }, { "{\"a\":null}", false }, { "1", false },
		{ "-1", false }, { "true", false }, { "0.0", false },
		{ "9223372036854775807", false },
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		struct json_object *value = json_tokener_parse(
		    values[i].text);

		ck_assert_msg(walk_is_zero(value) == values[i].zero, "%s",
		    values[i].text);
		json_object_put(value);
	}
}
END_TEST

Suite *
walk_suite(void)
{
	Suite *suite = suite_create("walk");
	TCase *tc = tcase_create("table");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(tc, walked, 0, sizeof(rows) / sizeof(*rows));
	tcase_add_test(tc, spelling_is_noted);
	tcase_add_test(tc, values_are_replaced);
	tcase_add_test(tc, rest_has_a_row);
	tcase_add_test(tc, star_is_a_key);
	tcase_add_test(tc, zeroes);
	suite_add_tcase(suite, tc);
	return suite;
}
