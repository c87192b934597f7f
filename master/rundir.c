/*
 * Places and checks the run directory.  The sandbox can write around here, so
 * each component below the anchor is opened from its parent, never by path,
 * and never through a link.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/str.h"
#include "master/rundir.h"

/* --run-dir: its parent is the anchor. */
static int
place_given(struct rundir *r, const char *given, struct fault *fault)
{
	char parent[PATH_MAX];
	struct str path = str_from(given);
	const char *name;
	char *slash;

	while (path.len > 1 && str_ends(path, "/"))
		path.len--;
	if (path.len >= sizeof(parent))
		return fault_usage(fault, "--run-dir: the path is too long");
	snprintf(parent, sizeof(parent), "%.*s", STR_FMT(path));
	slash = strrchr(parent, '/');
	name = slash != NULL ? slash + 1 : parent;
	if (name[0] == '\0' || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0)
		return fault_usage(fault, "--run-dir %s: name a directory of "
		    "the gateway's own", given);
	snprintf(r->below, sizeof(r->below), "%s", name);
	if (slash == NULL)
		snprintf(parent, sizeof(parent), ".");
	else
		slash[slash == parent] = '\0';
	if (realpath(parent, r->anchor) == NULL)
		return fault_usage(fault, "--run-dir %s: its parent %s: %s",
		    given, parent, strerror(errno));
	return 0;
}

static int
place_in_git(struct rundir *r, const struct project *p, struct fault *fault)
{
	struct worktree wt;
	int error = worktree_read(p->path, &wt, fault);

	if (error != 0)
		return error;
	snprintf(r->anchor, sizeof(r->anchor), "%s",
	    wt.is_linked ? wt.common : p->path);
	snprintf(r->below, sizeof(r->below), "%sapache-magpie/run/%s",
	    wt.is_linked ? "" : ".git/", wt.id);
	return 0;
}

static int
place(struct rundir *r, const char *run_dir, const struct project *p,
    struct fault *fault)
{
	if (run_dir != NULL)
		return place_given(r, run_dir, fault);
	if (p->is_adopted) {
		snprintf(r->anchor, sizeof(r->anchor), "%s", p->path);
		snprintf(r->below, sizeof(r->below), PROJECT_PERSONAL "/run");
		return 0;
	}
	if (p->is_git)
		return place_in_git(r, p, fault);
	return fault_usage(fault, "%s is neither in a git work tree nor "
	    "adopted (%s): give --run-dir", p->path, PROJECT_LOCK);
}

int
rundir_place(struct rundir *r, const char *run_dir, const struct project *p,
    struct fault *fault)
{
	size_t longest;
	int n, error;

	memset(r, 0, sizeof(*r));
	r->fd = -1;
	error = place(r, run_dir, p, fault);
	if (error != 0)
		return error;
	n = snprintf(r->path, sizeof(r->path), "%s%s%s", r->anchor,
	    strcmp(r->anchor, "/") == 0 ? "" : "/", r->below);
	longest = (size_t)n + 1 + strlen(RUNDIR_CONTROL);
	if (longest > RUNDIR_SOCKET_MAX)
		return fault_usage(fault, "the socket path %.200s/%s has %zu "
		    "bytes, more than %d: give a shorter --run-dir", r->path,
		    RUNDIR_CONTROL, longest, RUNDIR_SOCKET_MAX);
	return 0;
}

/* Why openat() of one component failed. */
static int
refuse_open(int parent, const char *name, int error, const char *path,
    struct fault *fault)
{
	struct stat st;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (S_ISLNK(st.st_mode))
			return fault_set(fault, "run directory: %s is a "
			    "symbolic link, which is not followed: remove it, "
			    "or give --run-dir", path);
		if (!S_ISDIR(st.st_mode))
			return fault_set(fault, "run directory: %s is not a "
			    "directory: remove it, or give --run-dir", path);
	}
	return fault_set(fault, "run directory: %s: %s", path,
	    strerror(error));
}

static int
check_owner(int fd, const char *path, struct fault *fault)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return fault_set(fault, "run directory: %s: %s", path,
		    strerror(errno));
	if (st.st_uid != geteuid())
		return fault_set(fault, "run directory: %s belongs to uid %u, "
		    "not to you (uid %u): remove it, or give --run-dir", path,
		    (unsigned)st.st_uid, (unsigned)geteuid());
	if ((st.st_mode & 022) != 0)
		return fault_set(fault, "run directory: %s is writable by "
		    "group or others: chmod go-w it, or give --run-dir", path);
	return 0;
}

/* Opens one component below parent; its descriptor, or negative. */
static int
open_component(int parent, const char *name, const char *path,
    struct fault *fault)
{
	int fd, error;

	if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST)
		return fault_set(fault, "run directory: cannot make %s: %s",
		    path, strerror(errno));
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (fd < 0)
		return refuse_open(parent, name, errno, path, fault);
	error = check_owner(fd, path, fault);
	if (error == 0)
		return fd;
	close(fd);
	return error;
}

int
rundir_open(struct rundir *r, struct fault *fault)
{
	char below[PATH_MAX], path[2 * PATH_MAX];
	char *rest = below, *name;
	size_t n;

	snprintf(below, sizeof(below), "%s", r->below);
	n = (size_t)snprintf(path, sizeof(path), "%s",
	    strcmp(r->anchor, "/") == 0 ? "" : r->anchor);
	r->fd = open(r->anchor, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (r->fd < 0)
		return fault_set(fault, "run directory: %s: %s", r->anchor,
		    strerror(errno));
	while ((name = strsep(&rest, "/")) != NULL) {
		int parent = r->fd;

		n += (size_t)snprintf(path + n, sizeof(path) - n, "/%s", name);
		r->fd = open_component(parent, name, path, fault);
		close(parent);
		if (r->fd < 0)
			return r->fd;
	}
	if (fchmod(r->fd, 0700) != 0)
		return fault_set(fault, "run directory: %s: %s", path,
		    strerror(errno));
	return 0;
}

void
rundir_file(const struct rundir *r, const char *given, const char *name,
    struct rundir_file *file)
{
	file->dir = given != NULL ? AT_FDCWD : r->fd;
	file->name = given != NULL ? given : name;
	if (given != NULL)
		snprintf(file->shown, sizeof(file->shown), "%s", given);
	else
		snprintf(file->shown, sizeof(file->shown), "%s/%s", r->path,
		    name);
}

void
rundir_close(struct rundir *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}
