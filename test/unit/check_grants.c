/*
 * What hookctl counts as writable, and what it finds sound, in a tree that the
 * test makes: the forms of settings' entries, by a table, and the walk that
 * compares directories, whatever they are called.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <check.h>

#include "hookctl/grants.h"
#include "hookctl/json.h"
#include "hookctl/pathwalk.h"
#include "hookctl/integrity.h"
#include "test/unit/tree.h"

Suite	*grants_suite(void);

static char top[PATH_MAX];	/* of the tree; canonical */

static void
set_up(void)
{
	static const char *const dirs[] = { "home", "home/.claude", "project",
		"project/.claude", "project/sub", "project/src", "opt",
		"opt/bin" };

	tree_make();
	snprintf(top, sizeof(top), "%s", tree_path("x"));
	*strrchr(top, '/') = '\0';
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
		tree_dir(dirs[i]);
	tree_link("link", "opt");
}

static void
tear_down(void)
{
	tree_remove();
}

/* clang-format off */
static const struct row {
	enum settings_kind	 kind;
	const char		*list;		/* which; see make_json() */
	const char		*entry;		/* @: the tree's top */
	const char		*covered;	/* below the top: is covered */
	const char		*free;		/* is not; or NULL */
} rows[] = {
	/* sandbox.filesystem.allowWrite */
	{ SETTINGS_USER,    "allowWrite", "@/opt",	"opt/bin/x",	"project" },
	{ SETTINGS_USER,    "allowWrite", "/@/opt",	"opt/bin/x",	"project" },
	{ SETTINGS_USER,    "allowWrite", "@/opt/",	"opt",		"project" },
	{ SETTINGS_USER,    "allowWrite", "@/opt/**",	"opt/bin/x",	"project" },
	{ SETTINGS_USER,    "allowWrite", "@/opt/b*",	"opt/other",	"project" },
	{ SETTINGS_USER,    "allowWrite", "@/op?",	"opt",		NULL },
	{ SETTINGS_USER,    "allowWrite", "@/link",	"opt/bin",	"project" },
	{ SETTINGS_USER,    "allowWrite", "@/home/../opt", "opt",	"project" },
	{ SETTINGS_USER,    "allowWrite", "~",		"home/x",	"opt" },
	{ SETTINGS_USER,    "allowWrite", "~/",		"home/x",	"opt" },
	{ SETTINGS_USER,    "allowWrite", "~/a",	"home/a/b",	"home/b" },
	{ SETTINGS_USER,    "allowWrite", "a",		"home/.claude/a", "project/a" },
	{ SETTINGS_USER,    "allowWrite", "./",		"home/.claude/x", "project" },
	{ SETTINGS_PROJECT, "allowWrite", "a",		"project/a",	"home" },
	{ SETTINGS_PROJECT, "allowWrite", "../opt",	"opt/bin",	"home" },
	{ SETTINGS_USER,    "allowWrite", "@/new/deep",	"new/deep/x",	"new/x" },
	/* permissions.additionalDirectories */
	{ SETTINGS_USER,    "additionalDirectories", "@/opt", "opt/bin", "home" },
	{ SETTINGS_USER,    "additionalDirectories", "~/a", "home/a",	"home/b" },
	{ SETTINGS_USER,    "additionalDirectories", "../opt", "opt",	"home" },
	/* permissions.allow */
	{ SETTINGS_USER,    "allow", "Edit(/@/opt/**)",	"opt/bin",	"home" },
	{ SETTINGS_USER,    "allow", "Write(/@/opt)",	"opt",		"home" },
	{ SETTINGS_USER,    "allow", "MultiEdit(/@/opt)", "opt",	"home" },
	{ SETTINGS_USER,    "allow", "NotebookEdit(/@/opt)", "opt",	"home" },
	{ SETTINGS_USER,    "allow", "Edit(/a/**)",	"home/.claude/a", "project/a" },
	{ SETTINGS_PROJECT, "allow", "Edit(/a/**)",	"project/a",	"home" },
	{ SETTINGS_PROJECT, "allow", "Edit(/../opt/**)", "opt",		"home" },
	{ SETTINGS_USER,    "allow", "Edit(src/**)",	"project/src",	"home" },
	{ SETTINGS_USER,    "allow", "Edit(~/a (b)/**)", "home/a (b)",	"home/a" },
	{ SETTINGS_USER,    "allow", "Read(/@/opt/**)",	NULL,		"opt" },
	{ SETTINGS_USER,    "allow", "Bash(docker *)",	NULL,		"opt" },
	{ SETTINGS_USER,    "allow", "Edit",		NULL,		"opt" },
	{ SETTINGS_USER,    "allow", "Edit(",		NULL,		"opt" }
};
/* clang-format on */

/* The entry with @ replaced, in a file that holds nothing else. */
static struct json_object *
make_json(const struct row *row)
{
	struct json_object *file = json_object_new_object(),
	    *section = json_object_new_object(),
	    *sub = json_object_new_object(), *list = json_object_new_array();
	bool in_sandbox = strcmp(row->list, "allowWrite") == 0;
	const char *at = strchr(row->entry, '@');
	char entry[2 * PATH_MAX];

	if (at != NULL)
		snprintf(entry, sizeof(entry), "%.*s%s%s",
		    (int)(at - row->entry), row->entry, top, at + 1);
	else
		snprintf(entry, sizeof(entry), "%s", row->entry);
	json_object_array_add(list, json_object_new_string(entry));
	json_object_object_add(in_sandbox ? sub : section, row->list, list);
	json_object_object_add(section, "filesystem", sub);
	json_object_object_add(file, in_sandbox ? "sandbox" : "permissions",
	    section);
	return file;
}

static void
add_file(struct grants *g, const struct row *row)
{
	static struct home home;
	struct settings_places places;
	char base[2 * PATH_MAX];
	struct settings_file file = { row->kind, "FILE", base, NULL };
	struct fault fault = { 0 };

	memset(&home, 0, sizeof(home));
	memset(&places, 0, sizeof(places));
	home.count = 1;
	snprintf(home.all[0], sizeof(home.all[0]), "%.4000s/home", top);
	snprintf(base, sizeof(base), "%s/project", top);
	dir_list_add(&places.current, base);
	if (row->kind == SETTINGS_USER)
		snprintf(base, sizeof(base), "%s/home/.claude", top);
	file.json = make_json(row);
	ck_assert_int_eq(grants_add_file(g, &home, &places, &file, &fault), 0);
	json_object_put(file.json);
	settings_free(&places);
}

START_TEST(entry_means_its_places)
{
	const struct row *row = &rows[_i];
	struct grants g = { 0 };
	char path[2 * PATH_MAX];

	add_file(&g, row);
	if (row->covered != NULL) {
		snprintf(path, sizeof(path), "%s/%s", top, row->covered);
		ck_assert_msg(roots_cover(&g.roots, path) != NULL,
		    "%s does not cover %s", row->entry, row->covered);
	}
	if (row->free != NULL) {
		snprintf(path, sizeof(path), "%s/%s", top, row->free);
		ck_assert_msg(roots_cover(&g.roots, path) == NULL,
		    "%s covers %s", row->entry, row->free);
	}
	grants_free(&g);
}
END_TEST

static struct json_object *
parse(const char *text)
{
	struct json_object *json = json_read(str_from(text), JSON_DEPTH);

	ck_assert_ptr_nonnull(json);
	return json;
}

START_TEST(wrong_kinds_are_refused)
{
	static const char *const texts[] = { "{\"sandbox\":7}",
		"{\"sandbox\":{\"filesystem\":[]}}",
		"{\"sandbox\":{\"filesystem\":{\"allowWrite\":\"/x\"}}}",
		"{\"sandbox\":{\"filesystem\":{\"allowWrite\":[1]}}}",
		"{\"permissions\":[]}", "{\"permissions\":{\"allow\":{}}}",
		"{\"permissions\":{\"additionalDirectories\":[null]}}" };
	static struct home home;
	struct settings_places places;

	memset(&places, 0, sizeof(places));
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct grants g = { 0 };
		struct settings_file file = { SETTINGS_USER, "FILE", "/",
			parse(texts[i]) };
		struct fault fault = { 0 };

		ck_assert_msg(grants_add_file(&g, &home, &places, &file,
		    &fault) != 0, "%s", texts[i]);
		ck_assert_ptr_nonnull(strstr(fault.text, "FILE"));
		json_object_put(file.json);
		grants_free(&g);
	}
}
END_TEST

START_TEST(disabled_rules_cover_everything)
{
	static struct home home;
	struct settings_places places;
	struct grants g = { 0 };
	struct settings_file file = { SETTINGS_USER, "FILE", "/", parse(
	    "{\"sandbox\":{\"enabled\":true,\"filesystem\":"
	    "{\"disabled\":true}}}") };
	struct fault fault = { 0 };

	memset(&places, 0, sizeof(places));
	ck_assert_int_eq(grants_add_file(&g, &home, &places, &file, &fault),
	    0);
	ck_assert_ptr_nonnull(roots_cover(&g.roots, "/etc/passwd"));
	ck_assert(g.sandbox_on);
	json_object_put(file.json);
	grants_free(&g);
}
END_TEST

START_TEST(too_many_roots_cover_everything)
{
	struct roots r = { 0 };
	char path[64];

	for (int i = 0; i <= ROOTS_MAX; i++) {
		snprintf(path, sizeof(path), "/nothing/%d", i);
		roots_add(&r, path, "test");
	}
	ck_assert(r.failed);
	ck_assert_ptr_nonnull(roots_cover(&r, "/etc"));
	roots_free(&r);
}
END_TEST

/* What the walk finds is what realpath finds. */
START_TEST(walk_is_realpath)
{
	static const char *const paths[] = { "/", "/usr/bin", "/usr/../etc",
		"/proc/self/exe", "/usr//bin/.", "/usr/bin/../../etc/passwd",
		"/bin/sh", "/../.." };
	char wanted[PATH_MAX];
	struct pathwalk w;

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		ck_assert_ptr_nonnull(realpath(paths[i], wanted));
		ck_assert_int_eq(pathwalk_run(&w, paths[i], NULL, NULL), 0);
		ck_assert_str_eq(w.path, wanted);
		ck_assert(!w.is_missing);
		pathwalk_end(&w);
	}
}
END_TEST

START_TEST(walk_ends)
{
	char path[2 * PATH_MAX];
	struct pathwalk w;

	snprintf(path, sizeof(path), "%s/loop", top);
	ck_assert_int_eq(symlink("loop", path), 0);
	ck_assert_int_eq(pathwalk_run(&w, path, NULL, NULL), -ELOOP);
	snprintf(path, sizeof(path), "%s/opt/no/../such/./x", top);
	ck_assert_int_eq(pathwalk_run(&w, path, NULL, NULL), 0);
	ck_assert(w.is_missing);
	snprintf(path, sizeof(path), "%s/opt/such/x", top);
	ck_assert_str_eq(w.path, path);
	pathwalk_end(&w);
	ck_assert_int_eq(pathwalk_run(&w, "relative", NULL, NULL), -EINVAL);
	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[PATH_MAX + 10] = '\0';
	ck_assert_int_eq(pathwalk_run(&w, path, NULL, NULL), -ENAMETOOLONG);
	path[NAME_MAX + 10] = '\0';
	ck_assert_int_eq(pathwalk_run(&w, path, NULL, NULL), -ENAMETOOLONG);
}
END_TEST

START_TEST(a_parent_of_the_file_is_judged)
{
	struct roots none = { 0 };
	struct fault fault = { 0 };
	char dir[2 * PATH_MAX], path[2 * PATH_MAX];

	snprintf(dir, sizeof(dir), "%s/opt/bin", top);
	snprintf(path, sizeof(path), "%s/opt/bin/tool", top);
	tree_file("opt/bin/tool", "");
	ck_assert_int_eq(chmod(path, 0755), 0);
	ck_assert_int_eq(integrity_check(&none, path, INTEGRITY_PROGRAM, "mend it",
	    NULL, &fault), 0);
	ck_assert_int_eq(chmod(dir, 0775), 0);
	ck_assert_int_ne(integrity_check(&none, path, INTEGRITY_PROGRAM, "mend it",
	    NULL, &fault), 0);
	ck_assert_ptr_nonnull(strstr(fault.text, dir));
	ck_assert_ptr_nonnull(strstr(fault.text, "mend it"));
	ck_assert_int_eq(chmod(dir, 0755), 0);
	ck_assert_int_eq(chmod(path, 0644), 0);
	ck_assert_int_ne(integrity_check(&none, path, INTEGRITY_PROGRAM, "mend it",
	    NULL, &fault), 0);
	ck_assert_int_ne(integrity_check(&none, dir, INTEGRITY_FILE, "mend it", NULL,
	    &fault), 0);
	ck_assert_int_ne(integrity_check(&none, path, INTEGRITY_DIRECTORY, "mend it",
	    NULL, &fault), 0);
}
END_TEST

Suite *
grants_suite(void)
{
	Suite *suite = suite_create("grants");
	TCase *tcase = tcase_create("tree");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_loop_test(tcase, entry_means_its_places, 0,
	    (int)(sizeof(rows) / sizeof(*rows)));
	tcase_add_test(tcase, wrong_kinds_are_refused);
	tcase_add_test(tcase, disabled_rules_cover_everything);
	tcase_add_test(tcase, too_many_roots_cover_everything);
	tcase_add_test(tcase, walk_is_realpath);
	tcase_add_test(tcase, walk_ends);
	tcase_add_test(tcase, a_parent_of_the_file_is_judged);
	suite_add_tcase(suite, tcase);
	return suite;
}
