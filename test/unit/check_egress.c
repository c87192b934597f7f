/*
 * The egress probe against stub proxies.  A daemon in a machine stands for the
 * case where loopback is what containers reach.
 */
#include <arpa/inet.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>
#include <event2/event.h>

#include "common/log.h"
#include "master/egress.h"

static struct event_base *base;
static struct discovery discovery;
static struct egress egress;
static pid_t proxy;
static int known_calls;
static bool known_changed;

static void
on_known(void *arg, bool changed)
{
	(void)arg;
	known_calls++;
	known_changed = changed;
	event_base_loopbreak(base);
}

static void
set_up(void)
{
	log_init("unit", LOG_ERROR);
	base = event_base_new();
	memset(&discovery, 0, sizeof(discovery));
	memset(&egress, 0, sizeof(egress));
	discovery.candidates.count = 1;
	discovery.candidates.at[0].place = CANDIDATE_MACHINE;
	discovery.face[FACE_DOCKER].is.kind = BACKEND_DOCKER;
	discovery.face[FACE_PODMAN].at = -1;
	egress.backends = &discovery;
	ck_assert_int_eq(egress_init(&egress, base, on_known, NULL), 0);
	proxy = 0;
	known_calls = 0;
}

static void
tear_down(void)
{
	egress_stop(&egress);
	event_base_free(base);
	if (proxy > 0) {
		kill(proxy, SIGKILL);
		waitpid(proxy, NULL, 0);
	}
}

/* A proxy on loopback that answers so, on a port of the kernel's choice. */
static void
start_proxy(const char *answer)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char request[512];

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	ck_assert_int_eq(listen(fd, 4), 0);
	egress.port = ntohs(at.sin_port);
	proxy = fork();
	while (proxy == 0) {
		int client = accept(fd, NULL, NULL);
		ssize_t n = read(client, request, sizeof(request));

		if (n < 8 || memcmp(request, "CONNECT ", 8) != 0 ||
		    write(client, answer, strlen(answer)) < 0)
			_exit(1);
		close(client);
	}
	close(fd);
}

static void
renew(void)
{
	int before = known_calls;

	egress_renew(&egress);
	if (known_calls == before)
		event_base_dispatch(base);
	ck_assert_int_eq(known_calls, before + 1);
}

START_TEST(any_http_answer_will_do)
{
	struct msg_egress m;

	start_proxy("HTTP/1.1 403 Forbidden\r\n\r\n");
	renew();
	ck_assert(known_changed);
	egress_fill(&egress, &m);
	ck_assert_uint_eq(m.answers[FACE_DOCKER], 1);
	ck_assert(str_starts(m.url[FACE_DOCKER],
	    "http://host.docker.internal:"));
	/* No daemon, no address, nothing to promise. */
	ck_assert_uint_eq(m.answers[FACE_PODMAN], 0);
	ck_assert_uint_eq(m.url[FACE_PODMAN].len, 0);
	renew();
	ck_assert(!known_changed);
}
END_TEST

START_TEST(not_a_proxy)
{
	start_proxy("220 smtp.example ESMTP\r\n");
	renew();
	ck_assert(!egress.face[FACE_DOCKER].answers);
}
END_TEST

START_TEST(gone_and_back)
{
	start_proxy("HTTP/1.0 200 OK\r\n\r\n");
	renew();
	ck_assert(egress.face[FACE_DOCKER].answers);
	kill(proxy, SIGKILL);
	waitpid(proxy, NULL, 0);
	proxy = 0;
	renew();
	ck_assert(known_changed);
	ck_assert(!egress.face[FACE_DOCKER].answers);
}
END_TEST

START_TEST(loopback_only)
{
	struct in_addr at;
	char host[64];

	/* A rootless podman's containers come in by the host's own address. */
	if (!egress_find_host(BACKEND_PODMAN, CANDIDATE_ROOTLESS, host, &at))
		return;
	ck_assert_str_eq(host, "host.containers.internal");
	discovery.candidates.at[0].place = CANDIDATE_ROOTLESS;
	discovery.face[FACE_DOCKER].is.kind = BACKEND_PODMAN;
	start_proxy("HTTP/1.1 403 Forbidden\r\n\r\n");
	renew();
	ck_assert(!egress.face[FACE_DOCKER].answers);
	ck_assert(egress.face[FACE_DOCKER].only_loopback);
}
END_TEST

/* What was asked is what is promised: no name that could mean another. */
START_TEST(native_podman)
{
	struct in_addr at, said;
	char host[64];

	if (!egress_find_host(BACKEND_PODMAN, CANDIDATE_NATIVE, host, &at))
		return;
	ck_assert_int_eq(inet_pton(AF_INET, host, &said), 1);
	ck_assert_uint_eq(said.s_addr, at.s_addr);
}
END_TEST

START_TEST(switched_off)
{
	egress.mode = EGRESS_OFF;
	renew();
	ck_assert(!known_changed);
	ck_assert_str_eq(egress.face[FACE_DOCKER].url, "");
}
END_TEST

START_TEST(asked_for_meanwhile)
{
	start_proxy("HTTP/1.1 403 Forbidden\r\n\r\n");
	egress_renew(&egress);
	egress_renew(&egress);
	event_base_dispatch(base);
	ck_assert_int_eq(known_calls, 1);
	/* A second round follows: the daemon may have changed in between. */
	event_base_dispatch(base);
	ck_assert_int_eq(known_calls, 2);
}
END_TEST

Suite *egress_suite(void);

Suite *
egress_suite(void)
{
	Suite *s = suite_create("egress");
	TCase *c = tcase_create("egress");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, any_http_answer_will_do);
	tcase_add_test(c, not_a_proxy);
	tcase_add_test(c, gone_and_back);
	tcase_add_test(c, loopback_only);
	tcase_add_test(c, native_podman);
	tcase_add_test(c, switched_off);
	tcase_add_test(c, asked_for_meanwhile);
	suite_add_tcase(s, c);
	return s;
}
