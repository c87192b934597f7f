/*
 * Paths: what they lead to, and what must not be believed; directories made
 * below a root and nowhere else.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <check.h>

#include "tree.h"
#include "worker/path.h"

Suite	*path_suite(void);

static struct fact fact;
static struct buf text = BUF_INIT(65536);
static struct settings settings;

static uint8_t
resolve(const char *path)
{
	buf_free(&text);
	memset(&fact, 0, sizeof(fact));
	path_resolve(str_from(path), &fact, &text);
	return fact.path_kind;
}

/* kind, and where it leads, below the tree. */
static void
want(const char *path, enum path_kind kind, const char *leads_to)
{
	char whole[PATH_MAX];

	snprintf(whole, sizeof(whole), "%s", tree_path(path));
	ck_assert_int_eq(resolve(whole), kind);
	if (kind == PATH_ERROR)
		ck_assert_uint_eq(fact.text.len, 0);
	else if (!str_is(fact.text, tree_path(leads_to)))
		ck_abort_msg("%s leads to %.*s", path, STR_FMT(fact.text));
}

static void
setup(void)
{
	tree_make();
	tree_dir("dir/sub");
	tree_file("dir/file", "x");
	tree_link("link", "dir");
	tree_link("filelink", "dir/file");
	tree_link("up", "dir/sub/..");
	tree_link("dangling", "nowhere");
	tree_link("loop", "loop");
	tree_link("away", "/etc");
	memset(&settings, 0, sizeof(settings));
	settings.root_count = 1;
	settings.root[0].path = strdup(tree_path("dir"));
	settings.root[0].fd = open(settings.root[0].path, O_PATH |
	    O_DIRECTORY);
	ck_assert_int_ge(settings.root[0].fd, 0);
}

static void
teardown(void)
{
	close(settings.root[0].fd);
	free(settings.root[0].path);
	buf_free(&text);
	tree_remove();
}

START_TEST(what_is_there)
{
	struct stat st;

	want("dir", PATH_DIRECTORY, "dir");
	ck_assert_int_eq(stat(tree_path("dir"), &st), 0);
	ck_assert_uint_eq(fact.inode, st.st_ino);
	ck_assert_uint_eq(fact.device, st.st_dev);
	want("dir/", PATH_DIRECTORY, "dir");
	want("dir/./sub//", PATH_DIRECTORY, "dir/sub");
	want("dir/sub/../file", PATH_FILE, "dir/file");
	want("link/file", PATH_FILE, "dir/file");
	want("filelink", PATH_FILE, "dir/file");
	want("up", PATH_DIRECTORY, "dir");
	ck_assert_int_eq(resolve("/dev/null"), PATH_OTHER);
	ck_assert_int_eq(resolve("/"), PATH_DIRECTORY);
	ck_assert(str_is(fact.text, "/"));
	ck_assert_int_eq(resolve(tree_path("away/passwd")), PATH_FILE);
	ck_assert(str_is(fact.text, "/etc/passwd"));
}
END_TEST

START_TEST(what_is_missing)
{
	want("dir/a", PATH_MISSING, "dir/a");
	ck_assert_uint_eq(fact.inode == 0, 0);
	want("dir/a/b/c/", PATH_MISSING, "dir/a/b/c");
	want("link/a/./b", PATH_MISSING, "dir/a/b");
	want("up/a", PATH_MISSING, "dir/a");
	ck_assert_int_eq(resolve("/surely-not-there"), PATH_MISSING);
	ck_assert(str_is(fact.text, "/surely-not-there"));
}
END_TEST

START_TEST(what_cannot_be_told)
{
	char whole[PATH_MAX + 2];

	want("dir/a/../b", PATH_ERROR, "");
	want("a/../../x", PATH_ERROR, "");
	want("loop", PATH_ERROR, "");
	want("loop/x", PATH_ERROR, "");
	/* A link to nothing: the daemon would make its target. */
	want("dangling", PATH_ERROR, "");
	want("dangling/x", PATH_ERROR, "");
	want("dangling/../dangling", PATH_ERROR, "");
	want("dir/file/x", PATH_ERROR, "");
	want("dir/file/", PATH_ERROR, "");
	ck_assert_int_eq(resolve(""), PATH_ERROR);
	ck_assert_int_eq(resolve("relative"), PATH_ERROR);
	memset(whole, 'a', sizeof(whole) - 1);
	whole[0] = '/';
	whole[sizeof(whole) - 1] = '\0';
	ck_assert_int_eq(resolve(whole), PATH_ERROR);
	/* One name that is too long. */
	whole[300] = '\0';
	ck_assert_int_eq(resolve(whole), PATH_ERROR);
	buf_free(&text);
	path_resolve((struct str){ "/etc\0/x", 7 }, &fact, &text);
	ck_assert_int_eq(fact.path_kind, PATH_ERROR);
}
END_TEST

START_TEST(magic_links)
{
	static const char *const magic[] = { "/proc/self/root/etc",
		"/proc/self/cwd", "/proc/self/cwd/x", "/proc/self/fd/0",
		"/proc/self/exe", "/proc/1/root", "/proc/1/root/etc/missing",
		"/proc/thread-self/root", "/dev/stdin", "/dev/fd/0" };
	char pid[32];

	for (size_t i = 0; i < sizeof(magic) / sizeof(*magic); i++)
		if (resolve(magic[i]) != PATH_ERROR)
			ck_abort_msg("%s leads to %.*s", magic[i],
			    STR_FMT(fact.text));
	tree_link("dir/trap", "/proc/self/root/etc");
	want("dir/trap/passwd", PATH_ERROR, "");
	/* What is no magic is told for what it is. */
	ck_assert_int_eq(resolve("/proc/self"), PATH_DIRECTORY);
	snprintf(pid, sizeof(pid), "/proc/%d", (int)getpid());
	ck_assert(str_is(fact.text, pid));
}
END_TEST

static int
make(const char *path)
{
	char whole[PATH_MAX];

	snprintf(whole, sizeof(whole), "%s", tree_path(path));
	return path_make(str_from(whole), &settings);
}

START_TEST(making)
{
	struct stat st;

	umask(022);
	ck_assert_int_eq(make("dir/new/deep/er"), 0);
	ck_assert_int_eq(stat(tree_path("dir/new/deep/er"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0755);
	ck_assert_int_eq(make("dir/new/deep/er"), 0);
	ck_assert_int_eq(make("dir/sub/x"), 0);
	/* Outside the root, on it, through links, over files. */
	ck_assert_int_ne(make("other"), 0);
	ck_assert_int_ne(make("dir"), 0);
	ck_assert_int_ne(make("dirty"), 0);
	ck_assert_int_ne(make("dir/sub/../y"), 0);
	ck_assert_int_ne(make("dir/./y"), 0);
	ck_assert_int_ne(make("dir/file/y"), 0);
	ck_assert_int_ne(make("link/y"), 0);
	tree_link("dir/out", tree_path(""));
	ck_assert_int_ne(make("dir/out/y"), 0);
	tree_link("dir/hang", "nothing");
	ck_assert_int_ne(make("dir/hang"), 0);
	ck_assert_int_ne(make("dir/hang/y"), 0);
	ck_assert_int_ne(access(tree_path("y"), F_OK), 0);
	ck_assert_int_ne(access(tree_path("dir/nothing"), F_OK), 0);
	ck_assert_int_ne(path_make(STR("/tmp"), &settings), 0);
	ck_assert_int_ne(path_make(STR(""), &settings), 0);
}
END_TEST

/* The root's name now means another directory: nothing is made there. */
START_TEST(root_is_swapped)
{
	ck_assert_int_eq(rename(tree_path("dir"), tree_path("moved")), 0);
	tree_link("dir", "/etc");
	ck_assert_int_eq(make("dir/new"), 0);
	ck_assert_int_eq(access(tree_path("moved/new"), F_OK), 0);
	ck_assert_int_ne(access("/etc/new", F_OK), 0);
}
END_TEST

Suite *
path_suite(void)
{
	Suite *suite = suite_create("path");
	TCase *tc = tcase_create("path");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, what_is_there);
	tcase_add_test(tc, what_is_missing);
	tcase_add_test(tc, what_cannot_be_told);
	tcase_add_test(tc, magic_links);
	tcase_add_test(tc, making);
	tcase_add_test(tc, root_is_swapped);
	suite_add_tcase(suite, tc);
	return suite;
}
