/*
 * Takes and gives back the pid file.  Nothing is read from it: what it says
 * could have been written by the sandbox.
 *
 * A record lock goes when its owner closes ANY descriptor of the file, so
 * nobody else in this process may open it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "master/pidfile.h"

enum { ATTEMPTS = 20 };

static int
refuse(struct fault *fault, const char *name, int error)
{
	if (error == ELOOP)
		return fault_set(fault, "pid file %s is a symbolic link, which "
		    "is not followed: remove it", name);
	return fault_set(fault, "pid file %s: %s", name, strerror(error));
}

/* The descriptor is a plain file of ours and still stands under the name. */
static bool
is_sound(const struct pidfile *p)
{
	struct stat st, named;

	return fstat(p->fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() && st.st_nlink == 1 &&
	    fstatat(p->at.dir, p->at.name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	    named.st_dev == st.st_dev && named.st_ino == st.st_ino;
}

/* Who holds the lock; 0 when it is free by now, or held from elsewhere. */
static pid_t
find_holder(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
		return 0;
	return lock.l_pid > 0 ? lock.l_pid : 0;
}

static void
write_pid(int fd)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%d\n", (int)getpid());

	/* For people only: that it could not be written harms nobody. */
	if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)n, 0) != n)
		return;
}

/* One try: taken, held, negative, or -1 with p->fd closed to try again. */
static int
try_take(struct pidfile *p, bool (*is_gateway)(pid_t), pid_t *holder)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (is_sound(p)) {
		if (fcntl(p->fd, F_SETLK, &lock) == 0 && is_sound(p))
			return PIDFILE_TAKEN;
		*holder = find_holder(p->fd);
		if (*holder != 0 && is_gateway(*holder))
			return PIDFILE_HELD;
	}
	return -1;
}

int
pidfile_take(struct pidfile *p, bool (*is_gateway)(pid_t), pid_t *holder,
    struct fault *fault)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		int got;

		p->fd = openat(p->at.dir, p->at.name, O_RDWR | O_CREAT |
		    O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
		if (p->fd < 0)
			return refuse(fault, p->at.shown, errno);
		got = try_take(p, is_gateway, holder);
		if (got == PIDFILE_TAKEN) {
			write_pid(p->fd);
			return got;
		}
		close(p->fd);
		p->fd = -1;
		if (got == PIDFILE_HELD)
			return got;
		if (unlinkat(p->at.dir, p->at.name, 0) != 0 &&
		    errno != ENOENT)
			return refuse(fault, p->at.shown, errno);
	}
	return fault_set(fault, "pid file %s is replaced by somebody again and "
	    "again", p->at.shown);
}

void
pidfile_release(struct pidfile *p)
{
	if (p->fd < 0)
		return;
	if (is_sound(p))
		unlinkat(p->at.dir, p->at.name, 0);
	close(p->fd);
	p->fd = -1;
}
