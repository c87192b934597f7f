/*
 * Linux: peer credentials, prctl, pidfd, Landlock.  seccomp is in
 * sandbox_linux.c, since only the confined programs link libseccomp.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/landlock.h>

#include "common/buf.h"
#include "common/platform.h"

enum { ROUTES_MAX = 256 * 1024 };

int
platform_peer(int sock, pid_t *pid, uid_t *uid)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0)
		return -1;
	*pid = cred.pid;
	*uid = cred.uid;
	return 0;
}

int
platform_harden(void)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
		return -1;
	return 0;
}

int
platform_conceal(void)
{
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ? -1 :
	    platform_end_with_parent();
}

int
platform_end_with_parent(void)
{
	return prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
}

/*
 * glibc raises its threshold for blocks of their own to the largest that was
 * ever freed; from then on they come out of one heap, which never shrinks below
 * its topmost block.
 */
void
platform_return_memory(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
}

/* Appends a file of /proc. */
static int
read_table(const char *path, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char part[4096];
	ssize_t n;

	if (fd < 0)
		return -1;
	while ((n = read(fd, part, sizeof(part))) > 0 &&
	    out->len + (size_t)n <= ROUTES_MAX)
		buf_put(out, part, (size_t)n);
	close(fd);
	return n == 0 && !out->failed ? 0 : -1;
}

int
platform_routes(struct buf *out)
{
	if (read_table("/proc/net/route", out) != 0)
		return -1;
	/* A kernel without IPv6 has no such file. */
	if (access("/proc/net/ipv6_route", F_OK) != 0)
		return errno == ENOENT ? 0 : -1;
	return read_table("/proc/net/ipv6_route", out);
}

int
platform_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

int
platform_pidfd_signal(int pidfd, int sig)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
}

uid_t
platform_process_uid(pid_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return stat(path, &st) == 0 ? st.st_uid : (uid_t)-1;
}

/*
 * The kernel marks a file that was replaced since it was started: it is the
 * same program to us, of an older build.
 */
int
platform_executable(pid_t pid, char *path, size_t size)
{
	static const char gone[] = " (deleted)";
	char link[32] = "/proc/self/exe";
	ssize_t n;

	if (pid != 0)
		snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	n = readlink(link, path, size);
	if (n < 0 || (size_t)n >= size)
		return -1;
	path[n] = '\0';
	n -= (ssize_t)sizeof(gone) - 1;
	if (n > 0 && strcmp(path + n, gone) == 0)
		path[n] = '\0';
	return 0;
}

bool
platform_same_namespaces(pid_t pid)
{
	static const char *const kinds[] = { "mnt", "pid", "user" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		char link[64], own[64], other[64];
		ssize_t n, m;

		snprintf(link, sizeof(link), "/proc/self/ns/%s", kinds[i]);
		n = readlink(link, own, sizeof(own));
		snprintf(link, sizeof(link), "/proc/%d/ns/%s", (int)pid,
		    kinds[i]);
		m = readlink(link, other, sizeof(other));
		if (n <= 0 || n != m || memcmp(own, other, (size_t)n) != 0)
			return false;
	}
	return true;
}

static int
landlock_add(int ruleset, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = access };
	int error;

	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return errno == ENOENT ? 0 : -1;
	error = (int)syscall(SYS_landlock_add_rule, ruleset,
	    LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(rule.parent_fd);
	return error;
}

/* Every right of the first ABI: what the rules do not give back is gone. */
#define LANDLOCK_ALL	((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)
#define LANDLOCK_READ	(LANDLOCK_ACCESS_FS_READ_FILE | \
			 LANDLOCK_ACCESS_FS_READ_DIR)

int
platform_landlock(const char *const *roots, size_t count)
{
	struct landlock_ruleset_attr attr = {
		.handled_access_fs = LANDLOCK_ALL
	};
	int ruleset, error;

	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr),
	    0);
	if (ruleset < 0)
		return errno == ENOSYS || errno == EOPNOTSUPP ? 1 : -1;
	error = landlock_add(ruleset, "/", LANDLOCK_READ);
	for (size_t i = 0; i < count && error == 0; i++)
		error = landlock_add(ruleset, roots[i],
		    LANDLOCK_READ | LANDLOCK_ACCESS_FS_MAKE_DIR);
	if (error == 0)
		error = (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
	close(ruleset);
	return error;
}
