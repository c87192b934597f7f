/*
 * Writes settings.  On Linux a sandbox either has all Unix sockets or none,
 * so the real daemons' are masked by denyRead; on macOS it names those that
 * may be used.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hookctl/env.h"
#include "hookctl/json.h"
#include "hookctl/registration.h"

const struct registration_hook registration_hooks[REGISTRATION_HOOKS] = {
	{ "SessionStart",	"start",	NULL,	10 },
	{ "PreToolUse",		"ensure",	"Bash",	10 },
	{ "SessionEnd",		"stop",		NULL,	5 }
};

/* %u: the user's id; ~: the home directory. */
static const char *const daemons[] = {
	"/run/docker.sock", "/run/podman", "/run/containerd",
	"/run/user/%u/podman", "/run/user/%u/docker.sock",
	"~/.docker/run", "~/.docker/desktop"
};

static void
expand(char out[PATH_MAX], const char *pattern, const char *home)
{
	const char *id = strstr(pattern, "%u");

	if (pattern[0] == '~')
		snprintf(out, PATH_MAX, "%.*s%s", PATH_MAX - 64, home,
		    pattern + 1);
	else if (id != NULL)
		snprintf(out, PATH_MAX, "%.*s%u%s", (int)(id - pattern),
		    pattern, (unsigned)geteuid(), id + 2);
	else
		snprintf(out, PATH_MAX, "%s", pattern);
}

static bool
is_maskable(const char *path)
{
	char parent[PATH_MAX];
	struct stat st;

	snprintf(parent, sizeof(parent), "%s", path);
	*strrchr(parent, '/') = '\0';
	return lstat(path, &st) == 0 && access(parent, X_OK) == 0 &&
	    (!S_ISDIR(st.st_mode) || access(path, X_OK) == 0);
}

void
registration_each_daemon(const char *home, registration_visit visit,
    void *arg)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(daemons) / sizeof(*daemons); i++) {
		expand(path, daemons[i], home);
		if (is_maskable(path))
			visit(path, arg);
	}
}

static void
put(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add(object, key, value);
}

static void
append_text(const char *text, void *array)
{
	json_object_array_add(array, json_object_new_string(text));
}

/* [{matcher, hooks: [{type, command, args, timeout}]}]: the exec form. */
static struct json_object *
make_hook(const struct registration_hook *hook, const char *program)
{
	struct json_object *handler = json_object_new_object(),
	    *handlers = json_object_new_array(),
	    *group = json_object_new_object(),
	    *groups = json_object_new_array(), *args = json_object_new_array();

	append_text(hook->verb, args);
	json_put_text(handler, "type", "command");
	json_put_text(handler, "command", program);
	put(handler, "args", args);
	json_put_int(handler, "timeout", hook->seconds);
	json_object_array_add(handlers, handler);
	if (hook->matcher != NULL)
		json_put_text(group, "matcher", hook->matcher);
	put(group, "hooks", handlers);
	json_object_array_add(groups, group);
	return groups;
}

static struct json_object *
make_user_part(const struct trust *t)
{
	struct json_object *hooks = json_object_new_object(),
	    *part = json_object_new_object();

	for (size_t i = 0; i < REGISTRATION_HOOKS; i++)
		put(hooks, registration_hooks[i].event,
		    make_hook(&registration_hooks[i], t->install.hookctl));
	put(part, "hooks", hooks);
	return part;
}

static void
put_variable(const char *name, const char *value, void *object)
{
	json_put_text(object, name, value);
}

static void
put_linux(const struct trust *t, struct json_object *sandbox)
{
	struct json_object *network = json_object_new_object(),
	    *filesystem = json_object_new_object(),
	    *masked = json_object_new_array();

	json_put_bool(network, "allowAllUnixSockets", true);
	put(sandbox, "network", network);
	registration_each_daemon(t->home.path, append_text, masked);
	put(filesystem, "denyRead", masked);
	put(sandbox, "filesystem", filesystem);
}

static void
put_macos(const struct trust *t, struct json_object *sandbox)
{
	static const char *const names[] = { RUNDIR_DOCKER, RUNDIR_PODMAN };
	struct json_object *network = json_object_new_object(),
	    *sockets = json_object_new_array();
	char path[PATH_MAX + 32];

	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", t->rundir.path, names[i]);
		append_text(path, sockets);
	}
	put(network, "allowUnixSockets", sockets);
	put(sandbox, "network", network);
}

static struct json_object *
make_project_part(const struct trust *t,
    void (*put_platform)(const struct trust *, struct json_object *))
{
	struct json_object *part = json_object_new_object(),
	    *env = json_object_new_object(),
	    *sandbox = json_object_new_object();

	env_each(t->rundir.path, put_variable, env);
	put(part, "env", env);
	json_put_bool(sandbox, "enabled", true);
	put_platform(t, sandbox);
	put(part, "sandbox", sandbox);
	return part;
}

static void
print_part(const char *heading, const char *file, struct json_object *part)
{
	printf("# %s%s\n%s\n\n", heading, file,
	    json_object_to_json_string_ext(part, JSON_C_TO_STRING_PRETTY |
	    JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(part);
}

static void
print_for_programs(const struct trust *t)
{
	struct json_object *all = json_object_new_object(),
	    *project = json_object_new_object();

	put(all, "user", make_user_part(t));
	put(project, "linux", make_project_part(t, put_linux));
	put(project, "macos", make_project_part(t, put_macos));
	put(all, "project", project);
	puts(json_line(all));
	json_object_put(all);
}

void
registration_print(const struct trust *t, bool as_json)
{
	char file[PATH_MAX + 64];

	if (as_json) {
		print_for_programs(t);
		return;
	}
	snprintf(file, sizeof(file), "%s/.claude/settings.json", t->home.path);
	print_part("for all projects, into ", file, make_user_part(t));
	snprintf(file, sizeof(file), "%s/.claude/settings.local.json",
	    t->subject.start_dir);
	print_part("for this project on Linux, into ", file,
	    make_project_part(t, put_linux));
	print_part("for this project on macOS, into ", file,
	    make_project_part(t, put_macos));
	printf("# Lists are added to what is there.  Restart the session "
	    "after a change;\n# hookctl doctor checks it all.\n");
}
