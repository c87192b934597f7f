/*
 * Sockets: bound, handed over, replaced, taken away again; and sd_notify.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "common/platform.h"
#include "master/listen.h"
#include "master/notify.h"
#include "test/unit/tree.h"

static struct listeners listeners;
static struct activation given;
static struct rundir rundir;
static struct fault fault;

static void
set_up(void)
{
	tree_make();
	memset(&fault, 0, sizeof(fault));
	given = (struct activation){ { -1, -1 }, -1, 0 };
	snprintf(rundir.path, sizeof(rundir.path), "%s", tree_path(""));
	rundir.fd = open(rundir.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(fchdir(rundir.fd), 0);
}

static void
tear_down(void)
{
	rundir_close(&rundir);
	tree_remove();
}

static int
open_all(void)
{
	return listen_open(&listeners, &given, &rundir, &fault);
}

static bool
is_socket(const char *name)
{
	struct stat st;

	return lstat(tree_path(name), &st) == 0 && S_ISSOCK(st.st_mode) &&
	    (st.st_mode & 07777) == 0600;
}

/* A socket of somebody's under the name: bound, and listening when asked. */
static int
make_socket(const char *name, int type, bool listens)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type, 0);

	strncpy(at.sun_path, name, sizeof(at.sun_path) - 1);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	if (listens)
		ck_assert_int_eq(listen(fd, 5), 0);
	return fd;
}

/* Who listens under the name, or -1. */
static pid_t
dial(const char *name)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	pid_t pid = -1;
	uid_t uid;

	strncpy(to.sun_path, name, sizeof(to.sun_path) - 1);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		platform_peer(fd, &pid, &uid);
	close(fd);
	return pid;
}

START_TEST(bound)
{
	ck_assert_int_eq(listen_check(&fault), 0);
	ck_assert_int_eq(open_all(), 0);
	ck_assert(is_socket("docker.sock"));
	ck_assert(is_socket("podman.sock"));
	ck_assert(is_socket("control.sock"));
	ck_assert_str_eq(listeners.face[FACE_DOCKER].path,
	    tree_path("docker.sock"));
	ck_assert_int_eq(dial("podman.sock"), getpid());
	listen_close(&listeners);
	ck_assert_int_ne(access("docker.sock", F_OK), 0);
	ck_assert_int_ne(access("podman.sock", F_OK), 0);
	ck_assert_int_ne(access("control.sock", F_OK), 0);
}
END_TEST

START_TEST(what_stands_there_is_replaced)
{
	int stale = make_socket("docker.sock", SOCK_STREAM, false);
	int other;
	pid_t child = fork();

	/* An impostor of another process, alive and listening. */
	if (child == 0) {
		make_socket("podman.sock", SOCK_STREAM, true);
		pause();
	}
	for (int i = 0; i < 200 && dial("podman.sock") != child; i++)
		usleep(5000);
	other = dial("podman.sock");
	ck_assert_int_eq(other, child);
	close(stale);
	tree_file("control.sock", "a file");
	ck_assert_int_eq(open_all(), 0);
	ck_assert_int_eq(dial("docker.sock"), getpid());
	ck_assert_int_eq(dial("podman.sock"), getpid());
	ck_assert_int_eq(dial("control.sock"), getpid());
	kill(child, 9);
	waitpid(child, NULL, 0);
	listen_close(&listeners);
}
END_TEST

START_TEST(a_link_is_replaced_not_followed)
{
	tree_file("victim", "precious");
	tree_link("docker.sock", "victim");
	ck_assert_int_eq(open_all(), 0);
	ck_assert(is_socket("docker.sock"));
	ck_assert_str_eq(tree_read("victim"), "precious");
	listen_close(&listeners);
}
END_TEST

START_TEST(a_directory_is_refused)
{
	tree_dir("podman.sock");
	ck_assert_int_lt(open_all(), 0);
	ck_assert_ptr_nonnull(strstr(fault.text, "is in the way"));
	listen_close(&listeners);
}
END_TEST

START_TEST(a_successors_socket_is_left)
{
	ck_assert_int_eq(open_all(), 0);
	ck_assert(listen_is_intact(&listeners));
	ck_assert_int_eq(unlink("docker.sock"), 0);
	ck_assert(!listen_is_intact(&listeners));
	close(make_socket("docker.sock", SOCK_STREAM, true));
	ck_assert(!listen_is_intact(&listeners));
	listen_close(&listeners);
	ck_assert_int_eq(access("docker.sock", F_OK), 0);
	ck_assert_int_ne(access("podman.sock", F_OK), 0);
}
END_TEST

/* ---- socket activation ---------------------------------------------------- */

/* Puts fds at 3, 4, ... and says so in the environment, in a child. */
static int
activated(const int *fds, int count, const char *names, int (*run)(void))
{
	pid_t child = fork();
	char text[16];
	int status;

	if (child == 0) {
		for (int i = 0; i < count; i++) {
			int parked = fcntl(fds[i], F_DUPFD, 100);

			dup2(parked, ACTIVATE_FIRST + i);
		}
		snprintf(text, sizeof(text), "%d", (int)getpid());
		setenv("LISTEN_PID", text, 1);
		snprintf(text, sizeof(text), "%d", count);
		setenv("LISTEN_FDS", text, 1);
		if (names != NULL)
			setenv("LISTEN_FDNAMES", names, 1);
		rundir.fd = open(rundir.path, O_RDONLY | O_DIRECTORY);
		_exit(run());
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int
take_and_serve(void)
{
	if (activate_take(&given, &fault) != 0 || open_all() != 0)
		return 1;
	if (getenv("LISTEN_FDS") != NULL || getenv("LISTEN_PID") != NULL ||
	    getenv("LISTEN_FDNAMES") != NULL)
		return 2;
	/* The peer that clients see is this process, not who bound it. */
	if (dial("given") != getpid() || dial("podman.sock") != getpid())
		return 3;
	if (strcmp(listeners.face[FACE_DOCKER].path, "given") != 0 ||
	    (fcntl(listeners.face[FACE_DOCKER].fd, F_GETFD) & FD_CLOEXEC) == 0)
		return 4;
	if (!listen_is_intact(&listeners))
		return 6;
	listen_close(&listeners);
	/* What another bound, another removes. */
	return access("given", F_OK) == 0 ? 0 : 5;
}

START_TEST(handed_over_by_name)
{
	int fd = make_socket("given", SOCK_STREAM, true);

	ck_assert_int_eq(activated(&fd, 1, "docker", take_and_serve), 0);
	ck_assert_int_eq(activated(&fd, 1, "docker.sock", take_and_serve), 0);
	/* Refused: what is not known is not kept open. */
	ck_assert_int_eq(activated(&fd, 1, "other", take_and_serve), 1);
	ck_assert_int_eq(activated(&fd, 1, NULL, take_and_serve), 1);
}
END_TEST

static int
take_all(void)
{
	if (activate_take(&given, &fault) != 0)
		return 1;
	return given.face[FACE_DOCKER] == 3 && given.face[FACE_PODMAN] == 4 &&
	    given.control == 5 && given.count == 3 ? 0 : 2;
}

START_TEST(handed_over_by_place)
{
	int fds[3];

	tree_dir("units");
	fds[0] = make_socket("units/docker.sock", SOCK_STREAM, true);
	fds[1] = make_socket("units/podman.sock", SOCK_STREAM, true);
	fds[2] = make_socket("units/x.sock", SOCK_STREAM, true);
	ck_assert_int_eq(activated(fds, 3, "a.socket:b.socket:control",
	    take_all), 0);
	ck_assert_int_eq(activated(fds, 3, "podman:podman:control", take_all),
	    1);
}
END_TEST

static int
refuse_all(void)
{
	return activate_take(&given, &fault) != 0 && fault.code ==
	    FAULT_FAILED ? 0 : 1;
}

START_TEST(handed_over_but_no_listening_socket)
{
	int datagram = make_socket("docker.sock", SOCK_DGRAM, false);
	int silent = make_socket("podman.sock", SOCK_STREAM, false);
	int file = open(tree_path(""), O_RDONLY);
	int inet = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_eq(activated(&datagram, 1, "docker", refuse_all), 0);
	ck_assert_int_eq(activated(&silent, 1, "docker", refuse_all), 0);
	ck_assert_int_eq(activated(&file, 1, "docker", refuse_all), 0);
	ck_assert_int_eq(activated(&inet, 1, "docker", refuse_all), 0);
	close(file);
	close(inet);
}
END_TEST

START_TEST(meant_for_another_process)
{
	setenv("LISTEN_PID", "1", 1);
	setenv("LISTEN_FDS", "1", 1);
	ck_assert_int_eq(activate_take(&given, &fault), 0);
	ck_assert_uint_eq(given.count, 0);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
}
END_TEST

START_TEST(notifications)
{
	char text[64];
	int fd;

	unsetenv("NOTIFY_SOCKET");
	ck_assert_int_eq(notify_send("READY=1"), 1);
	setenv("NOTIFY_SOCKET", "relative", 1);
	ck_assert_int_eq(notify_send("READY=1"), 1);
	setenv("NOTIFY_SOCKET", tree_path("nobody"), 1);
	ck_assert_int_eq(notify_send("READY=1"), -1);

	fd = make_socket("notify", SOCK_DGRAM, false);
	setenv("NOTIFY_SOCKET", tree_path("notify"), 1);
	ck_assert_int_eq(notify_send("READY=1"), 0);
	ck_assert_int_eq(recv(fd, text, sizeof(text), MSG_DONTWAIT), 7);
	ck_assert_int_eq(memcmp(text, "READY=1", 7), 0);
	close(fd);
}
END_TEST

START_TEST(notifications_by_abstract_name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	char text[64], name[64];
	int n = snprintf(name, sizeof(name), "@cg-unit-%d", (int)getpid());

	memcpy(at.sun_path + 1, name + 1, (size_t)n - 1);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at,
	    (socklen_t)(sizeof(sa_family_t) + (size_t)n)), 0);
	setenv("NOTIFY_SOCKET", name, 1);
	ck_assert_int_eq(notify_send("STOPPING=1"), 0);
	ck_assert_int_eq(recv(fd, text, sizeof(text), MSG_DONTWAIT), 10);
	close(fd);
}
END_TEST

Suite *listen_suite(void);

Suite *
listen_suite(void)
{
	Suite *s = suite_create("listen");
	TCase *c = tcase_create("listen");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, bound);
	tcase_add_test(c, what_stands_there_is_replaced);
	tcase_add_test(c, a_link_is_replaced_not_followed);
	tcase_add_test(c, a_directory_is_refused);
	tcase_add_test(c, a_successors_socket_is_left);
	tcase_add_test(c, handed_over_by_name);
	tcase_add_test(c, handed_over_by_place);
	tcase_add_test(c, handed_over_but_no_listening_socket);
	tcase_add_test(c, meant_for_another_process);
	tcase_add_test(c, notifications);
	tcase_add_test(c, notifications_by_abstract_name);
	suite_add_tcase(s, c);
	return s;
}
