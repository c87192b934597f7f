/*
 * fork, a clean start, exec from the descriptor that was checked, and a pipe
 * for what the gateway has to say.  The harness reads a hook's output to its
 * end, so no copy of any inherited descriptor may live on in the daemon.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/platform.h"
#include "common/xfd.h"
#include "hookctl/launch.h"
#include "master/clock.h"

enum { ENV_MAX = 8, ENV_TEXT = PATH_MAX + 32, WORDS_MAX = 1024 };

#define FIXED_PATH	"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:" \
			"/usr/bin:/sbin:/bin"

struct environment {
	char	 text[ENV_MAX][ENV_TEXT];
	char	*envp[ENV_MAX + 1];
	size_t	 count;
};

static void
env_add(struct environment *e, const char *name, const char *value)
{
	if (e->count == ENV_MAX)
		return;
	snprintf(e->text[e->count], ENV_TEXT, "%s=%s", name, value);
	e->envp[e->count] = e->text[e->count];
	e->count++;
}

/* A variable of ours whose value is a plain word. */
static void
env_pass(struct environment *e, const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@";
	const char *value = getenv(name);

	if (value != NULL && strlen(value) < 128 &&
	    value[strspn(value, plain)] == '\0')
		env_add(e, name, value);
}

static void
env_make(struct environment *e, const struct trust *t)
{
	char runtime[64];
	struct stat st;

	memset(e, 0, sizeof(*e));
	env_add(e, "HOME", t->home.path);
	env_pass(e, "USER");
	env_pass(e, "LANG");
	snprintf(runtime, sizeof(runtime), "/run/user/%u", (unsigned)geteuid());
	if (stat(runtime, &st) == 0 && st.st_uid == geteuid())
		env_add(e, "XDG_RUNTIME_DIR", runtime);
	snprintf(e->text[e->count], ENV_TEXT, FIXED_PATH);
	e->envp[e->count] = e->text[e->count];
}

void
launch_log_path(const struct trust *t, char out[PATH_MAX])
{
	char dir[PATH_MAX];

	home_path(&t->home, HOME_LOG, dir);
	snprintf(out, PATH_MAX, "%.*s/%s.log", PATH_MAX - PROJECT_SLUG_MAX - 8,
	    dir, t->project.slug);
}

/* In the child: never returns. */
static _Noreturn void
become_gateway(const struct trust *t, char *const *argv, char *const *envp,
    int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	sigemptyset(&none);
	if (null < 0 || setsid() < 0 || chdir("/") != 0 ||
	    dup2(null, 0) != 0 || dup2(out, 1) != 1 || dup2(out, 2) != 2)
		_exit(126);
	alarm(0);
	umask(077);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	/* Everything else is close-on-exec, the program itself included. */
	syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
	syscall(SYS_execveat, t->gateway.fd, "", argv, envp, AT_EMPTY_PATH);
	dprintf(2, "cannot run %s: %s\n", t->install.gateway, strerror(errno));
	_exit(127);
}

static pid_t
fork_gateway(const struct trust *t, char *const *argv, int fds[2],
    struct fault *fault)
{
	struct environment env;
	pid_t child;

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0) {
		fault_set(fault, "cannot make a pipe: %s", strerror(errno));
		return -1;
	}
	env_make(&env, t);
	child = fork();
	if (child == 0) {
		/* The gateway writes to it without knowing of a pipe. */
		fcntl(fds[1], F_SETFL, 0);
		become_gateway(t, argv, env.envp, fds[1]);
	}
	close(fds[1]);
	if (child < 0) {
		close(fds[0]);
		fault_set(fault, "cannot fork: %s", strerror(errno));
	}
	return child;
}

/* The first line of what was said, without the program's name. */
static void
first_line(char *words)
{
	static const char name[] = "container-gateway: ";

	words[strcspn(words, "\n")] = '\0';
	if (strncmp(words, name, sizeof(name) - 1) == 0)
		memmove(words, words + sizeof(name) - 1,
		    strlen(words) - sizeof(name) + 2);
}

/*
 * The started process ends as soon as the gateway serves or gave up.  The
 * gateway itself may keep the pipe for longer: its end is not waited for.
 */
static bool
wait_for(pid_t child, int *status)
{
	struct pollfd pfd = { platform_pidfd(child), POLLIN, 0 };
	uint64_t end = clock_ms() + LAUNCH_MS, now;
	bool ended = false;

	if (pfd.fd < 0)
		return waitpid(child, status, 0) == child;
	while (!ended && (now = clock_ms()) < end)
		ended = poll(&pfd, 1, (int)(end - now)) == 1;
	close(pfd.fd);
	if (!ended)
		kill(child, SIGKILL);
	waitpid(child, status, 0);
	return ended;
}

int
launch_gateway(const struct trust *t, struct fault *fault)
{
	char log[PATH_MAX], words[WORDS_MAX];
	char daemon[] = "--daemon", project[] = "--project",
	    root[] = "--bind-root", log_file[] = "--log-file";
	char *argv[8 + ARGVET_MAX + 2], **at = argv;
	int fds[2], status = 0;
	bool ended;
	ssize_t n;
	pid_t child;

	launch_log_path(t, log);
	*at++ = (char *)(uintptr_t)t->install.gateway;
	*at++ = daemon;
	*at++ = project;
	*at++ = (char *)(uintptr_t)t->subject.project;
	*at++ = root;
	*at++ = (char *)(uintptr_t)t->subject.start_dir;
	*at++ = log_file;
	*at++ = log;
	for (unsigned i = 0; i < t->args.argc; i++)
		*at++ = t->args.argv[i];
	*at = NULL;
	child = fork_gateway(t, argv, fds, fault);
	if (child < 0)
		return -1;
	ended = wait_for(child, &status);
	n = read(fds[0], words, sizeof(words) - 1);
	close(fds[0]);
	words[n > 0 ? n : 0] = '\0';
	first_line(words);
	if (ended && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (!ended)
		return fault_set(fault, "the gateway did not serve within %d "
		    "s: see %s", LAUNCH_MS / 1000, log);
	return fault_set(fault, "the gateway did not start: %s", words[0] !=
	    '\0' ? words : "it ended without a word");
}
