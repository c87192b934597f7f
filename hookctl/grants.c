/*
 * Reads write grants.  A list has a table row: where it stands in a file, and
 * how its entries' paths are to be read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hookctl/grants.h"
#include "hookctl/harness.h"
#include "hookctl/json.h"
#include "master/worktree.h"

/* How a path in a list is anchored. */
enum form {
	FORM_SANDBOX,	/* "/x" absolute; "x" below the file's own place */
	FORM_RULE,	/* "//x" absolute; "/x" below the file's place; "x"
			 * below the current directory */
	FORM_DIRECTORY	/* "/x" absolute; "x" below the current directory */
};

struct list {
	const char	*section;
	const char	*subsection;	/* or NULL */
	const char	*key;
	enum form	 form;
};

static const struct list lists[] = {
	{ "sandbox", "filesystem", "allowWrite", FORM_SANDBOX },
	{ "permissions", NULL, "additionalDirectories", FORM_DIRECTORY },
	{ "permissions", NULL, "allow", FORM_RULE }
};

/* Tools whose rules name files that may be written. */
static const char *const write_tools[] = {
	"Edit(", "Write(", "MultiEdit(", "NotebookEdit("
};

struct reading {
	struct grants			*grants;
	const struct home		*home;
	const struct settings_places	*places;
	const struct settings_file	*file;
	const char			*key;
};

/* base/rest becomes a root; the entry as written says why. */
static void
add_below(const struct reading *r, const char *base, const char *rest,
    const char *entry)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", base, rest);
	if (strlen(path) < PATH_MAX)
		roots_add(&r->grants->roots, path, "%s: %s \"%.300s\"",
		    r->file->path, r->key, entry);
}

static void
add_below_all(const struct reading *r, const struct dir_list *list,
    const char *rest, const char *entry)
{
	for (unsigned i = 0; i < list->count; i++)
		add_below(r, list->path[i], rest, entry);
}

/* Cuts the path where it stops being plain: "a/b*.c" grants below "a". */
static void
cut_pattern(char *path)
{
	size_t n = strcspn(path, "*?[{");

	if (path[n] == '\0')
		return;
	while (n > 0 && path[n - 1] != '/')
		n--;
	path[n] = '\0';
}

/* Where "/x" of a rule, or "x" of a sandbox list, can lie. */
static void
add_at_file(const struct reading *r, const char *rest, const char *entry)
{
	add_below(r, r->file->base, rest, entry);
	/* The user's own file stands for one place, others for the project. */
	if (r->file->kind != SETTINGS_USER)
		add_below_all(r, &r->places->current, rest, entry);
}

static void
add_entry(const struct reading *r, enum form form, const char *entry)
{
	char path[PATH_MAX];

	if (strlen(entry) >= sizeof(path)) {
		r->grants->roots.failed = true;
		return;
	}
	snprintf(path, sizeof(path), "%s", entry);
	cut_pattern(path);
	if (path[0] == '~' && (path[1] == '/' || path[1] == '\0'))
		for (unsigned i = 0; i < r->home->count; i++)
			add_below(r, r->home->all[i], path + 1, entry);
	else if (path[0] == '/' && (form != FORM_RULE || path[1] == '/'))
		add_below(r, "", path, entry);
	else if (path[0] == '/')
		add_at_file(r, path, entry);
	else if (form == FORM_SANDBOX)
		add_at_file(r, path, entry);
	else
		add_below_all(r, &r->places->current, path, entry);
}

/* "Edit(path)" and its kin; any other rule grants no path. */
static void
add_rule(const struct reading *r, const char *rule)
{
	char path[PATH_MAX];
	const char *end = strrchr(rule, ')');

	for (size_t i = 0; i < sizeof(write_tools) / sizeof(*write_tools);
	    i++) {
		size_t n = strlen(write_tools[i]);

		if (strncmp(rule, write_tools[i], n) != 0 || end == NULL ||
		    end < rule + n)
			continue;
		if ((size_t)(end - rule) - n >= sizeof(path)) {
			r->grants->roots.failed = true;
			return;
		}
		snprintf(path, sizeof(path), "%.*s", (int)(end - rule - (int)n),
		    rule + n);
		add_entry(r, FORM_RULE, path);
	}
}

static int
refuse_kind(const struct settings_file *file, const char *what,
    struct fault *fault)
{
	return fault_set(fault, "settings file %s: %s is not of its kind: "
	    "repair it, since what it grants cannot be told", file->path, what);
}

/* A member that must be an object where it is there at all. */
static int
get_section(const struct settings_file *file, struct json_object *in,
    const char *key, struct json_object **out, struct fault *fault)
{
	*out = json_get(in, key);
	if (*out == NULL || json_object_is_type(*out, json_type_object))
		return 0;
	return refuse_kind(file, key, fault);
}

static int
read_list(struct reading *r, const struct list *list, struct fault *fault)
{
	struct json_object *section, *entries;
	int error;

	error = get_section(r->file, r->file->json, list->section, &section,
	    fault);
	if (error == 0 && list->subsection != NULL)
		error = get_section(r->file, section, list->subsection,
		    &section, fault);
	entries = json_get(section, list->key);
	if (error != 0 || entries == NULL)
		return error;
	if (!json_object_is_type(entries, json_type_array))
		return refuse_kind(r->file, list->key, fault);
	r->key = list->key;
	for (size_t i = 0; i < json_object_array_length(entries); i++) {
		const char *entry = json_text(
		    json_object_array_get_idx(entries, i));

		if (entry == NULL)
			return refuse_kind(r->file, list->key, fault);
		if (list->form == FORM_RULE)
			add_rule(r, entry);
		else
			add_entry(r, list->form, entry);
	}
	return 0;
}

int
grants_add_file(struct grants *g, const struct home *home,
    const struct settings_places *places, const struct settings_file *file,
    struct fault *fault)
{
	struct reading r = { g, home, places, file, NULL };
	struct json_object *sandbox, *filesystem;
	int error = 0;

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists) && error == 0;
	    i++)
		error = read_list(&r, &lists[i], fault);
	if (error != 0)
		return error;
	sandbox = json_get(file->json, "sandbox");
	filesystem = json_get(sandbox, "filesystem");
	if (json_is_true(json_get(sandbox, "enabled")))
		g->sandbox_on = true;
	if (json_is_true(json_get(filesystem, "disabled")))
		roots_add(&g->roots, "/", "%s: sandbox.filesystem.disabled",
		    file->path);
	if (file->kind == SETTINGS_PROJECT && json_get(json_get(file->json,
	    "env"), GRANTS_ARGS) != NULL)
		snprintf(g->args_file, sizeof(g->args_file), "%s", file->path);
	return 0;
}

struct collecting {
	struct grants			*grants;
	const struct home		*home;
	const struct settings_places	*places;
};

static int
collect_file(const struct settings_file *file, void *arg, struct fault *fault)
{
	struct collecting *c = arg;

	return grants_add_file(c->grants, c->home, c->places, file, fault);
}

static int
collect_option(const struct harness_option *option, void *arg,
    struct fault *fault)
{
	struct collecting *c = arg;
	struct settings_file file = { SETTINGS_CLI, option->name,
		c->places->current.path[0], NULL };
	struct reading r = { c->grants, c->home, c->places, &file,
		"argument" };

	switch (option->kind) {
	case HARNESS_SETTINGS:
		return settings_given(option->value, c->places, collect_file,
		    c, fault);
	case HARNESS_ADD_DIR:
		add_entry(&r, FORM_DIRECTORY, option->value);
		return 0;
	case HARNESS_RULE:
		add_rule(&r, option->value);
		return 0;
	}
	return 0;
}

/* Where a sandboxed command may write whatever the settings say. */
static void
add_defaults(struct grants *g, const struct home *home,
    const struct subject *s, const struct settings_places *places)
{
	static const char *const temporary[] = { "/tmp", "/private/tmp",
		"/var/tmp" };
	static const char *const variables[] = { "TMPDIR",
		"CLAUDE_CODE_TMPDIR" };
	char path[PATH_MAX + 32];

	for (unsigned i = 0; i < places->current.count; i++)
		roots_add(&g->roots, places->current.path[i], "%s",
		    strcmp(places->current.path[i], s->cwd) == 0 ?
		    "the session's current directory" : "the project");
	for (size_t i = 0; i < sizeof(temporary) / sizeof(*temporary); i++)
		roots_add(&g->roots, temporary[i], "temporary files");
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = getenv(variables[i]);

		if (value != NULL && value[0] == '/')
			roots_add(&g->roots, value, "$%s", variables[i]);
	}
	if (s->scratchpad[0] != '\0')
		roots_add(&g->roots, s->scratchpad, "the session's scratchpad");
	for (unsigned i = 0; i < home->count; i++) {
		snprintf(path, sizeof(path), "%s/.npm/_logs", home->all[i]);
		roots_add(&g->roots, path, "the sandbox's default");
	}
	for (unsigned i = 0; i < places->user.count; i++) {
		snprintf(path, sizeof(path), "%s/debug", places->user.path[i]);
		roots_add(&g->roots, path, "the sandbox's default");
	}
}

/* The checkout around a directory, and its git directories. */
static void
add_checkout(struct grants *g, const char *dir)
{
	char path[PATH_MAX], top[PATH_MAX];
	struct worktree wt;
	struct fault ignored;

	if (dir[0] == '\0' || realpath(dir, path) == NULL ||
	    worktree_find_top(path, top) != 0)
		return;
	roots_add(&g->roots, top, "the project's checkout");
	if (worktree_read(top, &wt, &ignored) == 0)
		roots_add(&g->roots, wt.common, "the project's git directory");
}

int
grants_collect(struct grants *g, const struct home *home,
    const struct subject *s, const struct settings_places *places,
    struct fault *fault)
{
	struct collecting c = { g, home, places };
	int error;

	memset(g, 0, sizeof(*g));
	add_defaults(g, home, s, places);
	for (unsigned i = 0; i < places->current.count; i++)
		add_checkout(g, places->current.path[i]);
	error = settings_each(places, collect_file, &c, fault);
	if (error == 0)
		error = harness_each_option(collect_option, &c, fault);
	if (error == 0 && g->roots.failed)
		error = fault_set(fault, "the settings grant more directories "
		    "than can be checked (%d), or name one that is too long",
		    ROOTS_MAX);
	return error;
}

void
grants_free(struct grants *g)
{
	roots_free(&g->roots);
}
