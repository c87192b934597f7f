/*
 * Request heads: what has one reading is read, everything else refused, and
 * no byte's arrival time makes a difference.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "common/reason.h"
#include "worker/http_head.h"

Suite	*http_head_suite(void);

static struct http_head head;

static int
feed(const char *text)
{
	http_head_init(&head);
	return http_head_feed(&head, str_from(text));
}

/* The same byte by byte; the bytes are moved at every step. */
static int
feed_slowly(const char *text)
{
	size_t n = strlen(text);
	int got = 0;

	http_head_init(&head);
	for (size_t i = 1; i <= n && got == 0; i++) {
		char *copy = malloc(i);

		ck_assert_ptr_nonnull(copy);
		memcpy(copy, text, i);
		got = http_head_feed(&head, (struct str){ copy, i });
		free(copy);
	}
	return got;
}

START_TEST(plain)
{
	static const char text[] = "POST /v1.41/x?a=b HTTP/1.1\r\nHost: d\r\n"
	    "X-Empty:\r\nX-Blank: \t v a l \t \r\nContent-Length: 12\r\n\r\nx";

	for (int slowly = 0; slowly < 2; slowly++) {
		ck_assert_int_eq(slowly ? feed_slowly(text) : feed(text), 1);
		ck_assert(str_is(http_span_str(text, head.method), "POST"));
		ck_assert(str_is(http_span_str(text, head.target),
		    "/v1.41/x?a=b"));
		ck_assert_uint_eq(head.field_count, 4);
		ck_assert(str_is(http_span_str(text, head.field[1].name),
		    "X-Empty"));
		ck_assert_uint_eq(head.field[1].value.len, 0);
		ck_assert(str_is(http_span_str(text, head.field[2].value),
		    "v a l"));
		ck_assert_uint_eq(head.body_kind, BODY_LENGTH);
		ck_assert_uint_eq(head.body_length, 12);
		ck_assert(!head.close && !head.expect);
		ck_assert_uint_eq(head.size, strlen(text) - 1);
	}
}
END_TEST

#define LINE	"POST / HTTP/1.1\r\n"
#define HOST	"Host: d\r\n"

static const struct {
	const char	*text;
	int		 kind;		/* enum body_kind */
	bool		 close;
	bool		 expect;
} good[] = {
	{ LINE HOST "\r\n", BODY_NONE, false, false },
	{ LINE "Host: \r\n\r\n", BODY_NONE, false, false },
	{ LINE "host:api.moby.localhost\r\n\r\n", BODY_NONE, false, false },
	{ LINE "HOST: [::1]:2375\r\n\r\n", BODY_NONE, false, false },
	{ LINE HOST "Content-Length: 0\r\n\r\n", BODY_NONE, false, false },
	{ LINE HOST "content-length:5\r\n\r\n", BODY_LENGTH, false, false },
	{ LINE HOST "Content-Length:  5  \r\n\r\n", BODY_LENGTH, false, false },
	{ LINE HOST "Transfer-Encoding: chunked\r\n\r\n", BODY_CHUNKED, false,
	  false },
	{ LINE HOST "Transfer-Encoding: CHUNKED\r\n\r\n", BODY_CHUNKED, false,
	  false },
	{ LINE HOST "Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n", BODY_NONE,
	  false, false },
	{ LINE HOST "Connection: keep-alive, Close\r\n\r\n", BODY_NONE, true,
	  false },
	{ LINE HOST "Connection: closed\r\n\r\n", BODY_NONE, false, false },
	{ LINE HOST "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\n",
	  BODY_LENGTH, false, true },
	{ LINE HOST "X: caf\xc3\xa9\r\n\r\n", BODY_NONE, false, false },
	{ "OPTIONS /x HTTP/1.1\r\n" HOST "\r\n", BODY_NONE, false, false },
};

START_TEST(accepted)
{
	for (int slowly = 0; slowly < 2; slowly++) {
		ck_assert_int_eq(slowly ? feed_slowly(good[_i].text) :
		    feed(good[_i].text), 1);
		ck_assert_int_eq(head.body_kind, good[_i].kind);
		ck_assert_int_eq(head.close, good[_i].close);
		ck_assert_int_eq(head.expect, good[_i].expect);
	}
}
END_TEST

static const struct {
	const char	*text;
	int		 reason;
} bad[] = {
	/* the request line */
	{ "GET /_ping\r\n", R_BAD_REQUEST },
	{ "GET  / HTTP/1.1\r\n", R_BAD_REQUEST },
	{ "GET\t/ HTTP/1.1\r\n", R_BAD_REQUEST },
	{ "GET / HTTP/1.1 \r\n", R_BAD_REQUEST },
	{ "GET / HTTP/1.0\r\n", R_BAD_REQUEST },
	{ "GET / HTTP/1.2\r\n", R_BAD_REQUEST },
	{ "GET / HTTP/2.0\r\n", R_BAD_REQUEST },
	{ "GET / http/1.1\r\n", R_BAD_REQUEST },
	{ "get / HTTP/1.1\r\n", R_BAD_REQUEST },
	{ "G-T / HTTP/1.1\r\n", R_BAD_REQUEST },
	{ " / HTTP/1.1\r\n", R_BAD_REQUEST },
	{ "\r\nGET / HTTP/1.1\r\n", R_BAD_REQUEST },
	{ "CONNECT / HTTP/1.1\r\n", R_BAD_REQUEST },
	{ "CONNECT d:80 HTTP/1.1\r\n", R_BAD_REQUEST },
	{ "TRACE / HTTP/1.1\r\n", R_BAD_REQUEST },
	{ "ABCDEFGHIJKLMNOPQ / HTTP/1.1\r\n", R_BAD_REQUEST },
	{ "GET / HTTP/1.1\n", R_BAD_REQUEST },
	{ "GET / HTTP/1.1\r\r\n", R_BAD_REQUEST },
	{ "\x16\x03\x01", R_BAD_REQUEST },
	{ "GET http://x/ HTTP/1.1\r\n", R_BAD_TARGET },
	{ "GET http:///v1.41/x HTTP/1.1\r\n", R_BAD_TARGET },
	{ "GET foo:x HTTP/1.1\r\n", R_BAD_TARGET },
	{ "GET v1.41/x HTTP/1.1\r\n", R_BAD_TARGET },
	{ "OPTIONS * HTTP/1.1\r\n", R_BAD_TARGET },
	{ "GET /a#/b HTTP/1.1\r\n", R_BAD_TARGET },
	{ "GET /\xc3\xa9 HTTP/1.1\r\n", R_BAD_TARGET },
	{ "GET /\x01 HTTP/1.1\r\n", R_BAD_TARGET },
	{ "GET /\x7f HTTP/1.1\r\n", R_BAD_TARGET },
	/* lines and fields */
	{ LINE "Host: d\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "\n", R_BAD_REQUEST },
	{ LINE " Host: d\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "X: 1\r\n folded\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Transfer-Encoding:\r\n chunked\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "X: 1\rY: 2\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "NoColon\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST ": x\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "X : 1\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "X(y): 1\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "X: \x01\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "X: \x7f\r\n\r\n", R_BAD_REQUEST },
	/* Host */
	{ LINE "\r\n", R_BAD_REQUEST },
	{ LINE HOST "Host: e\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "hOST: d\r\n\r\n", R_BAD_REQUEST },
	{ LINE "Host: a/b c\r\n\r\n", R_BAD_REQUEST },
	/* Content-Length */
	{ LINE HOST "Content-Length: \r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Content-Length: +5\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Content-Length: -1\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Content-Length: 0x58\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Content-Length: 00088\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Content-Length: 8_8\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Content-Length: 88, 88\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Content-Length: \t5\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Content-Length: 9999999999999999999\r\n\r\n",
	  R_BAD_REQUEST },
	{ LINE HOST "Content-Length: 5\r\nContent-Length: 5\r\n\r\n",
	  R_BAD_REQUEST },
	{ LINE HOST "Content-Length: 0\r\nContent-Length: 5\r\n\r\n",
	  R_BAD_REQUEST },
	/* Transfer-Encoding */
	{ LINE HOST "Transfer-Encoding: identity\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Transfer-Encoding: xchunked\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Transfer-Encoding: chunked, identity\r\n\r\n",
	  R_BAD_REQUEST },
	{ LINE HOST "Transfer-Encoding: gzip, chunked\r\n\r\n",
	  R_BAD_REQUEST },
	{ LINE HOST "Transfer-Encoding: \tchunked\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Transfer-Encoding: \"chunked\"\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Transfer-Encoding: chunked,\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Transfer-Encoding: \x0b""chunked\r\n\r\n",
	  R_BAD_REQUEST },
	{ LINE HOST "Transfer-Encoding:\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"
	  "\r\n\r\n", R_BAD_REQUEST },
	{ LINE HOST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
	  R_BAD_REQUEST },
	{ LINE HOST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
	  R_BAD_REQUEST },
	{ LINE HOST "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
	  R_BAD_REQUEST },
	{ LINE HOST "Expect: 200-ok\r\n\r\n", R_BAD_REQUEST },
};

START_TEST(refused)
{
	ck_assert_int_eq(feed(bad[_i].text), -bad[_i].reason);
	ck_assert_int_eq(feed_slowly(bad[_i].text), -bad[_i].reason);
}
END_TEST

START_TEST(nul_bytes)
{
	static const char target[] = "GET /\0 HTTP/1.1\r\n";
	static const char value[] = LINE "Host: d\0\r\n\r\n";

	http_head_init(&head);
	ck_assert_int_eq(http_head_feed(&head, (struct str){ target,
	    sizeof(target) - 1 }), -R_BAD_TARGET);
	http_head_init(&head);
	ck_assert_int_eq(http_head_feed(&head, (struct str){ value,
	    sizeof(value) - 1 }), -R_BAD_REQUEST);
}
END_TEST

START_TEST(incomplete)
{
	ck_assert_int_eq(feed(""), 0);
	ck_assert_int_eq(feed("G"), 0);
	ck_assert_int_eq(feed(LINE HOST), 0);
	ck_assert_int_eq(feed(LINE HOST "\r"), 0);
}
END_TEST

/* fields of the given size, as many as fit behind each other. */
static char *
large(unsigned count, size_t size)
{
	struct buf b = BUF_INIT(16 * 1024 * 1024);

	buf_put_text(&b, LINE HOST);
	for (unsigned i = 0; i < count; i++) {
		buf_put_text(&b, "X: ");
		for (size_t k = 0; k < size; k++)
			buf_put_char(&b, 'a');
		buf_put_text(&b, "\r\n");
	}
	buf_put(&b, "\r\n", 3);
	ck_assert(!b.failed);
	return b.data;
}

START_TEST(bounds)
{
	static const struct {
		unsigned count;
		size_t size;
		int got;
	} rows[] = {
		{ PROTO_HEADERS_MAX - 1, 1, 1 },
		{ PROTO_HEADERS_MAX, 1, -R_HEAD_TOO_LARGE },
		{ 1, 60000, 1 },
		{ 2, 60000, 1 },
		{ 3, 60000, -R_HEAD_TOO_LARGE },
		{ 1, 70000, -R_BAD_REQUEST },
		{ 1, 200000, -R_HEAD_TOO_LARGE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = large(rows[i].count, rows[i].size);

		ck_assert_int_eq(feed(text), rows[i].got);
		free(text);
	}
}
END_TEST

/* A long target is legal: dockerode repeats the body in the query. */
START_TEST(long_target)
{
	struct buf b = BUF_INIT(1024 * 1024);

	buf_put_text(&b, "GET /?");
	for (int i = 0; i < 64 * 1000; i++)
		buf_put_char(&b, 'q');
	buf_put_text(&b, " HTTP/1.1\r\nHost: d\r\n\r\n");
	http_head_init(&head);
	ck_assert_int_eq(http_head_feed(&head, buf_str(&b)), 1);
	ck_assert_uint_eq(head.target.len, 64002);
	buf_free(&b);
}
END_TEST

Suite *
http_head_suite(void)
{
	Suite *suite = suite_create("http_head");
	TCase *tc = tcase_create("http_head");

	tcase_add_test(tc, plain);
	tcase_add_loop_test(tc, accepted, 0, sizeof(good) / sizeof(*good));
	tcase_add_loop_test(tc, refused, 0, sizeof(bad) / sizeof(*bad));
	tcase_add_test(tc, nul_bytes);
	tcase_add_test(tc, incomplete);
	tcase_add_test(tc, bounds);
	tcase_add_test(tc, long_target);
	suite_add_tcase(suite, tc);
	return suite;
}
