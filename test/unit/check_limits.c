/*
 * What is no HTTP, from either side; and resources that run out or must not
 * be lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "common/reason.h"
#include "scene.h"

Suite	*limits_suite(void);

/* ---- what is no HTTP ---------------------------------------------------- */

static const struct {
	const char	*bytes;
	int		 status;
} heads[] = {
	{ "GET /_ping\r\n", 400 },
	{ "\r\n\r\nGET / HTTP/1.1\r\n", 400 },
	{ "get / HTTP/1.1\r\n", 400 },
	{ "GET / HTTP/1.0\r\n", 400 },
	{ "GET / HTTP/1.1\nHost: d\n\n", 400 },
	{ "GET http://x/ HTTP/1.1\r\n", 400 },
	{ "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400 },
	{ "GET / HTTP/1.1\r\nHost: d\r\nContent-Length: 1\r\n"
	  "Transfer-Encoding: chunked\r\n\r\n", 400 },
	{ "\x16\x03\x01", 400 },
};

START_TEST(bad_heads)
{
	int client = rig_client(FACE_DOCKER);

	rig_put(client, heads[_i].bytes);
	scene_refused(client, heads[_i].status, "container-gateway: ");
	rig_want_eof(client);
	rig_expect_nothing();
	close(client);
}
END_TEST

START_TEST(head_too_large)
{
	int client = rig_client(FACE_DOCKER);
	char *field = calloc(1, 70000);

	ck_assert_ptr_nonnull(field);
	memset(field, 'a', 60000);
	rig_put(client, "GET / HTTP/1.1\r\nHost: d\r\n");
	for (int i = 0; i < 3; i++) {
		rig_put(client, "X: ");
		rig_put(client, field);
		rig_put(client, "\r\n");
	}
	scene_refused(client, 431, "head-too-large");
	rig_want_eof(client);
	close(client);
	client = rig_client(FACE_DOCKER);
	memset(field, 'a', 69999);
	rig_put(client, "GET / HTTP/1.1\r\nHost: d\r\nX: ");
	rig_put(client, field);
	rig_put(client, "\r\n\r\n");
	scene_refused(client, 400, "bad-request");
	close(client);
	free(field);
}
END_TEST

START_TEST(head_ends_early)
{
	int client = rig_client(FACE_DOCKER);

	rig_put(client, "GET / HTTP/1.1\r\nHos");
	rig_want_silence(client);
	shutdown(client, SHUT_WR);
	scene_refused(client, 400, "bad-request");
	rig_want_eof(client);
	close(client);
	client = rig_client(FACE_DOCKER);
	shutdown(client, SHUT_WR);
	rig_want_eof(client);
	close(client);
}
END_TEST

/* A head that never ends has a bound; an idle connection has none. */
START_TEST(slow_head)
{
	int client = rig_client(FACE_DOCKER), idle = rig_client(FACE_DOCKER);

	rig_put(client, "GET / HTTP/1.1\r\nHos");
	sleep(25);
	rig_want_silence(client);
	scene_refused(client, 400, "bad-request");
	rig_want_eof(client);
	scene_alive(idle);
	close(client);
	close(idle);
}
END_TEST

START_TEST(garbage)
{
	unsigned char bytes[4096];
	unsigned seed = 4711 + (unsigned)_i;

	for (int i = 0; i < 300; i++) {
		int client = rig_client(i % 2 == 0 ? FACE_DOCKER : FACE_PODMAN);

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (unsigned char)rand_r(&seed);
		if (i % 3 == 0)
			rig_put(client, "GET / HTTP/1.1\r\nHost: ");
		(void)!write(client, bytes, (size_t)rand_r(&seed) %
		    sizeof(bytes));
		close(client);
	}
	rig_policy_new();
	{
		int client = rig_client(FACE_DOCKER);

		scene_alive(client);
		close(client);
	}
	ck_assert_uint_eq(rig_ping().connections, 0);
}
END_TEST

START_TEST(garbage_from_the_daemon)
{
	unsigned char bytes[4096];
	unsigned seed = 99;

	for (int i = 0; i < 100; i++) {
		enum forward_response mode = (enum forward_response)(i % 4);
		struct scene s = scene_forwarded(mode, 0);

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (unsigned char)rand_r(&seed);
		if (i % 3 == 0)
			rig_put(s.daemon, "HTTP/1.1 200 OK\r\n"
			    "Transfer-Encoding: chunked\r\n\r\n5\r\n");
		(void)!send(s.daemon, bytes, sizeof(bytes), MSG_NOSIGNAL);
		close(s.daemon);
		rig_head(s.client);
		close(s.client);
		rig_policy_new();
	}
	ck_assert_uint_eq(rig_ping().active, 0);
}
END_TEST

/* ---- resources ---------------------------------------------------------- */

static void
serve_and_close(int i)
{
	struct scene s;

	switch (i % 8) {
	case 0:
		s = scene_relays();
		rig_put(s.daemon, SCENE_OK);
		rig_answer(s.client, 200);
		break;
	case 1:
		s = scene_asked();
		rig_deny(s.id, 403, R_ROUTE, "no");
		rig_answer(s.client, 403);
		break;
	case 2:
		s = scene_looks_up();
		break;
	case 3:
		s = scene_tunnels();
		break;
	case 4:
		s = scene_uploads();
		break;
	case 5:
		s = scene_judges_lines();
		break;
	case 6:
		s = scene_confirms();
		break;
	default:
		s = scene_relays_chunks();
		break;
	}
	close(s.client);
	if (s.daemon >= 0) {
		/* Some are kept a while, when the daemon does not close. */
		if (i % 8 != 0 && i % 8 != 6)
			rig_is_gone(s.daemon);
		close(s.daemon);
	}
	/* Whatever was said to policyd. */
	rig_policy_new();
}

START_TEST(no_descriptor_is_lost)
{
	int before, i;

	for (i = 0; i < 16; i++)
		serve_and_close(i);
	usleep(100000);
	before = rig_descriptors();
	for (i = 0; i < 1000; i++)
		serve_and_close(i);
	usleep(200000);
	ck_assert_uint_eq(rig_ping().connections, 0);
	ck_assert_int_eq(rig_descriptors(), before);
}
END_TEST

START_TEST(out_of_descriptors)
{
	enum { N = 120 };
	int clients[N];
	struct rlimit small = { 64, 64 };
	struct msg_pong m;

	ck_assert_int_eq(prlimit(rig.pid, RLIMIT_NOFILE, &small, NULL), 0);
	for (int i = 0; i < N; i++) {
		clients[i] = rig_client(FACE_DOCKER);
		rig_put(clients[i], "G");
	}
	usleep(300000);
	m = rig_ping();
	ck_assert_uint_gt(m.connections, 30);
	ck_assert_uint_lt(m.connections, 64);
	/* Those who were let in are told; those who wait are served later. */
	for (int i = 0; i < N; i++)
		close(clients[i]);
	usleep(500000);
	clients[0] = rig_client(FACE_DOCKER);
	scene_alive(clients[0]);
	close(clients[0]);
}
END_TEST

START_TEST(full_daemon_backlog)
{
	enum { N = 20 };
	struct scene s[N];

	/* Nobody accepts: what fits the backlog, and what does not. */
	listen(rig.daemon, 2);
	for (int i = 0; i < N; i++) {
		s[i] = scene_asked();
		rig_forward(s[i].id, FORWARD_BODY_NONE, FORWARD_RELAY, 0,
		    SCENE_GET, "");
	}
	usleep(200000);
	for (int i = 0; i < N; i++) {
		int daemon = rig_daemon();

		rig_want(daemon, SCENE_GET);
		rig_put(daemon, SCENE_OK);
		close(daemon);
	}
	for (int i = 0; i < N; i++) {
		rig_answer(s[i].client, 200);
		close(s[i].client);
	}
}
END_TEST

/* Somebody else's process, where the modes would let it in. */
START_TEST(stranger)
{
	int status;
	pid_t pid;

	if (getuid() != 0)
		return;
	ck_assert_int_eq(chmod(rig.dir, 0711), 0);
	ck_assert_int_eq(chmod(rig.face[FACE_DOCKER], 0666), 0);
	if ((pid = fork()) == 0) {
		int client;

		if (setresuid(65534, 65534, 65534) != 0)
			_exit(1);
		client = rig_client(FACE_DOCKER);
		rig_put(client, SCENE_GET);
		scene_refused(client, 403, "container-gateway: peer: ");
		rig_want_eof(client);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	rig_expect_nothing();
	ck_assert_ptr_nonnull(strstr(rig_logged(), "peer=65534"));
}
END_TEST

/* The running worker, as the kernel sees it. */
START_TEST(is_confined)
{
	char path[64], text[4096] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)rig.pid);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, file), 0);
	fclose(file);
	ck_assert_ptr_nonnull(strstr(text, "NoNewPrivs:\t1"));
#ifndef WITHOUT_SECCOMP
	ck_assert_ptr_nonnull(strstr(text, "Seccomp:\t2"));
#endif
}
END_TEST

Suite *
limits_suite(void)
{
	Suite *suite = suite_create("limits");
	TCase *tc = tcase_create("limits");

	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, rig_start, rig_stop);
	tcase_add_loop_test(tc, bad_heads, 0, sizeof(heads) / sizeof(*heads));
	tcase_add_test(tc, head_too_large);
	tcase_add_test(tc, head_ends_early);
	tcase_add_test(tc, slow_head);
	tcase_add_loop_test(tc, garbage, 0, 3);
	tcase_add_test(tc, garbage_from_the_daemon);
	tcase_add_test(tc, no_descriptor_is_lost);
	tcase_add_test(tc, out_of_descriptors);
	tcase_add_test(tc, full_daemon_backlog);
	tcase_add_test(tc, stranger);
	tcase_add_test(tc, is_confined);
	suite_add_tcase(suite, tc);
	return suite;
}
