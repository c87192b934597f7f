/*
 * Reads .git.  Everything below a checkout may have been written by the
 * sandbox: a .git file can point anywhere, so a linked worktree counts only
 * when the repository that it names points back at it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/str.h"
#include "master/worktree.h"

#define REMEDY	"give --run-dir, or adopt the project"

/* dir/name in out; false when it does not fit. */
static bool
join(char out[PATH_MAX], const char *dir, const char *name)
{
	int n = snprintf(out, PATH_MAX, "%s%s%s", dir,
	    strcmp(dir, "/") == 0 ? "" : "/", name);

	return n > 0 && n < PATH_MAX;
}

/* Cuts the last component off a canonical path; false at the root. */
static bool
cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash == NULL || path[1] == '\0')
		return false;
	slash[slash == path] = '\0';
	return true;
}

static const char *
last_component(const char *path)
{
	return strrchr(path, '/') + 1;
}

static bool
holds(const char *dir, const char *name, mode_t type)
{
	char path[PATH_MAX];
	struct stat st;

	return join(path, dir, name) && lstat(path, &st) == 0 &&
	    (st.st_mode & S_IFMT) == type;
}

static bool
is_repository(const char *dir)
{
	return holds(dir, "HEAD", S_IFREG) && holds(dir, "objects", S_IFDIR);
}

/*
 * Whether dir/.git makes dir a top.  In a directory above the one asked for,
 * a .git that somebody else put there is not believed: /tmp/.git would take
 * in every project below /tmp.
 */
static bool
is_top(const char *dir, bool is_above)
{
	char path[PATH_MAX];
	struct stat st;

	if (!join(path, dir, ".git") || lstat(path, &st) != 0)
		return false;
	if (is_above && st.st_uid != geteuid())
		return false;
	return !S_ISDIR(st.st_mode) || is_repository(path);
}

int
worktree_find_top(const char *dir, char top[PATH_MAX])
{
	bool is_above = false;

	snprintf(top, PATH_MAX, "%s", dir);
	while (!is_top(top, is_above)) {
		if (!cut_last(top))
			return 1;
		is_above = true;
	}
	return 0;
}

/* The one line of a small regular file: 0, or -1 with errno. */
static int
read_line(const char *path, char line[PATH_MAX])
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		n = read(fd, line, PATH_MAX - 1);
	close(fd);
	if (n < 0)
		return -1;
	while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
		n--;
	line[n] = '\0';
	return 0;
}

/* Where the path in text leads, when it is taken from directory base. */
static bool
resolve(char out[PATH_MAX], const char *base, const char *text)
{
	char path[PATH_MAX];

	if (text[0] == '\0')
		return false;
	if (text[0] == '/')
		return realpath(text, out) != NULL;
	return join(path, base, text) && realpath(path, out) != NULL;
}

/* The path that the file dir/name holds, resolved. */
static bool
follow(char out[PATH_MAX], const char *dir, const char *name)
{
	char path[PATH_MAX], line[PATH_MAX];

	return join(path, dir, name) && read_line(path, line) == 0 &&
	    resolve(out, dir, line);
}

static bool
is_id(const char *id)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	return id[0] != '\0' && id[strspn(id, safe)] == '\0' &&
	    strcmp(id, ".") != 0 && strcmp(id, "..") != 0;
}

static int
check_common(const char *common, struct fault *fault)
{
	struct stat st;

	if (lstat(common, &st) != 0 || !S_ISDIR(st.st_mode) ||
	    !is_repository(common))
		return fault_set(fault, "%s is not a git directory (HEAD and "
		    "objects/ are missing): " REMEDY, common);
	if (st.st_uid != geteuid())
		return fault_set(fault, "the git directory %s belongs to uid "
		    "%u, not to you: " REMEDY, common, (unsigned)st.st_uid);
	if ((st.st_mode & 022) != 0)
		return fault_set(fault, "the git directory %s is writable by "
		    "group or others: chmod go-w it, or " REMEDY, common);
	return 0;
}

/* The private directory `private` of the worktree whose .git file is `file`. */
static int
check_linked(struct worktree *wt, const char *private, const char *file,
    struct fault *fault)
{
	char path[PATH_MAX], parent[PATH_MAX];
	const char *id = last_component(private);

	if (strlen(id) > NAME_MAX || !is_id(id))
		return fault_set(fault, "the worktree's name \"%s\" holds other "
		    "characters than letters, digits, '.', '_' and '-': give "
		    "--run-dir", id);
	if (strcmp(id, "main") == 0)
		return fault_set(fault, "the worktree's name \"main\" stands "
		    "for the main checkout in the run directory: give "
		    "--run-dir");
	snprintf(wt->id, sizeof(wt->id), "%s", id);
	snprintf(parent, sizeof(parent), "%s", private);
	cut_last(parent);
	if (strcmp(last_component(parent), "worktrees") != 0 ||
	    !follow(wt->common, private, "commondir") || !cut_last(parent) ||
	    strcmp(parent, wt->common) != 0)
		return fault_set(fault, "%s names %s, which is not the private "
		    "directory of a linked worktree: " REMEDY, file, private);
	if (!follow(path, private, "gitdir") || strcmp(path, file) != 0)
		return fault_set(fault, "%s names %s, which does not point "
		    "back (git worktree repair mends moved worktrees): "
		    REMEDY, file, private);
	return 0;
}

static int
read_linked(const char *top, const char *file, struct worktree *wt,
    struct fault *fault)
{
	char line[PATH_MAX], private[PATH_MAX];
	int error;

	if (read_line(file, line) != 0 || !str_starts(str_from(line),
	    "gitdir: ") || !resolve(private, top, line + 8))
		return fault_set(fault, "%s does not name a git directory that "
		    "exists: " REMEDY, file);
	error = check_linked(wt, private, file, fault);
	if (error == 0)
		error = check_common(wt->common, fault);
	if (error != 0)
		return error;
	wt->is_linked = true;
	if (strcmp(last_component(wt->common), ".git") == 0) {
		snprintf(wt->main_top, sizeof(wt->main_top), "%s", wt->common);
		cut_last(wt->main_top);
	}
	return 0;
}

int
worktree_read(const char *top, struct worktree *wt, struct fault *fault)
{
	char path[PATH_MAX];
	struct stat st;

	memset(wt, 0, sizeof(*wt));
	if (!join(path, top, ".git"))
		return fault_set(fault, "%s: the path is too long", top);
	if (lstat(path, &st) != 0)
		return fault_set(fault, "%s: %s", path, strerror(errno));
	if (S_ISLNK(st.st_mode))
		return fault_set(fault, "%s is a symbolic link, which is not "
		    "followed: " REMEDY, path);
	if (S_ISREG(st.st_mode))
		return read_linked(top, path, wt, fault);
	snprintf(wt->common, sizeof(wt->common), "%s", path);
	snprintf(wt->id, sizeof(wt->id), "main");
	return check_common(wt->common, fault);
}
