/*
 * What a worker can no longer do: each forbidden thing is tried by a child
 * that confined itself as the worker does.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sched.h>
#include <unistd.h>

#include <check.h>

#include "tree.h"
#include "worker/confine.h"

Suite	*confine_suite(void);

static struct settings settings;

/* Errno of what was tried, or 0 when it worked. */
static int
try_exec(void)
{
	char *argv[] = { (char[]){ "true" }, NULL };

	execv("/bin/true", argv);
	return errno;
}

static int
try_inet(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int
try_netlink(void)
{
	return socket(AF_NETLINK, SOCK_RAW, 0) < 0 ? errno : 0;
}

static int
try_unix(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int
try_mount(void)
{
	return mount("none", "/mnt", "tmpfs", 0, NULL) != 0 ? errno : 0;
}

static int
try_unshare(void)
{
	return unshare(CLONE_NEWUSER) != 0 ? errno : 0;
}

static int
try_keyring(void)
{
	return syscall(SYS_keyctl, 0, -3, 0) < 0 ? errno : 0;
}

static int
try_read(void)
{
	int fd = open("/etc/passwd", O_RDONLY);

	return fd < 0 ? errno : 0;
}

static int
try_make_below(void)
{
	return mkdir(tree_path("root/new"), 0755) != 0 ? errno : 0;
}

static int
try_core(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_CORE, &limit);
	return limit.rlim_max == 0 && prctl(PR_GET_DUMPABLE) == 0 &&
	    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : EINVAL;
}

#ifndef SANITIZED
static int
try_ptrace(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 ? errno : 0;
}

static int
try_write(void)
{
	int fd = open(tree_path("root/file"), O_WRONLY);

	return fd < 0 ? errno : 0;
}

static int
try_create(void)
{
	int fd = open(tree_path("root/created"), O_WRONLY | O_CREAT, 0600);

	return fd < 0 ? errno : 0;
}

static int
try_make_outside(void)
{
	return mkdir(tree_path("outside"), 0755) != 0 ? errno : 0;
}

static int
try_unlink(void)
{
	return unlink(tree_path("root/file")) != 0 ? errno : 0;
}

static int
try_link(void)
{
	return symlink("x", tree_path("root/link")) != 0 ? errno : 0;
}
#endif

static const struct {
	const char	*what;
	int		(*attempt)(void);
	int		 wanted;
	bool		 by_landlock;	/* not every kernel has it */
} rows[] = {
	{ "exec", try_exec, EPERM, false },
	{ "a socket of AF_INET", try_inet, EPERM, false },
	{ "a socket of AF_NETLINK", try_netlink, EPERM, false },
	{ "mount", try_mount, EPERM, false },
	{ "unshare", try_unshare, EPERM, false },
	{ "the keyring", try_keyring, EPERM, false },
#ifndef SANITIZED
	{ "ptrace", try_ptrace, EPERM, false },
	{ "writing a file", try_write, EACCES, true },
	{ "making a file", try_create, EACCES, true },
	{ "a directory outside", try_make_outside, EACCES, true },
	{ "unlink", try_unlink, EACCES, true },
	{ "symlink", try_link, EACCES, true },
#endif
	/* What it needs. */
	{ "a socket of AF_UNIX", try_unix, 0, false },
	{ "reading", try_read, 0, false },
	{ "a directory below a root", try_make_below, 0, false },
	{ "no core, no dump, no privileges", try_core, 0, false },
};

static bool
has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0;
}

static int
attempt_confined(int (*attempt)(void))
{
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		confine_early();
		confine(&settings);
		_exit(attempt());
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

START_TEST(confined)
{
	int got;

	if (rows[_i].by_landlock && !has_landlock())
		return;
#ifdef WITHOUT_SECCOMP
	if (rows[_i].wanted == EPERM)
		return;
#endif
	got = attempt_confined(rows[_i].attempt);
	if (got != rows[_i].wanted)
		ck_abort_msg("%s: %s", rows[_i].what, strerror(got));
}
END_TEST

static void
setup(void)
{
	tree_make();
	tree_dir("root");
	tree_file("root/file", "x");
	memset(&settings, 0, sizeof(settings));
	settings.root_count = 1;
	settings.root[0].path = strdup(tree_path("root"));
}

static void
teardown(void)
{
	free(settings.root[0].path);
	tree_remove();
}

Suite *
confine_suite(void)
{
	Suite *suite = suite_create("confine");
	TCase *tc = tcase_create("confine");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, confined, 0, sizeof(rows) / sizeof(*rows));
	suite_add_tcase(suite, tc);
	return suite;
}
