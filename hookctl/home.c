/*
 * Finds the home and opens our tree below it.  The password file is read by
 * hand: a static program cannot load the name service's modules, and whoever
 * is known only to those still has $HOME.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/str.h"
#include "hookctl/home.h"

#define HOME_TREE	".claude/magpie-gateway"

static const char *const dir_names[HOME_DIRS] = { "sessions", "state", "log" };

/* One line of the password file: the directory of uid, or false. */
static bool
read_entry(char *line, uid_t uid, char out[PATH_MAX])
{
	char *field[7] = { NULL }, *rest = line;
	size_t n = 0;

	while (n < 7 && (field[n] = strsep(&rest, ":\n")) != NULL)
		n++;
	if (n < 6 || field[2][0] == '\0' ||
	    strtoul(field[2], NULL, 10) != uid || field[5][0] != '/')
		return false;
	snprintf(out, PATH_MAX, "%s", field[5]);
	return true;
}

static bool
find_password_entry(uid_t uid, char out[PATH_MAX])
{
	FILE *f = fopen("/etc/passwd", "re");
	char line[PATH_MAX];
	bool found = false;

	if (f == NULL)
		return false;
	while (!found && fgets(line, sizeof(line), f) != NULL)
		found = read_entry(line, uid, out);
	fclose(f);
	return found;
}

static bool
is_own_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	    st.st_uid == geteuid();
}

static void
home_add(struct home *h, const char *path)
{
	if (h->count == 1 && strcmp(h->all[0], path) == 0)
		return;
	snprintf(h->all[h->count++], PATH_MAX, "%s", path);
}

int
home_find(struct home *h, struct fault *fault)
{
	const char *env = getenv("HOME");
	char entry[PATH_MAX];

	memset(h, 0, sizeof(*h));
	for (int i = 0; i < HOME_DIRS; i++)
		h->fd[i] = -1;
	if (env != NULL && env[0] == '/' && strlen(env) < PATH_MAX - 128)
		home_add(h, env);
	if (find_password_entry(geteuid(), entry))
		home_add(h, entry);
	for (unsigned i = 0; i < h->count; i++)
		if (is_own_directory(h->all[i])) {
			memcpy(h->path, h->all[i], sizeof(h->path));
			return 0;
		}
	return fault_set(fault, "no home directory of uid %u: set HOME to a "
	    "directory that belongs to you", (unsigned)geteuid());
}

static int
check_dir(int fd, const char *path, mode_t forbidden, struct fault *fault)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return fault_set(fault, "%s: %s", path, strerror(errno));
	if (st.st_uid != geteuid())
		return fault_set(fault, "%s belongs to uid %u, not to you: "
		    "remove it", path, (unsigned)st.st_uid);
	if ((st.st_mode & forbidden) != 0)
		return fault_set(fault, "%s is open to others (mode %04o): "
		    "chmod %s it", path, (unsigned)st.st_mode & 07777,
		    forbidden == 022 ? "go-w" : "go-rwx");
	return 0;
}

/* One directory below parent: its descriptor, or negative. */
static int
open_dir(int parent, const char *name, const char *path, bool make,
    mode_t forbidden, struct fault *fault)
{
	struct stat st;
	int fd, error;

	if (make && mkdirat(parent, name, 0700) != 0 && errno != EEXIST)
		return fault_set(fault, "cannot make %s: %s", path,
		    strerror(errno));
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	if (fd < 0) {
		error = errno;
		if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISLNK(st.st_mode))
			return fault_set(fault, "%s is a symbolic link, which "
			    "is not followed: put a directory there", path);
		return fault_set(fault, "%s: %s", path, strerror(error));
	}
	error = check_dir(fd, path, forbidden, fault);
	if (error == 0)
		return fd;
	close(fd);
	return error;
}

/* HOME_TREE below fd, which is closed. */
static int
open_tree(const struct home *h, int fd, bool make, struct fault *fault)
{
	char path[PATH_MAX + sizeof(HOME_TREE)], tree[] = HOME_TREE;
	char *rest = tree, *name;
	size_t n = (size_t)snprintf(path, sizeof(path), "%s", h->path);
	mode_t forbidden = 022;

	while (fd >= 0 && (name = strsep(&rest, "/")) != NULL) {
		int parent = fd;

		n += (size_t)snprintf(path + n, sizeof(path) - n, "/%s", name);
		fd = open_dir(parent, name, path, make, forbidden, fault);
		close(parent);
		/* ~/.claude is the harness's, and often readable. */
		forbidden = 077;
	}
	return fd;
}

int
home_open(struct home *h, bool make, struct fault *fault)
{
	char path[PATH_MAX];
	int tree, home;

	home = open(h->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (home < 0)
		return fault_set(fault, "%s: %s", h->path, strerror(errno));
	tree = open_tree(h, home, make, fault);
	if (tree < 0)
		return tree;
	for (int i = 0; i < HOME_DIRS; i++) {
		home_path(h, (enum home_dir)i, path);
		h->fd[i] = open_dir(tree, dir_names[i], path, make, 077, fault);
		if (h->fd[i] < 0) {
			close(tree);
			home_close(h);
			return -1;
		}
	}
	close(tree);
	return 0;
}

void
home_close(struct home *h)
{
	for (int i = 0; i < HOME_DIRS; i++) {
		if (h->fd[i] >= 0)
			close(h->fd[i]);
		h->fd[i] = -1;
	}
}

void
home_path(const struct home *h, enum home_dir dir, char out[PATH_MAX])
{
	snprintf(out, PATH_MAX, "%.*s/" HOME_TREE "/%s", PATH_MAX - 64,
	    h->path, dir_names[dir]);
}
