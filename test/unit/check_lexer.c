/*
 * The strict JSON check: what it refuses, at which byte, and that what it lets
 * through is read by json-c as one value.
 */
#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

#include <check.h>

#include "common/buf.h"
#include "common/reason.h"
#include "policyd/lexer.h"

Suite	*lexer_suite(void);

/* As in the memory of a frame: reads past the end are seen. */
static int
check_bytes(const char *bytes, size_t n, struct lexer_error *error)
{
	char *copy = malloc(n > 0 ? n : 1);
	int result;

	memcpy(copy, bytes, n);
	result = lexer_check((struct str){ copy, n }, error);
	free(copy);
	return result;
}

/* STR() keeps bytes behind a NUL. */
static const struct str good[] = {
	STR("{}"), STR("[]"), STR("null"), STR("true"), STR("false"),
	STR("0"), STR("-0"), STR("1"), STR("-1"), STR("10"), STR("1.5"),
	STR("1e5"), STR("1E+5"), STR("1e-5"), STR("-1.25e10"), STR("0.1"),
	STR("9223372036854775807"), STR("-9223372036854775808"),
	STR("9223372036854775808"), STR("18446744073709551615"),
	STR("\"\""), STR("\"a\""), STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""),
	STR("\"\\u0041\""), STR("\"\\u00e9\""), STR("\"\\uFFFF\""),
	STR("\"\\ud83d\\ude00\""), STR("\"\\uDBFF\\uDFFF\""),
	STR("\"\x7f\""), STR("\"\xc2\x80\""), STR("\"\xdf\xbf\""),
	STR("\"\xe0\xa0\x80\""), STR("\"\xed\x9f\xbf\""),
	STR("\"\xee\x80\x80\""), STR("\"\xef\xbf\xbf\""),
	STR("\"\xf0\x90\x80\x80\""), STR("\"\xf4\x8f\xbf\xbf\""),
	STR(" \t\r\n{ \"a\" : [ 1 , 2 ] } \n"),
	STR("{\"a\":{\"a\":{\"a\":1}}}"), STR("{\"a\":1,\"A\":2}"),
	STR("[{\"a\":1},{\"a\":2}]"), STR("{\"\":1,\" \":2}"),
	STR("[[],[[]],{}]"), STR("{\"a\":1,\"\\u00e9\":2,\"\xc3\xaa\":3}"),
};

static bool
json_c_reads(struct str text)
{
	struct json_tokener *t = json_tokener_new_ex(LEXER_DEPTH_MAX + 2);
	struct json_object *value;
	bool is_read;

	json_tokener_set_flags(t, JSON_TOKENER_STRICT);
	value = json_tokener_parse_ex(t, text.data, (int)text.len);
	if (json_tokener_get_error(t) == json_tokener_continue)
		value = json_tokener_parse_ex(t, " ", 1);
	is_read = json_tokener_get_error(t) == json_tokener_success;
	json_object_put(value);
	json_tokener_free(t);
	return is_read;
}

START_TEST(good_passes)
{
	struct lexer_error error;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		ck_assert_msg(check_bytes(good[i].data, good[i].len,
		    &error) == 0, "%s: %s", good[i].data, error.what);
		ck_assert_msg(json_c_reads(good[i]), "json-c: %s",
		    good[i].data);
	}
}
END_TEST

/* text, and the byte at which it is refused */
static const struct bad_row {
	struct str	 text;
	size_t		 offset;
} bad[] = {
	{ STR(""), 0 }, { STR(" "), 1 }, { STR("\0"), 0 },
	{ STR("{"), 1 }, { STR("}"), 0 }, { STR("["), 1 }, { STR("]"), 0 },
	{ STR("{]"), 1 }, { STR("[}"), 1 }, { STR("[1,]"), 3 },
	{ STR("[,1]"), 1 }, { STR("[1 2]"), 4 }, { STR("{\"a\":1,}"), 7 },
	{ STR("{,}"), 1 }, { STR("{\"a\"}"), 4 }, { STR("{\"a\" 1}"), 5 },
	{ STR("{\"a\":}"), 5 }, { STR("{a:1}"), 1 }, { STR("{1:1}"), 1 },
	{ STR("{'a':1}"), 1 }, { STR("{null:1}"), 1 },
	{ STR("nul"), 0 }, { STR("Null"), 0 }, { STR("TRUE"), 0 },
	{ STR("truee"), 4 }, { STR("nullnull"), 4 }, { STR("NaN"), 0 },
	{ STR("Infinity"), 0 }, { STR("-Infinity"), 1 }, { STR("-"), 1 },
	{ STR("+1"), 0 }, { STR(".5"), 0 }, { STR("1."), 2 },
	{ STR("1.e1"), 2 }, { STR("1e"), 2 }, { STR("1e+"), 3 },
	{ STR("01"), 0 }, { STR("-01"), 1 }, { STR("00"), 0 },
	{ STR("0x10"), 1 }, { STR("1_000"), 1 }, { STR("1 1"), 2 },
	{ STR("-9223372036854775809"), 20 },
	{ STR("18446744073709551616"), 20 },
	{ STR("99999999999999999999999999"), 26 },
	{ STR("\""), 1 }, { STR("\"a"), 2 }, { STR("'a'"), 0 },
	{ STR("\"\\"), 2 }, { STR("\"\\x41\""), 3 }, { STR("\"\\'\""), 3 },
	{ STR("\"\\u\""), 3 }, { STR("\"\\u12\""), 5 },
	{ STR("\"\\u12G4\""), 5 }, { STR("\"\\u 123\""), 3 },
	{ STR("\"\\U0041\""), 3 },
	{ STR("\"\\u0000\""), 7 }, { STR("\"a\0b\""), 2 },
	{ STR("{\"a\\u0000\":1}"), 9 },
	{ STR("\"\x01\""), 1 }, { STR("\"\t\""), 1 }, { STR("\"\n\""), 1 },
	{ STR("\"\x1f\""), 1 },
	{ STR("\"\\ud800\""), 7 }, { STR("\"\\udc00\""), 7 },
	{ STR("\"\\ud800x\""), 7 }, { STR("\"\\ud800\\n\""), 7 },
	{ STR("\"\\ud800\\ud800\""), 13 }, { STR("\"\\ud800\\u0041\""), 13 },
	{ STR("\"\\udc00\\ud800\""), 7 },
	{ STR("\"\x80\""), 1 }, { STR("\"\xbf\""), 1 },
	{ STR("\"\xc0\xaf\""), 1 }, { STR("\"\xc1\xbf\""), 1 },
	{ STR("\"\xc2\""), 1 }, { STR("\"\xc2\x41\""), 1 },
	{ STR("\"\xe0\x9f\xbf\""), 1 }, { STR("\"\xed\xa0\x80\""), 1 },
	{ STR("\"\xed\xbf\xbf\""), 1 }, { STR("\"\xe1\x80\""), 1 },
	{ STR("\"\xe1\x80\x41\""), 1 }, { STR("\"\xf0\x8f\xbf\xbf\""), 1 },
	{ STR("\"\xf4\x90\x80\x80\""), 1 }, { STR("\"\xf5\x80\x80\x80\""), 1 },
	{ STR("\"\xf0\x90\x80\""), 1 }, { STR("\"\xff\""), 1 },
	{ STR("\xef\xbb\xbf{}"), 0 }, { STR("\"\xc2"), 1 },
	{ STR("{\"\xff\":1}"), 2 },
	{ STR("{}{}"), 2 }, { STR("{} x"), 3 }, { STR("{}\0"), 2 },
	{ STR("[]]"), 2 }, { STR("{}//"), 2 }, { STR("/**/{}"), 0 },
	{ STR("{\"a\":1}/*x*/"), 7 }, { STR("\v{}"), 0 }, { STR("\xa0{}"), 0 },
};

START_TEST(bad_is_refused)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const struct bad_row *row = &bad[i];
		struct lexer_error error;

		ck_assert_msg(check_bytes(row->text.data, row->text.len,
		    &error) == -R_BAD_JSON, "%s passes", row->text.data);
		ck_assert_ptr_nonnull(error.what);
		ck_assert_msg(error.offset == row->offset,
		    "%s: %s at %zu, not %zu", row->text.data, error.what,
		    error.offset, row->offset);
	}
}
END_TEST

static const char *const twice[] = {
	"{\"a\":1,\"a\":1}", "{\"a\":1,\"b\":2,\"a\":3}",
	"{\"x\":{\"a\":1,\"a\":2}}", "[[{\"a\":{},\"a\":{}}]]",
	"{\"a\":1,\"\\u0061\":2}", "{\"\\u0061\":1,\"\\u0061\":2}",
	"{\"\":1,\"\":2}", "{\"\xc3\xa9\":1,\"\\u00e9\":2}",
	"{\"\\/\":1,\"/\":2}", "{\"\xf0\x9f\x98\x80\":1,\"\\ud83d\\ude00\":2}",
	"{\"a\":null,\"a\":null}", "{\"b\":[{\"c\":1}],\"a\":1,\"b\":[]}",
};

START_TEST(key_stands_once)
{
	struct lexer_error error;

	for (size_t i = 0; i < sizeof(twice) / sizeof(*twice); i++)
		ck_assert_msg(check_bytes(twice[i], strlen(twice[i]),
		    &error) == -R_DUPLICATE_KEY, "%s", twice[i]);
}
END_TEST

static void
put_many(struct buf *b, const char *text, size_t n)
{
	while (n-- > 0)
		buf_put_text(b, text);
}

static int
check_nested(const char *open, const char *close, size_t depth)
{
	struct buf b = BUF_INIT(64 * 1024 * 1024);
	struct lexer_error error;
	int result;

	put_many(&b, open, depth);
	put_many(&b, close, depth);
	result = check_bytes(b.data, b.len, &error);
	buf_free(&b);
	return result;
}

START_TEST(depth_is_bounded)
{
	ck_assert_int_eq(check_nested("[", "]", LEXER_DEPTH_MAX), 0);
	ck_assert_int_eq(check_nested("[", "]", LEXER_DEPTH_MAX + 1),
	    -R_BAD_JSON);
	ck_assert_int_eq(check_nested("[", "]", 1000000), -R_BAD_JSON);
	ck_assert_int_eq(check_nested("[", "", 1000000), -R_BAD_JSON);
	ck_assert_int_eq(check_nested("{\"a\":", "}", 1000000), -R_BAD_JSON);
}
END_TEST

static int
check_keys(size_t count, bool twice_the_last)
{
	struct buf b = BUF_INIT(64 * 1024 * 1024);
	struct lexer_error error;
	int result;

	buf_put_char(&b, '{');
	for (size_t i = 0; i < count; i++)
		buf_printf(&b, "%s\"k%zu\":0", i > 0 ? "," : "",
		    twice_the_last && i == count - 1 ? i / 2 : i);
	buf_put_char(&b, '}');
	result = check_bytes(b.data, b.len, &error);
	buf_free(&b);
	return result;
}

START_TEST(keys_are_bounded)
{
	ck_assert_int_eq(check_keys(LEXER_VALUES_MAX - 1, false), 0);
	ck_assert_int_eq(check_keys(LEXER_VALUES_MAX - 1, true), -R_DUPLICATE_KEY);
	ck_assert_int_eq(check_keys(LEXER_VALUES_MAX, false), -R_BAD_JSON);
}
END_TEST

/* Every beginning of a good text is none: it is cut somewhere. */
START_TEST(beginnings_are_refused)
{
	static const char text[] = "{\"a\":[1,-2.5e3,\"\\u00e9\\ud83d\\ude00"
	    "\xc3\xa9\",true,false,null,{\"b\":{}}]}";
	struct lexer_error error;

	for (size_t n = 0; n < sizeof(text) - 1; n++)
		ck_assert_int_eq(check_bytes(text, n, &error), -R_BAD_JSON);
	ck_assert_int_eq(check_bytes(text, sizeof(text) - 1, &error), 0);
}
END_TEST

Suite *
lexer_suite(void)
{
	Suite *suite = suite_create("lexer");
	TCase *tc = tcase_create("json");

	tcase_add_test(tc, good_passes);
	tcase_add_test(tc, bad_is_refused);
	tcase_add_test(tc, key_stands_once);
	tcase_add_test(tc, depth_is_bounded);
	tcase_add_test(tc, keys_are_bounded);
	tcase_add_test(tc, beginnings_are_refused);
	suite_add_tcase(suite, tc);
	return suite;
}
