/*
 * The worker's plain life: requests judged, forwarded, answered; refusals;
 * the connection kept or closed.  Everything around the program is played.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <check.h>

#include "common/reason.h"
#include "rig.h"

#define GET	"GET /v1.41/containers/json?all=1 HTTP/1.1\r\nHost: d\r\n\r\n"
#define HEAD	"GET /v1.41/containers/json?all=1 HTTP/1.1\r\n" \
		"Host: docker\r\nConnection: close\r\n\r\n"

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
	rig_want(client, "HTTP/1.1 204 No Content\r\n"
	    "Connection: close\r\n\r\n");
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
	struct buf text = BUF_INIT(256 * 1024);
	/* More than is read ahead: reading stops and goes on in between. */
	enum { N = 1500 };

	for (int i = 0; i < N; i++)
		buf_printf(&text, "GET /%d HTTP/1.1\r\nHost: d\r\n"
		    "X-Padding: %064d\r\n\r\n", i, i);
	rig_put_bytes(client, text.data, text.len);
	buf_free(&text);
	for (int i = 0; i < N; i++) {
		static struct msg_request m;
		uint64_t id = rig_request(&m);
		char target[16];

		snprintf(target, sizeof(target), "/%d", i);
		ck_assert(str_is(m.target, target));
		if (i < 40)
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
	rig_want(client, "HTTP/1.1 404 Not Found\r\n"
	    "Content-Length: 77\r\n\r\n");
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

START_TEST(drains)
{
	int idle = rig_client(FACE_DOCKER), busy = rig_client(FACE_DOCKER);
	int daemon;
	uint64_t id;

	serve_one(idle);
	rig_put(busy, GET);
	id = rig_request(NULL);
	/* By master, or as one process of a unit that is stopped. */
	if (_i == 0)
		rig_master_send(PROTO_DRAIN, STR_NONE);
	else
		kill(rig.pid, SIGTERM);
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

START_TEST(ends_when_told_twice)
{
	int busy = rig_client(FACE_DOCKER);

	rig_put(busy, GET);
	rig_request(NULL);
	rig_master_send(PROTO_DRAIN, STR_NONE);
	usleep(1200000);
	ck_assert_uint_eq(rig_ping().active, 1);
	kill(rig.pid, SIGTERM);
	ck_assert_int_eq(rig_wait(), 0);
	close(busy);
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
	tcase_add_test(tc, redirection_never_passes);
	tcase_add_test(tc, cached_verdict);
	tcase_add_test(tc, counters);
	tcase_add_loop_test(tc, drains, 0, 2);
	tcase_add_test(tc, ends_when_told_twice);
	suite_add_tcase(suite, tc);
	return suite;
}
