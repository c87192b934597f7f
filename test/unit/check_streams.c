/*
 * Tunnels, scanned bodies and judged answers: everything that flows for long.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "common/reason.h"
#include "rig.h"

#define ATTACH	"POST /v1.41/containers/a/attach?stream=1 HTTP/1.1\r\n" \
		"Host: d\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
#define SWITCH	"HTTP/1.1 101 UPGRADED\r\nContent-Type: " \
		"application/vnd.docker.raw-stream\r\nConnection: Upgrade\r\n" \
		"Upgrade: tcp\r\n\r\n"
#define RAW	"HTTP/1.1 200 OK\r\nContent-Type: " \
		"application/vnd.docker.raw-stream\r\n\r\n"
#define MUX	"HTTP/1.1 200 OK\r\nContent-Type: " \
		"application/vnd.docker.multiplexed-stream\r\n\r\n"
#define GET	"GET /events HTTP/1.1\r\nHost: d\r\n\r\n"
#define OK	"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"

Suite	*streams_suite(void);

/* Sends the request with mode; the daemon's connection, its head read. */
static int
forward(int client, const char *request, enum forward_response mode, int flags,
    uint64_t *id)
{
	int daemon;

	rig_put(client, request);
	*id = rig_request(NULL);
	rig_forward(*id, FORWARD_BODY_NONE, mode, flags, request, "");
	daemon = rig_daemon();
	rig_want(daemon, request);
	return daemon;
}

/* ---- tunnels ------------------------------------------------------------ */

static const char *const openings[] = { SWITCH, RAW, MUX };

START_TEST(tunnel)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;

	daemon = forward(client, ATTACH, FORWARD_HIJACK, 0, &id);
	/* Early bytes wait for the daemon's word. */
	rig_put(client, "early ");
	rig_want_silence(daemon);
	rig_put(daemon, openings[_i]);
	rig_put(daemon, "first");
	rig_want(client, openings[_i]);
	rig_want(client, "first");
	rig_want(daemon, "early ");
	rig_put(client, "GET /v1.41/info HTTP/1.1\r\nHost: d\r\n\r\n");
	rig_want(daemon, "GET /v1.41/info HTTP/1.1\r\nHost: d\r\n\r\n");
	rig_put(daemon, "out");
	rig_want(client, "out");
	ck_assert_uint_eq(rig_ping().active, 1);
	/* stdin ends; what the container writes later still comes. */
	shutdown(client, SHUT_WR);
	rig_want_eof(daemon);
	usleep(600000);
	rig_put(daemon, "late");
	rig_want(client, "late");
	close(daemon);
	rig_want_eof(client);
	close(client);
	rig_expect_nothing();
	ck_assert_uint_eq(rig_ping().active, 0);
}
END_TEST

START_TEST(early_bytes_in_one_write)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;

	rig_put(client, ATTACH "hello\n");
	shutdown(client, SHUT_WR);
	id = rig_request(NULL);
	rig_forward(id, FORWARD_BODY_NONE, FORWARD_HIJACK, 0, ATTACH, "");
	daemon = rig_daemon();
	rig_want(daemon, ATTACH);
	rig_want_silence(daemon);
	rig_put(daemon, SWITCH);
	rig_want(daemon, "hello\n");
	rig_want_eof(daemon);
	rig_want(client, SWITCH);
	rig_put(daemon, "hello\n");
	rig_want(client, "hello\n");
	close(daemon);
	rig_want_eof(client);
	close(client);
}
END_TEST

START_TEST(daemon_ends_its_half)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;

	daemon = forward(client, ATTACH, FORWARD_HIJACK, 0, &id);
	rig_put(daemon, SWITCH);
	rig_want(client, SWITCH);
	shutdown(daemon, SHUT_WR);
	rig_want_eof(client);
	rig_put(client, "still");
	rig_want(daemon, "still");
	shutdown(client, SHUT_WR);
	rig_want_eof(daemon);
	ck_assert(rig_is_gone(daemon));
	ck_assert_uint_eq(rig_ping().active, 0);
	close(client);
	close(daemon);
}
END_TEST

START_TEST(refused_tunnel_is_no_tunnel)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;

	daemon = forward(client, ATTACH, FORWARD_HIJACK, 0, &id);
	rig_put(client, GET);
	rig_put(daemon, "HTTP/1.1 409 Conflict\r\nContent-Length: 2\r\n\r\n{}");
	ck_assert_str_eq(rig_answer(client, 409), "{}");
	rig_want_eof(daemon);
	close(daemon);
	/* What the client sent early is its next request. */
	rig_deny(rig_request(NULL), 403, R_ROUTE, "no");
	rig_answer(client, 403);
	close(client);
}
END_TEST

START_TEST(unasked_tunnel_is_refused)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;

	daemon = forward(client, GET, FORWARD_RELAY, 0, &id);
	rig_put(daemon, SWITCH);
	rig_answer(client, 502);
	close(daemon);
	/* A raw stream on a relayed route is an answer like others. */
	daemon = forward(client, GET, FORWARD_RELAY, 0, &id);
	rig_put(daemon, RAW);
	ck_assert_ptr_nonnull(strstr(rig_head(client), "Connection: close"));
	rig_put(client, "not for the daemon");
	rig_want_silence(daemon);
	close(daemon);
	rig_want_eof(client);
	close(client);
}
END_TEST

START_TEST(gone_client_ends_the_tunnel)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;

	daemon = forward(client, ATTACH, FORWARD_HIJACK, 0, &id);
	rig_put(daemon, SWITCH);
	rig_want(client, SWITCH);
	/* Half closed first, as docker run without -i; gone later. */
	if (_i == 1) {
		shutdown(client, SHUT_WR);
		rig_want_eof(daemon);
		rig_want_silence(client);
	}
	close(client);
	ck_assert(rig_is_gone(daemon));
	close(daemon);
	ck_assert_uint_eq(rig_ping().connections, 0);
}
END_TEST

/* The other end of a tunnel that takes nothing: bytes wait, none is lost. */
START_TEST(tunnel_back_pressure)
{
	enum { SIZE = 32 * 1024 * 1024, PIECE = 65536 };
	int client = rig_client(FACE_DOCKER), daemon;
	static unsigned char out[PIECE], in[PIECE];
	uint64_t id, got = 0;
	pid_t writer;
	ssize_t n;

	daemon = forward(client, ATTACH, FORWARD_HIJACK, 0, &id);
	rig_put(daemon, SWITCH);
	rig_want(client, SWITCH);
	if ((writer = fork()) == 0) {
		for (unsigned i = 0; i < SIZE / PIECE; i++) {
			memset(out, (int)(i * 7), sizeof(out));
			rig_put_bytes(_i == 0 ? daemon : client, out,
			    sizeof(out));
		}
		shutdown(_i == 0 ? daemon : client, SHUT_WR);
		_exit(0);
	}
	usleep(300000);
	while ((n = read(_i == 0 ? client : daemon, in, sizeof(in))) > 0)
		for (ssize_t i = 0; i < n; i++, got++)
			if (in[i] != (unsigned char)(got / PIECE * 7))
				ck_abort_msg("wrong at %ju", (uintmax_t)got);
	ck_assert_uint_eq(got, SIZE);
	waitpid(writer, NULL, 0);
	close(client);
	close(daemon);
}
END_TEST

/* ---- scanned bodies ----------------------------------------------------- */

static struct str
next_body(bool *last)
{
	struct rig_frame f = rig_expect(PROTO_BODY);
	struct msg_body m;

	ck_assert_int_eq(msg_get_body(f.payload, &m), 0);
	*last = m.last;
	return m.bytes;
}

static int
start_scan(int client, const char *framing, enum forward_response mode,
    uint64_t *id)
{
	char head[256];
	int daemon;

	snprintf(head, sizeof(head), "POST /build HTTP/1.1\r\nHost: d\r\n"
	    "%s\r\n\r\n", framing);
	rig_put(client, head);
	*id = rig_request(NULL);
	rig_forward(*id, FORWARD_BODY_SCAN, mode, 0,
	    "POST /build HTTP/1.1\r\nHost: d\r\n", "");
	daemon = rig_daemon();
	rig_want(daemon, head);
	return daemon;
}

START_TEST(scan_releases)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;
	bool last;

	daemon = start_scan(client, "Content-Length: 10", FORWARD_RELAY, &id);
	rig_put(client, "01234");
	ck_assert(str_is(next_body(&last), "01234") && !last);
	rig_want_silence(daemon);
	rig_window(id, 5, 3, false);
	rig_want(daemon, "012");
	rig_want_silence(daemon);
	rig_put(client, "56789");
	ck_assert(str_is(next_body(&last), "56789") && last);
	rig_window(id, 10, 9, false);
	rig_want(daemon, "345678");
	rig_want_silence(daemon);
	rig_window(id, 10, 10, true);
	rig_want(daemon, "9");
	rig_put(daemon, OK);
	rig_answer(client, 200);
	rig_expect_nothing();
	close(daemon);

	daemon = start_scan(client, "Transfer-Encoding: chunked", FORWARD_RELAY,
	    &id);
	rig_put(client, "5\r\nabcde\r\n");
	ck_assert(str_is(next_body(&last), "abcde") && !last);
	rig_window(id, 5, 4, false);
	rig_want(daemon, "4\r\nabcd\r\n");
	rig_put(client, "0\r\n\r\n");
	ck_assert(next_body(&last).len == 0 && last);
	rig_want_silence(daemon);
	rig_window(id, 5, 4, true);
	rig_want(daemon, "1\r\ne\r\n0\r\n\r\n");
	rig_put(daemon, OK);
	rig_answer(client, 200);
	close(daemon);
	close(client);
}
END_TEST

START_TEST(scan_of_nothing)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;
	bool last;

	daemon = start_scan(client, "Transfer-Encoding: chunked", FORWARD_RELAY,
	    &id);
	rig_put(client, "0\r\n\r\n");
	ck_assert(next_body(&last).len == 0 && last);
	rig_window(id, 0, 0, true);
	rig_want(daemon, "0\r\n\r\n");
	close(daemon);
	ck_assert_ptr_nonnull(strstr(rig_answer(client, 502),
	    "without an answer"));
	close(client);
}
END_TEST

START_TEST(scan_refuses)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;
	bool last;

	daemon = start_scan(client, "Content-Length: 10", FORWARD_RELAY, &id);
	rig_put(client, "01234");
	next_body(&last);
	rig_window(id, 5, 2, false);
	rig_want(daemon, "01");
	rig_deny(id, 403, R_BUILD_CONTEXT, "bad context");
	/* The daemon never gets the whole body. */
	rig_want_eof(daemon);
	close(daemon);
	ck_assert_ptr_nonnull(strstr(rig_answer(client, 403), "bad context"));
	rig_put(client, "56789");
	rig_put(client, GET);
	rig_deny(rig_request(NULL), 403, R_ROUTE, "no");
	rig_answer(client, 403);
	close(client);
}
END_TEST

/* A daemon that answers before it has the body: the client hears it. */
START_TEST(scan_cut_short_by_the_daemon)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;
	bool last;

	daemon = start_scan(client, "Content-Length: 10", FORWARD_RELAY, &id);
	rig_put(client, "01234");
	next_body(&last);
	rig_put(daemon, OK);
	rig_answer(client, 200);
	rig_expect(PROTO_CANCEL);
	close(daemon);
	rig_put(client, "56789");
	rig_put(client, GET);
	rig_deny(rig_request(NULL), 403, R_ROUTE, "no");
	rig_answer(client, 403);
	close(client);
}
END_TEST

/* ---- judged answers ----------------------------------------------------- */

static void
want_response(uint64_t id, int status, bool is_line, const char *body)
{
	struct rig_frame f = rig_expect(PROTO_RESPONSE);
	struct msg_response m;

	ck_assert_uint_eq(f.id, id);
	ck_assert_int_eq(msg_get_response(f.payload, &m), 0);
	ck_assert_int_eq(m.status, status);
	ck_assert_int_eq(m.is_line, is_line);
	if (!str_is(m.body, body))
		ck_abort_msg("policyd got \"%.*s\"", STR_FMT(m.body));
}

START_TEST(judged_whole)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;

	daemon = forward(client, GET, FORWARD_JUDGE, 0, &id);
	rig_put(daemon, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	    "X-A: b\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n[1,2\r\n");
	rig_want_silence(client);
	rig_put(daemon, "1\r\n]\r\n0\r\n\r\n");
	want_response(id, 200, false, "[1,2]");
	rig_want_eof(daemon);
	close(daemon);
	rig_want_silence(client);
	rig_reply(id, 0, 0, "[2]");
	rig_want(client, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	    "X-A: b\r\nContent-Length: 3\r\n\r\n[2]");

	daemon = forward(client, GET, FORWARD_JUDGE, 0, &id);
	rig_put(daemon, "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n"
	    "{...}");
	want_response(id, 404, false, "{...}");
	close(daemon);
	rig_reply(id, 0, ANSWER_UNCHANGED, "");
	rig_want(client, "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n"
	    "{...}");

	daemon = forward(client, GET, FORWARD_JUDGE, 0, &id);
	rig_put(daemon, "HTTP/1.1 204 No Content\r\n\r\n");
	want_response(id, 204, false, "");
	close(daemon);
	rig_reply(id, 404, 0, "{}");
	rig_want(client, "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n"
	    "{}");

	daemon = forward(client, GET, FORWARD_JUDGE, 0, &id);
	rig_put(daemon, "HTTP/1.1 201 Created\r\n\r\nup to the end");
	rig_want_silence(client);
	close(daemon);
	want_response(id, 201, false, "up to the end");
	rig_deny(id, 409, R_CONFLICT, "used elsewhere");
	ck_assert_ptr_nonnull(strstr(rig_answer(client, 409),
	    "used elsewhere"));
	rig_expect_nothing();
	close(client);
}
END_TEST

START_TEST(judged_and_too_large)
{
	int client = rig_client(FACE_DOCKER), daemon;
	char *bytes = calloc(1, PROTO_JUDGE_MAX);
	uint64_t id;

	ck_assert_ptr_nonnull(bytes);
	daemon = forward(client, GET, FORWARD_JUDGE, 0, &id);
	rig_put(daemon, "HTTP/1.1 200 OK\r\nContent-Length: 8388609\r\n\r\n");
	ck_assert_ptr_nonnull(strstr(rig_answer(client, 502), "larger"));
	rig_expect(PROTO_CANCEL);
	close(daemon);
	daemon = forward(client, GET, FORWARD_JUDGE, FORWARD_CREATES, &id);
	rig_put(daemon, "HTTP/1.1 201 Created\r\n\r\n");
	rig_put_bytes(daemon, bytes, PROTO_JUDGE_MAX);
	rig_put(daemon, "x");
	ck_assert_ptr_nonnull(strstr(rig_answer(client, 502), "not-confirmed"));
	rig_expect(PROTO_CANCEL);
	close(daemon);
	/* At the bound it goes, both ways. */
	daemon = forward(client, GET, FORWARD_JUDGE, 0, &id);
	memset(bytes, 'x', PROTO_JUDGE_MAX - 1);
	rig_put(daemon, "HTTP/1.1 200 OK\r\nContent-Length: 8388607\r\n\r\n");
	rig_put_bytes(daemon, bytes, PROTO_JUDGE_MAX - 1);
	close(daemon);
	want_response(id, 200, false, bytes);
	rig_reply(id, 0, ANSWER_UNCHANGED, "");
	rig_want(client, "HTTP/1.1 200 OK\r\nContent-Length: 8388607\r\n\r\n");
	rig_want(client, bytes);
	free(bytes);
	close(client);
}
END_TEST

START_TEST(judged_lines)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;

	daemon = forward(client, GET, FORWARD_JUDGE_LINES, 0, &id);
	rig_put(daemon, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	    "Transfer-Encoding: chunked\r\n\r\n");
	rig_want(client, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	    "Transfer-Encoding: chunked\r\n\r\n");
	/* A line over two chunks, two in one, an empty one, CRLF. */
	rig_put(daemon, "3\r\n{1,\r\n");
	rig_expect_nothing();
	rig_put(daemon, "d\r\n2}\n\r\n\n{3}\r\n{4\r\n");
	want_response(id, 200, true, "{1,2}");
	want_response(id, 200, true, "{3}");
	rig_want_silence(client);
	rig_reply(id, 0, ANSWER_UNCHANGED, "");
	rig_want(client, "6\r\n{1,2}\n\r\n");
	rig_reply(id, 0, ANSWER_DROP, "");
	rig_want_silence(client);
	rig_put(daemon, "2\r\n}\n\r\n");
	want_response(id, 200, true, "{4}");
	rig_reply(id, 0, 0, "{four}");
	rig_want(client, "7\r\n{four}\n\r\n");
	/* The last one needs no newline. */
	rig_put(daemon, "3\r\n{5}\r\n0\r\n\r\n");
	want_response(id, 200, true, "{5}");
	rig_want_eof(daemon);
	rig_want_silence(client);
	rig_reply(id, 0, ANSWER_UNCHANGED, "");
	rig_want(client, "4\r\n{5}\n\r\n0\r\n\r\n");
	rig_expect(PROTO_CANCEL);
	close(daemon);
	rig_put(client, GET);
	rig_deny(rig_request(NULL), 403, R_ROUTE, "no");
	rig_answer(client, 403);
	close(client);
}
END_TEST

START_TEST(many_lines_in_order)
{
	enum { N = 5000 };
	int client = rig_client(FACE_DOCKER), daemon;
	struct buf text = BUF_INIT(1024 * 1024);
	char line[64];
	uint64_t id;

	daemon = forward(client, GET, FORWARD_JUDGE_LINES, 0, &id);
	rig_put(daemon, "HTTP/1.1 200 OK\r\n\r\n");
	rig_head(client);
	for (int i = 0; i < N; i++)
		buf_printf(&text, "{\"n\":%d}\n", i);
	if (fork() == 0) {
		rig_put_bytes(daemon, text.data, text.len);
		_exit(0);
	}
	close(daemon);
	for (int i = 0; i < N; i++) {
		snprintf(line, sizeof(line), "{\"n\":%d}", i);
		want_response(id, 200, true, line);
		rig_reply(id, 0, i % 2 == 0 ? ANSWER_UNCHANGED : ANSWER_DROP,
		    "");
		if (i % 2 != 0)
			continue;
		snprintf(line, sizeof(line), "%x\r\n{\"n\":%d}\n\r\n",
		    (unsigned)snprintf(NULL, 0, "{\"n\":%d}\n", i), i);
		rig_want(client, line);
	}
	rig_want(client, "0\r\n\r\n");
	rig_expect(PROTO_CANCEL);
	buf_free(&text);
	close(client);
}
END_TEST

START_TEST(endless_line)
{
	int client = rig_client(FACE_DOCKER), daemon;
	char *bytes = calloc(1, PROTO_LINE_MAX + 2);
	uint64_t id;

	ck_assert_ptr_nonnull(bytes);
	memset(bytes, 'x', PROTO_LINE_MAX + 1);
	daemon = forward(client, GET, FORWARD_JUDGE_LINES, 0, &id);
	rig_put(daemon, "HTTP/1.1 200 OK\r\n\r\n");
	rig_head(client);
	rig_put(daemon, bytes);
	/* The head has passed: the client sees the stream break. */
	rig_want_eof(client);
	rig_expect(PROTO_CANCEL);
	ck_assert(rig_is_gone(daemon));
	free(bytes);
	close(client);
	close(daemon);
}
END_TEST

START_TEST(gone_client_ends_lines)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;

	daemon = forward(client, GET, FORWARD_JUDGE_LINES, 0, &id);
	rig_put(daemon, "HTTP/1.1 200 OK\r\n\r\n");
	rig_head(client);
	close(client);
	ck_assert(rig_is_gone(daemon));
	rig_expect(PROTO_CANCEL);
	close(daemon);
}
END_TEST

Suite *
streams_suite(void)
{
	Suite *suite = suite_create("streams");
	TCase *tc = tcase_create("streams");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, rig_start, rig_stop);
	tcase_add_loop_test(tc, tunnel, 0, 3);
	tcase_add_test(tc, early_bytes_in_one_write);
	tcase_add_test(tc, daemon_ends_its_half);
	tcase_add_test(tc, refused_tunnel_is_no_tunnel);
	tcase_add_test(tc, unasked_tunnel_is_refused);
	tcase_add_loop_test(tc, gone_client_ends_the_tunnel, 0, 2);
	tcase_add_loop_test(tc, tunnel_back_pressure, 0, 2);
	tcase_add_test(tc, scan_releases);
	tcase_add_test(tc, scan_of_nothing);
	tcase_add_test(tc, scan_refuses);
	tcase_add_test(tc, scan_cut_short_by_the_daemon);
	tcase_add_test(tc, judged_whole);
	tcase_add_test(tc, judged_and_too_large);
	tcase_add_test(tc, judged_lines);
	tcase_add_test(tc, many_lines_in_order);
	tcase_add_test(tc, endless_line);
	tcase_add_test(tc, gone_client_ends_lines);
	suite_add_tcase(suite, tc);
	return suite;
}
