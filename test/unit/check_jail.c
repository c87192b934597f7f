/*
 * What policyd can no longer do: a child enters its jail and makes one call,
 * which must be its last.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "policyd/jail.h"

Suite	*jail_suite(void);

/* The filter of a sanitized build is wider: see jail.c. */
#if !defined(WITHOUT_SECCOMP) && !defined(SANITIZED)

static void
call_open(void)
{
	(void)open("/etc/passwd", O_RDONLY);
}

static void
call_socket(void)
{
	(void)socket(AF_UNIX, SOCK_STREAM, 0);
}

static void
call_exec(void)
{
	char *argv[] = { (char[]){ "true" }, NULL };

	execv("/bin/true", argv);
}

static void
call_fork(void)
{
	(void)syscall(SYS_fork);
}

static void
call_mkdir(void)
{
	(void)mkdir("/tmp/never", 0700);
}

static void
call_unlink(void)
{
	(void)unlink("/tmp/never");
}

static void
call_kill(void)
{
	(void)kill(getppid(), 0);
}

static void
call_ptrace(void)
{
	(void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static void
call_setuid(void)
{
	(void)syscall(SYS_setuid, 0);
}

static void
call_accept(void)
{
	(void)accept(0, NULL, NULL);
}

static void
call_connect(void)
{
	struct sockaddr address = { .sa_family = AF_UNIX };

	(void)connect(0, &address, sizeof(address));
}

static void
call_stat(void)
{
	struct stat status;

	(void)stat("/", &status);
}

static void (*const calls[])(void) = { call_open, call_socket, call_exec,
	call_fork, call_mkdir, call_unlink, call_kill, call_ptrace,
	call_setuid, call_accept, call_connect, call_stat };

static int
status_after(void (*call)(void))
{
	const struct rlimit none = { 0, 0 };
	pid_t pid = fork();
	int status = 0;

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &none);
		jail_enter();
		call();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

START_TEST(forbidden_calls_end_it)
{
	int status = status_after(calls[_i]);

	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), SIGSYS);
}
END_TEST

static void
call_allowed(void)
{
	char byte = 'x';
	int fds[1] = { STDERR_FILENO };
	void *memory = malloc(1 << 20);

	free(memory);
	(void)!write(fds[0], &byte, 0);
}

START_TEST(its_own_work_passes)
{
	int status = status_after(call_allowed);

	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

#endif

Suite *
jail_suite(void)
{
	Suite *suite = suite_create("jail");
	TCase *tc = tcase_create("jail");

#if !defined(WITHOUT_SECCOMP) && !defined(SANITIZED)
	tcase_add_loop_test(tc, forbidden_calls_end_it, 0,
	    (int)(sizeof(calls) / sizeof(*calls)));
	tcase_add_test(tc, its_own_work_passes);
#endif
	suite_add_tcase(suite, tc);
	return suite;
}
