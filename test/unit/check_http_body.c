/*
 * Where bodies end: by length, by chunks, by the connection.
 */
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "common/buf.h"
#include "common/reason.h"
#include "worker/http_body.h"

Suite	*http_body_suite(void);

/* Decodes text in pieces of so many bytes; the data goes to out. */
static int
decode(struct http_body *b, const char *text, size_t piece, struct buf *out,
    size_t *rest)
{
	size_t n = strlen(text), at = 0;
	int got = 0;

	while (at < n && got == 0) {
		size_t part = n - at < piece ? n - at : piece, used, data;
		char *copy = malloc(part);

		ck_assert_ptr_nonnull(copy);
		memcpy(copy, text + at, part);
		got = http_body_decode(b, copy, part, &used, &data);
		buf_put(out, copy, data);
		free(copy);
		at += used;
		ck_assert(got != 0 || used == part);
	}
	*rest = n - at;
	return got;
}

static void
check_body(enum http_framing framing, uint64_t length, bool trailers,
    const char *text, int want, const char *data, size_t want_rest)
{
	for (size_t piece = 1; piece <= strlen(text) + 1; piece++) {
		struct buf out = BUF_INIT(65536);
		struct http_body b, follow;
		size_t rest, used;

		http_body_init(&b, framing, length, trailers);
		follow = b;
		ck_assert_int_eq(decode(&b, text, piece, &out, &rest), want);
		if (want >= 0) {
			ck_assert(str_is(buf_str(&out), data));
			ck_assert_uint_eq(rest, want_rest);
			ck_assert_int_eq(http_body_is_done(&b), want == 1);
		}
		ck_assert_int_eq(http_body_follow(&follow, text, strlen(text),
		    &used), want);
		if (want >= 0)
			ck_assert_uint_eq(used, strlen(text) - want_rest);
		buf_free(&out);
	}
}

START_TEST(by_length)
{
	check_body(FRAMING_LENGTH, 5, false, "helloGET", 1, "hello", 3);
	check_body(FRAMING_LENGTH, 5, false, "hell", 0, "hell", 0);
	check_body(FRAMING_CLOSE, 0, false, "all of it", 0, "all of it", 0);
}
END_TEST

START_TEST(nothing)
{
	struct http_body b;

	http_body_init(&b, FRAMING_NONE, 7, false);
	ck_assert(http_body_is_done(&b));
	http_body_init(&b, FRAMING_LENGTH, 0, false);
	ck_assert(http_body_is_done(&b));
	http_body_init(&b, FRAMING_CHUNKED, 0, false);
	ck_assert(!http_body_is_done(&b));
	http_body_init(&b, FRAMING_CLOSE, 0, false);
	ck_assert(!http_body_is_done(&b));
}
END_TEST

START_TEST(by_chunks)
{
	check_body(FRAMING_CHUNKED, 0, false, "5\r\nhello\r\n0\r\n\r\nGET", 1,
	    "hello", 3);
	check_body(FRAMING_CHUNKED, 0, false, "1\r\na\r\nB\r\n0123456789a\r\n"
	    "0\r\n\r\n", 1, "a0123456789a", 0);
	check_body(FRAMING_CHUNKED, 0, false, "0\r\n\r\n", 1, "", 0);
	check_body(FRAMING_CHUNKED, 0, false, "a\r\n\r\n\r\n\r\n\r\n\r\n\r\n0"
	    "\r\n\r\n", 1, "\r\n\r\n\r\n\r\n\r\n", 0);
	check_body(FRAMING_CHUNKED, 0, false, "5\r\nhel", 0, "hel", 0);
	check_body(FRAMING_CHUNKED, 0, false, "5\r\nhello\r\n0\r\n", 0,
	    "hello", 0);
}
END_TEST

static const char *const broken[] = {
	"58;a=\"b\r\n", "0;x\r\n", "5\nhello\n", "5\r\nhello\n", "0\n\n",
	"0\r\n\n", "0x5\r\n", "+5\r\n", "-5\r\n", " 5\r\n", "5 \r\n",
	"05\r\n", "00\r\n", "00000000005\r\n", "g\r\n", "\r\n",
	"1000000000000000\r\n", "ffffffffffffffffff\r\n", "5\r\nhelloX\r\n",
	"5\r\nhello\rX", "5\rX", "0\r\nTrailer: 1\r\n\r\n",
	"5\r\nhello\r\n\r\n",
};

START_TEST(broken_chunks)
{
	check_body(FRAMING_CHUNKED, 0, false, broken[_i], -R_BAD_REQUEST, "",
	    0);
}
END_TEST

START_TEST(trailers)
{
	char text[10000];

	check_body(FRAMING_CHUNKED, 0, true, "1\r\na\r\n0\r\nA: b\r\nC: d\r\n"
	    "\r\nx", 1, "a", 1);
	check_body(FRAMING_CHUNKED, 0, true, "0\r\nA: b\n\r\n",
	    -R_BAD_REQUEST, "", 0);
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(text, "0\r\n", 3);
	{
		struct http_body b;
		size_t used;

		http_body_init(&b, FRAMING_CHUNKED, 0, true);
		ck_assert_int_lt(http_body_follow(&b, text, strlen(text),
		    &used), 0);
	}
}
END_TEST

START_TEST(ends)
{
	struct http_body b;
	size_t used;

	http_body_init(&b, FRAMING_CLOSE, 0, false);
	ck_assert_int_eq(http_body_close(&b), 0);
	http_body_init(&b, FRAMING_LENGTH, 5, false);
	ck_assert_int_lt(http_body_close(&b), 0);
	http_body_skip(&b, 4);
	ck_assert_uint_eq(http_body_left(&b), 1);
	ck_assert_int_lt(http_body_close(&b), 0);
	http_body_skip(&b, 1);
	ck_assert_int_eq(http_body_close(&b), 0);
	ck_assert(http_body_is_done(&b));
	http_body_init(&b, FRAMING_CHUNKED, 0, false);
	ck_assert_int_eq(http_body_follow(&b, "1\r\na\r\n", 6, &used), 0);
	ck_assert_int_lt(http_body_close(&b), 0);
	ck_assert_int_eq(http_body_follow(&b, "0\r\n\r\n", 5, &used), 1);
	ck_assert_int_eq(http_body_close(&b), 0);
}
END_TEST

Suite *
http_body_suite(void)
{
	Suite *suite = suite_create("http_body");
	TCase *tc = tcase_create("http_body");

	tcase_add_test(tc, by_length);
	tcase_add_test(tc, nothing);
	tcase_add_test(tc, by_chunks);
	tcase_add_loop_test(tc, broken_chunks, 0, sizeof(broken) /
	    sizeof(*broken));
	tcase_add_test(tc, trailers);
	tcase_add_test(tc, ends);
	suite_add_tcase(suite, tc);
	return suite;
}
