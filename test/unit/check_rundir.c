/*
 * Where the run directory is, and each way in which it is refused: one test a
 * refusal that container-gateway(8) names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <check.h>

#include "master/rundir.h"
#include "test/unit/tree.h"

static struct project project;
static struct rundir rundir;
static struct fault fault;

static void
set_up(void)
{
	tree_make();
	memset(&fault, 0, sizeof(fault));
	rundir.fd = -1;
}

static void
tear_down(void)
{
	rundir_close(&rundir);
	tree_remove();
}

static void
make_repository(void)
{
	tree_dir("repo/.git/objects");
	tree_file("repo/.git/HEAD", "ref: refs/heads/main\n");
}

/* A worktree named `id` at linked/, as git worktree add lays it out. */
static void
make_linked(const char *id)
{
	char name[256], text[512];

	make_repository();
	tree_dir("linked");
	snprintf(name, sizeof(name), "repo/.git/worktrees/%s", id);
	snprintf(text, sizeof(text), "gitdir: %s\n", tree_path(name));
	tree_file("linked/.git", text);
	snprintf(name, sizeof(name), "repo/.git/worktrees/%s/commondir", id);
	tree_file(name, "../..\n");
	snprintf(name, sizeof(name), "repo/.git/worktrees/%s/gitdir", id);
	snprintf(text, sizeof(text), "%s\n", tree_path("linked/.git"));
	tree_file(name, text);
}

static int
place(const char *name, const char *run_dir)
{
	struct options options = { .project = tree_path(name) };

	ck_assert_int_eq(project_find(&project, &options, &fault), 0);
	return rundir_place(&rundir, run_dir, &project, &fault);
}

static void
refused(int code, const char *says)
{
	ck_assert_int_eq(fault.code, code);
	ck_assert_msg(strstr(fault.text, says) != NULL, "\"%s\"", fault.text);
}

static void
is_at(const char *name)
{
	ck_assert_str_eq(rundir.path, tree_path(name));
}

static void
placed_but_not_opened(const char *says)
{
	ck_assert_int_eq(place("repo", NULL), 0);
	ck_assert_int_ne(rundir_open(&rundir, &fault), 0);
	refused(FAULT_FAILED, says);
}

START_TEST(in_the_git_directory)
{
	struct stat st;

	make_repository();
	ck_assert_int_eq(place("repo", NULL), 0);
	is_at("repo/.git/apache-magpie/run/main");
	ck_assert_int_eq(rundir_open(&rundir, &fault), 0);
	ck_assert_int_eq(fstat(rundir.fd, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0700);
	rundir_close(&rundir);

	/* Again, and a mode that only lets others read is tightened. */
	tree_mode("repo/.git/apache-magpie/run/main", 0755);
	ck_assert_int_eq(rundir_open(&rundir, &fault), 0);
	ck_assert_int_eq(fstat(rundir.fd, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0700);
}
END_TEST

START_TEST(in_the_personal_layer)
{
	make_repository();
	tree_file("repo/.apache-magpie.lock", "");
	ck_assert_int_eq(place("repo", NULL), 0);
	is_at("repo/.apache-magpie-local/run");
	ck_assert_int_eq(rundir_open(&rundir, &fault), 0);
}
END_TEST

START_TEST(in_the_common_directory)
{
	make_linked("feature.1_x");
	ck_assert_int_eq(place("linked", NULL), 0);
	is_at("repo/.git/apache-magpie/run/feature.1_x");
	ck_assert_int_eq(rundir_open(&rundir, &fault), 0);
}
END_TEST

START_TEST(relative_worktree_links)
{
	make_linked("wt");
	tree_file("linked/.git", "gitdir: ../repo/.git/worktrees/wt\n");
	tree_file("repo/.git/worktrees/wt/gitdir",
	    "../../../../linked/.git\n");
	ck_assert_int_eq(place("linked", NULL), 0);
	is_at("repo/.git/apache-magpie/run/wt");
}
END_TEST

START_TEST(where_it_is_told_to)
{
	tree_dir("plain");
	ck_assert_int_eq(place("plain", tree_path("run/")), 0);
	is_at("run");
	ck_assert_int_eq(rundir_open(&rundir, &fault), 0);
	rundir_close(&rundir);
	ck_assert_int_eq(chdir(tree_path("plain")), 0);
	ck_assert_int_eq(place("plain", "mine"), 0);
	is_at("plain/mine");
	/* The parent is the anchor: a link to it is the host's own layout. */
	tree_link("alias", "plain");
	ck_assert_int_eq(place("plain", tree_path("alias/run")), 0);
	is_at("plain/run");
}
END_TEST

START_TEST(no_git_and_no_flag)
{
	tree_dir("plain");
	ck_assert_int_ne(place("plain", NULL), 0);
	refused(FAULT_USAGE, "give --run-dir");
}
END_TEST

START_TEST(names_that_are_no_directory_of_its_own)
{
	tree_dir("plain");
	ck_assert_int_ne(place("plain", "/"), 0);
	refused(FAULT_USAGE, "--run-dir /:");
	ck_assert_int_ne(place("plain", "."), 0);
	refused(FAULT_USAGE, "name a directory");
	ck_assert_int_ne(place("plain", tree_path("plain/..")), 0);
	refused(FAULT_USAGE, "name a directory");
	ck_assert_int_ne(place("plain", tree_path("none/run")), 0);
	refused(FAULT_USAGE, "No such file");
}
END_TEST

START_TEST(too_long)
{
	char name[128];
	size_t base = strlen(tree_path("")) + 1;
	size_t most = 103 - strlen("/control.sock") - base;

	tree_dir("plain");
	memset(name, 'x', sizeof(name));
	name[most] = '\0';
	ck_assert_int_eq(place("plain", tree_path(name)), 0);
	ck_assert_uint_eq(strlen(rundir.path) + strlen("/control.sock"), 103);
	name[most] = 'x';
	name[most + 1] = '\0';
	ck_assert_int_ne(place("plain", tree_path(name)), 0);
	refused(FAULT_USAGE, "has 104 bytes, more than 103");
	/* Refused before anything is made. */
	ck_assert_int_ne(access(tree_path(name), F_OK), 0);
}
END_TEST

START_TEST(a_link_on_the_way)
{
	make_repository();
	tree_dir("elsewhere");
	tree_link("repo/.git/apache-magpie", "../../elsewhere");
	placed_but_not_opened("is a symbolic link");
	ck_assert_int_ne(access(tree_path("elsewhere/run"), F_OK), 0);
}
END_TEST

START_TEST(a_link_at_the_end)
{
	make_repository();
	tree_dir("elsewhere");
	tree_dir("repo/.git/apache-magpie/run");
	tree_link("repo/.git/apache-magpie/run/main", "/");
	placed_but_not_opened("run/main is a symbolic link");
	ck_assert_int_eq(place("repo", tree_path("alias")), 0);
	tree_link("alias", "elsewhere");
	ck_assert_int_ne(rundir_open(&rundir, &fault), 0);
	refused(FAULT_FAILED, "alias is a symbolic link");
}
END_TEST

START_TEST(git_is_a_link)
{
	make_repository();
	tree_dir("other");
	tree_link("other/.git", "../repo/.git");
	ck_assert_int_ne(place("other", NULL), 0);
	refused(FAULT_FAILED, "is a symbolic link");
}
END_TEST

START_TEST(a_file_in_the_way)
{
	make_repository();
	tree_file("repo/.git/apache-magpie/run", "");
	placed_but_not_opened("is not a directory");
}
END_TEST

START_TEST(writable_by_others)
{
	make_repository();
	tree_dir("repo/.git/apache-magpie/run");
	tree_mode("repo/.git/apache-magpie/run", 0775);
	placed_but_not_opened("run is writable by group or others");
	tree_mode("repo/.git/apache-magpie/run", 0757);
	placed_but_not_opened("run is writable by group or others");
	tree_mode("repo/.git/apache-magpie/run", 0700);
	tree_dir("repo/.git/apache-magpie/run/main");
	tree_mode("repo/.git/apache-magpie/run/main", 0770);
	placed_but_not_opened("main is writable by group or others");
	tree_mode("repo/.git/apache-magpie/run/main", 0700);
	tree_mode("repo/.git", 0775);
	ck_assert_int_ne(place("repo", NULL), 0);
	refused(FAULT_FAILED, ".git is writable by group or others");
}
END_TEST

START_TEST(of_another_user)
{
	make_repository();
	tree_dir("repo/.git/apache-magpie/run");
	if (geteuid() != 0) {
		/* What is root's is a stranger's to anybody else. */
		ck_assert_int_eq(place("repo", "/usr"), 0);
		ck_assert_int_ne(rundir_open(&rundir, &fault), 0);
		refused(FAULT_FAILED, "/usr belongs to uid 0");
		return;
	}
	ck_assert(tree_give("repo/.git/apache-magpie"));
	placed_but_not_opened("apache-magpie belongs to uid 65534, not to you");
	ck_assert(tree_give("repo/.git"));
	ck_assert_int_ne(place("repo", NULL), 0);
	refused(FAULT_FAILED, ".git belongs to uid 65534");
}
END_TEST

/* ---- forged worktrees ----------------------------------------------------- */

static void
forged(const char *says)
{
	ck_assert_int_ne(place("linked", NULL), 0);
	refused(FAULT_FAILED, says);
}

START_TEST(worktree_that_is_not_pointed_back_at)
{
	make_linked("wt");
	tree_file("repo/.git/worktrees/wt/gitdir", "/elsewhere/.git\n");
	forged("does not point back");
	tree_dir("copy");
	tree_file("copy/.git", "");
	tree_file("repo/.git/worktrees/wt/gitdir", tree_path("copy/.git"));
	forged("does not point back");
	unlink(tree_path("repo/.git/worktrees/wt/gitdir"));
	forged("does not point back");
	/* A link is not followed to what would be right. */
	tree_file("right", tree_path("linked/.git"));
	tree_link("repo/.git/worktrees/wt/gitdir", tree_path("right"));
	forged("does not point back");
}
END_TEST

START_TEST(worktree_of_no_repository)
{
	make_linked("wt");
	unlink(tree_path("repo/.git/HEAD"));
	forged("is not a git directory");
	tree_file("repo/.git/HEAD", "");
	rmdir(tree_path("repo/.git/objects"));
	forged("is not a git directory");
}
END_TEST

START_TEST(worktree_that_names_another_common_directory)
{
	make_linked("wt");
	tree_dir("evil/.git/objects");
	tree_file("evil/.git/HEAD", "");
	tree_file("repo/.git/worktrees/wt/commondir", tree_path("evil/.git"));
	forged("not the private directory of a linked worktree");
}
END_TEST

START_TEST(git_file_that_names_a_repository)
{
	make_linked("wt");
	tree_dir("victim/.git/objects");
	tree_file("victim/.git/HEAD", "");
	tree_file("linked/.git", "gitdir: ../victim/.git\n");
	forged("not the private directory of a linked worktree");
	tree_file("linked/.git", "gitdir: /none\n");
	forged("does not name a git directory that exists");
	tree_file("linked/.git", "whatever\n");
	forged("does not name a git directory");
	tree_file("linked/.git", "");
	forged("does not name a git directory");
}
END_TEST

START_TEST(common_directory_writable_or_foreign)
{
	make_linked("wt");
	tree_mode("repo/.git", 0777);
	forged("writable by group or others");
	tree_mode("repo/.git", 0755);
	if (!tree_give("repo/.git"))
		return;
	forged("belongs to uid 65534");
}
END_TEST

START_TEST(worktree_names)
{
	make_linked("a b");
	forged("holds other characters");
	tree_remove();
	tree_make();
	make_linked("main");
	forged("stands for the main checkout");
}
END_TEST

Suite *rundir_suite(void);

Suite *
rundir_suite(void)
{
	Suite *s = suite_create("rundir");
	TCase *c = tcase_create("place");
	TCase *w = tcase_create("worktree");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, in_the_git_directory);
	tcase_add_test(c, in_the_personal_layer);
	tcase_add_test(c, in_the_common_directory);
	tcase_add_test(c, relative_worktree_links);
	tcase_add_test(c, where_it_is_told_to);
	tcase_add_test(c, no_git_and_no_flag);
	tcase_add_test(c, names_that_are_no_directory_of_its_own);
	tcase_add_test(c, too_long);
	tcase_add_test(c, a_link_on_the_way);
	tcase_add_test(c, a_link_at_the_end);
	tcase_add_test(c, git_is_a_link);
	tcase_add_test(c, a_file_in_the_way);
	tcase_add_test(c, writable_by_others);
	tcase_add_test(c, of_another_user);
	suite_add_tcase(s, c);
	tcase_add_checked_fixture(w, set_up, tear_down);
	tcase_add_test(w, worktree_that_is_not_pointed_back_at);
	tcase_add_test(w, worktree_of_no_repository);
	tcase_add_test(w, worktree_that_names_another_common_directory);
	tcase_add_test(w, git_file_that_names_a_repository);
	tcase_add_test(w, common_directory_writable_or_foreign);
	tcase_add_test(w, worktree_names);
	suite_add_tcase(s, w);
	return s;
}
