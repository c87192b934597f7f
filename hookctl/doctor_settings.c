/*
 * doctor's checks of the harness's settings.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hookctl/doctor.h"
#include "hookctl/json.h"
#include "hookctl/session.h"

#define REMEDY_HOOKS	"hookctl env --settings prints the hooks to paste " \
			"into ~/.claude/settings.json"

static void
list_add(struct doctor_list *list, const char *file, const char *entry)
{
	if (list->count == DOCTOR_ENTRIES)
		return;
	list->entry[list->count] = strdup(entry);
	list->file[list->count] = strdup(file);
	if (list->entry[list->count] != NULL &&
	    list->file[list->count] != NULL)
		list->count++;
}

static void
list_add_array(struct doctor_list *list, const char *file,
    struct json_object *array)
{
	if (!json_object_is_type(array, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(array); i++) {
		const char *entry = json_text(json_object_array_get_idx(array,
		    i));

		if (entry != NULL)
			list_add(list, file, entry);
	}
}

static void
list_free(struct doctor_list *list)
{
	for (unsigned i = 0; i < list->count; i++) {
		free(list->entry[i]);
		free(list->file[i]);
	}
	list->count = 0;
}

/* word stands in text, not as a part of another. */
static bool
holds_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
		char before = at == text ? ' ' : at[-1], after = at[n];

		if ((before == ' ' || before == '/' || before == '"') &&
		    (after == '\0' || after == ' ' || after == '"'))
			return true;
	}
	return false;
}

/* The handler runs hookctl with that verb, in exec or in shell form. */
static bool
is_our_handler(struct json_object *handler, const char *verb)
{
	const char *command = json_get_text(handler, "command");
	struct json_object *args = json_get(handler, "args");
	const char *first = json_object_is_type(args, json_type_array) ?
	    json_text(json_object_array_get_idx(args, 0)) : NULL;

	if (command == NULL || !holds_word(command, "hookctl"))
		return false;
	return (first != NULL && strcmp(first, verb) == 0) ||
	    holds_word(command, verb);
}

static bool
matcher_fits(struct json_object *group, const char *wanted)
{
	const char *matcher = json_get_text(group, "matcher");

	return wanted == NULL || matcher == NULL || matcher[0] == '\0' ||
	    strcmp(matcher, "*") == 0 || strstr(matcher, wanted) != NULL;
}

static void
read_hook(struct doctor_settings *s, size_t which,
    const struct settings_file *file)
{
	const struct registration_hook *hook = &registration_hooks[which];
	struct json_object *groups = json_get(json_get(file->json, "hooks"),
	    hook->event);

	if (!json_object_is_type(groups, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(groups); i++) {
		struct json_object *group = json_object_array_get_idx(groups,
		    i), *handlers = json_get(group, "hooks");

		if (!json_object_is_type(handlers, json_type_array) ||
		    !matcher_fits(group, hook->matcher))
			continue;
		for (size_t k = 0; k < json_object_array_length(handlers);
		    k++) {
			struct json_object *handler =
			    json_object_array_get_idx(handlers, k);

			if (!is_our_handler(handler, hook->verb))
				continue;
			snprintf(s->hook_file[which], PATH_MAX, "%s",
			    file->path);
			s->hook_filtered[which] = json_get(handler, "if") !=
			    NULL;
		}
	}
}

static void
read_env(struct doctor_settings *s, const struct settings_file *file)
{
	static const char *const names[] = { "DOCKER_HOST", "CONTAINER_HOST" };

	for (size_t i = 0; i < 2; i++) {
		const char *value = json_get_text(json_get(file->json, "env"),
		    names[i]);

		if (value != NULL)
			list_add(&s->hosts, file->path, value);
	}
}

static void
note_change(struct doctor_settings *s, const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0 || st.st_mtime <= s->changed)
		return;
	s->changed = st.st_mtime;
	snprintf(s->changed_file, sizeof(s->changed_file), "%s", path);
}

static int
read_file(const struct settings_file *file, void *arg, struct fault *fault)
{
	struct doctor_settings *s = arg;
	struct json_object *sandbox = json_get(file->json, "sandbox"),
	    *network = json_get(sandbox, "network");

	(void)fault;
	for (size_t i = 0; i < REGISTRATION_HOOKS; i++)
		read_hook(s, i, file);
	if (json_is_true(json_get(file->json, "disableAllHooks")))
		snprintf(s->disabled_by, PATH_MAX, "%s", file->path);
	if (json_is_true(json_get(network, "allowAllUnixSockets")))
		snprintf(s->all_sockets_by, PATH_MAX, "%s", file->path);
	list_add_array(&s->allow_sockets, file->path, json_get(network,
	    "allowUnixSockets"));
	list_add_array(&s->excluded, file->path, json_get(sandbox,
	    "excludedCommands"));
	list_add_array(&s->deny_read, file->path, json_get(json_get(sandbox,
	    "filesystem"), "denyRead"));
	read_env(s, file);
	note_change(s, file->path);
	return 0;
}

void
doctor_settings_read(struct doctor *d)
{
	struct doctor_settings *s = &d->settings;
	struct settings_places places;

	/* Found anew: the trust checks may have ended before. */
	s->is_read = settings_find(&places, &d->trust.home, &d->subject,
	    &s->fault) == 0;
	if (!s->is_read)
		return;
	s->is_read = settings_each(&places, read_file, s, &s->fault) == 0;
	settings_free(&places);
}

void
doctor_settings_free(struct doctor_settings *s)
{
	list_free(&s->allow_sockets);
	list_free(&s->excluded);
	list_free(&s->deny_read);
	list_free(&s->hosts);
}

void
check_hooks(struct doctor *d, struct finding *f)
{
	const struct doctor_settings *s = &d->settings;
	char missing[64] = "";

	if (!s->is_read) {
		finding_set(f, MARK_BAD, "", "%s", s->fault.text);
		return;
	}
	if (s->disabled_by[0] != '\0') {
		finding_set(f, MARK_BAD, "remove disableAllHooks", "%s turns "
		    "all hooks off", s->disabled_by);
		return;
	}
	for (size_t i = 0; i < REGISTRATION_HOOKS; i++)
		if (s->hook_file[i][0] == '\0')
			snprintf(missing + strlen(missing), sizeof(missing) -
			    strlen(missing), "%s%s", missing[0] != '\0' ?
			    ", " : "", registration_hooks[i].verb);
	if (s->hook_file[0][0] == '\0')
		finding_set(f, MARK_BAD, REMEDY_HOOKS, "no session is ever "
		    "recorded: missing hooks: %s", missing);
	else if (missing[0] != '\0')
		finding_set(f, MARK_DRIFT, REMEDY_HOOKS, "missing hooks: %s "
		    "(start is in %s)", missing, s->hook_file[0]);
	else if (s->hook_filtered[1])
		finding_set(f, MARK_DRIFT, "drop \"if\": ensure looks at the "
		    "command itself, and costs nothing when it has nothing to "
		    "do", "the ensure hook in %s has an \"if\" filter, which "
		    "misses spellings such as docker-compose and sudo docker",
		    s->hook_file[1]);
	else
		finding_set(f, MARK_OK, "", "start, ensure and stop are in %s",
		    s->hook_file[1]);
}

/* entry, a path or a pattern of settings, leads to path or above it. */
static bool
entry_covers(const char *entry, const char *home, const char *path)
{
	char plain[PATH_MAX], real[PATH_MAX];
	size_t n;

	if (entry[0] == '~' && entry[1] == '/')
		snprintf(plain, sizeof(plain), "%s%s", home, entry + 1);
	else
		snprintf(plain, sizeof(plain), "%s", entry[0] == '/' &&
		    entry[1] == '/' ? entry + 1 : entry);
	n = strlen(plain);
	if (n > 3 && strcmp(plain + n - 3, "/**") == 0)
		plain[n - 3] = '\0';
	if (realpath(plain, real) == NULL)
		snprintf(real, sizeof(real), "%s", plain);
	n = strlen(real);
	while (n > 1 && real[n - 1] == '/')
		n--;
	return strncmp(path, real, n) == 0 && (path[n] == '/' ||
	    path[n] == '\0' || n == 1);
}

/* The entry of the list that covers path, or -1. */
static int
list_find(const struct doctor_list *list, const char *home, const char *path)
{
	char real[PATH_MAX];

	if (realpath(path, real) == NULL)
		snprintf(real, sizeof(real), "%s", path);
	for (unsigned i = 0; i < list->count; i++)
		if (entry_covers(list->entry[i], home, real))
			return (int)i;
	return -1;
}

void
check_sockets(struct doctor *d, struct finding *f)
{
	const struct doctor_settings *s = &d->settings;
	char path[PATH_MAX + 32];

#ifdef __APPLE__
	bool by_path = true;
#else
	bool by_path = false;
#endif
	snprintf(path, sizeof(path), "%s/" RUNDIR_DOCKER,
	    d->trust.rundir.path);
	if (!by_path && s->all_sockets_by[0] != '\0')
		finding_set(f, MARK_OK, "", "%s: allowAllUnixSockets",
		    s->all_sockets_by);
	else if (!by_path)
		finding_set(f, MARK_BAD, "hookctl env --settings prints the "
		    "sandbox block", "no settings file has sandbox.network."
		    "allowAllUnixSockets: on Linux the sandbox then forbids "
		    "all Unix sockets (EPERM), the gateway's too");
	else if (list_find(&s->allow_sockets, d->trust.home.path, path) >= 0)
		finding_set(f, MARK_OK, "", "allowUnixSockets names %s", path);
	else
		finding_set(f, MARK_BAD, "hookctl env --settings prints the "
		    "sandbox block", "allowUnixSockets does not name %s", path);
}

struct masking {
	struct doctor	*doctor;
	char		 open[512];	/* sockets that nothing masks */
	unsigned	 masked;
};

static void
look_at_daemon(const char *path, void *arg)
{
	struct masking *m = arg;
	const struct doctor *d = m->doctor;
	size_t n = strlen(m->open);

	if (list_find(&d->settings.deny_read, d->trust.home.path, path) >= 0)
		m->masked++;
	else
		snprintf(m->open + n, sizeof(m->open) - n, "%s%s",
		    n > 0 ? ", " : "", path);
}

/* A real daemon's socket that settings name outright. */
static int
find_named_daemon(const struct doctor *d)
{
	static const char *const sockets[] = { "/var/run/docker.sock",
		"/run/docker.sock", "/run/podman/podman.sock" };

	for (size_t i = 0; i < sizeof(sockets) / sizeof(*sockets); i++) {
		int at = list_find(&d->settings.allow_sockets,
		    d->trust.home.path, sockets[i]);

		if (at >= 0)
			return at;
	}
	return -1;
}

void
check_daemon_sockets(struct doctor *d, struct finding *f)
{
	struct masking m = { .doctor = d };
	int named = find_named_daemon(d);

	if (named >= 0) {
		finding_set(f, MARK_BAD, "remove it: that socket is root on "
		    "this host", "%s: allowUnixSockets \"%s\" hands the "
		    "daemon's own socket to the sandbox",
		    d->settings.allow_sockets.file[named],
		    d->settings.allow_sockets.entry[named]);
		return;
	}
	registration_each_daemon(d->trust.home.path, look_at_daemon, &m);
	if (d->settings.all_sockets_by[0] != '\0' && m.open[0] != '\0')
		finding_set(f, MARK_BAD, "add them to sandbox.filesystem."
		    "denyRead (hookctl env --settings prints it)",
		    "sandboxed commands can dial %s", m.open);
	else if (m.open[0] != '\0')
		finding_set(f, MARK_OK, "", "out of reach while the sandbox "
		    "has no Unix sockets: %s", m.open);
	else
		finding_set(f, MARK_OK, "", "%u masked by denyRead, none open",
		    m.masked);
}

void
check_excluded(struct doctor *d, struct finding *f)
{
	const struct doctor_list *list = &d->settings.excluded;

	for (unsigned i = 0; i < list->count; i++)
		if (strstr(list->entry[i], "docker") != NULL ||
		    strstr(list->entry[i], "podman") != NULL) {
			finding_set(f, MARK_BAD, "remove it from "
			    "excludedCommands: docker runs well inside the "
			    "sandbox now", "%s: \"%s\" runs outside of the "
			    "sandbox, where any socket can be named",
			    list->file[i], list->entry[i]);
			return;
		}
	finding_set(f, MARK_OK, "", "no docker or podman command is excluded "
	    "from the sandbox");
}

/* unix:///abs is the only spelling that every client reads alike. */
static bool
is_relative_socket(const char *value)
{
	return strncmp(value, "unix:", 5) == 0 &&
	    (strncmp(value, "unix:///", 8) != 0 || strstr(value, "/./") != NULL);
}

void
check_hosts(struct doctor *d, struct finding *f)
{
	static const char *const names[] = { "DOCKER_HOST", "CONTAINER_HOST" };
	struct doctor_list *list = &d->settings.hosts;
	unsigned foreign = 0;

	for (size_t i = 0; i < 2; i++)
		if (getenv(names[i]) != NULL)
			list_add(list, "environment", getenv(names[i]));
	for (unsigned i = 0; i < list->count; i++) {
		if (is_relative_socket(list->entry[i])) {
			finding_set(f, MARK_BAD, "write unix:///ABSOLUTE/PATH "
			    "(hookctl env prints it)", "%s: \"%s\": clients "
			    "read a relative socket path as one at the root",
			    list->file[i], list->entry[i]);
			return;
		}
		if (strstr(list->entry[i], d->trust.rundir.path) == NULL)
			foreign = i + 1;
	}
	if (foreign > 0)
		finding_set(f, MARK_DRIFT, "hookctl env prints this project's",
		    "%s: \"%s\" is not in %s", list->file[foreign - 1],
		    list->entry[foreign - 1], d->trust.rundir.path);
	else if (list->count == 0)
		finding_set(f, MARK_DRIFT, "hookctl env --settings prints the "
		    "env block", "neither settings nor environment set "
		    "DOCKER_HOST or CONTAINER_HOST");
	else
		finding_set(f, MARK_OK, "", "%u absolute, all in %s",
		    list->count, d->trust.rundir.path);
}

void
check_restart(struct doctor *d, struct finding *f)
{
	const char *id = getenv("CLAUDE_CODE_SESSION_ID");
	static struct session s;

	if (id == NULL || !payload_is_id(id) || d->trust.home.fd[0] < 0 ||
	    session_read(&d->trust.home, id, &s) != 0)
		finding_set(f, MARK_OK, "", "not asked from within a session");
	else if (d->settings.changed > s.created)
		finding_set(f, MARK_DRIFT, "restart the session: the sandbox "
		    "keeps the sockets and masks that it started with",
		    "%s changed after this session started",
		    d->settings.changed_file);
	else
		finding_set(f, MARK_OK, "", "no settings file changed since "
		    "this session started");
}
