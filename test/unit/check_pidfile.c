/*
 * The lock: taken, held by a gateway, held by somebody else, stale, and every
 * kind of thing that may stand under its name.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "master/identity.h"
#include "master/pidfile.h"
#include "test/unit/tree.h"

static struct pidfile mine;
static struct fault fault;
static pid_t holder;

static void
set_up(void)
{
	tree_make();
	memset(&fault, 0, sizeof(fault));
	mine.fd = -1;
	holder = 0;
}

static void
tear_down(void)
{
	pidfile_release(&mine);
	tree_remove();
}

static bool
yes(pid_t pid)
{
	(void)pid;
	return true;
}

static bool
no(pid_t pid)
{
	(void)pid;
	return false;
}

static int
take_as(struct pidfile *p, bool (*is_gateway)(pid_t))
{
	static const struct rundir nowhere = { .fd = -1 };
	static char path[512];

	strncpy(path, tree_path("pid"), sizeof(path) - 1);
	rundir_file(&nowhere, path, "", &p->at);
	return pidfile_take(p, is_gateway, &holder, &fault);
}

static int
take(bool (*is_gateway)(pid_t))
{
	return take_as(&mine, is_gateway);
}

/* A child that takes the lock and keeps it until it is killed. */
static pid_t
hold(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		if (take(no) == PIDFILE_TAKEN && write(ready[1], "x", 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void
end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

START_TEST(taken_and_released)
{
	char text[32];
	struct stat st;

	ck_assert_int_eq(take(no), PIDFILE_TAKEN);
	snprintf(text, sizeof(text), "%d\n", (int)getpid());
	ck_assert_str_eq(tree_read("pid"), text);
	ck_assert_int_eq(fcntl(mine.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	ck_assert_int_eq(fstat(mine.fd, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	pidfile_release(&mine);
	ck_assert_int_ne(access(tree_path("pid"), F_OK), 0);
}
END_TEST

START_TEST(held_by_a_gateway)
{
	pid_t pid = hold();

	ck_assert_int_eq(take(yes), PIDFILE_HELD);
	ck_assert_int_eq(holder, pid);
	ck_assert_int_eq(mine.fd, -1);
	end(pid);
	/* After kill -9 the next start works. */
	ck_assert_int_eq(take(yes), PIDFILE_TAKEN);
}
END_TEST

START_TEST(held_by_something_else)
{
	pid_t pid = hold();
	char text[32];

	ck_assert_int_eq(take(no), PIDFILE_TAKEN);
	snprintf(text, sizeof(text), "%d\n", (int)getpid());
	ck_assert_str_eq(tree_read("pid"), text);
	end(pid);
	ck_assert_str_eq(tree_read("pid"), text);
}
END_TEST

START_TEST(a_forged_pid_is_not_read)
{
	tree_file("pid", "1\n");
	ck_assert_int_eq(take(yes), PIDFILE_TAKEN);
}
END_TEST

START_TEST(a_child_does_not_inherit_it)
{
	pid_t child;
	int status;

	ck_assert_int_eq(take(no), PIDFILE_TAKEN);
	child = fork();
	if (child == 0) {
		struct pidfile other = { .fd = -1 };

		_exit(take_as(&other, yes) == PIDFILE_HELD &&
		    holder == getppid() ? 0 : 1);
	}
	waitpid(child, &status, 0);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(a_successor_keeps_its_file)
{
	ck_assert_int_eq(take(no), PIDFILE_TAKEN);
	ck_assert_int_eq(unlink(tree_path("pid")), 0);
	tree_file("pid", "successor\n");
	pidfile_release(&mine);
	ck_assert_str_eq(tree_read("pid"), "successor\n");
}
END_TEST

START_TEST(a_link_is_refused)
{
	tree_file("victim", "precious\n");
	tree_link("pid", "victim");
	ck_assert_int_lt(take(no), 0);
	ck_assert_ptr_nonnull(strstr(fault.text, "/pid is a symbolic link"));
	ck_assert_str_eq(tree_read("victim"), "precious\n");
}
END_TEST

START_TEST(a_hard_link_is_replaced)
{
	tree_file("victim", "precious\n");
	ck_assert_int_eq(link(tree_path("victim"), tree_path("pid")), 0);
	ck_assert_int_eq(take(no), PIDFILE_TAKEN);
	ck_assert_str_eq(tree_read("victim"), "precious\n");
}
END_TEST

START_TEST(a_fifo_is_replaced)
{
	ck_assert_int_eq(mkfifo(tree_path("pid"), 0600), 0);
	ck_assert_int_eq(take(no), PIDFILE_TAKEN);
}
END_TEST

START_TEST(a_directory_is_refused)
{
	tree_dir("pid");
	ck_assert_int_lt(take(no), 0);
	ck_assert_int_eq(fault.code, FAULT_FAILED);
}
END_TEST

START_TEST(a_strangers_file_is_replaced)
{
	tree_file("pid", "1\n");
	if (!tree_give("pid"))
		return;
	ck_assert_int_eq(take(no), PIDFILE_TAKEN);
}
END_TEST

START_TEST(identity)
{
	pid_t copy = fork(), other;

	if (copy == 0)
		for (;;)
			pause();
	other = fork();
	if (other == 0) {
		execl("/bin/sleep", "sleep", "60", (char *)NULL);
		_exit(1);
	}
	ck_assert(identity_is_gateway(getpid()));
	ck_assert(identity_is_gateway(copy));
	for (int i = 0; i < 100 && identity_is_gateway(other); i++)
		usleep(10000);
	ck_assert(!identity_is_gateway(other));
	ck_assert(!identity_is_gateway(0));
	ck_assert(!identity_is_gateway(1));
	end(copy);
	end(other);
}
END_TEST

Suite *pidfile_suite(void);

Suite *
pidfile_suite(void)
{
	Suite *s = suite_create("pidfile");
	TCase *c = tcase_create("pidfile");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, taken_and_released);
	tcase_add_test(c, held_by_a_gateway);
	tcase_add_test(c, held_by_something_else);
	tcase_add_test(c, a_forged_pid_is_not_read);
	tcase_add_test(c, a_child_does_not_inherit_it);
	tcase_add_test(c, a_successor_keeps_its_file);
	tcase_add_test(c, a_link_is_refused);
	tcase_add_test(c, a_hard_link_is_replaced);
	tcase_add_test(c, a_fifo_is_replaced);
	tcase_add_test(c, a_directory_is_refused);
	tcase_add_test(c, a_strangers_file_is_replaced);
	tcase_add_test(c, identity);
	suite_add_tcase(s, c);
	return s;
}
