/*
 * Starts podman.  Nothing of the gateway's reaches it but the socket, and no
 * variable of whoever started the gateway: CONTAINERS_CONF, CONTAINER_HOST,
 * LD_PRELOAD and their like would make it another podman than the one meant.
 *
 * No no_new_privs here or above: newuidmap is setuid.
 *
 * It leads a process group: podman without root runs itself once more in a user
 * namespace, and the outer process takes signals for the inner one, but not
 * SIGKILL.  What outlives a service by design (conmon, the pause process, the
 * helpers of containers' networks) has left that group.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/platform.h"
#include "common/xfd.h"
#include "embedded/podman.h"

enum {
	LISTEN_FD = 3,		/* where LISTEN_FDS has the first one */
	PARKING = 16,
	BACKLOG = 128,
	END_MS = 800,		/* master waits for a second */
	STEP_MS = 10
};

enum { ENV_PATH, ENV_HOME, ENV_LISTEN_PID, ENV_LISTEN_FDS, ENV_RUNTIME,
	ENV_COUNT };

struct environment {
	char	 text[ENV_COUNT][PATH_MAX + 32];
	char	*list[ENV_COUNT + 1];
};

static char *const *
make_environment(struct environment *e, const struct podman_place *p)
{
	size_t n = p->runtime_dir != NULL ? ENV_COUNT : ENV_RUNTIME;

	snprintf(e->text[ENV_PATH], sizeof(e->text[0]), "PATH=/usr/local/sbin:"
	    "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	snprintf(e->text[ENV_HOME], sizeof(e->text[0]), "HOME=%s", p->home);
	/* It must be podman's own: that is how it knows that it is meant. */
	snprintf(e->text[ENV_LISTEN_PID], sizeof(e->text[0]),
	    "LISTEN_PID=%d", (int)getpid());
	snprintf(e->text[ENV_LISTEN_FDS], sizeof(e->text[0]), "LISTEN_FDS=1");
	if (p->runtime_dir != NULL)
		snprintf(e->text[ENV_RUNTIME], sizeof(e->text[0]),
		    "XDG_RUNTIME_DIR=%s", p->runtime_dir);
	for (size_t i = 0; i < n; i++)
		e->list[i] = e->text[i];
	e->list[n] = NULL;
	return e->list;
}

/* In the child: null, null, errors, the socket, and nothing else. */
static int
arrange(int socket, int errors)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	null = fcntl(null, F_DUPFD_CLOEXEC, PARKING);
	errors = fcntl(errors, F_DUPFD_CLOEXEC, PARKING);
	socket = fcntl(socket, F_DUPFD_CLOEXEC, PARKING);
	if (dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(errors, STDERR_FILENO) < 0 || dup2(socket, LISTEN_FD) < 0)
		return -1;
	xfd_close_from(LISTEN_FD + 1);
	/* By this process: whoever dials then sees podman as its peer. */
	return listen(LISTEN_FD, BACKLOG);
}

static _Noreturn void
become(const struct podman_place *p, int socket, int errors, pid_t parent)
{
	static struct environment environment;
	char name[] = "podman", system[] = "system", service[] = "service",
	    forever[] = "--time=0";
	char *argv[] = { name, system, service, forever, NULL };
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	if (setpgid(0, 0) != 0 || platform_end_with_parent() != 0 ||
	    getppid() != parent ||
	    arrange(socket, errors) != 0)
		_exit(126);
	umask(022);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(p->program, argv, make_environment(&environment, p));
	dprintf(STDERR_FILENO, "%s: %m\n", p->program);
	_exit(127);
}

pid_t
podman_start(const struct podman_place *p, int socket, int *errors)
{
	pid_t pid, parent = getpid();
	sigset_t all, old;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0)
		return -1;
	/* Whatever else holds the other end shall be able to write at leisure. */
	fcntl(fds[1], F_SETFL, 0);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid == 0)
		become(p, socket, fds[1], parent);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(fds[1]);
	if (pid < 0)
		close(fds[0]);
	else
		*errors = fds[0];
	return pid;
}

void
podman_sweep(pid_t pid)
{
	kill(-pid, SIGTERM);
}

void
podman_end(pid_t pid)
{
	bool is_reaped = false;
	int status;

	kill(pid, SIGTERM);
	for (int ms = 0; ms < END_MS; ms += STEP_MS) {
		if (!is_reaped && waitpid(pid, &status, WNOHANG) != 0) {
			is_reaped = true;
			podman_sweep(pid);
		}
		if (is_reaped && kill(-pid, 0) != 0)
			return;
		usleep(STEP_MS * 1000);
	}
	kill(-pid, SIGKILL);
	if (!is_reaped)
		waitpid(pid, &status, 0);
}
