/*
 * Recognises a gateway by socket peer and executable.  The answer's text is
 * believed only after that.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/platform.h"
#include "common/str.h"
#include "common/xfd.h"
#include "master/clock.h"
#include "master/identity.h"
#include "master/rundir.h"

enum { ANSWER_MAX = 64 * 1024, ANSWER_MS = 1000 };

bool
identity_is_gateway(pid_t pid)
{
	char own[PATH_MAX], other[PATH_MAX];

	return pid > 0 && platform_process_uid(pid) == geteuid() &&
	    platform_executable(0, own, sizeof(own)) == 0 &&
	    platform_executable(pid, other, sizeof(other)) == 0 &&
	    strcmp(own, other) == 0 && platform_same_namespaces(pid);
}

static int
dial(pid_t *pid)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX,
		.sun_path = RUNDIR_CONTROL };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	uid_t uid;

	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
	    platform_peer(fd, pid, &uid) == 0 && uid == geteuid() &&
	    identity_is_gateway(*pid))
		return fd;
	close(fd);
	return -1;
}

/* Reads to the end, or to the deadline, whichever is first. */
static size_t
read_answer(int fd, char *answer)
{
	uint64_t end = clock_ms() + ANSWER_MS, now;
	size_t n = 0;

	while (n < ANSWER_MAX - 1 && (now = clock_ms()) < end) {
		struct pollfd pfd = { fd, POLLIN, 0 };
		ssize_t got;

		if (poll(&pfd, 1, (int)(end - now)) <= 0)
			continue;
		got = read(fd, answer + n, ANSWER_MAX - 1 - n);
		if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
			break;
		if (got > 0)
			n += (size_t)got;
	}
	answer[n] = '\0';
	return n;
}

enum identity
identity_ask(const char *slug, pid_t *pid)
{
	static char answer[ANSWER_MAX];
	char wanted[128];
	int fd = dial(pid);

	if (fd < 0)
		return IDENTITY_NONE;
	answer[0] = '\0';
	if (xfd_send(fd, "status\n", 7, -1) == 7)
		read_answer(fd, answer);
	close(fd);
	/* A slug holds nothing that JSON would escape. */
	snprintf(wanted, sizeof(wanted), "\"slug\":\"%s\"", slug);
	if (strstr(answer, "\"state\":\"serving\"") == NULL)
		return IDENTITY_STARTING;
	return strstr(answer, wanted) != NULL ? IDENTITY_SERVING :
	    IDENTITY_OTHER;
}
