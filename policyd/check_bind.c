/*
 * Bind sources and named volumes: what of the host, or of the daemon's store,
 * a container may see.  A source is judged after all links were followed on
 * the host, and what was judged is what is forwarded.
 */
#include "common/setting.h"
#include "policyd/checks.h"
#include "policyd/owner.h"

enum { GIVERS_MAX = 4 };		/* VolumesFrom of VolumesFrom */

/* Names of engine sockets that may exist only where the daemon runs (a VM). */
static const char *const engine_names[] = {
	"/docker.sock", "/docker.sock.raw", "/podman.sock",
	"/docker-cli.sock", "/docker-desktop.sock", "/containerd.sock",
	"/podman/podman.sock", "/backend.sock", "/buildkitd.sock", NULL
};
static const char *const engine_folders[] = {
	"/run/host-services", "/var/run/host-services",
	"/run/guest-services", "/var/run/guest-services", NULL
};

/* path is dir or below it. */
static bool
is_below(struct str path, struct str dir)
{
	if (str_is(dir, "/"))
		return true;
	return path.len >= dir.len && memcmp(path.data, dir.data, dir.len) ==
	    0 && (path.len == dir.len || path.data[dir.len] == '/');
}

static bool
is_listed(const struct path_list *list, struct str path)
{
	for (size_t i = 0; i < list->count; i++)
		if (is_below(path, list->path[i]))
			return true;
	return false;
}

/*
 * A root that nobody in the sandbox can put something else in the place of:
 * one inside the project has a parent that they may write.
 */
static bool
is_fixed_root(struct judge *j, struct str path)
{
	const struct path_list *roots = &j->settings->roots;

	if (!str_equal(path, j->settings->project) &&
	    is_below(path, j->settings->project))
		return false;
	for (size_t i = 0; i < roots->count; i++)
		if (str_equal(path, roots->path[i]))
			return true;
	return false;
}

/*
 * By name alone: on machines where the daemon sits in a VM the path need not
 * exist here.  A project's own file of such a name is no engine socket.
 */
static bool
is_engine_socket(struct judge *j, struct str path)
{
	if (is_listed(&j->settings->engine_sockets, path))
		return true;
	for (size_t i = 0; engine_folders[i] != NULL; i++)
		if (is_below(path, str_from(engine_folders[i])))
			return true;
	if (is_listed(&j->settings->roots, path))
		return false;
	for (size_t i = 0; engine_names[i] != NULL; i++)
		if (str_ends(path, engine_names[i]))
			return true;
	return false;
}

static int
refuse_socket(struct judge *j, const struct at *at, struct str path)
{
	return judge_refuse_at(j, R_BIND_SOCKET, at,
	    "%.*s binds the engine socket %s; containers get no daemon (for "
	    "testcontainers set TESTCONTAINERS_RYUK_DISABLED=true)",
	    STR_FMT(judge_path(j, at)), judge_show(j, path));
}

static int
refuse_outside(struct judge *j, const struct at *at, struct str source,
    struct str path)
{
	struct str root = j->settings->roots.path[0];

	if (str_equal(source, path))
		return judge_refuse_at(j, R_BIND, at,
		    "%.*s binds %s, which lies outside %s; bind a path below "
		    "it, or ask the operator for --extra-bind-root",
		    STR_FMT(judge_path(j, at)), judge_show(j, source),
		    judge_show(j, root));
	return judge_refuse_at(j, R_BIND, at,
	    "%.*s binds %s, which leads to %s outside %s; copy it below that "
	    "and bind the copy (for the host's time zone set TZ)",
	    STR_FMT(judge_path(j, at)), judge_show(j, source),
	    judge_show(j, path), judge_show(j, root));
}

static int
make_missing(struct judge *j, const struct at *at, struct str path)
{
	const struct fact *made = judge_ask(j, EFFECT_MKDIR, path);

	if (made == NULL || made->status == 200)
		return 0;
	return judge_refuse_at(j, R_BIND_MISSING, at,
	    "%.*s binds %s, which does not exist and could not be made; "
	    "make it first",
	    STR_FMT(judge_path(j, at)), judge_show(j, path));
}

static int
judge_resolved(struct judge *j, const struct at *at, struct str source,
    const struct fact *fact)
{
	struct str path = fact->text;

	if (fact->path_kind == PATH_ERROR)
		return judge_refuse_at(j, R_BIND, at,
		    "%.*s binds %s, which cannot be resolved on the host; bind "
		    "a path below the bind root without loops and broken "
		    "links",
		    STR_FMT(judge_path(j, at)), judge_show(j, source));
	if (is_engine_socket(j, path))
		return refuse_socket(j, at, path);
	if (!is_listed(&j->settings->roots, path))
		return refuse_outside(j, at, source, path);
	if (is_listed(&j->settings->hidden, path))
		return judge_refuse_at(j, R_BIND_PROTECTED, at,
		    "%.*s binds %s, which the gateway or the harness keeps "
		    "for itself; bind another path",
		    STR_FMT(judge_path(j, at)), judge_show(j, path));
	if (fact->path_kind == PATH_OTHER)
		return judge_refuse_at(j, R_BIND_TYPE, at,
		    "%.*s binds %s, which is neither a directory, a file nor "
		    "a socket", STR_FMT(judge_path(j, at)),
		    judge_show(j, path));
	if (fact->path_kind == PATH_MISSING)
		return make_missing(j, at, path);
	return 0;
}

int
check_bind_source(struct judge *j, const struct at *at, struct str source,
    struct str *resolved)
{
	const struct fact *fact;
	struct str clean;
	int error;

	*resolved = source;
	if (!str_starts(source, "/"))
		return judge_refuse_at(j, R_BIND_RELATIVE, at,
		    "%.*s binds %s; write an absolute path",
		    STR_FMT(judge_path(j, at)), judge_show(j, source));
	/* Daemons clean `..` without looking at links: so do we. */
	if (check_clean_path(j, source, &clean) != 0)
		return judge_refuse_at(j, R_BIND, at,
		    "%.*s binds a path with control characters",
		    STR_FMT(judge_path(j, at)));
	if (is_engine_socket(j, clean))
		return refuse_socket(j, at, clean);
	fact = judge_ask(j, FACT_PATH, clean);
	if (fact == NULL)
		return 0;
	if ((error = judge_resolved(j, at, clean, fact)) != 0)
		return error;
	*resolved = fact->text;
	j->has_bind = true;
	if (!is_fixed_root(j, fact->text))
		j->bind_below_root = true;
	return 0;
}

/* ---- looked at again ---------------------------------------------------- */

/* One bind of a container as it was created: it must lead where it led. */
static int
look_again(struct judge *j, struct str source)
{
	struct at at = { NULL, "bind", 0, NULL };
	struct str resolved;
	int error = check_bind_source(j, &at, source, &resolved);

	if (error != 0)
		return error;
	if (!str_equal(resolved, source))
		return judge_refuse(j, R_BIND_MOVED, STR("bind"),
		    "%s now leads to %s; create the container again",
		    judge_show(j, source), judge_show(j, resolved));
	return 0;
}

static int
look_at_binds(struct judge *j, struct json_object *binds)
{
	size_t n = json_object_is_type(binds, json_type_array) ?
	    json_object_array_length(binds) : 0;
	int error = 0;

	for (size_t i = 0; i < n && error == 0; i++) {
		struct str bind = judge_str(json_object_array_get_idx(binds,
		    i));

		if (str_starts(bind, "/"))
			error = look_again(j, str_first(bind, str_find(bind,
			    ':')));
	}
	return error;
}

/* HostConfig.Mounts, and the daemon's own list, are of one form here. */
static int
look_at_mounts(struct judge *j, struct json_object *mounts)
{
	size_t n = json_object_is_type(mounts, json_type_array) ?
	    json_object_array_length(mounts) : 0;
	int error = 0;

	for (size_t i = 0; i < n && error == 0; i++) {
		struct json_object *mount = json_object_array_get_idx(mounts,
		    i);

		if (str_is(check_member_str(mount, "Type"), "bind"))
			error = look_again(j, check_member_str(mount,
			    "Source"));
	}
	return error;
}

/* Turns the refusal of a source that was good at create into bind-moved. */
static int
say_moved(struct judge *j, int error)
{
	static const enum reason sources[] = { R_BIND, R_BIND_SOCKET,
		R_BIND_PROTECTED, R_BIND_TYPE, R_BIND_MOVED };
	struct msg_deny *deny = &j->out->deny;
	bool is_source = false;

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		is_source = is_source || error == -(int)sources[i];
	if (!is_source)
		return error;
	deny->reason = R_BIND_MOVED;
	deny->status = (uint16_t)reason_find(R_BIND_MOVED)->status;
	deny->text = arena_printf(j->arena, "container-gateway: %s: a bind of "
	    "this container leads elsewhere than when it was created, or "
	    "cannot be looked at any more; create it again", reason_find(R_BIND_MOVED)->key);
	return -R_BIND_MOVED;
}

static int	 look_at_all(struct judge *, struct json_object *, int);

/*
 * podman shows nowhere what came by VolumesFrom: whose it was has to be asked,
 * and when that one is gone nobody can tell.
 */
static int
look_at_givers(struct judge *j, struct json_object *givers, int depth)
{
	size_t n = json_object_is_type(givers, json_type_array) ?
	    json_object_array_length(givers) : 0;
	int error = 0;

	for (size_t i = 0; i < n && error == 0; i++) {
		struct str ref = judge_str(json_object_array_get_idx(givers,
		    i));
		struct json_object *giver;
		enum owner owner;

		giver = owner_inspect_container(j, str_first(ref,
		    str_find(ref, ':')), &owner);
		if (owner == OWNER_REFUSED)
			return -R_FACTS;
		if (giver != NULL)
			error = look_at_all(j, giver, depth);
		else if (owner != OWNER_ASKED)
			error = judge_refuse(j, R_BIND_MOVED,
			    STR("VolumesFrom"), "the container that volumes "
			    "come from is gone");
	}
	return error;
}

/*
 * docker has what came by VolumesFrom in its own list of mounts, even when the
 * giver is gone.  That list is looked at only then: a daemon in a machine may
 * show other paths in it than it was given.
 */
static int
look_at_all(struct judge *j, struct json_object *inspect, int depth)
{
	struct json_object *host_config = check_member(inspect, "HostConfig");
	struct json_object *givers = check_member(host_config, "VolumesFrom");
	int error = look_at_binds(j, check_member(host_config, "Binds"));

	if (error == 0)
		error = look_at_mounts(j, check_member(host_config, "Mounts"));
	if (error != 0 || walk_is_zero(givers))
		return error;
	if ((error = look_at_mounts(j, check_member(inspect, "Mounts"))) != 0)
		return error;
	if (j->request->backend.kind != BACKEND_PODMAN)
		return 0;
	if (depth == GIVERS_MAX)
		return judge_refuse(j, R_BIND_MOVED, STR("VolumesFrom"),
		    "volumes come through more than %d containers; name the "
		    "one that has them",
		    GIVERS_MAX);
	return look_at_givers(j, givers, depth + 1);
}

int
check_binds_again(struct judge *j, struct json_object *inspect)
{
	return say_moved(j, look_at_all(j, inspect, 0));
}

/* ---- named volumes ------------------------------------------------------ */

/* POST /volumes/create of a local volume with our label. */
static struct str
create_request(struct judge *j, struct str name, struct json_object *labels)
{
	struct json_object *body = json_object_new_object();
	struct json_object *all = json_object_new_object();
	struct str text, prefix = judge_backend_prefix(j);

	if (json_object_is_type(labels, json_type_object)) {
		json_object_object_foreach(labels, key, value)
			json_object_object_add(all, key,
			    json_object_get(value));
	}
	json_object_object_add(all, PROJECT_LABEL,
	    judge_new_str(j->settings->slug));
	json_object_object_add(body, "Name", judge_new_str(name));
	json_object_object_add(body, "Driver", json_object_new_string("local"));
	json_object_object_add(body, "Labels", all);
	text = arena_str(j->arena, str_from(json_object_to_json_string_ext(
	    body, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)));
	json_object_put(body);
	return arena_printf(j->arena, "POST %.*s/volumes/create HTTP/1.1\r\n"
	    "Host: docker\r\nContent-Type: application/json\r\n"
	    "Content-Length: %zu\r\n\r\n%.*s", STR_FMT(prefix), text.len,
	    STR_FMT(text));
}

static int
refuse_volume(struct judge *j, const struct at *at, struct str name)
{
	return judge_refuse_at(j, R_VOLUME, at,
	    "volume %s is in use outside this project; take another name",
	    judge_show(j, name));
}

/* Made just now: but another may have been faster, so look at its label. */
static int
make_volume(struct judge *j, const struct at *at, struct str name,
    struct json_object *labels)
{
	const struct fact *fact = judge_ask(j, EFFECT_HTTP, create_request(j,
	    name, labels));
	struct json_object *object;
	bool absent;

	if (fact == NULL)
		return 0;
	object = owner_fact_json(j, fact, &absent);
	if (object == NULL)
		return judge_refuse_at(j, R_FACTS, at,
		    "the daemon answered %u to the creation of volume %s",
		    fact->status, judge_show(j, name));
	if (!str_equal(check_member_str(object, "Name"), name) ||
	    !owner_has_label(j, check_member(object, "Labels")))
		return refuse_volume(j, at, name);
	return 0;
}

int
check_named_volume(struct judge *j, const struct at *at, struct str name,
    struct json_object *labels)
{
	int error;

	if (!check_is_name(name))
		return judge_refuse_at(j, R_BIND_RELATIVE, at,
		    "%s is neither an absolute path nor a volume name",
		    judge_show(j, name));
	switch (owner_volume(j, name)) {
	case OWNER_OURS:
	case OWNER_ASKED:
		return 0;
	case OWNER_ABSENT:
		if ((error = check_new_volume_name(j, at, name)) != 0)
			return error;
		return make_volume(j, at, name, labels);
	case OWNER_FOREIGN:
	case OWNER_PREDEFINED:
		return refuse_volume(j, at, name);
	case OWNER_REFUSED:
		break;
	}
	return -R_FACTS;
}
