/*
 * The judge's server over a socket pair, as a worker sees it: scanned bodies,
 * their windows, and that one upload keeps nobody waiting.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <check.h>

#include "common/setting.h"
#include "policyd/server.h"
#include "tarball.h"

Suite	*docket_suite(void);

enum { FRAMES_MAX = 4096 };

/* What came back, in order. */
static struct {
	enum proto_type	 type;
	uint64_t	 id;
	struct msg_window window;
	struct msg_forward forward;
	struct msg_deny	 deny;
	char		 text[512];
} got[FRAMES_MAX];
static size_t got_count;

/* policyd ends with its server; here they stay, for the leak check to see. */
static struct server *servers[64];
static size_t server_count_made;
static struct server *server;
static struct link worker;
static bool link_ended;
static struct buf b = BUF_INIT(TARBALL_MAX);

static int
on_frame(struct link *link, const struct frame *f, void *arg)
{
	size_t i = got_count++;

	(void)link;
	(void)arg;
	got[i].type = f->type;
	got[i].id = f->id;
	if (f->type == PROTO_WINDOW)
		ck_assert_int_eq(msg_get_window(f->payload, &got[i].window),
		    0);
	else if (f->type == PROTO_FORWARD)
		ck_assert_int_eq(msg_get_forward(f->payload,
		    &got[i].forward), 0);
	else if (f->type == PROTO_DENY) {
		ck_assert_int_eq(msg_get_deny(f->payload, &got[i].deny), 0);
		snprintf(got[i].text, sizeof(got[i].text), "%.*s",
		    STR_FMT(got[i].deny.text));
	}
	return 0;
}

static void
setup(void)
{
	static struct msg_config config = { .count = 2, .pair = {
	    { { SETTING_SLUG, sizeof(SETTING_SLUG) - 1 }, { "p-1", 3 } },
	    { { SETTING_BIND_ROOT, sizeof(SETTING_BIND_ROOT) - 1 },
	    { "/p", 2 } } } };
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	server = server_new();
	servers[server_count_made++ % 64] = server;
	server_set_config(server, &config);
	ck_assert_int_eq(server_add_worker(server, fds[0]), 0);
	link_open(&worker, fds[1], PROTO_WORKER, PROTO_POLICYD);
	got_count = 0;
	link_ended = false;
	buf_free(&b);
}

static void	 serve_all(void);

static void
teardown(void)
{
	link_close(&worker);
	link_ended = true;
	serve_all();
	buf_free(&b);
}

/* One round of the server's loop; false: it waits for something. */
static bool
serve_once(void)
{
	struct pollfd fds[SERVER_WORKERS_MAX];
	size_t n = server_poll_fill(server, fds, SERVER_WORKERS_MAX);
	int ready = poll(fds, (nfds_t)n, 0);
	bool was_busy = server_is_busy(server);

	server_poll_done(server, fds, n);
	if (!link_ended && link_read(&worker, on_frame, NULL) != 0)
		link_ended = true;
	return ready > 0 || was_busy;
}

static void
serve_all(void)
{
	while (link_wants_write(&worker) || serve_once())
		link_flush(&worker);
	serve_once();
}

static void
send_request(uint64_t id, const char *method, const char *target,
    enum backend_kind kind)
{
	static struct msg_request m;
	struct buf payload = BUF_INIT(64 * 1024);

	memset(&m, 0, sizeof(m));
	m.face = kind == BACKEND_PODMAN ? FACE_PODMAN : FACE_DOCKER;
	m.backend.kind = (uint8_t)kind;
	m.backend.api_major = 1;
	m.backend.api_minor = 41;
	if (kind == BACKEND_PODMAN)
		m.backend.libpod[0] = 5;
	m.body_kind = BODY_CHUNKED;
	m.method = str_from(method);
	m.target = str_from(target);
	ck_assert_int_eq(msg_put_request(&payload, &m), 0);
	ck_assert_int_eq(link_send(&worker, PROTO_REQUEST, id,
	    buf_str(&payload), -1), 0);
	buf_free(&payload);
}

static void
send_body(uint64_t id, struct str bytes, bool last)
{
	struct buf payload = BUF_INIT(PROTO_BODY_CHUNK + 64);
	struct msg_body m = { last, bytes };

	ck_assert_int_eq(msg_put_body(&payload, &m), 0);
	ck_assert_int_eq(link_send(&worker, PROTO_BODY, id,
	    buf_str(&payload), -1), 0);
	buf_free(&payload);
}

static void
start_build(uint64_t id)
{
	size_t before = got_count;

	send_request(id, "POST", "/v1.41/build?dockerfile=Dockerfile",
	    BACKEND_DOCKER);
	serve_all();
	ck_assert_uint_eq(got_count, before + 1);
	ck_assert_msg(got[before].type == PROTO_FORWARD, "%s",
	    got[before].text);
	ck_assert_int_eq(got[before].forward.body_mode, FORWARD_BODY_SCAN);
}

/* The bytes in frames as a worker cuts them, within what it may send. */
static void
upload(uint64_t id, struct str bytes)
{
	uint64_t sent = 0, taken = 0;
	size_t seen = got_count;

	while (bytes.len > 0) {
		struct str part = str_first(bytes, PROTO_BODY_CHUNK);

		while (sent + part.len > taken + PROTO_BODY_WINDOW) {
			ck_assert(serve_once());
			for (; seen < got_count; seen++)
				if (got[seen].type == PROTO_WINDOW)
					taken = got[seen].window.taken;
		}
		bytes = str_skip(bytes, part.len);
		sent += part.len;
		send_body(id, part, bytes.len == 0);
	}
	serve_all();
}

START_TEST(good_context_is_let_go)
{
	size_t last;

	start_build(1);
	tarball_file(&b, "Dockerfile", "FROM busybox\n");
	tarball_header(&b, "big", '0', 3 * 1024 * 1024, "");
	for (int i = 0; i < 3 * 1024 * 1024 / 32; i++)
		buf_put_text(&b, "data of the big file............");
	tarball_end(&b);
	upload(1, buf_str(&b));
	ck_assert_uint_ge(got_count, 40);
	last = got_count - 1;
	for (size_t i = 1; i <= last; i++) {
		ck_assert_int_eq(got[i].type, PROTO_WINDOW);
		ck_assert_int_eq(got[i].window.done, i == last);
		ck_assert_uint_ge(got[i].window.released,
		    got[i - 1].window.released);
		ck_assert(i == last || got[i].window.released < b.len - 512);
	}
	ck_assert_uint_eq(got[last].window.taken, b.len);
	ck_assert_uint_eq(got[last].window.released, b.len);
	/* Forgotten: its id is free again. */
	start_build(1);
}
END_TEST

START_TEST(bad_context_is_denied)
{
	start_build(1);
	tarball_file(&b, "Dockerfile", "FROM busybox\nADD http://h/x /x\n");
	send_body(1, buf_str(&b), false);
	serve_all();
	ck_assert_uint_eq(got_count, 2);
	ck_assert_int_eq(got[1].type, PROTO_DENY);
	ck_assert_int_eq(got[1].deny.status, 403);
	ck_assert_int_eq(got[1].deny.shape, DENY_DOCKER);
	ck_assert_msg(str_starts(str_from(got[1].text), "container-gateway: "
	    "build-context: Dockerfile line 2: ADD http://h/x"), "%s",
	    got[1].text);
	/* What was under way meanwhile is ignored. */
	send_body(1, buf_str(&b), true);
	serve_all();
	ck_assert_uint_eq(got_count, 2);
	ck_assert(!link_ended);
}
END_TEST

START_TEST(podman_is_denied_in_its_shape)
{
	send_request(1, "POST", "/v5.0.0/libpod/build?dockerfile=Dockerfile",
	    BACKEND_PODMAN);
	serve_all();
	ck_assert_msg(got[0].type == PROTO_FORWARD, "%s", got[0].text);
	tarball_file(&b, "Dockerfile", "FROM dir:/etc\n");
	tarball_end(&b);
	send_body(1, buf_str(&b), true);
	serve_all();
	ck_assert_int_eq(got[got_count - 1].type, PROTO_DENY);
	ck_assert_int_eq(got[got_count - 1].deny.shape, DENY_LIBPOD);
}
END_TEST

START_TEST(removal_is_denied_in_a_report)
{
	send_request(1, "DELETE", "/v5.0.0/libpod/images/remove?images=x&force=1",
	    BACKEND_PODMAN);
	serve_all();
	ck_assert_int_eq(got[0].type, PROTO_DENY);
	ck_assert_int_eq(got[0].deny.status, 403);
	ck_assert_int_eq(got[0].deny.shape, DENY_REPORT);
}
END_TEST

START_TEST(empty_body_is_denied)
{
	start_build(1);
	send_body(1, STR_NONE, true);
	serve_all();
	ck_assert_int_eq(got[1].type, PROTO_DENY);
}
END_TEST

START_TEST(cut_bodies_are_denied)
{
	static const char gzip[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03";
	static const char zeros[512];

	start_build(1);
	send_body(1, (struct str){ gzip, sizeof(gzip) - 1 }, true);
	serve_all();
	ck_assert_int_eq(got[1].type, PROTO_DENY);
	/* An archive that is whole, and holds no Dockerfile. */
	start_build(2);
	send_body(2, (struct str){ zeros, sizeof(zeros) }, true);
	serve_all();
	ck_assert_int_eq(got[got_count - 1].type, PROTO_DENY);
	ck_assert(!link_ended);
}
END_TEST

/* A worker that sends beyond the window has broken the contract. */
START_TEST(window_is_a_bound)
{
	static const char junk[PROTO_BODY_CHUNK];
	struct buf packed = BUF_INIT(TARBALL_MAX);

	tarball_header(&b, "zeros", '0', 60 * 1024 * 1024, "");
	tarball_gzip(&packed, buf_str(&b), 60 * 1024 * 1024);
	start_build(1);
	send_body(1, buf_str(&packed), false);
	serve_once();
	ck_assert(server_is_busy(server));
	for (int i = 0; i < 8 && !link_ended; i++) {
		send_body(1, (struct str){ junk, sizeof(junk) }, false);
		while (link_wants_write(&worker) && link_flush(&worker) == 0)
			serve_once();
		serve_once();
	}
	serve_once();
	ck_assert(link_ended);
	ck_assert(!server_is_busy(server));
	buf_free(&packed);
}
END_TEST

/* A frame that grows a thousandfold does not keep another request waiting. */
START_TEST(others_have_their_turn)
{
	struct buf packed = BUF_INIT(TARBALL_MAX);
	int rounds = 0;

	tarball_file(&b, "Dockerfile", "FROM busybox\n");
	tarball_header(&b, "zeros", '0', 60 * 1024 * 1024, "");
	tarball_gzip(&packed, buf_str(&b), 60 * 1024 * 1024 + 1024);
	start_build(1);
	send_body(1, buf_str(&packed), true);
	serve_once();
	ck_assert(server_is_busy(server));
	send_request(2, "GET", "/v1.41/version", BACKEND_DOCKER);
	for (; got_count < 2; rounds++)
		ck_assert(serve_once());
	ck_assert_int_eq(got[1].type, PROTO_NEED_BODY);
	ck_assert_uint_eq(got[1].id, 2);
	ck_assert_int_le(rounds, 3);
	serve_all();
	ck_assert_int_eq(got[got_count - 1].type, PROTO_WINDOW);
	ck_assert_int_eq(got[got_count - 1].window.done, 1);
	buf_free(&packed);
}
END_TEST

START_TEST(cancel_and_loss_forget_it)
{
	struct msg_pong pong = { .active = 0 };

	start_build(1);
	start_build(2);
	tarball_file(&b, "x", "y");
	send_body(1, buf_str(&b), false);
	send_body(2, buf_str(&b), false);
	link_send(&worker, PROTO_CANCEL, 1, STR_NONE, -1);
	serve_all();
	server_count(server, &pong);
	ck_assert_uint_eq(pong.active, 1);
	link_close(&worker);
	link_ended = true;
	serve_all();
	server_count(server, &pong);
	ck_assert_uint_eq(pong.active, 0);
	ck_assert(!server_is_busy(server));
}
END_TEST

Suite *
docket_suite(void)
{
	Suite *suite = suite_create("docket");
	TCase *tc = tcase_create("docket");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, good_context_is_let_go);
	tcase_add_test(tc, bad_context_is_denied);
	tcase_add_test(tc, podman_is_denied_in_its_shape);
	tcase_add_test(tc, removal_is_denied_in_a_report);
	tcase_add_test(tc, empty_body_is_denied);
	tcase_add_test(tc, cut_bodies_are_denied);
	tcase_add_test(tc, window_is_a_bound);
	tcase_add_test(tc, others_have_their_turn);
	tcase_add_test(tc, cancel_and_loss_forget_it);
	tcase_set_timeout(tc, 30);
	suite_add_tcase(suite, tc);
	return suite;
}
