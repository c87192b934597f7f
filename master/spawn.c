/*
 * Starts children.  The programs are opened once, so that a child that is
 * replaced after an upgrade of the installed files is still of this build:
 * both ends of a link must speak one version of the protocol.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/platform.h"
#include "common/xfd.h"
#include "master/spawn.h"

#ifndef LIBEXEC_FROM_BIN
#define LIBEXEC_FROM_BIN	"../libexec/container-gateway"
#endif

enum { PARKING = 64 };	/* above every descriptor of common/proto.h */

static int
open_program(struct program *p, const char *dir, const char *name)
{
	struct stat st;
	int n = snprintf(p->path, sizeof(p->path), "%s/%s", dir, name);

	p->fd = -1;
	if (n < 0 || n >= (int)sizeof(p->path) ||
	    access(p->path, X_OK) != 0)
		return -1;
	p->fd = open(p->path, O_PATH | O_CLOEXEC);
	if (p->fd < 0 || fstat(p->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return -1;
	return 0;
}

static int
open_programs(struct programs *p, const char *dir)
{
	if (open_program(&p->worker, dir, "worker") == 0 &&
	    open_program(&p->policyd, dir, "policyd") == 0) {
		(void)open_program(&p->embedded, dir, "embedded");
		return 0;
	}
	spawn_forget(p);
	return -1;
}

int
spawn_find(struct programs *p, struct fault *fault)
{
	char own[PATH_MAX], libexec[PATH_MAX + sizeof(LIBEXEC_FROM_BIN) + 1];

	p->worker.fd = p->policyd.fd = p->embedded.fd = -1;
	if (platform_executable(0, own, sizeof(own)) != 0)
		return fault_set(fault, "cannot tell where this program is "
		    "(/proc/self/exe): %s", strerror(errno));
	*strrchr(own, '/') = '\0';
	snprintf(libexec, sizeof(libexec), "%s/" LIBEXEC_FROM_BIN, own);
	if (open_programs(p, libexec) != 0 && open_programs(p, own) != 0)
		return fault_set(fault, "the programs worker and policyd are "
		    "neither in %s nor in %s: install the gateway whole",
		    libexec, own);
	return 0;
}

void
spawn_forget(struct programs *p)
{
	if (p->worker.fd >= 0)
		close(p->worker.fd);
	if (p->policyd.fd >= 0)
		close(p->policyd.fd);
	if (p->embedded.fd >= 0)
		close(p->embedded.fd);
	p->worker.fd = p->policyd.fd = p->embedded.fd = -1;
}

/* The path still leads to the program that was opened. */
static bool
is_in_place(const struct program *p)
{
	struct stat st, opened;

	return stat(p->path, &st) == 0 && fstat(p->fd, &opened) == 0 &&
	    st.st_dev == opened.st_dev && st.st_ino == opened.st_ino;
}

/* In the child: fd moved out of the way, to be put in its place later. */
static int
park(int fd)
{
	int parked = fcntl(fd, F_DUPFD_CLOEXEC, PARKING);

	if (parked < 0)
		_exit(126);
	return parked;
}

static void
put(int parked, int place)
{
	if (dup2(parked, place) != place)
		_exit(126);
}

/*
 * In the child: descriptors as in common/proto.h, the program's own on the
 * next one (close-on-exec), nothing else.  The program's descriptor.
 */
static int
arrange(const struct program *p, int log_fd, const int *listeners, int link)
{
	int next = PROTO_FD_MASTER + 1;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int parked[FACE_COUNT], program;

	if (null < 0)
		_exit(126);
	null = park(null);
	log_fd = park(log_fd);
	link = park(link);
	program = park(p->fd);
	for (int i = 0; listeners != NULL && i < FACE_COUNT; i++)
		parked[i] = park(listeners[i]);
	put(null, STDIN_FILENO);
	put(null, STDOUT_FILENO);
	put(log_fd, PROTO_FD_LOG);
	put(link, PROTO_FD_MASTER);
	for (int i = 0; listeners != NULL && i < FACE_COUNT; i++)
		put(parked[i], next++);
	put(program, next);
	xfd_set_cloexec(next, 1);
	xfd_close_from(next + 1);
	return next;
}

/* In the child: as many descriptors as the system grants; one connection
 * takes several. */
static void
raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Children get no environment; only a sanitizer's own switches reach them. */
static void
make_environment(char *envp[4])
{
	int n = 0;

#ifdef SANITIZED
	static char asan[512], ubsan[512];
	const char *value;

	if ((value = getenv("ASAN_OPTIONS")) != NULL) {
		snprintf(asan, sizeof(asan), "ASAN_OPTIONS=%s", value);
		envp[n++] = asan;
	}
	if ((value = getenv("UBSAN_OPTIONS")) != NULL) {
		snprintf(ubsan, sizeof(ubsan), "UBSAN_OPTIONS=%s", value);
		envp[n++] = ubsan;
	}
#endif
	envp[n] = NULL;
}

static _Noreturn void
run(const struct program *p, int program, bool by_path)
{
	char *argv[2] = { strdup(p->path), NULL }, *envp[4];
	sigset_t none;

	make_environment(envp);
	/* A session of its own: ^C in a terminal is for master, who drains. */
	setsid();
	umask(077);
	if (chdir("/") != 0)
		_exit(126);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* By path where it is the same file: tools then show its name. */
	if (by_path)
		execve(p->path, argv, envp);
	fexecve(program, argv, envp);
	_exit(127);
}

pid_t
spawn_child(const struct program *p, int log_fd, const int *listeners,
    int *link_fd)
{
	bool by_path = is_in_place(p);
	sigset_t all, old;
	int fds[2];
	pid_t pid;

	if (xfd_socketpair(fds) != 0)
		return -1;
	/* No handler of master's may run in the child. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid == 0) {
		int program = arrange(p, log_fd, listeners, fds[1]);

		if (listeners != NULL)
			raise_limit();
		run(p, program, by_path);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return -1;
	}
	*link_fd = fds[0];
	return pid;
}
