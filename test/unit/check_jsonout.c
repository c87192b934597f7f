/*
 * The JSON writer: commas, nesting, and texts that would break out of quotes.
 */
#include <check.h>

#include "master/jsonout.h"

static struct buf out = BUF_INIT(4096);

static void
is(const char *wanted)
{
	ck_assert_msg(str_is(buf_str(&out), wanted), "%.*s",
	    STR_FMT(buf_str(&out)));
	buf_free(&out);
}

START_TEST(nesting)
{
	struct jsonout j = { &out, false };

	jsonout_open(&j, NULL, '{');
	jsonout_number(&j, "n", UINT64_MAX);
	jsonout_open(&j, "list", '[');
	jsonout_text(&j, NULL, STR("a"));
	jsonout_open(&j, NULL, '{');
	jsonout_close(&j, '{');
	jsonout_open(&j, NULL, '[');
	jsonout_close(&j, '[');
	jsonout_close(&j, '[');
	jsonout_bool(&j, "yes", true);
	jsonout_bool(&j, "no", false);
	jsonout_null(&j, "none");
	jsonout_close(&j, '{');
	is("{\"n\":18446744073709551615,\"list\":[\"a\",{},[]],\"yes\":true,"
	    "\"no\":false,\"none\":null}");
}
END_TEST

static const struct {
	struct str text;
	const char *wanted;
} texts[] = {
	{ STR(""), "\"\"" },
	{ STR("a\"b\\c/d"), "\"a\\\"b\\\\c/d\"" },
	{ STR("\n\t\x01\x7f"), "\"\\u000a\\u0009\\u0001\\u007f\"" },
	{ STR("a\0b"), "\"a\\u0000b\"" },
	{ STR("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
	  "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"" },
	{ STR("\xff\xc3"), "\"\\ufffd\\ufffd\"" },
	/* Overlong, a surrogate, beyond the last plane, cut short. */
	{ STR("\xc0\xaf"), "\"\\ufffd\\ufffd\"" },
	{ STR("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"" },
	{ STR("\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
	{ STR("\xe2\x82"), "\"\\ufffd\\ufffd\"" },
	{ STR("\xe0\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\"" },
};

START_TEST(quoting)
{
	struct jsonout j = { &out, false };

	jsonout_text(&j, NULL, texts[_i].text);
	is(texts[_i].wanted);
}
END_TEST

Suite *jsonout_suite(void);

Suite *
jsonout_suite(void)
{
	Suite *s = suite_create("jsonout");
	TCase *c = tcase_create("jsonout");

	tcase_add_test(c, nesting);
	tcase_add_loop_test(c, quoting, 0, sizeof(texts) / sizeof(*texts));
	suite_add_tcase(s, c);
	return s;
}
