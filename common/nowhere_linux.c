/*
 * Linux: a directory without a path.  A file system that was mounted nowhere
 * is reached by its descriptor alone; making one takes a privilege that
 * everybody has in a user namespace of their own, where those are permitted.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/mount.h>

#include "common/platform.h"

static int
write_map(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = (ssize_t)strlen(text), written = -1;

	if (fd >= 0) {
		written = write(fd, text, (size_t)n);
		close(fd);
	}
	return written == n ? 0 : -1;
}

/* Ids are kept: what is made belongs to the user outside too. */
static int
map_ids(uid_t uid, gid_t gid)
{
	char line[64];

	snprintf(line, sizeof(line), "%u %u 1", (unsigned)uid, (unsigned)uid);
	if (write_map("/proc/self/uid_map", line) != 0 ||
	    write_map("/proc/self/setgroups", "deny") != 0)
		return -1;
	snprintf(line, sizeof(line), "%u %u 1", (unsigned)gid, (unsigned)gid);
	return write_map("/proc/self/gid_map", line);
}

/* The maps of a process that is not dumpable are root's to write; while it is,
 * the caller holds nothing yet that is worth a look. */
static int
become_privileged(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int error;

	if (uid == 0)
		return 0;
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0)
		return -1;
	error = unshare(CLONE_NEWUSER | CLONE_NEWNS);
	if (error == 0)
		error = map_ids(uid, gid);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return -1;
	return error;
}

int
platform_enter_nowhere(void)
{
	int fs, dir, error = -1;

	if (become_privileged() != 0)
		return -1;
	fs = (int)syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);
	if (fs < 0)
		return -1;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "mode", "0700",
	    0) == 0 && syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL,
	    NULL, 0) == 0) {
		dir = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC,
		    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
		if (dir >= 0) {
			error = fchdir(dir);
			close(dir);
		}
	}
	close(fs);
	return error;
}
