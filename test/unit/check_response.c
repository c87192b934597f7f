/*
 * Answer heads of daemons: read, and written for the client.
 */
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "worker/response.h"

Suite	*response_suite(void);

static struct response r;

static int
feed(const char *text, bool is_head)
{
	int got = 0;

	/* Byte by byte first; whole must give the same. */
	response_init(&r);
	for (size_t i = 1; i <= strlen(text) && got == 0; i++)
		got = response_feed(&r, (struct str){ text, i }, is_head);
	response_init(&r);
	ck_assert_int_eq(response_feed(&r, str_from(text), is_head), got);
	return got;
}

static const struct {
	const char	*text;
	bool		 is_head;
	int		 status;
	int		 framing;
	uint64_t	 length;
	bool		 raw_stream;
	bool		 close;
} good[] = {
	{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", false, 200,
	  FRAMING_LENGTH, 5, false, false },
	{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true, 200,
	  FRAMING_NONE, 5, false, false },
	{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false, 200,
	  FRAMING_CHUNKED, 0, false, false },
	{ "HTTP/1.1 200\r\n\r\n", false, 200, FRAMING_CLOSE, 0, false, true },
	{ "HTTP/1.1 204 No Content\r\n\r\n", false, 204, FRAMING_NONE, 0,
	  false, false },
	{ "HTTP/1.1 304 Not Modified\r\n\r\n", false, 304, FRAMING_NONE, 0,
	  false, false },
	{ "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n", false, 200,
	  FRAMING_LENGTH, 5, false, true },
	{ "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
	  false, 200, FRAMING_LENGTH, 0, false, true },
	{ "HTTP/1.1 101 UPGRADED\r\nContent-Type: application/"
	  "vnd.docker.raw-stream\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"
	  "\r\n", false, 101, FRAMING_NONE, 0, true, false },
	{ "HTTP/1.1 200 OK\r\nContent-Type: application/"
	  "vnd.docker.multiplexed-stream\r\n\r\n", false, 200, FRAMING_CLOSE,
	  0, true, true },
	{ "HTTP/1.1 500 caf\xc3\xa9\r\nX: \xff\r\nContent-Length: 0\r\n\r\n",
	  false, 500, FRAMING_LENGTH, 0, false, false },
};

START_TEST(accepted)
{
	ck_assert_int_eq(feed(good[_i].text, good[_i].is_head), 1);
	ck_assert_int_eq(r.status, good[_i].status);
	ck_assert_int_eq(r.framing, good[_i].framing);
	ck_assert_uint_eq(r.length, good[_i].length);
	ck_assert_int_eq(r.raw_stream, good[_i].raw_stream);
	ck_assert_int_eq(r.close, good[_i].close);
	ck_assert_uint_eq(r.size, strlen(good[_i].text));
}
END_TEST

static const char *const bad[] = {
	"HTTP/2.0 200 OK\r\n", "http/1.1 200 OK\r\n", "HTTP/1.1 20 OK\r\n",
	"HTTP/1.1 2000 OK\r\n", "HTTP/1.1 999 OK\r\n", "HTTP/1.1 099 OK\r\n",
	"HTTP/1.1  200 OK\r\n", "HTTP/1.1 200 OK\n", "220 ftp\r\n", "\r\n",
	"HTTP/1.1 200 O\x01K\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked"
	"\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
	"HTTP/1.1 200 OK\r\nNo colon\r\n\r\n",
	"HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n",
};

START_TEST(refused)
{
	ck_assert_int_lt(feed(bad[_i], false), 0);
}
END_TEST

static const char *
written(const char *text, struct response_change change)
{
	static struct buf out = BUF_INIT(65536);

	ck_assert_int_eq(feed(text, false), 1);
	buf_clear(&out);
	response_write(&r, str_from(text), &change, &out);
	buf_put(&out, "", 1);
	return out.data;
}

START_TEST(writing)
{
	static const char text[] = "HTTP/1.0 200 Fine\r\nA: 1\r\n"
	    "Connection: close\r\nKeep-Alive: 5\r\nContent-Length: 5\r\n"
	    "Trailer: X\r\nB:2\r\n\r\n";
	static const char upgrade[] = "HTTP/1.1 101 UPGRADED\r\n"
	    "Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n";

	ck_assert_str_eq(written(text, (struct response_change){ 0,
	    RESPONSE_AS_IS, 0, false }), "HTTP/1.1 200 Fine\r\nA: 1\r\n"
	    "Content-Length: 5\r\nTrailer: X\r\nB: 2\r\n\r\n");
	ck_assert_str_eq(written(text, (struct response_change){ 404,
	    RESPONSE_LENGTH, 7, true }), "HTTP/1.1 404 Not Found\r\nA: 1\r\n"
	    "B: 2\r\nContent-Length: 7\r\nConnection: close\r\n\r\n");
	ck_assert_str_eq(written(text, (struct response_change){ 200,
	    RESPONSE_CHUNKED, 0, false }), "HTTP/1.1 200 Fine\r\nA: 1\r\n"
	    "B: 2\r\nTransfer-Encoding: chunked\r\n\r\n");
	ck_assert_str_eq(written(upgrade, (struct response_change){ 0,
	    RESPONSE_AS_IS, 0, false }), upgrade);
}
END_TEST

Suite *
response_suite(void)
{
	Suite *suite = suite_create("response");
	TCase *tc = tcase_create("response");

	tcase_add_loop_test(tc, accepted, 0, sizeof(good) / sizeof(*good));
	tcase_add_loop_test(tc, refused, 0, sizeof(bad) / sizeof(*bad));
	tcase_add_test(tc, writing);
	suite_add_tcase(suite, tc);
	return suite;
}
