/*
 * The temporary directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <check.h>

#include "test/unit/tree.h"

enum { STRANGER = 65534 };

static char root[PATH_MAX];

void
tree_make(void)
{
	char name[] = "/tmp/cg-unit-XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(name));
	ck_assert_ptr_nonnull(realpath(name, root));
	umask(022);
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

void
tree_remove(void)
{
	if (chdir("/") == 0)
		nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *
tree_path(const char *name)
{
	static char paths[8][PATH_MAX + 256];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s%s%s", root,
	    name[0] != '\0' ? "/" : "", name);
	return path;
}

void
tree_dir(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", tree_path(name));
	for (char *at = path + strlen(root) + 1; *at != '\0'; at++)
		if (*at == '/') {
			*at = '\0';
			ck_assert(mkdir(path, 0755) == 0 || errno == EEXIST);
			*at = '/';
		}
	ck_assert(mkdir(path, 0755) == 0 || errno == EEXIST);
}

void
tree_file(const char *name, const char *text)
{
	char parent[PATH_MAX];
	char *slash;
	FILE *file;

	snprintf(parent, sizeof(parent), "%s", name);
	slash = strrchr(parent, '/');
	if (slash != NULL) {
		*slash = '\0';
		tree_dir(parent);
	}
	file = fopen(tree_path(name), "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

void
tree_link(const char *name, const char *to)
{
	ck_assert_int_eq(symlink(to, tree_path(name)), 0);
}

void
tree_mode(const char *name, mode_t mode)
{
	ck_assert_int_eq(chmod(tree_path(name), mode), 0);
}

int
tree_give(const char *name)
{
	return chown(tree_path(name), STRANGER, STRANGER) == 0;
}

const char *
tree_read(const char *name)
{
	static char text[4096];
	FILE *file = fopen(tree_path(name), "r");
	size_t n = 0;

	if (file != NULL) {
		n = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[n] = '\0';
	return text;
}
