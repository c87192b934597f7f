/*
 * What happens when policyd, the daemon or the client dies, at every stage of a
 * request; and when policyd breaks the contract.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <check.h>

#include "common/reason.h"
#include "scene.h"

Suite	*faults_suite(void);

/* What the client sees when policyd, or the daemon, dies at that stage. */
enum { LIVES = 0, ENDS = 1 };	/* not a status */

static const struct stage {
	struct scene	(*begin)(void);
	bool		 at_policy;	/* it is told when the client goes */
	int		 policy_dies;	/* status, or LIVES, or ENDS */
	const char	*policy_key;
	int		 daemon_dies;
	const char	*daemon_key;
} stages[] = {
	{ scene_asked, true, 503, "policy-down", LIVES, NULL },
	{ scene_sends_body, true, 503, "policy-down", LIVES, NULL },
	{ scene_looks_up, true, 503, "policy-down", LIVES, NULL },
	{ scene_relays, false, LIVES, NULL, 502, "backend-answer" },
	{ scene_relays_body, false, LIVES, NULL, ENDS, NULL },
	{ scene_relays_chunks, false, LIVES, NULL, ENDS, NULL },
	{ scene_uploads, false, LIVES, NULL, 502, "backend-answer" },
	{ scene_scans, true, 503, "policy-down", 502, "backend-answer" },
	{ scene_judges, true, 503, "policy-down", 502, "backend-answer" },
	{ scene_judges_part, true, 503, "policy-down", 502, "backend-answer" },
	{ scene_creates, true, LIVES, NULL, 502, "backend-answer" },
	{ scene_confirms, true, 502, "not-confirmed", LIVES, NULL },
	{ scene_confirms_list, true, 503, "policy-down", LIVES, NULL },
	{ scene_judges_lines, true, ENDS, NULL, LIVES, NULL },
	{ scene_tunnels, false, LIVES, NULL, ENDS, NULL },
};
enum { STAGES = sizeof(stages) / sizeof(*stages) };

static void
want_outcome(const struct scene *s, int outcome, const char *key)
{
	if (outcome == ENDS)
		rig_want_eof(s->client);
	else if (outcome == LIVES)
		rig_want_silence(s->client);
	else {
		scene_refused(s->client, outcome, key);
		if (s->daemon >= 0)
			ck_assert(rig_is_gone(s->daemon));
	}
}

START_TEST(policyd_dies)
{
	const struct stage *stage = &stages[_i];
	struct scene s = stage->begin();

	rig_policy_dies();
	want_outcome(&s, stage->policy_dies, stage->policy_key);
	rig_policy_new();
	if (stage->policy_dies > ENDS) {
		/* The rest of a body that was under way. */
		if (stage->begin == scene_sends_body ||
		    stage->begin == scene_scans)
			rig_put(s.client, "56789");
		scene_alive(s.client);
	}
	close(s.client);
	scene_over();
}
END_TEST

START_TEST(daemon_dies)
{
	const struct stage *stage = &stages[_i];
	struct scene s = stage->begin();

	if (s.daemon < 0)
		return;
	close(s.daemon);
	s.daemon = -1;
	if (stage->begin == scene_looks_up) {
		ck_assert_uint_eq(scene_want_facts(s.id)->fact[0].status,
		    FAULT_BROKEN);
		rig_deny(s.id, 502, R_FACTS, "facts");
		scene_refused(s.client, 502, "facts");
	} else
		want_outcome(&s, stage->daemon_dies, stage->daemon_key);
	if (stage->at_policy && stage->daemon_dies > ENDS)
		rig_expect(PROTO_CANCEL);
	close(s.client);
}
END_TEST

START_TEST(client_vanishes)
{
	const struct stage *stage = &stages[_i];
	struct scene s = stage->begin();

	close(s.client);
	if (s.daemon >= 0)
		ck_assert(rig_is_gone(s.daemon));
	if (stage->at_policy)
		rig_expect(PROTO_CANCEL);
	rig_expect_nothing();
	ck_assert_uint_eq(rig_ping().connections, 0);
	ck_assert_uint_eq(rig_ping().active, 0);
}
END_TEST

/* Bytes are pending in the client's socket, nobody reads them, it goes. */
START_TEST(client_vanishes_unread)
{
	const struct stage *stage = &stages[_i];
	struct scene s = stage->begin();
	char *bytes = calloc(1, 4 * 1024 * 1024);

	ck_assert_ptr_nonnull(bytes);
	if (stage->begin == scene_tunnels || stage->begin == scene_uploads) {
		free(bytes);
		close(s.client);
		return;
	}
	while (send(s.client, bytes, 65536, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		usleep(2000);
	free(bytes);
	/* Some bodies have an end, and what follows is no HTTP. */
	close(s.client);
	if (s.daemon >= 0)
		ck_assert(rig_is_gone(s.daemon));
	scene_over();
	ck_assert_uint_eq(rig_ping().connections, 0);
}
END_TEST

/* A client that shut down its writing after the request is served. */
START_TEST(client_half_closes)
{
	struct scene s = scene_asked();

	shutdown(s.client, SHUT_WR);
	usleep(900000);
	rig_forward(s.id, FORWARD_BODY_NONE, FORWARD_RELAY, 0, SCENE_GET, "");
	s.daemon = rig_daemon();
	rig_want(s.daemon, SCENE_GET);
	usleep(900000);
	rig_put(s.daemon, SCENE_OK);
	ck_assert_str_eq(rig_answer(s.client, 200), "[]");
	rig_want_eof(s.client);
	close(s.client);
	close(s.daemon);
}
END_TEST

START_TEST(body_ends_early)
{
	struct scene s = _i == 0 ? scene_sends_body() :
	    _i == 1 ? scene_uploads() : scene_scans();

	shutdown(s.client, SHUT_WR);
	scene_refused(s.client, 400, "ended early");
	rig_want_eof(s.client);
	if (s.daemon >= 0)
		ck_assert(rig_is_gone(s.daemon));
	if (_i != 1)
		rig_expect(PROTO_CANCEL);
	close(s.client);
}
END_TEST

START_TEST(body_framing_breaks)
{
	int client = rig_client(FACE_DOCKER);
	uint64_t id;

	rig_put(client, "POST /c HTTP/1.1\r\nHost: d\r\n"
	    "Transfer-Encoding: chunked\r\n\r\n");
	id = rig_request(NULL);
	rig_need_body(id, 100);
	rig_put(client, "5;x=y\r\nhello\r\n0\r\n\r\n");
	scene_refused(client, 400, "framing");
	rig_expect(PROTO_CANCEL);
	rig_want_eof(client);
	close(client);
}
END_TEST

/* ---- policyd out of contract -------------------------------------------- */

START_TEST(policyd_breaks_the_contract)
{
	struct scene s = scene_asked();
	static const struct {
		enum proto_type type;
		const char *payload;
		size_t len;
	} bad[] = {
		{ PROTO_ANSWER, "\0\0\0\0\0\0\0\0", 7 },
		{ PROTO_DENY, "garbagegarbage", 14 },
		{ PROTO_FORWARD, "\x09\0\0\0\0\0\0\0\0\0\0", 11 },
		{ PROTO_WINDOW, "\x09\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 17 },
		{ PROTO_NEED_FACTS, "\xff\xff\xff\xff", 4 },
		{ PROTO_REQUEST, "0123456789abcdef", 16 },
		{ PROTO_CONFIG, "\0\0\0\0", 4 },
	};

	rig_send(bad[_i].type, s.id, (struct str){ bad[_i].payload,
	    bad[_i].len });
	scene_refused(s.client, 503, "policy-down");
	ck_assert(rig_is_gone(rig.policy));
	/* policyd lives: master would not know. */
	rig_master_expect(PROTO_RECHANNEL);
	rig_policy_new();
	scene_alive(s.client);
	close(s.client);
}
END_TEST

START_TEST(unknown_ids_are_late_words)
{
	struct scene s = scene_asked();

	rig_deny(4711, 403, R_ROUTE, "who?");
	rig_deny(s.id, 403, R_ROUTE, "no");
	rig_answer(s.client, 403);
	scene_alive(s.client);
	close(s.client);
}
END_TEST

START_TEST(requests_wait_for_a_new_policyd)
{
	int client = rig_client(FACE_DOCKER);

	rig_policy_dies();
	rig_put(client, SCENE_GET);
	rig_want_silence(client);
	rig_policy_new();
	rig_deny(rig_request(NULL), 403, R_ROUTE, "no");
	rig_answer(client, 403);
	/* But not for ever. */
	rig_policy_dies();
	usleep(50000);
	rig_put(client, SCENE_GET);
	scene_refused(client, 503, "policy-down");
	close(client);
}
END_TEST

START_TEST(too_many_rounds)
{
	struct scene s = scene_asked();

	for (int i = 0; i < PROTO_ROUNDS_MAX; i++) {
		scene_need_facts(s.id, FACT_PATH, "/", NULL);
		scene_want_facts(s.id);
	}
	scene_need_facts(s.id, FACT_PATH, "/", NULL);
	scene_refused(s.client, 502, "budget");
	rig_expect(PROTO_CANCEL);
	close(s.client);
}
END_TEST

START_TEST(master_goes)
{
	struct scene s = scene_relays_body();

	close(rig.master);
	ck_assert_int_eq(rig_wait(), 0);
	close(s.client);
	close(s.daemon);
}
END_TEST

Suite *
faults_suite(void)
{
	Suite *suite = suite_create("faults");
	TCase *tc = tcase_create("faults");

	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, rig_start, rig_stop);
	tcase_add_loop_test(tc, policyd_dies, 0, STAGES);
	tcase_add_loop_test(tc, daemon_dies, 0, STAGES);
	tcase_add_loop_test(tc, client_vanishes, 0, STAGES);
	tcase_add_loop_test(tc, client_vanishes_unread, 0, STAGES);
	tcase_add_test(tc, client_half_closes);
	tcase_add_loop_test(tc, body_ends_early, 0, 3);
	tcase_add_test(tc, body_framing_breaks);
	tcase_add_loop_test(tc, policyd_breaks_the_contract, 0, 7);
	tcase_add_test(tc, unknown_ids_are_late_words);
	tcase_add_test(tc, requests_wait_for_a_new_policyd);
	tcase_add_test(tc, too_many_rounds);
	tcase_add_test(tc, master_goes);
	suite_add_tcase(suite, tc);
	return suite;
}
