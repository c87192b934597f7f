/*
 * Makes the socket in a child of its own, in a directory that only that child
 * can reach.  A directory of mode 0700 alone would not do: a sandbox runs as
 * the same user, sees most of the file system, and could hold the socket open
 * from the instant between bind(2) and unlink(2).  That is the second choice,
 * for systems that grant no mount; the socket does not listen yet then, and a
 * second name is noticed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/log.h"
#include "common/platform.h"
#include "common/xfd.h"
#include "embedded/unnamed.h"

enum { TO_PARENT = 3 };

/* In the current directory.  What stays open goes with the process. */
static int
bind_here(struct unnamed *u)
{
	const struct sockaddr_un at = { AF_UNIX, "s" };
	struct stat st;

	u->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (u->socket < 0 || bind(u->socket, (const struct sockaddr *)&at,
	    sizeof(at)) != 0)
		return -1;
	u->handle = open(at.sun_path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (unlink(at.sun_path) != 0 || u->handle < 0 ||
	    fstat(u->handle, &st) != 0)
		return -1;
	if (S_ISSOCK(st.st_mode) && st.st_nlink == 0)
		return 0;
	errno = EEXIST;
	return -1;
}

static int
bind_in_folder(const char *dir, struct unnamed *u)
{
	char path[PATH_MAX];
	int error, n;

	n = snprintf(path, sizeof(path), "%s/container-gateway-XXXXXX", dir);
	if (n < 0 || n >= (int)sizeof(path) || mkdtemp(path) == NULL)
		return -1;
	error = chdir(path) != 0 ? -1 : bind_here(u);
	n = errno;
	rmdir(path);
	errno = n;
	return error;
}

static _Noreturn void
make(int parent, const char *dir)
{
	struct unnamed u = { -1, -1 };
	int error;

	/* Nothing of the caller's is worth having here. */
	if (dup2(parent, TO_PARENT) != TO_PARENT)
		_exit(errno);
	xfd_close_from(TO_PARENT + 1);
	if (dir != NULL)
		error = bind_in_folder(dir, &u);
	else
		error = platform_enter_nowhere() != 0 ? -1 : bind_here(&u);
	if (error != 0 || xfd_send(TO_PARENT, "s", 1, u.socket) != 1 ||
	    xfd_send(TO_PARENT, "h", 1, u.handle) != 1)
		_exit(errno != 0 ? errno : EIO);
	_exit(0);
}

static int
receive(int from, struct unnamed *u)
{
	char byte;

	if (xfd_receive(from, &byte, 1, &u->socket) == 1 && u->socket >= 0 &&
	    xfd_receive(from, &byte, 1, &u->handle) == 1 && u->handle >= 0)
		return 0;
	if (u->socket >= 0)
		close(u->socket);
	errno = EPROTO;
	return -1;
}

/* One attempt; dir is NULL for the directory without a path. */
static int
attempt(const char *dir, struct unnamed *u)
{
	sigset_t all, old;
	int fds[2], status = 0, error = -1;
	pid_t pid;

	if (xfd_socketpair(fds) != 0)
		return -1;
	/* No handler of ours may run in the child. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid == 0)
		make(fds[1], dir);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(fds[1]);
	if (pid > 0) {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
			error = receive(fds[0], u);
		else
			errno = WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
	}
	close(fds[0]);
	return error;
}

int
unnamed_make(const char *dir, struct unnamed *u)
{
	u->socket = u->handle = -1;
	if (attempt(NULL, u) == 0)
		return 0;
	log_text(LOG_INFO, "socket-folder", "no directory without a path here: "
	    "%m; the socket is made in %s", dir);
	return attempt(dir, u);
}

void
unnamed_path(int handle, char path[UNNAMED_PATH])
{
	snprintf(path, UNNAMED_PATH, "/proc/self/fd/%d", handle);
}
