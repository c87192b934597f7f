/*
 * Finds and recognises a gateway.  A pidfd is taken before the process is
 * looked at and asked again after: what was looked at is what is signalled.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/buf.h"
#include "common/platform.h"
#include "hookctl/gateway.h"
#include "hookctl/harness.h"
#include "hookctl/json.h"
#include "master/clock.h"
#include "master/rundir.h"

enum {
	ANSWER_MAX = 256 * 1024,
	ANSWER_MS = 1000,	/* for one answer, repetitions included */
	RETRY_MS = 20
};

/* clang-format off */
static const struct {
	const char	*name;
	const char	*text;
} states[] = {
	[GATEWAY_ABSENT]	= { "absent", "not running: hookctl ensure starts it" },
	[GATEWAY_SERVING]	= { "serving", "serving" },
	[GATEWAY_STARTING]	= { "starting", "starting" },
	[GATEWAY_DRAINING]	= { "draining", "ending" },
	[GATEWAY_BROKEN]	= { "broken", "running, but its sockets were removed: hookctl ensure starts it again" },
	[GATEWAY_OLD]		= { "old", "running a build that was replaced: hookctl ensure starts it again" },
	[GATEWAY_MUTE]		= { "mute", "running, but it does not answer: hookctl stop --force ends it" },
	[GATEWAY_OTHER]		= { "other", "a gateway of another project is at its sockets: hookctl stop --all ends it" },
	[GATEWAY_IMPOSTOR]	= { "impostor", "a program that is not the gateway listens on control.sock" },
	[GATEWAY_ELSEWHERE]	= { "elsewhere", "a process in another namespace listens on control.sock (inside a sandbox or container): end it there, or remove the socket" },
	[GATEWAY_FORBIDDEN]	= { "forbidden", "sockets are forbidden here: run hookctl outside of the sandbox" }
};
/* clang-format on */

const char *
gateway_describe(enum gateway_state state)
{
	return states[state].text;
}

const char *
gateway_state_name(enum gateway_state state)
{
	return states[state].name;
}

bool
gateway_is_ours(const struct gateway *g)
{
	return g->pidfd >= 0;
}

void
gateway_close(struct gateway *g)
{
	if (g->pidfd >= 0)
		close(g->pidfd);
	g->pidfd = -1;
	g->pid = 0;
	json_object_put(g->status);
	g->status = NULL;
}

int
gateway_signal(const struct gateway *g, int sig)
{
	return g->pidfd >= 0 ? platform_pidfd_signal(g->pidfd, sig) : -1;
}

bool
gateway_wait_end(const struct gateway *g, int ms)
{
	struct pollfd pfd = { g->pidfd, POLLIN, 0 };

	return g->pidfd < 0 || poll(&pfd, 1, ms) == 1;
}

/* A connected socket, or -1 with errno. */
static int
dial(const char *run_dir, const char *name)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd, n, error;

	n = snprintf(to.sun_path, sizeof(to.sun_path), "%s/%s", run_dir, name);
	if (n < 0 || n >= (int)sizeof(to.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

static enum gateway_state
state_of_error(int error)
{
	if (error == EPERM || error == EACCES || error == EAFNOSUPPORT)
		return GATEWAY_FORBIDDEN;
	/* A full backlog: somebody listens and accepts nothing. */
	return error == EAGAIN ? GATEWAY_IMPOSTOR : GATEWAY_ABSENT;
}

/* Recognises the process: its state as far as that can be told from outside. */
static enum gateway_state
recognise(struct gateway *g, const char *program, pid_t pid, uid_t uid)
{
	char path[PATH_MAX], link[32];
	struct stat running, trusted;

	if (pid <= 0 || !platform_same_namespaces(pid))
		return GATEWAY_ELSEWHERE;
	if (uid != geteuid() ||
	    platform_executable(pid, path, sizeof(path)) != 0 ||
	    strcmp(path, program) != 0)
		return GATEWAY_IMPOSTOR;
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	if (stat(link, &running) != 0 || stat(program, &trusted) != 0)
		return GATEWAY_IMPOSTOR;
	/* Ended and its number given to another while we looked. */
	if (gateway_wait_end(g, 0))
		return GATEWAY_ABSENT;
	return running.st_dev == trusted.st_dev &&
	    running.st_ino == trusted.st_ino ? GATEWAY_SERVING : GATEWAY_OLD;
}

/* Sets pid and pidfd when the process is a gateway of ours. */
static enum gateway_state
take_process(struct gateway *g, const char *program, pid_t pid, uid_t uid)
{
	enum gateway_state state;

	g->pidfd = pid > 0 ? platform_pidfd(pid) : -1;
	if (g->pidfd >= 0)
		fcntl(g->pidfd, F_SETFD, FD_CLOEXEC);
	state = recognise(g, program, pid, uid);
	if (state == GATEWAY_SERVING || state == GATEWAY_OLD) {
		g->pid = pid;
		return g->pidfd >= 0 ? state : GATEWAY_ABSENT;
	}
	gateway_close(g);
	return state;
}

/* Reads to the end of the answer, or gives up; bytes got. */
static void
read_answer(int fd, uint64_t end, struct buf *answer)
{
	char chunk[4096];
	uint64_t now;

	while (!answer->failed && (now = clock_ms()) < end) {
		struct pollfd pfd = { fd, POLLIN, 0 };
		ssize_t got;

		if (poll(&pfd, 1, (int)(end - now)) <= 0)
			continue;
		got = read(fd, chunk, sizeof(chunk));
		if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
			return;
		if (got > 0)
			buf_put(answer, chunk, (size_t)got);
	}
}

/* The peer of the connection is the process that was recognised. */
static bool
is_same_peer(int fd, const struct gateway *g)
{
	pid_t pid;
	uid_t uid;

	return platform_peer(fd, &pid, &uid) == 0 && pid == g->pid;
}

static bool
ask(struct gateway *g, int fd, bool touch, uint64_t end)
{
	const char *line = touch ? "status touch\n" : "status\n";
	struct buf answer = BUF_INIT(ANSWER_MAX);

	if (send(fd, line, strlen(line), MSG_NOSIGNAL) ==
	    (ssize_t)strlen(line))
		read_answer(fd, end, &answer);
	if (!answer.failed)
		g->status = json_read(buf_str(&answer), JSON_DEPTH);
	buf_free(&answer);
	return g->status != NULL;
}

/* fd is closed.  A gateway with many askers hangs up on one: ask again. */
static void
ask_patiently(struct gateway *g, const struct gateway_target *target, int fd,
    bool touch)
{
	uint64_t end = clock_ms() + ANSWER_MS;

	while (fd >= 0 && is_same_peer(fd, g) && !ask(g, fd, touch, end) &&
	    clock_ms() + RETRY_MS < end) {
		close(fd);
		poll(NULL, 0, RETRY_MS);
		fd = dial(target->run_dir, RUNDIR_CONTROL);
	}
	if (fd >= 0)
		close(fd);
}

/* Clients reach the same process by both sockets. */
static bool
has_sockets(const struct gateway *g, const char *run_dir)
{
	static const char *const names[] = { RUNDIR_DOCKER, RUNDIR_PODMAN };
	bool all = true;

	for (size_t i = 0; i < 2 && all; i++) {
		int fd = dial(run_dir, names[i]);

		/* Many clients at once may fill the backlog. */
		all = fd >= 0 ? is_same_peer(fd, g) : errno == EAGAIN;
		if (fd >= 0)
			close(fd);
	}
	return all;
}

static enum gateway_state
judge_status(const struct gateway *g, const struct gateway_target *target)
{
	const char *state = json_get_text(g->status, "state");
	const char *slug = json_get_text(g->status, "slug");

	if (state == NULL || slug == NULL)
		return GATEWAY_MUTE;
	if (strcmp(slug, target->slug) != 0)
		return GATEWAY_OTHER;
	if (strcmp(state, "starting") == 0)
		return GATEWAY_STARTING;
	if (strcmp(state, "serving") != 0)
		return GATEWAY_DRAINING;
	return has_sockets(g, target->run_dir) ? GATEWAY_SERVING :
	    GATEWAY_BROKEN;
}

void
gateway_probe(struct gateway *g, const struct gateway_target *target,
    bool touch)
{
	pid_t pid;
	uid_t uid;
	int fd;

	memset(g, 0, sizeof(*g));
	g->pidfd = -1;
	fd = dial(target->run_dir, RUNDIR_CONTROL);
	if (fd < 0) {
		g->state = state_of_error(errno);
		return;
	}
	if (platform_peer(fd, &pid, &uid) != 0)
		pid = 0;
	g->state = take_process(g, target->program, pid, uid);
	/* Nothing is sent to whoever is not recognised. */
	if (g->state != GATEWAY_SERVING) {
		close(fd);
		return;
	}
	ask_patiently(g, target, fd, touch);
	g->state = judge_status(g, target);
}

bool
gateway_find_process(struct gateway *g, const char *program, pid_t pid,
    unsigned long long start)
{
	memset(g, 0, sizeof(*g));
	g->pidfd = -1;
	if (pid <= 0 || harness_start_time(pid) != start)
		return false;
	take_process(g, program, pid, platform_process_uid(pid));
	if (g->pidfd >= 0 && harness_start_time(pid) == start)
		return true;
	gateway_close(g);
	return false;
}
