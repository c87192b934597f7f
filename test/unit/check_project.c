/*
 * Project, slug, bind roots and personal layers; SHA-256 by its test vectors.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "master/project.h"
#include "master/sha256.h"
#include "test/unit/tree.h"

static struct project project;
static struct options options;
static struct fault fault;

static void
set_up(void)
{
	tree_make();
	memset(&options, 0, sizeof(options));
	memset(&fault, 0, sizeof(fault));
}

static void
tear_down(void)
{
	project_free(&project);
	tree_remove();
}

static void
make_repository(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/.git/objects", name);
	tree_dir(path);
	snprintf(path, sizeof(path), "%s/.git/HEAD", name);
	tree_file(path, "ref: refs/heads/main\n");
}

static int
find(const char *name)
{
	options.project = tree_path(name);
	return project_find(&project, &options, &fault);
}

static void
hash_is(struct str text, const char *wanted)
{
	uint8_t hash[SHA256_BYTES];
	char hex[2 * SHA256_BYTES + 1];

	sha256(text, hash);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", hash[i]);
	ck_assert_str_eq(hex, wanted);
}

/* Lengths around the padding's edges; wanted values are sha256sum's. */
START_TEST(sha256_vectors)
{
	char a[128];

	memset(a, 'a', sizeof(a));
	hash_is(STR(""), "e3b0c44298fc1c149afbf4c8996fb924"
	    "27ae41e4649b934ca495991b7852b855");
	hash_is(STR("abc"), "ba7816bf8f01cfea414140de5dae2223"
	    "b00361a396177a9cb410ff61f20015ad");
	hash_is((struct str){ a, 55 }, "9f4390f8d30c2dd92ec9f095b65e2b9a"
	    "e9b0a925a5258e241c9f1e910f734318");
	hash_is((struct str){ a, 56 }, "b35439a4ac6f0948b6d6f9e3c6af0f5f"
	    "590ce20f1bde7090ef7970686ec6738a");
	hash_is((struct str){ a, 64 }, "ffe054fe7ae0cb6dc65c3af9b61d5209"
	    "f439851db43d0ba5997337df154668eb");
	hash_is((struct str){ a, 119 }, "31eba51c313a5c08226adf18d4a359cf"
	    "dfd8d2e816b13f4af952f7ea6584dcfb");
	hash_is((struct str){ a, 120 }, "2f3d335432c70b580af0e8e1b3674a7c"
	    "020d683aa5f73aaaedfdc55af904c21c");
}
END_TEST

START_TEST(slugs)
{
	static const struct {
		const char *path, *start;
	} rows[] = {
		{ "/home/me/proj", "proj-" },
		{ "/home/me/My Project!", "My_Project_-" },
		{ "/home/me/.hidden", "hidden-" },
		{ "/home/me/_-.x", "x-" },
		{ "/home/me/...", "project-" },
		{ "/home/me/\xc3\xa9t\xc3\xa9", "t__-" },
		{ "/home/me/a=b/c\nd", "c_d-" },
	};
	char slug[PROJECT_SLUG_MAX], other[PROJECT_SLUG_MAX], path[512];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t n = strlen(rows[i].start);

		project_slug(rows[i].path, slug);
		ck_assert_msg(strncmp(slug, rows[i].start, n) == 0, "%s",
		    slug);
		ck_assert_uint_eq(strlen(slug), n + 12);
		ck_assert_uint_eq(strspn(slug + n, "0123456789abcdef"), 12);
	}
	/* printf %s /home/me/proj | sha256sum */
	project_slug("/home/me/proj", slug);
	ck_assert_str_eq(slug, "proj-4c3b4937ddaa");
	project_slug("/home/you/proj", other);
	ck_assert_str_ne(slug, other);
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	project_slug(path, slug);
	ck_assert_uint_eq(strlen(slug), PROJECT_SLUG_MAX - 1);
}
END_TEST

START_TEST(the_top_of_a_work_tree_is_the_project)
{
	make_repository("repo");
	tree_dir("repo/src/deep");
	ck_assert_int_eq(find("repo/src/deep"), 0);
	ck_assert_str_eq(project.path, tree_path("repo"));
	/* But only what was named may be mounted. */
	ck_assert_str_eq(project.bind_root, tree_path("repo/src/deep"));
	ck_assert(project.is_git);
	ck_assert(!project.is_adopted);
}
END_TEST

START_TEST(links_to_a_project_are_resolved)
{
	make_repository("repo");
	tree_link("alias", "repo");
	ck_assert_int_eq(find("alias"), 0);
	ck_assert_str_eq(project.path, tree_path("repo"));
}
END_TEST

START_TEST(what_git_would_not_take_for_a_repository)
{
	tree_dir("plain/.git");
	ck_assert_int_eq(find("plain"), 0);
	ck_assert(!project.is_git);
	ck_assert_str_eq(project.path, tree_path("plain"));
}
END_TEST

START_TEST(a_stranger_cannot_take_in_what_lies_below)
{
	make_repository("shared");
	tree_dir("shared/mine");
	if (!tree_give("shared/.git"))
		return;
	ck_assert_int_eq(find("shared/mine"), 0);
	ck_assert(!project.is_git);
	ck_assert_str_eq(project.path, tree_path("shared/mine"));
}
END_TEST

START_TEST(adoption)
{
	tree_file("proj/.apache-magpie.lock", "");
	ck_assert_int_eq(find("proj"), 0);
	ck_assert(project.is_adopted);
	tree_dir("other");
	tree_link("other/.apache-magpie.lock", "../proj/.apache-magpie.lock");
	ck_assert_int_eq(find("other"), 0);
	ck_assert(!project.is_adopted);
}
END_TEST

static void
refused(const char *says)
{
	ck_assert_int_eq(fault.code, FAULT_USAGE);
	ck_assert_msg(strstr(fault.text, says) != NULL, "\"%s\"", fault.text);
}

START_TEST(refusals)
{
	tree_file("file", "");
	tree_dir("proj/sub");
	tree_dir("proj-2");
	ck_assert_int_ne(find("missing"), 0);
	refused("No such file or directory");
	ck_assert_int_ne(find("file"), 0);
	refused("not a directory");
	options.project = "/";
	ck_assert_int_ne(project_find(&project, &options, &fault), 0);
	refused("the whole file system");

	options.bind_root = tree_path("proj-2");
	ck_assert_int_ne(find("proj"), 0);
	refused("is not inside the project");
	options.bind_root = tree_path("proj/none");
	ck_assert_int_ne(find("proj"), 0);
	refused("--bind-root");
	options.bind_root = tree_path("proj/sub");
	ck_assert_int_eq(find("proj"), 0);
	ck_assert_str_eq(project.bind_root, tree_path("proj/sub"));

	options.extra_root.count = 1;
	options.extra_root.text[0] = "/";
	ck_assert_int_ne(find("proj"), 0);
	refused("--extra-bind-root /");
	options.extra_root.text[0] = tree_path("none");
	ck_assert_int_ne(find("proj"), 0);
	refused("--extra-bind-root");
}
END_TEST

START_TEST(a_bind_root_cannot_leave_by_a_link)
{
	tree_dir("proj");
	tree_dir("elsewhere");
	tree_link("proj/out", "../elsewhere");
	options.bind_root = tree_path("proj/out");
	ck_assert_int_ne(find("proj"), 0);
	refused("is not inside the project");
}
END_TEST

START_TEST(personal_layers)
{
	char paths[2][PATH_MAX], text[512];

	make_repository("main");
	ck_assert_int_eq(find("main"), 0);
	ck_assert_uint_eq(project_personal(&project, paths), 1);
	ck_assert_str_eq(paths[0], tree_path("main/.apache-magpie-local"));

	tree_dir("linked");
	snprintf(text, sizeof(text), "gitdir: %s\n",
	    tree_path("main/.git/worktrees/linked"));
	tree_file("linked/.git", text);
	tree_file("main/.git/worktrees/linked/commondir", "../..\n");
	snprintf(text, sizeof(text), "%s\n", tree_path("linked/.git"));
	tree_file("main/.git/worktrees/linked/gitdir", text);
	ck_assert_int_eq(find("linked"), 0);
	ck_assert_uint_eq(project_personal(&project, paths), 2);
	ck_assert_str_eq(paths[0], tree_path("linked/.apache-magpie-local"));
	ck_assert_str_eq(paths[1], tree_path("main/.apache-magpie-local"));
}
END_TEST

Suite *project_suite(void);

Suite *
project_suite(void)
{
	Suite *s = suite_create("project");
	TCase *c = tcase_create("project");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, sha256_vectors);
	tcase_add_test(c, slugs);
	tcase_add_test(c, the_top_of_a_work_tree_is_the_project);
	tcase_add_test(c, links_to_a_project_are_resolved);
	tcase_add_test(c, what_git_would_not_take_for_a_repository);
	tcase_add_test(c, a_stranger_cannot_take_in_what_lies_below);
	tcase_add_test(c, adoption);
	tcase_add_test(c, refusals);
	tcase_add_test(c, a_bind_root_cannot_leave_by_a_link);
	tcase_add_test(c, personal_layers);
	suite_add_tcase(s, c);
	return s;
}
