/*
 * Resolving is the kernel's work: an O_PATH descriptor of the thing itself,
 * then the name that the kernel has for it.  A second walk of the string in
 * this process could be raced, and would not see what a mount hides.
 *
 * Magic links (/proc/PID/root, cwd, fd/N) jump to where no name leads, into
 * another mount namespace for one, where the kernel's name for a thing means
 * something else: they are errors.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "worker/path.h"

static int
open_resolved(int dir, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | flags,
		.resolve = resolve
	};

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

static uint8_t
kind_of(mode_t mode)
{
	if (S_ISDIR(mode))
		return PATH_DIRECTORY;
	if (S_ISREG(mode))
		return PATH_FILE;
	if (S_ISSOCK(mode))
		return PATH_SOCKET;
	return PATH_OTHER;
}

/* The kernel's name for what fd holds; 0 or -1. */
static int
name_of(int fd, char *name, size_t size)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, name, size - 1);
	if (n <= 0 || (size_t)n >= size - 1 || name[0] != '/')
		return -1;
	name[n] = '\0';
	return 0;
}

/*
 * The kernel's name leads back to the same thing, through no link: not to be
 * taken for granted with what was removed meanwhile, or is not reachable.
 */
static int
confirm(const char *name, const struct stat *want)
{
	struct stat st;
	int fd = open_resolved(AT_FDCWD, name, 0, RESOLVE_NO_SYMLINKS);
	int error;

	if (fd < 0)
		return -1;
	error = fstat(fd, &st);
	close(fd);
	return error == 0 && st.st_dev == want->st_dev &&
	    st.st_ino == want->st_ino ? 0 : -1;
}

static int
identify(int fd, struct fact *fact, struct buf *out)
{
	char name[PATH_MAX];
	struct stat st;

	if (fstat(fd, &st) != 0 || name_of(fd, name, sizeof(name)) != 0 ||
	    confirm(name, &st) != 0)
		return -1;
	fact->path_kind = kind_of(st.st_mode);
	fact->device = (uint64_t)st.st_dev;
	fact->inode = (uint64_t)st.st_ino;
	buf_put_text(out, name);
	return 0;
}

/* The next component of *rest, empty ones skipped; false at its end. */
static bool
next_component(struct str *rest, struct str *part)
{
	while (rest->len > 0 && rest->data[0] == '/')
		*rest = str_skip(*rest, 1);
	*part = str_first(*rest, str_find(*rest, '/'));
	*rest = str_skip(*rest, part->len);
	return part->len > 0;
}

/* Appends the missing rest; -1 when it is not plain names. */
static int
append_rest(struct str rest, struct buf *out)
{
	struct str part;

	while (next_component(&rest, &part)) {
		if (str_is(part, ".."))
			return -1;
		if (str_is(part, "."))
			continue;
		if (out->len == 0 || out->data[out->len - 1] != '/')
			buf_put_char(out, '/');
		buf_put_str(out, part);
	}
	return out->failed || out->len >= PATH_MAX ? -1 : 0;
}

/* A link that leads nowhere stands where something is said to be missing. */
static bool
is_absent(int dir, struct str rest)
{
	char name[NAME_MAX + 1];
	struct str part;
	struct stat st;

	do {
		if (!next_component(&rest, &part))
			return false;
	} while (str_is(part, "."));
	if (part.len > NAME_MAX)
		return false;
	memcpy(name, part.data, part.len);
	name[part.len] = '\0';
	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 &&
	    errno == ENOENT;
}

/*
 * path does not exist.  Finds its deepest ancestor that does, by cutting from
 * the end; text is cut in place.
 */
static int
resolve_missing(char *text, struct str path, struct fact *fact,
    struct buf *out)
{
	size_t cut = path.len;
	int fd = -1;

	while (fd < 0 && cut > 1) {
		while (cut > 1 && text[cut - 1] == '/')
			cut--;
		while (cut > 1 && text[cut - 1] != '/')
			cut--;
		text[cut] = '\0';
		fd = open_resolved(AT_FDCWD, text, O_DIRECTORY,
		    RESOLVE_NO_MAGICLINKS);
		if (fd < 0 && errno != ENOENT)
			return -1;
	}
	if (fd < 0)
		return -1;
	if (!is_absent(fd, str_skip(path, cut)) ||
	    identify(fd, fact, out) != 0) {
		close(fd);
		return -1;
	}
	close(fd);
	fact->path_kind = PATH_MISSING;
	return append_rest(str_skip(path, cut), out);
}

static int
resolve(struct str path, struct fact *fact, struct buf *out)
{
	char text[PATH_MAX];
	int fd, error;

	if (path.len == 0 || path.len >= sizeof(text) || path.data[0] != '/' ||
	    memchr(path.data, '\0', path.len) != NULL)
		return -1;
	memcpy(text, path.data, path.len);
	text[path.len] = '\0';
	fd = open_resolved(AT_FDCWD, text, 0, RESOLVE_NO_MAGICLINKS);
	if (fd < 0)
		return errno == ENOENT ? resolve_missing(text, path, fact,
		    out) : -1;
	error = identify(fd, fact, out);
	close(fd);
	return error;
}

bool
path_can_resolve(void)
{
	int fd = open_resolved(AT_FDCWD, "/", O_DIRECTORY, RESOLVE_NO_SYMLINKS);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void
path_resolve(struct str path, struct fact *fact, struct buf *out)
{
	fact->device = fact->inode = 0;
	if (resolve(path, fact, out) != 0 || out->failed) {
		buf_clear(out);
		fact->path_kind = PATH_ERROR;
		fact->device = fact->inode = 0;
	}
	fact->text = buf_str(out);
}

/* What lies below the root, or an empty view when path does not. */
static struct str
below(struct str path, const char *root)
{
	size_t n = strlen(root);

	if (n == 1)
		n = 0;		/* the root is "/" itself */
	if (path.len <= n + 1 || (n > 0 && memcmp(path.data, root, n) != 0) ||
	    path.data[n] != '/')
		return STR_NONE;
	return str_skip(path, n + 1);
}

/* Makes one directory in dir unless it is there, and opens it. */
static int
make_one(int dir, struct str part)
{
	char name[NAME_MAX + 1];

	if (part.len > NAME_MAX || str_is(part, ".") || str_is(part, "..") ||
	    memchr(part.data, '\0', part.len) != NULL)
		return -1;
	memcpy(name, part.data, part.len);
	name[part.len] = '\0';
	if (mkdirat(dir, name, 0755) != 0 && errno != EEXIST)
		return -1;
	return open_resolved(dir, name, O_DIRECTORY, RESOLVE_BENEATH |
	    RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

static int
make_below(int root, struct str rest)
{
	int dir = dup(root), next;
	struct str part;

	while (dir >= 0 && next_component(&rest, &part)) {
		next = make_one(dir, part);
		close(dir);
		dir = next;
	}
	if (dir < 0)
		return -1;
	close(dir);
	return 0;
}

int
path_make(struct str path, const struct settings *settings)
{
	for (size_t i = 0; i < settings->root_count; i++) {
		const struct settings_root *root = &settings->root[i];
		struct str rest = below(path, root->path);

		if (rest.len > 0 && root->fd >= 0)
			return make_below(root->fd, rest);
	}
	return -1;
}
