/*
 * Forks into the background.  The two processes share a pipe: the first byte
 * is the exit status, the rest one line for the terminal.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/xfd.h"
#include "master/daemon.h"

/* A line about a gateway that ended without a word. */
static int
explain_death(pid_t child)
{
	int status = 0;

	waitpid(child, &status, 0);
	if (WIFSIGNALED(status))
		fprintf(stderr, "container-gateway: ended by signal %d before "
		    "it served\n", WTERMSIG(status));
	else
		fprintf(stderr, "container-gateway: ended with status %d "
		    "before it served\n", WEXITSTATUS(status));
	return FAULT_FAILED;
}

/* Waits for the report and passes it on; the exit status. */
static int
wait_for(pid_t child, int fd)
{
	char text[2048];
	size_t n = 0;
	ssize_t got;

	while (n < sizeof(text) && ((got = read(fd, text + n,
	    sizeof(text) - n)) > 0 || (got < 0 && errno == EINTR)))
		n += got > 0 ? (size_t)got : 0;
	close(fd);
	if (n == 0)
		return explain_death(child);
	if (n > 1)
		fprintf(text[0] == 0 ? stdout : stderr,
		    "container-gateway: %.*s\n", (int)n - 1, text + 1);
	return text[0];
}

int
daemon_start(int *report, struct fault *fault)
{
	int fds[2];
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return fault_set(fault, "cannot make a pipe: %s",
		    strerror(errno));
	child = fork();
	if (child < 0) {
		close(fds[0]);
		close(fds[1]);
		return fault_set(fault, "cannot fork: %s", strerror(errno));
	}
	if (child > 0) {
		close(fds[1]);
		exit(wait_for(child, fds[0]));
	}
	close(fds[0]);
	setsid();
	*report = fds[1];
	return 0;
}

void
daemon_report(int *report, int code, const char *line)
{
	char text[2048];
	int n;

	if (*report < 0)
		return;
	text[0] = (char)code;
	n = snprintf(text + 1, sizeof(text) - 1, "%s", line);
	/* Whoever waited may be gone: then there is nobody to tell. */
	if (n >= 0)
		(void)!write(*report, text, (size_t)n + 1 < sizeof(text) ?
		    (size_t)n + 1 : sizeof(text));
	close(*report);
	*report = -1;
}
