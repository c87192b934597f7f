/*
 * How long a program takes from its start to its end, with a payload on its
 * standard input: what a hook costs the harness that waits for it.
 *
 *	spawn COUNT PAYLOAD-FILE PROGRAM [ARGUMENT ...]
 *
 * Prints the median and the 90th percentile in microseconds.  The program "-"
 * is this one, reading its input and ending: what a process costs at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAYLOAD_MAX = 32 * 1024, COUNT_MAX = 10000 };

extern char **environ;

static _Noreturn void
die(const char *what)
{
	fprintf(stderr, "spawn: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Reads to the end, as a hook's runner does with its output. */
static void
drain(int fd)
{
	char buf[4096];

	while (read(fd, buf, sizeof(buf)) > 0)
		continue;
	close(fd);
}

static double
run_once(char **argv, const char *payload, size_t len)
{
	posix_spawn_file_actions_t actions;
	int in[2], out[2], status;
	double start;
	pid_t pid;

	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
		die("pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	start = now_us();
	errno = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
	if (errno != 0)
		die(argv[0]);
	close(in[0]);
	close(out[1]);
	if (write(in[1], payload, len) != (ssize_t)len)
		die("payload");
	close(in[1]);
	drain(out[0]);
	if (waitpid(pid, &status, 0) != pid || status != 0) {
		fprintf(stderr, "spawn: %s ended with status %d\n", argv[0],
		    status);
		exit(1);
	}
	posix_spawn_file_actions_destroy(&actions);
	return now_us() - start;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static size_t
read_payload(const char *path, char *payload)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0 || (n = read(fd, payload, PAYLOAD_MAX)) < 0)
		die(path);
	close(fd);
	return (size_t)n;
}

int
main(int argc, char **argv)
{
	static char payload[PAYLOAD_MAX], self[] = "/proc/self/exe";
	static double took[COUNT_MAX];
	size_t len, count;

	if (argc < 2) {
		drain(STDIN_FILENO);
		return 0;
	}
	count = argc < 4 ? 0 : (size_t)strtoul(argv[1], NULL, 10);
	if (count == 0 || count > COUNT_MAX) {
		fprintf(stderr, "usage: spawn COUNT PAYLOAD PROGRAM ...\n");
		return 2;
	}
	/* A hook that ends before it read its payload is no reason to die. */
	signal(SIGPIPE, SIG_IGN);
	len = read_payload(argv[2], payload);
	if (strcmp(argv[3], "-") == 0) {
		argv[3] = self;
		argv[4] = NULL;
	}
	for (size_t i = 0; i < count; i++)
		took[i] = run_once(argv + 3, payload, len);
	qsort(took, count, sizeof(*took), compare);
	printf("%.0f %.0f\n", took[count / 2], took[count * 9 / 10]);
	return 0;
}
