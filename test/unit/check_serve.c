/*
 * The worker's plain life: requests judged, forwarded, answered; refusals;
 * the connection kept or closed.  Everything around the program is played.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <check.h>

#include "common/reason.h"
#include "rig.h"

#define GET	"GET /v1.41/containers/json?all=1 HTTP/1.1\r\nHost: d\r\n\r\n"
#define HEAD	"GET /v1.41/containers/json?all=1 HTTP/1.1\r\nHost: docker\r\n" \
		"Connection: close\r\n\r\n"

Suite	*serve_suite(void);

/* One whole round: client, policyd, daemon. */
static void
serve_one(int client)
{
	uint64_t id;
	int daemon;

	rig_put(client, GET);
	id = rig_request(NULL);
	rig_forward(id, FORWARD_BODY_NONE, FORWARD_RELAY, 0, HEAD, "");
	daemon = rig_daemon();
	rig_want(daemon, HEAD);
	rig_put(daemon, "HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\n"
	    "Connection: close\r\nContent-Length: 2\r\n\r\n[]");
	rig_want(client, "HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\n"
	    "Content-Length: 2\r\n\r\n[]");
	rig_want_eof(daemon);
	close(daemon);
}

START_TEST(request_is_told_to_policyd)
{
	static struct msg_request m;
	int client = rig_client(FACE_PODMAN);
	uint64_t id;

	rig_put(client, "POST /v4.3.1/libpod/x HTTP/1.1\r\nHost: \r\n"
	    "X-One:  a b \t\r\nContent-Length: 5\r\n\r\n");
	id = rig_request(&m);
	ck_assert_uint_eq(m.face, FACE_PODMAN);
	ck_assert_uint_eq(m.backend.kind, BACKEND_DOCKER);
	ck_assert_uint_eq(m.backend.api_minor, 41);
	ck_assert_uint_eq(m.backend.path.len, 0);
	ck_assert_uint_eq(m.peer_uid, getuid());
	ck_assert_uint_eq(m.body_kind, BODY_LENGTH);
	ck_assert_uint_eq(m.body_length, 5);
	ck_assert(str_is(m.method, "POST"));
	ck_assert(str_is(m.target, "/v4.3.1/libpod/x"));
	ck_assert_uint_eq(m.header_count, 3);
	ck_assert(str_is(m.header[0].name, "Host"));
	ck_assert_uint_eq(m.header[0].value.len, 0);
	ck_assert(str_is(m.header[1].value, "a b"));
	rig_deny(id, 403, R_ROUTE, "container-gateway: route: no");
	rig_put(client, "hello");
	ck_assert_str_eq(rig_answer(client, 403),
	    "{\"message\":\"container-gateway: route: no\"}\n");
	rig_expect_nothing();
	close(client);
}
END_TEST

START_TEST(keep_alive)
{
	int client = rig_client(FACE_DOCKER);

	for (int i = 0; i < 3; i++)
		serve_one(client);
	/* A verdict that ends policyd's interest is not cancelled. */
	rig_expect_nothing();
	ck_assert_ptr_nonnull(strstr(rig_logged(), "event=allow req=1 "));
	ck_assert_ptr_nonnull(strstr(rig_logged(),
	    "face=docker method=GET path=/v1.41/containers/json status=200"));
	close(client);
}
END_TEST

START_TEST(connection_close)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;

	rig_put(client, "GET /x HTTP/1.1\r\nHost: d\r\nConnection: close\r\n"
	    "\r\nGET /y HTTP/1.1\r\nHost: d\r\n\r\n");
	id = rig_request(NULL);
	rig_forward(id, FORWARD_BODY_NONE, FORWARD_RELAY, 0, HEAD, "");
	daemon = rig_daemon();
	rig_want(daemon, HEAD);
	rig_put(daemon, "HTTP/1.1 204 No Content\r\n\r\n");
	rig_want(client, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
	rig_want_eof(client);
	/* What came behind is not a request any more. */
	rig_expect_nothing();
	close(client);
	close(daemon);
}
END_TEST

START_TEST(pipeline)
{
	int client = rig_client(FACE_DOCKER);
	struct buf text = BUF_INIT(64 * 1024);
	enum { N = 40 };

	for (int i = 0; i < N; i++)
		buf_printf(&text, "GET /%d HTTP/1.1\r\nHost: d\r\n\r\n", i);
	rig_put_bytes(client, text.data, text.len);
	buf_free(&text);
	for (int i = 0; i < N; i++) {
		static struct msg_request m;
		uint64_t id = rig_request(&m);
		char target[16];

		snprintf(target, sizeof(target), "/%d", i);
		ck_assert(str_is(m.target, target));
		rig_expect_nothing();
		rig_deny(id, 403, R_ROUTE, target);
		snprintf(target, sizeof(target), "/%d", i);
		ck_assert_ptr_nonnull(strstr(rig_answer(client, 403), target));
	}
	close(client);
}
END_TEST

START_TEST(byte_by_byte)
{
	int client = rig_client(FACE_DOCKER);

	for (const char *c = GET; *c != '\0'; c++)
		rig_put_bytes(client, c, 1);
	rig_deny(rig_request(NULL), 403, R_ROUTE, "no");
	rig_answer(client, 403);
	close(client);
}
END_TEST

START_TEST(head_has_no_body)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;

	rig_put(client, "HEAD /_ping HTTP/1.1\r\nHost: d\r\n\r\n");
	id = rig_request(NULL);
	rig_forward(id, FORWARD_BODY_NONE, FORWARD_RELAY, 0, HEAD, "");
	daemon = rig_daemon();
	rig_head(daemon);
	rig_put(daemon, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
	    "Docker-Experimental: true\r\n\r\n");
	rig_want(client, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
	    "Docker-Experimental: true\r\n\r\n");
	close(daemon);
	/* A length that speaks of what GET would give; and refusals. */
	rig_put(client, "HEAD /c HTTP/1.1\r\nHost: d\r\n\r\n");
	id = rig_request(NULL);
	rig_forward(id, FORWARD_BODY_NONE, FORWARD_RELAY, 0, HEAD, "");
	daemon = rig_daemon();
	rig_head(daemon);
	rig_put(daemon, "HTTP/1.1 404 Not Found\r\nContent-Length: 77\r\n\r\n");
	rig_want(client, "HTTP/1.1 404 Not Found\r\nContent-Length: 77\r\n\r\n");
	close(daemon);
	rig_put(client, "HEAD /c HTTP/1.1\r\nHost: d\r\n\r\n");
	rig_deny(rig_request(NULL), 403, R_METHOD, "no");
	ck_assert_ptr_nonnull(strstr(rig_head(client), "403"));
	rig_want_silence(client);
	close(client);
}
END_TEST

START_TEST(chunked_answer_passes_raw)
{
	static const char answer[] = "HTTP/1.1 200 OK\r\n"
	    "Transfer-Encoding: chunked\r\n\r\n";
	int client = rig_client(FACE_DOCKER), daemon;

	rig_put(client, GET);
	rig_forward(rig_request(NULL), FORWARD_BODY_NONE, FORWARD_RELAY, 0,
	    HEAD, "");
	daemon = rig_daemon();
	rig_head(daemon);
	/* The head is there long before the body: docker wait. */
	rig_put(daemon, answer);
	rig_want(client, answer);
	rig_want_silence(client);
	rig_put(daemon, "3\r\nabc\r\n");
	rig_want(client, "3\r\nabc\r\n");
	rig_put(daemon, "1");
	rig_want(client, "1");
	rig_put(daemon, "0\r\n0123456789abcdef\r\n0\r\n\r\n");
	rig_want(client, "0\r\n0123456789abcdef\r\n0\r\n\r\n");
	close(daemon);
	serve_one(client);
	close(client);
}
END_TEST

START_TEST(answer_up_to_the_end)
{
	int client = rig_client(FACE_DOCKER), daemon;

	rig_put(client, GET);
	rig_forward(rig_request(NULL), FORWARD_BODY_NONE, FORWARD_HIJACK, 0,
	    HEAD, "");
	daemon = rig_daemon();
	rig_head(daemon);
	/* As dockerd refuses an attach: raw-stream, but no tunnel. */
	rig_put(daemon, "HTTP/1.1 404 Not Found\r\nContent-Type: "
	    "application/vnd.docker.raw-stream\r\n\r\nno such");
	rig_want(client, "HTTP/1.1 404 Not Found\r\nContent-Type: "
	    "application/vnd.docker.raw-stream\r\nConnection: close\r\n\r\n"
	    "no such");
	rig_put(daemon, " container");
	close(daemon);
	rig_want(client, " container");
	rig_want_eof(client);
	close(client);
}
END_TEST

START_TEST(interim_answers_are_skipped)
{
	int client = rig_client(FACE_DOCKER), daemon;

	rig_put(client, GET);
	rig_forward(rig_request(NULL), FORWARD_BODY_NONE, FORWARD_RELAY, 0,
	    HEAD, "");
	daemon = rig_daemon();
	rig_head(daemon);
	rig_put(daemon, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\n"
	    "A: b\r\n\r\nHTTP/1.1 ");
	usleep(20000);
	rig_put(daemon, "304 Not Modified\r\n\r\n");
	rig_want(client, "HTTP/1.1 304 Not Modified\r\n\r\n");
	close(daemon);
	close(client);
}
END_TEST

START_TEST(bytes_body)
{
	int client = rig_client(FACE_DOCKER), daemon;
	static struct msg_request m;
	struct rig_frame f;
	struct msg_body body;
	uint64_t id;

	rig_put(client, "POST /containers/create HTTP/1.1\r\nHost: d\r\n"
	    "Transfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n");
	id = rig_request(&m);
	ck_assert_uint_eq(m.body_kind, BODY_CHUNKED);
	rig_expect_nothing();
	rig_need_body(id, 100);
	f = rig_expect(PROTO_BODY);
	ck_assert_int_eq(msg_get_body(f.payload, &body), 0);
	ck_assert(str_is(body.bytes, "{\"a") && !body.last);
	rig_put(client, "4\r\n\":1}\r\n0\r\n\r\n");
	f = rig_expect(PROTO_BODY);
	ck_assert_int_eq(msg_get_body(f.payload, &body), 0);
	ck_assert(str_is(body.bytes, "\":1}") && body.last);
	rig_forward(id, FORWARD_BODY_BYTES, FORWARD_RELAY, 0,
	    "POST /c HTTP/1.1\r\nHost: d\r\nContent-Length: 2\r\n\r\n", "{}");
	daemon = rig_daemon();
	rig_want(daemon, "POST /c HTTP/1.1\r\nHost: d\r\n"
	    "Content-Length: 2\r\n\r\n{}");
	rig_put(daemon, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
	rig_answer(client, 201);
	close(daemon);
	serve_one(client);
	close(client);
}
END_TEST

START_TEST(no_body_is_told)
{
	int client = rig_client(FACE_DOCKER);
	struct rig_frame f;
	struct msg_body body;
	uint64_t id;

	rig_put(client, "POST /c HTTP/1.1\r\nHost: d\r\n"
	    "Content-Length: 0\r\n\r\n");
	id = rig_request(NULL);
	rig_need_body(id, 100);
	f = rig_expect(PROTO_BODY);
	ck_assert_int_eq(msg_get_body(f.payload, &body), 0);
	ck_assert(body.bytes.len == 0 && body.last);
	rig_reply(id, 200, ANSWER_OWN, "{\"Own\":true}");
	ck_assert_str_eq(rig_answer(client, 200), "{\"Own\":true}");
	rig_expect_nothing();
	close(client);
}
END_TEST

/* Reads BODY frames up to the last; returns the bytes in all. */
static uint64_t
read_body(uint64_t id, uint64_t *frames)
{
	struct msg_body body;
	uint64_t total = 0;

	do {
		struct rig_frame f = rig_expect(PROTO_BODY);

		ck_assert_uint_eq(f.id, id);
		ck_assert_int_eq(msg_get_body(f.payload, &body), 0);
		total += body.bytes.len;
		++*frames;
		if (!body.last)
			rig_window(id, total, 0, false);
	} while (!body.last);
	return total;
}

START_TEST(large_body_within_the_window)
{
	enum { SIZE = 3 * 1024 * 1024 };
	int client = rig_client(FACE_DOCKER);
	char *bytes = calloc(1, SIZE);
	uint64_t id, frames = 0;
	pid_t writer;

	ck_assert_ptr_nonnull(bytes);
	rig_put(client, "POST /c HTTP/1.1\r\nHost: d\r\n"
	    "Content-Length: 3145728\r\n\r\n");
	id = rig_request(NULL);
	if ((writer = fork()) == 0) {
		rig_put_bytes(client, bytes, SIZE);
		_exit(0);
	}
	rig_need_body(id, 4 * 1024 * 1024);
	/* Not a byte beyond what was granted. */
	usleep(300000);
	ck_assert_uint_eq(read_body(id, &frames), SIZE);
	rig_deny(id, 403, R_ROUTE, "no");
	rig_answer(client, 403);
	free(bytes);
	close(client);
}
END_TEST

START_TEST(too_large_body)
{
	int client = rig_client(FACE_DOCKER);
	uint64_t id;

	rig_put(client, "POST /c HTTP/1.1\r\nHost: d\r\n"
	    "Content-Length: 11\r\n\r\nhello world");
	id = rig_request(NULL);
	rig_need_body(id, 10);
	rig_expect(PROTO_CANCEL);
	ck_assert_ptr_nonnull(strstr(rig_answer(client, 413), "too-large"));
	rig_put(client, "POST /c HTTP/1.1\r\nHost: d\r\n"
	    "Transfer-Encoding: chunked\r\n\r\n6\r\nhello \r\n");
	id = rig_request(NULL);
	rig_need_body(id, 10);
	rig_expect(PROTO_BODY);
	rig_put(client, "5\r\nworld\r\n");
	rig_expect(PROTO_CANCEL);
	ck_assert_ptr_nonnull(strstr(rig_answer(client, 413), "too-large"));
	/* The rest of the body is read, and the connection lives. */
	rig_put(client, "0\r\n\r\n");
	serve_one(client);
	close(client);
}
END_TEST

START_TEST(streamed_bodies)
{
	int client = rig_client(FACE_DOCKER), daemon;
	uint64_t id;

	rig_put(client, "PUT /a HTTP/1.1\r\nHost: d\r\n"
	    "Content-Length: 10\r\n\r\nhello");
	id = rig_request(NULL);
	rig_forward(id, FORWARD_BODY_STREAM, FORWARD_RELAY, 0,
	    "PUT /a HTTP/1.1\r\nHost: d\r\n", "");
	daemon = rig_daemon();
	rig_want(daemon, "PUT /a HTTP/1.1\r\nHost: d\r\n"
	    "Content-Length: 10\r\n\r\nhello");
	rig_put(client, "wo");
	rig_want(daemon, "wo");
	rig_put(client, "rldGET /x HTTP/1.1\r\n");
	rig_want(daemon, "rld");
	rig_want_silence(daemon);
	rig_put(daemon, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	rig_answer(client, 200);
	close(daemon);
	rig_put(client, "Host: d\r\n\r\n");
	rig_deny(rig_request(NULL), 403, R_ROUTE, "no");
	rig_answer(client, 403);

	rig_put(client, "PUT /a HTTP/1.1\r\nHost: d\r\n"
	    "Transfer-Encoding: chunked\r\n\r\n5\r\nhe");
	id = rig_request(NULL);
	rig_forward(id, FORWARD_BODY_STREAM, FORWARD_RELAY, 0,
	    "PUT /a HTTP/1.1\r\nHost: d\r\n", "");
	daemon = rig_daemon();
	rig_want(daemon, "PUT /a HTTP/1.1\r\nHost: d\r\n"
	    "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n");
	rig_put(client, "llo\r\n3\r\n123\r\n0\r\n\r\n");
	rig_want(daemon, "6\r\nllo123\r\n0\r\n\r\n");
	rig_put(daemon, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	rig_answer(client, 200);
	close(daemon);
	close(client);
}
END_TEST

START_TEST(expect_continue)
{
	int client = rig_client(FACE_DOCKER);
	uint64_t id;

	rig_put(client, "POST /c HTTP/1.1\r\nHost: d\r\nContent-Length: 2\r\n"
	    "Expect: 100-Continue\r\n\r\n");
	id = rig_request(NULL);
	rig_want_silence(client);
	rig_need_body(id, 10);
	rig_want(client, "HTTP/1.1 100 Continue\r\n\r\n");
	rig_put(client, "{}");
	rig_expect(PROTO_BODY);
	rig_deny(id, 403, R_ROUTE, "no");
	rig_answer(client, 403);
	/* Never for a refused request, and then nothing is waited for. */
	rig_put(client, "POST /c HTTP/1.1\r\nHost: d\r\nContent-Length: 2\r\n"
	    "Expect: 100-continue\r\n\r\n");
	id = rig_request(NULL);
	rig_deny(id, 403, R_ROUTE, "no");
	ck_assert_ptr_nonnull(strstr(rig_head(client), "Connection: close"));
	rig_want(client, "{\"message\":\"no\"}\n");
	rig_want_eof(client);
	close(client);
}
END_TEST

START_TEST(refused_upload_can_be_read)
{
	enum { SIZE = 20 * 1024 * 1024 };
	int client = rig_client(FACE_DOCKER);
	char *bytes = calloc(1, SIZE);
	uint64_t id;

	ck_assert_ptr_nonnull(bytes);
	rig_put(client, "POST /build HTTP/1.1\r\nHost: d\r\n"
	    "Content-Length: 20971520\r\n\r\n");
	id = rig_request(NULL);
	rig_deny(id, 403, R_ROUTE, "no builds");
	/* A client that writes all before it reads anything. */
	rig_put_bytes(client, bytes, SIZE);
	ck_assert_str_eq(rig_answer(client, 403),
	    "{\"message\":\"no builds\"}\n");
	serve_one(client);
	free(bytes);
	close(client);
}
END_TEST

START_TEST(redirection_never_passes)
{
	int client = rig_client(FACE_DOCKER), daemon;

	rig_put(client, GET);
	rig_forward(rig_request(NULL), FORWARD_BODY_NONE, FORWARD_RELAY, 0,
	    HEAD, "");
	daemon = rig_daemon();
	rig_head(daemon);
	rig_put(daemon, "HTTP/1.1 301 Moved Permanently\r\nLocation: /x\r\n"
	    "Content-Length: 0\r\n\r\n");
	ck_assert_ptr_nonnull(strstr(rig_answer(client, 502),
	    "backend-answer"));
	rig_want_eof(daemon);
	close(daemon);
	serve_one(client);
	close(client);
}
END_TEST

START_TEST(cached_verdict)
{
	int client = rig_client(FACE_DOCKER), daemon;

	/* Right after a change nothing is kept. */
	sleep(3);
	rig_put(client, GET);
	rig_forward(rig_request(NULL), FORWARD_BODY_NONE, FORWARD_RELAY,
	    FORWARD_REUSABLE, HEAD, "");
	for (int i = 0; i < 3; i++) {
		if (i > 0)
			rig_put(client, GET);
		daemon = rig_daemon();
		rig_want(daemon, HEAD);
		rig_put(daemon, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
		rig_answer(client, 200);
		close(daemon);
	}
	rig_expect_nothing();
	/* Another head, another face: asked. */
	rig_put(client, "GET /v1.41/containers/json?all=1 HTTP/1.1\r\n"
	    "Host: e\r\n\r\n");
	rig_deny(rig_request(NULL), 403, R_ROUTE, "no");
	rig_answer(client, 403);
	close(client);
	client = rig_client(FACE_PODMAN);
	rig_put(client, GET);
	rig_deny(rig_request(NULL), 403, R_ROUTE, "no");
	rig_answer(client, 403);
	close(client);
	/* A change empties it. */
	rig_backends(rig.backend, BACKEND_DOCKER, 40);
	rig_ping();
	client = rig_client(FACE_DOCKER);
	rig_put(client, GET);
	rig_deny(rig_request(NULL), 403, R_ROUTE, "no");
	rig_answer(client, 403);
	close(client);
}
END_TEST

START_TEST(counters)
{
	int client = rig_client(FACE_DOCKER);
	struct msg_pong m;

	serve_one(client);
	rig_put(client, GET);
	rig_request(NULL);
	m = rig_ping();
	ck_assert_uint_eq(m.active, 1);
	ck_assert_uint_eq(m.requests, 2);
	ck_assert_uint_eq(m.connections, 1);
	rig_deny(2, 403, R_PRIVILEGED, "no");
	rig_answer(client, 403);
	m = rig_ping();
	ck_assert_uint_eq(m.active, 0);
	ck_assert_uint_eq(m.refused[R_PRIVILEGED], 1);
	ck_assert_ptr_nonnull(strstr(rig_logged(), "event=deny req=2 "));
	ck_assert_ptr_nonnull(strstr(rig_logged(), "field=HostConfig.Privileged"
	    " reason=privileged status=403"));
	close(client);
}
END_TEST

START_TEST(drain)
{
	int idle = rig_client(FACE_DOCKER), busy = rig_client(FACE_DOCKER);
	int daemon;
	uint64_t id;

	serve_one(idle);
	rig_put(busy, GET);
	id = rig_request(NULL);
	rig_master_send(PROTO_DRAIN, STR_NONE);
	rig_want_eof(idle);
	rig_forward(id, FORWARD_BODY_NONE, FORWARD_RELAY, 0, HEAD, "");
	daemon = rig_daemon();
	rig_head(daemon);
	usleep(100000);
	rig_put(daemon, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]");
	rig_want(busy, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
	    "Connection: close\r\n\r\n[]");
	rig_want_eof(busy);
	ck_assert_int_eq(rig_wait(), 0);
	close(idle);
	close(busy);
	close(daemon);
}
END_TEST

Suite *
serve_suite(void)
{
	Suite *suite = suite_create("serve");
	TCase *tc = tcase_create("serve");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, rig_start, rig_stop);
	tcase_add_test(tc, request_is_told_to_policyd);
	tcase_add_test(tc, keep_alive);
	tcase_add_test(tc, connection_close);
	tcase_add_test(tc, pipeline);
	tcase_add_test(tc, byte_by_byte);
	tcase_add_test(tc, head_has_no_body);
	tcase_add_test(tc, chunked_answer_passes_raw);
	tcase_add_test(tc, answer_up_to_the_end);
	tcase_add_test(tc, interim_answers_are_skipped);
	tcase_add_test(tc, bytes_body);
	tcase_add_test(tc, no_body_is_told);
	tcase_add_test(tc, large_body_within_the_window);
	tcase_add_test(tc, too_large_body);
	tcase_add_test(tc, streamed_bodies);
	tcase_add_test(tc, expect_continue);
	tcase_add_test(tc, refused_upload_can_be_read);
	tcase_add_test(tc, redirection_never_passes);
	tcase_add_test(tc, cached_verdict);
	tcase_add_test(tc, counters);
	tcase_add_test(tc, drain);
	suite_add_tcase(suite, tc);
	return suite;
}
