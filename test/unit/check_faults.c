/*
 * Everything that goes wrong around the worker, at every stage of a request:
 * policyd dies or breaks the contract, the daemon dies or is not there, the
 * client vanishes, or sends what is no HTTP.
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
#include "rig.h"

#define GET	"GET /v1.41/info HTTP/1.1\r\nHost: d\r\n\r\n"
#define POST	"POST /c HTTP/1.1\r\nHost: d\r\nContent-Length: 10\r\n\r\n"
#define PUT	"PUT /c HTTP/1.1\r\nHost: d\r\n"
#define OK	"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"

Suite	*faults_suite(void);

static void
want_refusal(int client, int status, const char *key)
{
	const char *body = rig_answer(client, status);

	if (strstr(body, key) == NULL)
		ck_abort_msg("wanted %s, got %s", key, body);
}

/* The connection is as good as new. */
static void
want_alive(int client)
{
	rig_put(client, GET);
	rig_deny(rig_request(NULL), 403, R_ROUTE, "no");
	rig_answer(client, 403);
}

static void
need_facts(uint64_t id, int kind, const char *one, const char *two)
{
	struct buf b = BUF_INIT(1024 * 1024);
	static struct msg_need_facts m;

	m.count = two != NULL ? 2 : 1;
	m.ask[0] = (struct fact_ask){ (uint8_t)kind, str_from(one) };
	m.ask[1] = (struct fact_ask){ (uint8_t)kind, str_from(two) };
	msg_put_need_facts(&b, &m);
	rig_send(PROTO_NEED_FACTS, id, buf_str(&b));
	buf_free(&b);
}

static struct msg_facts *
want_facts(uint64_t id)
{
	static struct msg_facts m;
	struct rig_frame f = rig_expect(PROTO_FACTS);

	ck_assert_uint_eq(f.id, id);
	ck_assert_int_eq(msg_get_facts(f.payload, &m), 0);
	return &m;
}

/* Within a second of the client's going. */
static void
want_none_active(void)
{
	for (int i = 0; i < 20 && rig_ping().connections > 0; i++)
		usleep(50000);
	ck_assert_uint_eq(rig_ping().active, 0);
}

/* ---- a request at every stage ------------------------------------------- */

struct scene {
	int		 client;
	int		 daemon;	/* -1: none */
	uint64_t	 id;
};

static struct scene
asked(void)
{
	struct scene s = { rig_client(FACE_DOCKER), -1, 0 };

	rig_put(s.client, GET);
	s.id = rig_request(NULL);
	return s;
}

static struct scene
sends_body(void)
{
	struct scene s = { rig_client(FACE_DOCKER), -1, 0 };

	rig_put(s.client, POST "01234");
	s.id = rig_request(NULL);
	rig_need_body(s.id, 100);
	rig_expect(PROTO_BODY);
	return s;
}

static struct scene
looks_up(void)
{
	struct scene s = asked();

	need_facts(s.id, FACT_HTTP, "GET /a HTTP/1.1\r\nHost: d\r\n\r\n", NULL);
	s.daemon = rig_daemon();
	rig_head(s.daemon);
	return s;
}

static struct scene
forwarded(enum forward_response mode, int flags)
{
	struct scene s = asked();

	rig_forward(s.id, FORWARD_BODY_NONE, mode, flags, GET, "");
	s.daemon = rig_daemon();
	rig_want(s.daemon, GET);
	return s;
}

static struct scene
relays(void)
{
	return forwarded(FORWARD_RELAY, 0);
}

static struct scene
relays_body(void)
{
	struct scene s = relays();

	rig_put(s.daemon, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
	rig_head(s.client);
	rig_want(s.client, "abc");
	return s;
}

static struct scene
relays_chunks(void)
{
	struct scene s = relays();

	rig_put(s.daemon, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
	    "\r\n9\r\nabc");
	rig_head(s.client);
	rig_want(s.client, "9\r\nabc");
	return s;
}

static struct scene
uploads(void)
{
	struct scene s = { rig_client(FACE_DOCKER), -1, 0 };

	rig_put(s.client, POST "01234");
	s.id = rig_request(NULL);
	rig_forward(s.id, FORWARD_BODY_STREAM, FORWARD_RELAY, 0, PUT, "");
	s.daemon = rig_daemon();
	rig_head(s.daemon);
	rig_want(s.daemon, "01234");
	return s;
}

static struct scene
scans(void)
{
	struct scene s = { rig_client(FACE_DOCKER), -1, 0 };

	rig_put(s.client, POST "01234");
	s.id = rig_request(NULL);
	rig_forward(s.id, FORWARD_BODY_SCAN, FORWARD_RELAY, 0, PUT, "");
	s.daemon = rig_daemon();
	rig_head(s.daemon);
	rig_expect(PROTO_BODY);
	return s;
}

static struct scene
judges(void)
{
	return forwarded(FORWARD_JUDGE, 0);
}

static struct scene
judges_part(void)
{
	struct scene s = judges();

	rig_put(s.daemon, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
	rig_want_silence(s.client);
	return s;
}

static struct scene
creates(void)
{
	return forwarded(FORWARD_JUDGE, FORWARD_CREATES);
}

static struct scene
confirms(void)
{
	struct scene s = creates();

	rig_put(s.daemon, "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n"
	    "{}");
	rig_expect(PROTO_RESPONSE);
	return s;
}

static struct scene
confirms_list(void)
{
	struct scene s = judges();

	rig_put(s.daemon, OK);
	rig_expect(PROTO_RESPONSE);
	return s;
}

static struct scene
judges_lines(void)
{
	struct scene s = forwarded(FORWARD_JUDGE_LINES, 0);

	rig_put(s.daemon, "HTTP/1.1 200 OK\r\n\r\n{1}\n");
	rig_head(s.client);
	rig_expect(PROTO_RESPONSE);
	return s;
}

static struct scene
tunnels(void)
{
	struct scene s = forwarded(FORWARD_HIJACK, 0);

	rig_put(s.daemon, "HTTP/1.1 101 UPGRADED\r\nUpgrade: tcp\r\n\r\n");
	rig_head(s.client);
	return s;
}

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
	{ asked, true, 503, "policy-down", LIVES, NULL },
	{ sends_body, true, 503, "policy-down", LIVES, NULL },
	{ looks_up, true, 503, "policy-down", LIVES, NULL },
	{ relays, false, LIVES, NULL, 502, "backend-answer" },
	{ relays_body, false, LIVES, NULL, ENDS, NULL },
	{ relays_chunks, false, LIVES, NULL, ENDS, NULL },
	{ uploads, false, LIVES, NULL, 502, "backend-answer" },
	{ scans, true, 503, "policy-down", 502, "backend-answer" },
	{ judges, true, 503, "policy-down", 502, "backend-answer" },
	{ judges_part, true, 503, "policy-down", 502, "backend-answer" },
	{ creates, true, LIVES, NULL, 502, "backend-answer" },
	{ confirms, true, 502, "not-confirmed", LIVES, NULL },
	{ confirms_list, true, 503, "policy-down", LIVES, NULL },
	{ judges_lines, true, ENDS, NULL, LIVES, NULL },
	{ tunnels, false, LIVES, NULL, ENDS, NULL },
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
		want_refusal(s->client, outcome, key);
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
		if (stage->begin == sends_body || stage->begin == scans)
			rig_put(s.client, "56789");
		want_alive(s.client);
	}
	close(s.client);
	want_none_active();
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
	if (stage->begin == looks_up) {
		ck_assert_uint_eq(want_facts(s.id)->fact[0].status, 0);
		rig_deny(s.id, 502, R_FACTS, "facts");
		want_refusal(s.client, 502, "facts");
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
	if (stage->begin == tunnels || stage->begin == uploads) {
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
	want_none_active();
	ck_assert_uint_eq(rig_ping().connections, 0);
}
END_TEST

/* A client that shut down its writing after the request is served. */
START_TEST(client_half_closes)
{
	struct scene s = asked();

	shutdown(s.client, SHUT_WR);
	usleep(900000);
	rig_forward(s.id, FORWARD_BODY_NONE, FORWARD_RELAY, 0, GET, "");
	s.daemon = rig_daemon();
	rig_want(s.daemon, GET);
	usleep(900000);
	rig_put(s.daemon, OK);
	ck_assert_str_eq(rig_answer(s.client, 200), "[]");
	rig_want_eof(s.client);
	close(s.client);
	close(s.daemon);
}
END_TEST

START_TEST(body_ends_early)
{
	struct scene s = _i == 0 ? sends_body() : _i == 1 ? uploads() :
	    scans();

	shutdown(s.client, SHUT_WR);
	want_refusal(s.client, 400, "ended early");
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
	want_refusal(client, 400, "framing");
	rig_expect(PROTO_CANCEL);
	rig_want_eof(client);
	close(client);
}
END_TEST

/* ---- policyd out of contract -------------------------------------------- */

START_TEST(policyd_breaks_the_contract)
{
	struct scene s = asked();
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
	want_refusal(s.client, 503, "policy-down");
	ck_assert(rig_is_gone(rig.policy));
	/* policyd lives: master would not know. */
	rig_master_expect(PROTO_RECHANNEL);
	rig_policy_new();
	want_alive(s.client);
	close(s.client);
}
END_TEST

START_TEST(unknown_ids_are_late_words)
{
	struct scene s = asked();

	rig_deny(4711, 403, R_ROUTE, "who?");
	rig_deny(s.id, 403, R_ROUTE, "no");
	rig_answer(s.client, 403);
	want_alive(s.client);
	close(s.client);
}
END_TEST

START_TEST(requests_wait_for_a_new_policyd)
{
	int client = rig_client(FACE_DOCKER);

	rig_policy_dies();
	rig_put(client, GET);
	rig_want_silence(client);
	rig_policy_new();
	rig_deny(rig_request(NULL), 403, R_ROUTE, "no");
	rig_answer(client, 403);
	/* But not for ever. */
	rig_policy_dies();
	usleep(50000);
	rig_put(client, GET);
	want_refusal(client, 503, "policy-down");
	close(client);
}
END_TEST

START_TEST(too_many_rounds)
{
	struct scene s = asked();

	for (int i = 0; i < PROTO_ROUNDS_MAX; i++) {
		need_facts(s.id, FACT_PATH, "/", NULL);
		want_facts(s.id);
	}
	need_facts(s.id, FACT_PATH, "/", NULL);
	want_refusal(s.client, 502, "budget");
	rig_expect(PROTO_CANCEL);
	close(s.client);
}
END_TEST

/* ---- no daemon ---------------------------------------------------------- */

START_TEST(daemon_is_looked_for)
{
	struct scene s = asked();

	rig_daemon_stop();
	rig_forward(s.id, FORWARD_BODY_NONE, FORWARD_RELAY, 0, GET, "");
	rig_master_expect(PROTO_REDISCOVER);
	rig_want_silence(s.client);
	if (_i == 0) {
		rig_daemon_start();
		rig_backends(rig.backend, BACKEND_DOCKER, 41);
		s.daemon = rig_daemon();
		rig_want(s.daemon, GET);
		rig_put(s.daemon, OK);
		rig_answer(s.client, 200);
	} else if (_i == 1) {
		rig_backends(rig.backend, BACKEND_DOCKER, 41);
		want_refusal(s.client, 503, rig.backend);
	} else {
		/* Another daemon than the one that was judged for. */
		rig_daemon_start();
		rig_backends(rig.backend, BACKEND_PODMAN, 41);
		want_refusal(s.client, 503, "backend-down");
	}
	close(s.client);
}
END_TEST

START_TEST(no_daemon_known)
{
	int client = rig_client(FACE_DOCKER);

	rig_backends("", BACKEND_NONE, 0);
	rig_ping();
	rig_put(client, GET);
	rig_master_expect(PROTO_REDISCOVER);
	rig_expect_nothing();
	rig_backends("", BACKEND_NONE, 0);
	want_refusal(client, 503, "no docker or podman daemon was found");
	/* Late daemons are found. */
	rig_put(client, GET);
	rig_master_expect(PROTO_REDISCOVER);
	rig_backends(rig.backend, BACKEND_DOCKER, 41);
	rig_deny(rig_request(NULL), 403, R_ROUTE, "no");
	rig_answer(client, 403);
	close(client);
}
END_TEST

START_TEST(facts_look_for_the_daemon)
{
	struct scene s = asked();

	rig_daemon_stop();
	need_facts(s.id, FACT_HTTP, "GET /a HTTP/1.1\r\n\r\n",
	    "GET /b HTTP/1.1\r\n\r\n");
	rig_master_expect(PROTO_REDISCOVER);
	if (_i == 0) {
		struct msg_facts *m;

		rig_daemon_start();
		rig_backends(rig.backend, BACKEND_DOCKER, 41);
		for (int i = 0; i < 2; i++) {
			s.daemon = rig_daemon();
			rig_head(s.daemon);
			rig_put(s.daemon, OK);
			rig_want_eof(s.daemon);
			close(s.daemon);
		}
		m = want_facts(s.id);
		ck_assert_uint_eq(m->fact[0].status, 200);
		ck_assert_uint_eq(m->fact[1].status, 200);
	} else {
		rig_backends(rig.backend, BACKEND_DOCKER, 41);
		want_refusal(s.client, 503, rig.backend);
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
		{ OK, 200, "[]" },
		{ "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n"
		  "2\r\n{\"\r\n3\r\na\"}\r\n0\r\n\r\n", 404, "{\"a\"}" },
		{ "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nall",
		  200, "all" },
		{ "HTTP/1.1 204 No Content\r\n\r\n", 204, "" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", 0, "" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
		  "2\r\nab\r\n", 0, "" },
		{ "no HTTP at all\r\n\r\n", 0, "" },
		{ "", 0, "" },
	};
	struct scene s = asked();
	struct msg_facts *m;

	need_facts(s.id, FACT_HTTP, "GET /a HTTP/1.1\r\nHost: d\r\n\r\n", NULL);
	s.daemon = rig_daemon();
	rig_want(s.daemon, "GET /a HTTP/1.1\r\nHost: d\r\n\r\n");
	/* In pieces. */
	for (const char *c = rows[_i].answer; *c != '\0'; c += strlen(c) < 7 ?
	    strlen(c) : 7) {
		rig_put_bytes(s.daemon, c, strlen(c) < 7 ? strlen(c) : 7);
		usleep(1000);
	}
	close(s.daemon);
	m = want_facts(s.id);
	ck_assert_uint_eq(m->fact[0].status, (unsigned)rows[_i].status);
	ck_assert(str_is(m->fact[0].text, rows[_i].body));
	rig_deny(s.id, 403, R_ROUTE, "no");
	rig_answer(s.client, 403);
	close(s.client);
}
END_TEST

START_TEST(fact_too_large)
{
	struct scene s = asked();
	char *bytes = calloc(1, PROTO_FACT_MAX + 1);

	ck_assert_ptr_nonnull(bytes);
	need_facts(s.id, FACT_HTTP, "GET /a HTTP/1.1\r\nHost: d\r\n\r\n", NULL);
	s.daemon = rig_daemon();
	rig_head(s.daemon);
	if (fork() == 0) {
		rig_put(s.daemon, "HTTP/1.1 200 OK\r\n\r\n");
		for (int i = 0; i < 64 && send(s.daemon, bytes, 65537,
		    MSG_NOSIGNAL) > 0; i++)
			;
		_exit(0);
	}
	ck_assert_uint_eq(want_facts(s.id)->fact[0].status, 0);
	free(bytes);
	close(s.client);
}
END_TEST

START_TEST(facts_take_their_time)
{
	struct scene s = asked();
	struct msg_facts *m;

	need_facts(s.id, FACT_HTTP, "GET /a HTTP/1.1\r\n\r\n",
	    "GET /b HTTP/1.1\r\n\r\n");
	for (int i = 0; i < 2; i++) {
		s.daemon = rig_daemon();
		if (strstr(rig_head(s.daemon), "/b") != NULL)
			rig_put(s.daemon, OK);
	}
	sleep(6);
	rig_want_silence(rig.policy);
	m = want_facts(s.id);
	ck_assert_uint_eq(m->fact[0].status, 0);
	ck_assert_uint_eq(m->fact[1].status, 200);
	close(s.client);
}
END_TEST

START_TEST(facts_about_paths)
{
	struct scene s = asked();
	struct msg_facts *m;
	char missing[128], inside[128];

	snprintf(missing, sizeof(missing), "%s/a/b", rig.dir);
	snprintf(inside, sizeof(inside), "%s/docker.sock", rig.dir);
	need_facts(s.id, FACT_PATH, missing, inside);
	m = want_facts(s.id);
	ck_assert_uint_eq(m->fact[0].path_kind, PATH_MISSING);
	ck_assert(str_is(m->fact[0].text, missing));
	ck_assert_uint_eq(m->fact[1].path_kind, PATH_SOCKET);
	ck_assert(str_is(m->fact[1].text, inside));
	need_facts(s.id, EFFECT_MKDIR, missing, "/tmp/not-below-a-root");
	m = want_facts(s.id);
	ck_assert_uint_eq(m->fact[0].status, 200);
	ck_assert_uint_eq(m->fact[1].status, 0);
	ck_assert_int_ne(access("/tmp/not-below-a-root", F_OK), 0);
	ck_assert_int_eq(rmdir(missing), 0);
	*strrchr(missing, '/') = '\0';
	ck_assert_int_eq(rmdir(missing), 0);
	close(s.client);
}
END_TEST

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
	want_refusal(client, heads[_i].status, "container-gateway: ");
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
	want_refusal(client, 431, "head-too-large");
	rig_want_eof(client);
	close(client);
	client = rig_client(FACE_DOCKER);
	memset(field, 'a', 69999);
	rig_put(client, "GET / HTTP/1.1\r\nHost: d\r\nX: ");
	rig_put(client, field);
	rig_put(client, "\r\n\r\n");
	want_refusal(client, 400, "bad-request");
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
	want_refusal(client, 400, "bad-request");
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
	want_refusal(client, 400, "bad-request");
	rig_want_eof(client);
	want_alive(idle);
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

		want_alive(client);
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
		struct scene s = forwarded((enum forward_response)(i % 4), 0);

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
		s = relays();
		rig_put(s.daemon, OK);
		rig_answer(s.client, 200);
		break;
	case 1:
		s = asked();
		rig_deny(s.id, 403, R_ROUTE, "no");
		rig_answer(s.client, 403);
		break;
	case 2:
		s = looks_up();
		break;
	case 3:
		s = tunnels();
		break;
	case 4:
		s = uploads();
		break;
	case 5:
		s = judges_lines();
		break;
	case 6:
		s = confirms();
		break;
	default:
		s = relays_chunks();
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
	want_alive(clients[0]);
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
		s[i] = asked();
		rig_forward(s[i].id, FORWARD_BODY_NONE, FORWARD_RELAY, 0, GET,
		    "");
	}
	usleep(200000);
	for (int i = 0; i < N; i++) {
		int daemon = rig_daemon();

		rig_want(daemon, GET);
		rig_put(daemon, OK);
		close(daemon);
	}
	for (int i = 0; i < N; i++) {
		rig_answer(s[i].client, 200);
		close(s[i].client);
	}
}
END_TEST

START_TEST(master_goes)
{
	struct scene s = relays_body();

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
	tcase_add_loop_test(tc, daemon_is_looked_for, 0, 3);
	tcase_add_test(tc, no_daemon_known);
	tcase_add_loop_test(tc, facts_look_for_the_daemon, 0, 2);
	tcase_add_loop_test(tc, facts_over_http, 0, 8);
	tcase_add_test(tc, fact_too_large);
	tcase_add_test(tc, facts_take_their_time);
	tcase_add_test(tc, facts_about_paths);
	tcase_add_loop_test(tc, bad_heads, 0, sizeof(heads) / sizeof(*heads));
	tcase_add_test(tc, head_too_large);
	tcase_add_test(tc, head_ends_early);
	tcase_add_test(tc, slow_head);
	tcase_add_loop_test(tc, garbage, 0, 3);
	tcase_add_test(tc, garbage_from_the_daemon);
	tcase_add_test(tc, no_descriptor_is_lost);
	tcase_add_test(tc, out_of_descriptors);
	tcase_add_test(tc, full_daemon_backlog);
	tcase_add_test(tc, master_goes);
	suite_add_tcase(suite, tc);
	return suite;
}
