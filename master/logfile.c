/*
 * Opens and rotates the log.  The sandbox can write in its directory: a link,
 * soft or hard, would make the gateway write into a file of its choice.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/str.h"
#include "master/logfile.h"

/* A descriptor, or -1 with what is wrong in *why. */
static int
open_checked(int dir, const char *name, const char **why)
{
	int fd = openat(dir, name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW |
	    O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
	struct stat st;

	if (fd < 0) {
		*why = errno == ELOOP ? "it is a symbolic link, which is not "
		    "followed: remove it" : strerror(errno);
		return -1;
	}
	if (fstat(fd, &st) != 0)
		*why = strerror(errno);
	else if (!S_ISREG(st.st_mode))
		*why = "it is not a regular file (- is standard error)";
	else if (st.st_uid != geteuid())
		*why = "it belongs to somebody else: remove it";
	else if (st.st_nlink != 1)
		*why = "it has a second name (a hard link): remove it";
	else
		return fd;
	close(fd);
	return -1;
}

int
logfile_open(struct logfile *l, struct fault *fault)
{
	const char *why;

	l->max = LOGFILE_MAX;
	l->is_file = strcmp(l->at.name, "-") != 0;
	if (!l->is_file) {
		l->fd = STDERR_FILENO;
		return 0;
	}
	l->fd = open_checked(l->at.dir, l->at.name, &why);
	if (l->fd < 0)
		return fault_set(fault, "log file %s: %s", l->at.shown, why);
	return 0;
}

void
logfile_close(struct logfile *l)
{
	if (l->is_file && l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

bool
logfile_is_due(const struct logfile *l)
{
	struct stat st;

	return l->is_file && l->fd >= 0 && fstat(l->fd, &st) == 0 &&
	    (st.st_size > l->max || st.st_nlink == 0);
}

bool
logfile_renew(struct logfile *l)
{
	char old[PATH_MAX];
	const char *why;
	struct stat st;
	int fd, n;

	if (!l->is_file || l->fd < 0)
		return false;
	n = snprintf(old, sizeof(old), "%s.1", l->at.name);
	if (n >= (int)sizeof(old) || fstat(l->fd, &st) != 0)
		return false;
	/* Where it cannot be renamed it is emptied: the bound holds. */
	if (st.st_size > l->max && st.st_nlink != 0 &&
	    renameat(l->at.dir, l->at.name, l->at.dir, old) != 0 &&
	    ftruncate(l->fd, 0) != 0)
		return false;
	fd = open_checked(l->at.dir, l->at.name, &why);
	if (fd < 0)
		return false;
	n = dup3(fd, l->fd, O_CLOEXEC);
	close(fd);
	return n >= 0;
}
