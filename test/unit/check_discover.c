/*
 * Probes, and the choice of a daemon, against stub daemons that answer as
 * docker and podman do.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>
#include <event2/event.h>

#include "common/log.h"
#include "master/discover.h"
#include "master/probe.h"
#include "test/unit/tree.h"

#define DOCKER	"HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nContent-Length: 2\r\n" \
		"Server: Docker/20.10.24+dfsg1 (linux)\r\n\r\nOK"
#define PODMAN	"HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\n" \
		"Libpod-Api-Version: 4.3.1\r\n" \
		"Server: Libpod/4.3.1 (linux)\r\n\r\nOK"

static struct discovery discovery;
static struct event_base *base;
static struct fault fault;
static pid_t stubs[8];
static int stub_count, found_calls;
static bool found_changed;

static void
on_found(void *arg, bool changed)
{
	(void)arg;
	found_calls++;
	found_changed = changed;
	event_base_loopbreak(base);
}

static void
set_up(void)
{
	tree_make();
	/* Nothing of this machine's own daemons gets in. */
	setenv("HOME", tree_path(""), 1);
	setenv("XDG_RUNTIME_DIR", tree_path("run"), 1);
	log_init("unit", LOG_ERROR);
	base = event_base_new();
	memset(&discovery, 0, sizeof(discovery));
	memset(&fault, 0, sizeof(fault));
	stub_count = found_calls = 0;
	discover_init(&discovery, base, on_found, NULL);
}

static void
tear_down(void)
{
	discover_stop(&discovery);
	event_base_free(base);
	for (int i = 0; i < stub_count; i++) {
		kill(stubs[i], SIGKILL);
		waitpid(stubs[i], NULL, 0);
	}
	tree_remove();
}

/* A daemon at the name that answers each connection so; NULL: never. */
static void
stub(const char *name, const char *answer)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char request[1024];
	int ready[2];

	strncpy(at.sun_path, tree_path(name), sizeof(at.sun_path) - 1);
	unlink(at.sun_path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(pipe(ready), 0);
	stubs[stub_count] = fork();
	if (stubs[stub_count] == 0) {
		/* Whoever listens is the peer that a probe sees. */
		if (listen(fd, 8) != 0 || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;) {
			int client = accept(fd, NULL, NULL);

			if (answer == NULL)
				continue;
			if (read(client, request, sizeof(request)) > 0 &&
			    write(client, answer, strlen(answer)) < 0)
				_exit(1);
			close(client);
		}
	}
	ck_assert_int_eq(read(ready[0], request, 1), 1);
	close(ready[0]);
	close(ready[1]);
	stub_count++;
	close(fd);
}

static void
unstub(void)
{
	kill(stubs[0], SIGKILL);
	waitpid(stubs[0], NULL, 0);
	stub_count--;
	memmove(stubs, stubs + 1, sizeof(stubs) - sizeof(*stubs));
}

static void
candidates(const char *one, const char *two)
{
	struct option_list list = { .count = two != NULL ? 2 : one != NULL,
		.text = { one, two } };

	ck_assert_int_eq(candidate_list(&discovery.candidates, &list, &fault),
	    0);
}

static void
search(void)
{
	int before = found_calls;

	discover_search(&discovery);
	if (found_calls == before)
		event_base_dispatch(base);
	ck_assert_int_eq(found_calls, before + 1);
}

static void
face_is(int face, uint8_t kind, const char *name, bool reachable)
{
	const struct discover_face *f = &discovery.face[face];

	ck_assert_uint_eq(f->is.kind, kind);
	ck_assert_msg(str_is(f->is.path, tree_path(name)), "%.*s",
	    STR_FMT(f->is.path));
	ck_assert_int_eq(f->is_reachable, reachable);
}

/* ---- answers -------------------------------------------------------------- */

static const struct {
	const char *head;
	int kind;		/* -1: not a daemon */
	unsigned minor, libpod[3];
} heads[] = {
	{ DOCKER, BACKEND_DOCKER, 41, { 0 } },
	{ PODMAN, BACKEND_PODMAN, 41, { 4, 3, 1 } },
	{ "HTTP/1.1 200 OK\r\napi-version:1.53 \r\n\r\n", BACKEND_DOCKER, 53,
	  { 0 } },
	{ "HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nLibpod-API-Version: "
	  "5.4.2-dev\r\n\r\n", BACKEND_PODMAN, 41, { 5, 4, 2 } },
	{ "HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nLibpod-API-Version: 5.0"
	  "\r\n\r\n", BACKEND_PODMAN, 41, { 5, 0, 0 } },
	{ "HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nLibpod-API-Version: x"
	  "\r\n\r\n", -1, 0, { 0 } },
	{ "HTTP/1.1 200 OK\r\n\r\nOK", -1, 0, { 0 } },
	{ "HTTP/1.1 200 OK\r\nApi-Version: one\r\n\r\n", -1, 0, { 0 } },
	{ "HTTP/1.1 200 OK\r\nApi-Version: 1\r\n\r\n", -1, 0, { 0 } },
	{ "HTTP/1.1 500 Oops\r\nApi-Version: 1.41\r\n\r\n", -1, 0, { 0 } },
	{ "SSH-2.0-OpenSSH_9.2\r\n", -1, 0, { 0 } },
	{ "", -1, 0, { 0 } },
};

START_TEST(parsing)
{
	struct backend is;
	int error = discover_parse(str_from(heads[_i].head), &is);

	if (heads[_i].kind < 0) {
		ck_assert_int_lt(error, 0);
		return;
	}
	ck_assert_int_eq(error, 0);
	ck_assert_int_eq(is.kind, heads[_i].kind);
	ck_assert_uint_eq(is.api_major, 1);
	ck_assert_uint_eq(is.api_minor, heads[_i].minor);
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(is.libpod[i], heads[_i].libpod[i]);
}
END_TEST

static int probe_error;
static size_t probe_len;

static void
on_probe(void *arg, int error, struct str head)
{
	(void)arg;
	probe_error = error;
	probe_len = head.len;
	event_base_loopbreak(base);
}

static int
probe(const char *name, uint32_t ms)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	strncpy(to.sun_path, tree_path(name), sizeof(to.sun_path) - 1);
	probe_error = -1;
	ck_assert_ptr_nonnull(probe_start(base, (struct sockaddr *)&to,
	    sizeof(to), STR("GET / HTTP/1.1\r\n\r\n"), ms, on_probe, NULL));
	ck_assert_int_eq(probe_error, -1);
	event_base_dispatch(base);
	return probe_error;
}

START_TEST(probe_outcomes)
{
	static char endless[20000];
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int own = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(probe("nobody", 1000), ENOENT);
	stub("mute", NULL);
	ck_assert_int_eq(probe("mute", 50), ETIMEDOUT);
	stub("good", DOCKER);
	ck_assert_int_eq(probe("good", 1000), 0);
	ck_assert_uint_eq(probe_len, strlen(DOCKER) - 2);
	memset(endless, 'x', sizeof(endless) - 1);
	stub("endless", endless);
	ck_assert_int_eq(probe("endless", 1000), 0);
	ck_assert_uint_eq(probe_len, PROBE_HEAD_MAX);
	stub("silent", "");
	ck_assert_int_eq(probe("silent", 1000), 0);
	ck_assert_uint_eq(probe_len, 0);

	/* A candidate that is this very gateway. */
	strncpy(at.sun_path, tree_path("own"), sizeof(at.sun_path) - 1);
	ck_assert_int_eq(bind(own, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(own, 1), 0);
	ck_assert_int_eq(probe("own", 1000), ELOOP);
	close(own);
}
END_TEST

START_TEST(probe_cancelled)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	strncpy(to.sun_path, tree_path("nobody"), sizeof(to.sun_path) - 1);
	probe_error = -1;
	probe_cancel(probe_start(base, (struct sockaddr *)&to, sizeof(to),
	    STR("x"), 1000, on_probe, NULL));
	probe_cancel(NULL);
	event_base_loop(base, EVLOOP_NONBLOCK);
	ck_assert_int_eq(probe_error, -1);
}
END_TEST

/* ---- the choice ----------------------------------------------------------- */

static void
two(void)
{
	static char one[256], other[256];

	snprintf(one, sizeof(one), "docker=%s", tree_path("d"));
	snprintf(other, sizeof(other), "podman=%s", tree_path("p"));
	candidates(one, other);
}

START_TEST(nothing_there)
{
	two();
	search();
	ck_assert(found_changed == (discovery.face[0].is.path.len > 0));
	face_is(FACE_DOCKER, BACKEND_NONE, "d", false);
	face_is(FACE_PODMAN, BACKEND_NONE, "p", false);
	ck_assert_uint_eq(discovery.generation, 1);
	search();
	ck_assert(!found_changed);
	ck_assert_uint_eq(discovery.generation, 1);
}
END_TEST

START_TEST(both_there)
{
	struct msg_backends m;

	int fd = open(tree_path("log"), O_WRONLY | O_CREAT, 0600);

	log_init("unit", LOG_INFO);
	log_set_fd(fd);
	two();
	stub("d", DOCKER);
	stub("p", PODMAN);
	search();
	log_set_fd(STDERR_FILENO);
	close(fd);
	ck_assert_ptr_nonnull(strstr(tree_read("log"),
	    "event=backend face=docker kind=docker path="));
	ck_assert_ptr_nonnull(strstr(tree_read("log"), " api=1.41\n"));
	face_is(FACE_DOCKER, BACKEND_DOCKER, "d", true);
	face_is(FACE_PODMAN, BACKEND_PODMAN, "p", true);
	discover_fill(&discovery, &m);
	ck_assert_uint_eq(m.generation, 1);
	ck_assert_uint_eq(m.face[FACE_PODMAN].libpod[0], 4);
	ck_assert(str_is(m.face[FACE_DOCKER].path, tree_path("d")));
}
END_TEST

START_TEST(podman_serves_both_faces_where_it_is_alone)
{
	two();
	stub("p", PODMAN);
	search();
	face_is(FACE_DOCKER, BACKEND_PODMAN, "p", true);
	face_is(FACE_PODMAN, BACKEND_PODMAN, "p", true);
	/* A docker that comes later does not take over. */
	stub("d", DOCKER);
	search();
	ck_assert(!found_changed);
	face_is(FACE_DOCKER, BACKEND_PODMAN, "p", true);
}
END_TEST

START_TEST(docker_does_not_serve_podman)
{
	two();
	stub("d", DOCKER);
	stub("p", DOCKER);
	search();
	face_is(FACE_DOCKER, BACKEND_DOCKER, "d", true);
	face_is(FACE_PODMAN, BACKEND_NONE, "p", false);
}
END_TEST

START_TEST(docker_sock_that_is_podman)
{
	two();
	stub("d", PODMAN);
	search();
	face_is(FACE_DOCKER, BACKEND_PODMAN, "d", true);
	face_is(FACE_PODMAN, BACKEND_NONE, "p", false);
}
END_TEST

START_TEST(a_daemon_that_comes_late)
{
	two();
	search();
	stub("d", DOCKER);
	search();
	ck_assert(found_changed);
	face_is(FACE_DOCKER, BACKEND_DOCKER, "d", true);
	ck_assert_uint_eq(discovery.generation, 2);
}
END_TEST

START_TEST(a_daemon_that_goes_and_comes_back_newer)
{
	two();
	stub("d", DOCKER);
	search();
	unstub();
	search();
	/* What is known of it stays, for the words of the refusal. */
	ck_assert(!found_changed);
	face_is(FACE_DOCKER, BACKEND_DOCKER, "d", false);
	stub("d", "HTTP/1.1 200 OK\r\nApi-Version: 1.53\r\n\r\n");
	search();
	ck_assert(found_changed);
	face_is(FACE_DOCKER, BACKEND_DOCKER, "d", true);
	ck_assert_uint_eq(discovery.face[FACE_DOCKER].is.api_minor, 53);
	ck_assert_uint_eq(discovery.generation, 2);
}
END_TEST

START_TEST(the_kept_daemon_does_not_give_way)
{
	two();
	stub("d", DOCKER);
	stub("p", PODMAN);
	search();
	unstub();
	search();
	face_is(FACE_DOCKER, BACKEND_DOCKER, "d", false);
	face_is(FACE_PODMAN, BACKEND_PODMAN, "p", true);
}
END_TEST

START_TEST(searches_asked_for_meanwhile)
{
	two();
	stub("d", DOCKER);
	discover_search(&discovery);
	discover_search(&discovery);
	event_base_dispatch(base);
	ck_assert_int_eq(found_calls, 1);
}
END_TEST

/* ---- the gateway's own service --------------------------------------------- */

static int served;

static void
on_serve(void *arg)
{
	(void)arg;
	served++;
	event_base_loopbreak(base);
}

/* Both named sockets, and the service behind them. */
static void
with_service(void)
{
	struct candidate *c;

	two();
	c = &discovery.candidates.at[discovery.candidates.count++];
	c->kind = BACKEND_PODMAN;
	c->is_embedded = true;
	memcpy(c->path, BACKEND_EMBEDDED, sizeof(BACKEND_EMBEDDED));
	served = 0;
	discovery.serve = on_serve;
}

/* Somebody waits for the face: does that start the service? */
static bool
is_started_for(enum face face)
{
	int before = served, calls = found_calls;

	discover_need(&discovery, face);
	while (served == before && found_calls == calls)
		event_base_dispatch(base);
	return served > before;
}

static void
embedded_is(int face, uint8_t kind, bool reachable)
{
	const struct discover_face *f = &discovery.face[face];

	ck_assert_uint_eq(f->is.kind, kind);
	ck_assert(str_is(f->is.path, BACKEND_EMBEDDED));
	ck_assert_int_eq(f->is_reachable, reachable);
}

START_TEST(service_is_started_for_who_asks)
{
	with_service();
	search();
	ck_assert_int_eq(served, 0);
	embedded_is(FACE_DOCKER, BACKEND_NONE, false);
	embedded_is(FACE_PODMAN, BACKEND_NONE, false);
	ck_assert(is_started_for(FACE_DOCKER));
	ck_assert_int_eq(found_calls, 1);
	discover_served(&discovery, true, 0, STR(PODMAN), STR_NONE);
	ck_assert_int_eq(found_calls, 2);
	ck_assert(found_changed);
	embedded_is(FACE_DOCKER, BACKEND_PODMAN, true);
	embedded_is(FACE_PODMAN, BACKEND_PODMAN, true);
	ck_assert_uint_eq(discovery.face[FACE_PODMAN].is.libpod[0], 4);
	/* It was not reached: its keeper has to look. */
	ck_assert(is_started_for(FACE_PODMAN));
	discover_served(&discovery, true, 0, STR(PODMAN), STR_NONE);
	ck_assert(!found_changed);
}
END_TEST

START_TEST(service_is_not_started_beside_a_daemon)
{
	with_service();
	stub("d", DOCKER);
	search();
	ck_assert(!is_started_for(FACE_DOCKER));
	face_is(FACE_DOCKER, BACKEND_DOCKER, "d", true);
	/* That one is no podman. */
	ck_assert(is_started_for(FACE_PODMAN));
	discover_served(&discovery, true, 0, STR(PODMAN), STR_NONE);
	face_is(FACE_DOCKER, BACKEND_DOCKER, "d", true);
	embedded_is(FACE_PODMAN, BACKEND_PODMAN, true);
	/* docker.sock keeps its daemon, dead or alive. */
	unstub();
	ck_assert(!is_started_for(FACE_DOCKER));
	face_is(FACE_DOCKER, BACKEND_DOCKER, "d", false);
}
END_TEST

START_TEST(service_that_does_not_start)
{
	struct msg_backends m;

	with_service();
	search();
	ck_assert(is_started_for(FACE_PODMAN));
	discover_served(&discovery, true, ECONNREFUSED, STR_NONE, STR("why"));
	face_is(FACE_PODMAN, BACKEND_NONE, "p", false);
	discover_fill(&discovery, &m);
	ck_assert(str_is(m.note, "why"));
	/* The next who asks may have more luck. */
	ck_assert(is_started_for(FACE_PODMAN));
	discover_served(&discovery, true, 0, STR("HTTP/1.1 200 OK\r\n\r\n"),
	    STR_NONE);
	ck_assert_uint_eq(discovery.face[FACE_PODMAN].is.kind, BACKEND_NONE);
}
END_TEST

START_TEST(news_of_the_service)
{
	with_service();
	search();
	ck_assert(is_started_for(FACE_PODMAN));
	/* Not what was asked for. */
	discover_served(&discovery, false, ECONNREFUSED, STR_NONE,
	    STR("died"));
	ck_assert_int_eq(found_calls, 1);
	discover_served(&discovery, true, 0, STR(PODMAN), STR_NONE);
	ck_assert_int_eq(found_calls, 2);
	discover_served(&discovery, false, ECONNREFUSED, STR_NONE,
	    STR("died"));
	event_base_dispatch(base);
	ck_assert_int_eq(found_calls, 3);
	embedded_is(FACE_PODMAN, BACKEND_PODMAN, false);
	ck_assert_int_eq(served, 1);
}
END_TEST

Suite *discover_suite(void);

Suite *
discover_suite(void)
{
	Suite *s = suite_create("discover");
	TCase *c = tcase_create("discover");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_loop_test(c, parsing, 0, sizeof(heads) / sizeof(*heads));
	tcase_add_test(c, probe_outcomes);
	tcase_add_test(c, probe_cancelled);
	tcase_add_test(c, nothing_there);
	tcase_add_test(c, both_there);
	tcase_add_test(c, podman_serves_both_faces_where_it_is_alone);
	tcase_add_test(c, docker_does_not_serve_podman);
	tcase_add_test(c, docker_sock_that_is_podman);
	tcase_add_test(c, a_daemon_that_comes_late);
	tcase_add_test(c, a_daemon_that_goes_and_comes_back_newer);
	tcase_add_test(c, the_kept_daemon_does_not_give_way);
	tcase_add_test(c, searches_asked_for_meanwhile);
	tcase_add_test(c, service_is_started_for_who_asks);
	tcase_add_test(c, service_is_not_started_beside_a_daemon);
	tcase_add_test(c, service_that_does_not_start);
	tcase_add_test(c, news_of_the_service);
	suite_add_tcase(s, c);
	return s;
}
