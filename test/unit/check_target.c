/*
 * Targets taken apart: version, family, segments, query; escapes there and
 * back.  What is refused as a request is in test/policy/target.tsv.
 */
#include <stdio.h>

#include <check.h>

#include "policyd/context.h"

Suite	*target_suite(void);

static struct arena arena;
static struct verdict verdict;
static struct msg_request request;
static struct judge judge;

static void
set_up(void)
{
	arena_init(&arena, 16 * 1024 * 1024);
}

static void
tear_down(void)
{
	arena_free(&arena);
}

static struct judge *
judge_of(const char *target)
{
	memset(&judge, 0, sizeof(judge));
	memset(&verdict, 0, sizeof(verdict));
	memset(&request, 0, sizeof(request));
	request.target = str_from(target);
	request.backend.kind = BACKEND_DOCKER;
	request.backend.api_major = 1;
	request.backend.api_minor = 41;
	judge.request = &request;
	judge.arena = &arena;
	judge.out = &verdict;
	return &judge;
}

static const struct parsed {
	const char	*target;
	unsigned	 version[3];	/* 0.0.0: none */
	bool		 is_libpod;
	const char	*segments;	/* joined by a blank */
	const char	*query;
} parsed[] = {
	{ "/info", { 0, 0, 0 }, false, "info", "" },
	{ "/info?", { 0, 0, 0 }, false, "info", "" },
	{ "/v1.41/info", { 1, 41, 0 }, false, "info", "" },
	{ "/v1.41/containers/a%2Fb/json?x=/../y", { 1, 41, 0 }, false,
	    "containers a%2Fb json", "x=/../y" },
	{ "/v4.3.1/libpod/containers/json?a=1?b", { 4, 3, 1 }, true,
	    "containers json", "a=1?b" },
	{ "/libpod/info", { 0, 0, 0 }, true, "info", "" },
	{ "/volumes/v1.41", { 0, 0, 0 }, false, "volumes v1.41", "" },
	{ "/version", { 0, 0, 0 }, false, "version", "" },
	{ "/volumes", { 0, 0, 0 }, false, "volumes", "" },
	{ "/v1.41/libpod", { 0, 0, 0 }, false, NULL, NULL },
	{ "/containers/libpod/json", { 0, 0, 0 }, false,
	    "containers libpod json", "" },
	{ "/a?x=\"<>^`{|}", { 0, 0, 0 }, false, "a", "x=\"<>^`{|}" },
	{ "/a?\"", { 0, 0, 0 }, false, "a", "\"" },
};

static void
take_apart(const struct parsed *want)
{
	struct judge *j = judge_of(want->target);
	struct target *t = &j->target;
	struct str segments = STR("");

	if (want->segments == NULL) {
		ck_assert_int_lt(target_parse(j), 0);
		return;
	}
	ck_assert_int_eq(target_parse(j), 0);
	for (size_t i = 0; i < t->count; i++)
		segments = arena_printf(&arena, "%.*s%s%.*s",
		    STR_FMT(segments), i > 0 ? " " : "",
		    STR_FMT(t->segment[i]));
	ck_assert_msg(str_is(segments, want->segments), "%s: %.*s",
	    want->target, STR_FMT(segments));
	ck_assert(str_is(t->query, want->query));
	ck_assert_uint_eq(t->has_version, want->version[0] > 0);
	ck_assert_uint_eq(t->major, want->version[0]);
	ck_assert_uint_eq(t->minor, want->version[1]);
	ck_assert_uint_eq(t->patch, want->version[2]);
	ck_assert_uint_eq(t->is_libpod, want->is_libpod);
}

START_TEST(taken_apart)
{
	for (size_t i = 0; i < sizeof(parsed) / sizeof(*parsed); i++)
		take_apart(&parsed[i]);
}
END_TEST

static const char *const refused[] = { "", "/", "?", "info", "*", "//",
	"//info", "/info/", "/./info", "/../info", "/info/..", "/info//x",
	"http://d/info", "/in fo", "/info#", "/in\\fo", "/in;fo", "/in\x01""fo",
	"/in\x7f""fo", "/\xc3\xa9", "/info?\x80", "/info?a b", "/in\"fo",
	"/in<fo", "/in{fo}", "/v1.41", "/v1.41/", "/v1.41/libpod", "/libpod",
	"/v", "/v1", "/v1.", "/v1.x/a", "/v01.1/a", "/v1.01/a", "/v1.1.1.1/a",
	"/v999999.1/a", "/V1.41/a", "/v-1.1/a", "/v1.41%20/a" };

START_TEST(refused_whole)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		ck_assert_msg(target_parse(judge_of(refused[i])) < 0,
		    "%s passes", refused[i]);
		ck_assert(verdict.kind == VERDICT_DENY);
	}
}
END_TEST

START_TEST(segments_are_bounded)
{
	char text[3 * TARGET_SEGMENTS_MAX + 8] = "";

	for (int i = 0; i < TARGET_SEGMENTS_MAX; i++)
		snprintf(text + 2 * i, 3, "/a");
	ck_assert_int_eq(target_parse(judge_of(text)), 0);
	ck_assert_uint_eq(judge.target.count, TARGET_SEGMENTS_MAX);
	snprintf(text + 2 * TARGET_SEGMENTS_MAX, 3, "/a");
	ck_assert_int_lt(target_parse(judge_of(text)), 0);
}
END_TEST

/* Every byte by itself: what goes out is plain, and comes back the same. */
START_TEST(escapes_come_back)
{
	struct judge *j = judge_of("/");

	for (int c = 0; c < 256; c++) {
		char byte = (char)c;
		struct str plain = { &byte, 1 }, back;
		struct str out = target_encode(j, plain, false);

		for (size_t i = 0; i < out.len; i++)
			ck_assert(out.data[i] > 0x20 && out.data[i] < 0x7f &&
			    strchr("/?&=+#;\\\"<>", out.data[i]) == NULL);
		j->refused = false;
		if (target_decode(j, out, true, &back) == 0)
			ck_assert(str_equal(back, plain));
		else	/* bytes that no path may hold */
			ck_assert(c <= 0x20 || c >= 0x7f || c == '%');
	}
}
END_TEST

static const struct { const char *raw; bool slashes; const char *plain; }
decoded[] = {
	{ "own", false, "own" }, { "a%3Ab", false, "a:b" },
	{ "a%40b", false, "a@b" }, { "a%2Fb", true, "a/b" },
	{ "a/b", true, "a/b" }, { "a%2Fb", false, NULL },
	{ "a%2fb", false, NULL }, { "%61", false, NULL },
	{ "%2E", false, NULL }, { "%25", false, NULL }, { "%00", false, NULL },
	{ "%0A", false, NULL }, { "%20", false, NULL }, { "%7F", false, NULL },
	{ "%80", false, NULL }, { "%", false, NULL }, { "a%4", false, NULL },
	{ "%zz", false, NULL }, { "%%41", false, NULL },
	{ "a%252Fb", true, NULL },
};

START_TEST(decoded_once)
{
	for (size_t i = 0; i < sizeof(decoded) / sizeof(*decoded); i++) {
		struct judge *j = judge_of("/");
		struct str out;
		int error = target_decode(j, str_from(decoded[i].raw),
		    decoded[i].slashes, &out);

		if (decoded[i].plain == NULL)
			ck_assert_msg(error < 0, "%s passes", decoded[i].raw);
		else
			ck_assert_msg(error == 0 && str_is(out,
			    decoded[i].plain), "%s", decoded[i].raw);
	}
}
END_TEST

START_TEST(slashes_kept_where_told)
{
	struct judge *j = judge_of("/");

	ck_assert(str_is(target_encode(j, STR("h:5/a@b c"), true),
	    "h:5/a@b%20c"));
	ck_assert(str_is(target_encode(j, STR("h:5/a@b c"), false),
	    "h%3A5%2Fa%40b%20c"));
	ck_assert(str_is(target_encode(j, STR_NONE, false), ""));
}
END_TEST

Suite *
target_suite(void)
{
	Suite *suite = suite_create("target");
	TCase *tc = tcase_create("parts");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, taken_apart);
	tcase_add_test(tc, refused_whole);
	tcase_add_test(tc, segments_are_bounded);
	tcase_add_test(tc, escapes_come_back);
	tcase_add_test(tc, decoded_once);
	tcase_add_test(tc, slashes_kept_where_told);
	suite_add_tcase(suite, tc);
	return suite;
}
