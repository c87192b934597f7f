/*
 * Bodies of requests: sent to policyd within its window, streamed to the
 * daemon, refused and still read.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "common/reason.h"
#include "scene.h"

Suite	*bodies_suite(void);

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
	scene_alive(client);
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
	scene_alive(client);
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
	scene_alive(client);
	free(bytes);
	close(client);
}
END_TEST

Suite *
bodies_suite(void)
{
	Suite *suite = suite_create("bodies");
	TCase *tc = tcase_create("bodies");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, rig_start, rig_stop);
	tcase_add_test(tc, bytes_body);
	tcase_add_test(tc, no_body_is_told);
	tcase_add_test(tc, large_body_within_the_window);
	tcase_add_test(tc, too_large_body);
	tcase_add_test(tc, streamed_bodies);
	tcase_add_test(tc, expect_continue);
	tcase_add_test(tc, refused_upload_can_be_read);
	suite_add_tcase(suite, tc);
	return suite;
}
