/*
 * What the lifecycle tests need and no shell has:
 *
 *	lab ask SOCKET LINE		one line there, the answer here
 *	lab lock FILE			holds a record lock until killed
 *	lab listen SOCKET		listens, answers nothing, until killed
 *	lab forbid ERRNO CMD ...	runs CMD where AF_UNIX cannot be had
 *	lab service FILE NAME=SOCKET ... -- CMD ...
 *		as a service manager: binds each SOCKET, hands it over as NAME,
 *		writes to FILE what CMD notifies
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

static _Noreturn void
fail(const char *what)
{
	fprintf(stderr, "lab: %s: %s\n", what, strerror(errno));
	exit(99);
}

static struct sockaddr_un
address(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(to.sun_path)) {
		errno = ENAMETOOLONG;
		fail(path);
	}
	memcpy(to.sun_path, path, strlen(path));
	return to;
}

static int
ask(char **argv)
{
	struct sockaddr_un to = address(argv[0]);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char text[4096];
	ssize_t n;

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		fail(argv[0]);
	if (dprintf(fd, "%s\n", argv[1]) < 0)
		fail("write");
	while ((n = read(fd, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)n, stdout);
	return 0;
}

static int
hold_lock(char **argv)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(argv[0], O_RDWR | O_CREAT, 0600);

	if (fd < 0 || fcntl(fd, F_SETLK, &lock) != 0)
		fail(argv[0]);
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}

static int
bind_path(const char *path, int type)
{
	struct sockaddr_un at = address(path);
	int fd = socket(AF_UNIX, type, 0);

	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		fail(path);
	return fd;
}

static int
hold_socket(char **argv)
{
	int fd = bind_path(argv[0], SOCK_STREAM);

	if (listen(fd, 8) != 0)
		fail(argv[0]);
	puts("listening");
	fflush(stdout);
	for (;;)
		pause();
}

static int
forbid(char **argv)
{
	unsigned error = (unsigned)strtoul(argv[0], NULL, 10);
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socketpair, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		sizeof(filter) / sizeof(*filter), filter
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		fail("seccomp");
	execv(argv[1], argv + 1);
	fail(argv[1]);
}

/* Binds what the arguments say from descriptor 3 on; where CMD begins. */
static char **
hand_over(char **argv)
{
	char names[256] = "", text[16];
	int next = 3;

	for (; *argv != NULL && strcmp(*argv, "--") != 0; argv++) {
		char *path = strchr(*argv, '=');
		size_t n = strlen(names);
		int fd;

		if (path == NULL)
			fail(*argv);
		*path = '\0';
		fd = bind_path(path + 1, SOCK_STREAM);
		if (listen(fd, 8) != 0 || (fd != next && dup2(fd, next) < 0))
			fail(path + 1);
		next++;
		snprintf(names + n, sizeof(names) - n, "%s%s", n > 0 ? ":" :
		    "", *argv);
	}
	if (next > 3) {
		snprintf(text, sizeof(text), "%d", next - 3);
		setenv("LISTEN_FDS", text, 1);
		setenv("LISTEN_FDNAMES", names, 1);
	}
	return *argv != NULL ? argv + 1 : argv;
}

static pid_t child;

static void
pass_on(int sig)
{
	kill(child, sig);
}

static int
service(char **argv)
{
	const char *file = argv[0];
	char path[108], text[256];
	int status, notify;

	snprintf(path, sizeof(path), "%s.sock", file);
	/* High, so that it does not lie where sockets are handed over. */
	notify = fcntl(bind_path(path, SOCK_DGRAM), F_DUPFD_CLOEXEC, 50);
	close(3);
	setenv("NOTIFY_SOCKET", path, 1);
	argv = hand_over(argv + 1);
	signal(SIGTERM, pass_on);
	child = fork();
	if (child == 0) {
		snprintf(text, sizeof(text), "%d", (int)getpid());
		setenv("LISTEN_PID", text, 1);
		execv(argv[0], argv);
		fail(argv[0]);
	}
	do {
		struct pollfd pfd = { notify, POLLIN, 0 };
		FILE *to;
		ssize_t n;

		if (poll(&pfd, 1, 50) <= 0)
			continue;
		n = recv(notify, text, sizeof(text), 0);
		to = fopen(file, "a");
		if (n <= 0 || to == NULL)
			continue;
		fprintf(to, "%.*s\n", (int)n, text);
		fclose(to);
	} while (waitpid(child, &status, WNOHANG) == 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int count;
		int (*run)(char **);
	} verbs[] = {
		{ "ask", 2, ask }, { "lock", 1, hold_lock },
		{ "listen", 1, hold_socket }, { "forbid", 2, forbid },
		{ "service", 2, service },
	};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (argc - 2 >= verbs[i].count &&
		    strcmp(argv[1], verbs[i].name) == 0)
			return verbs[i].run(argv + 2);
	fprintf(stderr, "lab: see the head of lab.c\n");
	return 99;
}
