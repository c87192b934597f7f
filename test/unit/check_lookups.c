/*
 * Daemons that are not there, and facts: paths, requests of policyd's own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <check.h>

#include "common/reason.h"
#include "scene.h"

Suite	*lookups_suite(void);

/* ---- no daemon ---------------------------------------------------------- */

START_TEST(daemon_is_looked_for)
{
	struct scene s = scene_asked();

	rig_daemon_stop();
	rig_forward(s.id, FORWARD_BODY_NONE, FORWARD_RELAY, 0, SCENE_GET, "");
	rig_master_expect(PROTO_REDISCOVER);
	rig_want_silence(s.client);
	if (_i == 0) {
		rig_daemon_start();
		rig_backends(rig.backend, BACKEND_DOCKER, 41);
		s.daemon = rig_daemon();
		rig_want(s.daemon, SCENE_GET);
		rig_put(s.daemon, SCENE_OK);
		rig_answer(s.client, 200);
	} else if (_i == 1) {
		rig_backends(rig.backend, BACKEND_DOCKER, 41);
		scene_refused(s.client, 503, rig.backend);
	} else {
		/* Another daemon than the one that was judged for. */
		rig_daemon_start();
		rig_backends(rig.backend, BACKEND_PODMAN, 41);
		scene_refused(s.client, 503, "backend-down");
	}
	close(s.client);
}
END_TEST

START_TEST(no_daemon_known)
{
	int client = rig_client(FACE_DOCKER);

	rig_backends("", BACKEND_NONE, 0);
	rig_ping();
	rig_put(client, SCENE_GET);
	rig_master_expect(PROTO_REDISCOVER);
	rig_expect_nothing();
	rig_backends("", BACKEND_NONE, 0);
	scene_refused(client, 503, "no docker or podman daemon was found");
	/* Late daemons are found. */
	rig_put(client, SCENE_GET);
	rig_master_expect(PROTO_REDISCOVER);
	rig_backends(rig.backend, BACKEND_DOCKER, 41);
	rig_deny(rig_request(NULL), 403, R_ROUTE, "no");
	rig_answer(client, 403);
	close(client);
}
END_TEST

START_TEST(facts_look_for_the_daemon)
{
	struct scene s = scene_asked();

	rig_daemon_stop();
	scene_need_facts(s.id, FACT_HTTP, "GET /a HTTP/1.1\r\n\r\n",
	    "GET /b HTTP/1.1\r\n\r\n");
	rig_master_expect(PROTO_REDISCOVER);
	if (_i == 0) {
		struct msg_facts *m;

		rig_daemon_start();
		rig_backends(rig.backend, BACKEND_DOCKER, 41);
		for (int i = 0; i < 2; i++) {
			s.daemon = rig_daemon();
			rig_head(s.daemon);
			rig_put(s.daemon, SCENE_OK);
			rig_want_eof(s.daemon);
			close(s.daemon);
		}
		m = scene_want_facts(s.id);
		ck_assert_uint_eq(m->fact[0].status, 200);
		ck_assert_uint_eq(m->fact[1].status, 200);
	} else {
		rig_backends(rig.backend, BACKEND_DOCKER, 41);
		scene_refused(s.client, 503, rig.backend);
		rig_expect(PROTO_CANCEL);
	}
	close(s.client);
}
END_TEST

/* ---- facts -------------------------------------------------------------- */

START_TEST(facts_over_http)
{
	static const struct {
		const char *answer;
		int status;
		const char *body;
	} rows[] = {
		{ SCENE_OK, 200, "[]" },
		{ "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n"
		  "2\r\n{\"\r\n3\r\na\"}\r\n0\r\n\r\n", 404, "{\"a\"}" },
		{ "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nall",
		  200, "all" },
		{ "HTTP/1.1 204 No Content\r\n\r\n", 204, "" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
		  FAULT_BROKEN, "" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
		  "2\r\nab\r\n", FAULT_BROKEN, "" },
		{ "no HTTP at all\r\n\r\n", FAULT_BROKEN, "" },
		{ "", FAULT_BROKEN, "" },
	};
	struct scene s = scene_asked();
	struct msg_facts *m;

	scene_need_facts(s.id, FACT_HTTP, "GET /a HTTP/1.1\r\nHost: d\r\n\r\n",
	    NULL);
	s.daemon = rig_daemon();
	rig_want(s.daemon, "GET /a HTTP/1.1\r\nHost: d\r\n\r\n");
	/* In pieces. */
	for (const char *c = rows[_i].answer; *c != '\0'; c += strlen(c) < 7 ?
	    strlen(c) : 7) {
		rig_put_bytes(s.daemon, c, strlen(c) < 7 ? strlen(c) : 7);
		usleep(1000);
	}
	close(s.daemon);
	m = scene_want_facts(s.id);
	ck_assert_uint_eq(m->fact[0].status, (unsigned)rows[_i].status);
	ck_assert(str_is(m->fact[0].text, rows[_i].body));
	rig_deny(s.id, 403, R_ROUTE, "no");
	rig_answer(s.client, 403);
	close(s.client);
}
END_TEST

START_TEST(fact_too_large)
{
	struct scene s = scene_asked();
	char *bytes = calloc(1, PROTO_FACT_MAX + 1);

	ck_assert_ptr_nonnull(bytes);
	scene_need_facts(s.id, FACT_HTTP, "GET /a HTTP/1.1\r\nHost: d\r\n\r\n",
	    NULL);
	s.daemon = rig_daemon();
	rig_head(s.daemon);
	if (fork() == 0) {
		rig_put(s.daemon, "HTTP/1.1 200 OK\r\n\r\n");
		for (int i = 0; i < 64 && send(s.daemon, bytes, 65537,
		    MSG_NOSIGNAL) > 0; i++)
			;
		_exit(0);
	}
	ck_assert_uint_eq(scene_want_facts(s.id)->fact[0].status,
	    FAULT_LARGE);
	free(bytes);
	close(s.client);
}
END_TEST

START_TEST(facts_take_their_time)
{
	struct scene s = scene_asked();
	struct msg_facts *m;

	scene_need_facts(s.id, FACT_HTTP, "GET /a HTTP/1.1\r\n\r\n",
	    "GET /b HTTP/1.1\r\n\r\n");
	for (int i = 0; i < 2; i++) {
		s.daemon = rig_daemon();
		if (strstr(rig_head(s.daemon), "/b") != NULL)
			rig_put(s.daemon, SCENE_OK);
	}
	sleep(6);
	rig_want_silence(rig.policy);
	m = scene_want_facts(s.id);
	ck_assert_uint_eq(m->fact[0].status, FAULT_LATE);
	ck_assert_uint_eq(m->fact[1].status, 200);
	close(s.client);
}
END_TEST

START_TEST(facts_about_paths)
{
	struct scene s;
	struct msg_facts *m;
	char missing[128], inside[128];

	/* valgrind 3.19 does not know openat2(2). */
	if (getenv("RIG_WRAPPER") != NULL)
		return;
	s = scene_asked();
	snprintf(missing, sizeof(missing), "%s/a/b", rig.dir);
	snprintf(inside, sizeof(inside), "%s/docker.sock", rig.dir);
	scene_need_facts(s.id, FACT_PATH, missing, inside);
	m = scene_want_facts(s.id);
	ck_assert_uint_eq(m->fact[0].path_kind, PATH_MISSING);
	ck_assert(str_is(m->fact[0].text, missing));
	ck_assert_uint_eq(m->fact[1].path_kind, PATH_SOCKET);
	ck_assert(str_is(m->fact[1].text, inside));
	scene_need_facts(s.id, EFFECT_MKDIR, missing, "/tmp/not-below-a-root");
	m = scene_want_facts(s.id);
	ck_assert_uint_eq(m->fact[0].status, 200);
	ck_assert_uint_eq(m->fact[1].status, 0);
	ck_assert_int_ne(access("/tmp/not-below-a-root", F_OK), 0);
	ck_assert_int_eq(rmdir(missing), 0);
	*strrchr(missing, '/') = '\0';
	ck_assert_int_eq(rmdir(missing), 0);
	close(s.client);
}
END_TEST

/* Confined as it is, a worker reads the host's routes. */
START_TEST(facts_about_routes)
{
	struct scene s = scene_asked();
	struct msg_facts *m;

	scene_need_facts(s.id, FACT_ROUTES, "", NULL);
	m = scene_want_facts(s.id);
	ck_assert_uint_eq(m->fact[0].status, 200);
	ck_assert(str_starts(m->fact[0].text, "Iface\tDestination\t"));
	close(s.client);
}
END_TEST

Suite *
lookups_suite(void)
{
	Suite *suite = suite_create("lookups");
	TCase *tc = tcase_create("lookups");

	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, rig_start, rig_stop);
	tcase_add_loop_test(tc, daemon_is_looked_for, 0, 3);
	tcase_add_test(tc, no_daemon_known);
	tcase_add_loop_test(tc, facts_look_for_the_daemon, 0, 2);
	tcase_add_loop_test(tc, facts_over_http, 0, 8);
	tcase_add_test(tc, fact_too_large);
	tcase_add_test(tc, facts_take_their_time);
	tcase_add_test(tc, facts_about_paths);
	tcase_add_test(tc, facts_about_routes);
	suite_add_tcase(suite, tc);
	return suite;
}
