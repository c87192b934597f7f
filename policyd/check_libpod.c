/*
 * Fields of libpod's SpecGenerator and PodSpecGenerator that docker has in
 * another shape: namespaces as objects, mounts, named volumes, ports, networks.
 */
#include "policyd/checks.h"
#include "policyd/clean_path.h"
#include "policyd/owner.h"

/* {"nsmode": MODE, "value": VALUE}; arg: modes that pass without a value. */
int
check_nsmode(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	struct str mode = check_member_str(value, "nsmode");
	struct str arg = check_member_str(value, "value");
	struct at inner = { at, "value", 0, value };
	bool joins = false;

	json_object_object_foreach(value, key, member)
		if ((strcmp(key, "nsmode") != 0 && strcmp(key, "value") !=
		    0) || (member != NULL && !json_object_is_type(member,
		    json_type_string)))
			return judge_refuse_at(j, R_UNKNOWN_FIELD, at,
			    "%.*s holds %s; write nsmode and value",
			    STR_FMT(judge_path(j, at)),
			    judge_show(j, str_from(key)));
	for (const char *const *list = row->arg; *list != NULL; list++) {
		if (strcmp(*list, "container") == 0)
			joins = true;
		else if (str_is(mode, *list) && arg.len == 0)
			return 0;
	}
	if (joins && str_is(mode, "container"))
		return check_own_container(j, &inner, row, check_member(value,
		    "value"));
	return judge_refuse_at(j, row->reason, at,
	    "%.*s is \"%s\"%s; leave it out, or write %s",
	    STR_FMT(judge_path(j, at)), judge_show(j, mode), arg.len > 0 ?
	    " with a value" : "", check_values(j, row->arg));
}

/* One row an option of a mount or a named volume. */
static const struct option_row {
	const char	*name;		/* ends in '=': takes anything plain */
	enum reason	 refused;
	bool		 dropped;
} option_rows[] = {
	{ "ro", R_NONE, false }, { "rw", R_NONE, false },
	{ "bind", R_NONE, false }, { "rbind", R_NONE, false },
	{ "private", R_NONE, false }, { "rprivate", R_NONE, false },
	{ "nosuid", R_NONE, false }, { "nodev", R_NONE, false },
	{ "noexec", R_NONE, false }, { "exec", R_NONE, false },
	{ "nocopy", R_NONE, false }, { "copy", R_NONE, false },
	{ "tmpcopyup", R_NONE, false }, { "notmpcopyup", R_NONE, false },
	{ "size=", R_NONE, false }, { "mode=", R_NONE, false },
	/* Relabelling would change the labels of the host's own files. */
	{ "z", R_NONE, true }, { "Z", R_NONE, true },
	{ "shared", R_PROPAGATION, false }, { "rshared", R_PROPAGATION, false },
	{ "slave", R_PROPAGATION, false }, { "rslave", R_PROPAGATION, false },
	{ "unbindable", R_PROPAGATION, false },
	{ "runbindable", R_PROPAGATION, false },
};

static const struct option_row *
find_option(struct str option)
{
	for (size_t i = 0; i < sizeof(option_rows) / sizeof(*option_rows); i++) {
		struct str name = str_from(option_rows[i].name);
		struct str rest = str_skip(option, name.len);

		if (str_equal(option, name))
			return &option_rows[i];
		if (str_ends(name, "=") && str_starts(option,
		    option_rows[i].name) && rest.len > 0 && rest.len < 16 &&
		    check_is_name(rest))
			return &option_rows[i];
	}
	return NULL;
}

static int
check_option_list(struct judge *j, const struct at *at,
    struct json_object *parent, const char *key)
{
	struct json_object *list = check_member(parent, key);
	struct json_object *kept;
	size_t n;

	if (list == NULL)
		return 0;
	kept = json_object_new_array();
	n = json_object_array_length(list);
	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		const struct option_row *row = find_option(judge_str(one));

		if (row == NULL || row->refused != R_NONE) {
			json_object_put(kept);
			return judge_refuse_at(j, row == NULL ? R_BIND_OPTION :
			    row->refused, at, "%.*s has option \"%s\"; "
			    "leave it out",
			    STR_FMT(judge_path(j, at)), judge_show(j,
			    judge_str(one)));
		}
		if (!row->dropped)
			json_object_array_add(kept, json_object_get(one));
	}
	json_object_object_add(parent, key, kept);
	return 0;
}

static int
check_destination(struct judge *j, const struct at *at,
    struct json_object *parent, const char *key)
{
	struct str target = check_member_str(parent, key), clean;

	/* podman splits some of these strings again. */
	if (check_clean_path(j, target, &clean) != 0 || str_is(clean, "/") ||
	    clean_path_is_kernel(clean) || str_find(clean, ':') < clean.len ||
	    str_find(clean, ',') < clean.len)
		return judge_refuse_at(j, R_MOUNT_TARGET, at,
		    "%.*s has target \"%s\"; write an absolute path that is "
		    "not /, nor below /proc, /sys or /dev",
		    STR_FMT(judge_path(j, at)), judge_show(j, target));
	json_object_object_add(parent, key, judge_new_str(clean));
	return 0;
}

/* The option, or its recursive form. */
static bool
has_option(struct json_object *list, const char *option)
{
	size_t n = json_object_is_type(list, json_type_array) ?
	    json_object_array_length(list) : 0;

	for (size_t i = 0; i < n; i++) {
		struct str one = judge_str(json_object_array_get_idx(list, i));

		if (str_is(one, option) || (str_starts(one, "r") && str_is(
		    str_skip(one, 1), option)))
			return true;
	}
	return false;
}

static int
check_libpod_mount(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *mount)
{
	struct str type = check_member_str(mount, "type");
	struct str source = check_member_str(mount, "source"), resolved;
	int error;

	(void)row;
	if (str_is(type, "bind")) {
		error = check_bind_source(j, at, source, &resolved);
		if (error != 0)
			return error;
		json_object_object_add(mount, "source",
		    judge_new_str(resolved));
	} else if (!str_is(type, "tmpfs") || (source.len > 0 && !str_is(source,
	    "tmpfs")))
		return judge_refuse_at(j, R_MOUNT_TYPE, at,
		    "%.*s is of type \"%s\"; bind and tmpfs pass",
		    STR_FMT(judge_path(j, at)), judge_show(j, type));
	if ((error = check_destination(j, at, mount, "destination")) != 0)
		return error;
	/* "bind" as an option of another type would make it one. */
	if (str_is(type, "tmpfs") && has_option(check_member(mount, "options"),
	    "bind"))
		return judge_refuse_at(j, R_MOUNT_TYPE, at,
		    "%.*s is a tmpfs with option bind; leave the option out",
		    STR_FMT(judge_path(j, at)));
	return check_option_list(j, at, mount, "options");
}

/* Elements of an array, each by the row's table and then by one function. */
static int
check_each(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value, int (*check)(struct judge *,
    const struct at *, const struct field *, struct json_object *))
{
	size_t n = json_object_array_length(value);

	for (size_t i = 0; i < n; i++) {
		struct at inner = { at, NULL, i, value };
		struct json_object *one = json_object_array_get_idx(value, i);
		int error;

		if (!json_object_is_type(one, json_type_object))
			return judge_refuse_at(j, R_BAD_VALUE, &inner,
			    "%.*s must be an object",
			    STR_FMT(judge_path(j, &inner)));
		if ((error = walk_object(j, &inner, row->arg, one)) != 0 ||
		    (error = check(j, &inner, row, one)) != 0)
			return error;
	}
	return 0;
}

int
check_libpod_mounts(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	return check_each(j, at, row, value, check_libpod_mount);
}

static int
check_libpod_volume(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *volume)
{
	struct str name = check_member_str(volume, "Name");
	int error = 0;

	(void)row;
	if (name.len > 0)
		error = check_named_volume(j, at, name, NULL);
	if (error == 0)
		error = check_destination(j, at, volume, "Dest");
	return error != 0 ? error : check_option_list(j, at, volume,
	    "Options");
}

int
check_libpod_volumes(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	return check_each(j, at, row, value, check_libpod_volume);
}

static int
check_image_volume(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *volume)
{
	(void)row;
	return check_destination(j, at, volume, "Destination");
}

int
check_image_volumes(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	return check_each(j, at, row, value, check_image_volume);
}

static bool
in_range(struct json_object *value, int64_t least, int64_t most)
{
	int64_t v = value == NULL ? least : json_object_get_int64(value);

	return v >= least && v <= most;
}

static int
check_port_mapping(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *port)
{
	struct str ip = check_member_str(port, "host_ip");
	struct json_object *host = check_member(port, "host_port");
	struct json_object *range = check_member(port, "range");
	int64_t first = host == NULL ? 0 : json_object_get_int64(host);
	int64_t count = range == NULL ? 1 : json_object_get_int64(range);

	if (!in_range(host, 0, 65535) || !in_range(range, 0, 65535) ||
	    !in_range(check_member(port, "container_port"), 0, 65535) ||
	    (range != NULL && first + count > 65536) ||
	    (ip.len > 0 && !check_is_address(ip)))
		return judge_refuse_at(j, row->reason, at,
		    "%.*s: ports are 0 to 65535, host_ip is an address",
		    STR_FMT(judge_path(j, at)));
	if (ip.len == 0)
		json_object_object_add(port, "host_ip",
		    json_object_new_string("127.0.0.1"));
	/* 0: a free one. */
	return first == 0 ? 0 : check_host_ports(j, at, row, first,
	    first + (count > 0 ? count - 1 : 0));
}

int
check_port_mappings(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	return check_each(j, at, row, value, check_port_mapping);
}

/* Name or id of a network -> its options. */
int
check_libpod_networks(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	struct json_object *out = json_object_new_object();
	int error = 0;

	json_object_object_foreach(value, key, member) {
		struct at inner = { at, key, 0, value };
		struct str name = str_from(key);

		if (!str_is(name, "podman") && !str_is(name, "bridge") &&
		    !str_is(name, "default"))
			error = check_network_ref(j, &inner, name, &name);
		if (error == 0)
			error = walk_value(j, &inner, row->arg, member);
		if (error != 0)
			break;
		json_object_object_add(out, arena_text(j->arena, name),
		    json_object_get(check_member(value, key)));
	}
	judge_replace(at, out);
	return error;
}

int
check_pod_ref(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	struct str ref = judge_str(value), id;
	enum owner owner;

	(void)row;
	if (ref.len == 0)
		return 0;
	owner = owner_pod(j, ref, &id);
	if (owner == OWNER_REFUSED)
		return -R_FACTS;
	if (owner != OWNER_OURS && owner != OWNER_ASKED)
		return owner_refuse_pod(j, ref);
	judge_replace(at, judge_new_str(id));
	return 0;
}

/* "REF[:OPTIONS]" of own containers, or just references. */
int
check_own_containers(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	size_t n = json_object_array_length(value);

	for (size_t i = 0; i < n; i++) {
		struct at inner = { at, NULL, i, value };
		int error = check_own_container(j, &inner, row,
		    json_object_array_get_idx(value, i));

		if (error != 0)
			return error;
	}
	return 0;
}

/* "", local, or a zone's name: podman joins it to a host directory. */
int
check_timezone(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	struct str zone = judge_str(value), clean;

	if (zone.len == 0)
		return 0;
	if (check_clean_path(j, arena_printf(j->arena, "/%.*s",
	    STR_FMT(zone)), &clean) != 0 || !str_equal(str_skip(clean, 1),
	    zone))
		return judge_refuse_at(j, row->reason, at,
		    "%.*s is \"%s\": %s", STR_FMT(judge_path(j, at)),
		    judge_show(j, zone), row->text);
	return 0;
}

/*
 * Annotations that podman-remote sends by itself and the service only shows.
 * Others it acts on: io.podman.annotations.cid-file names a file to remove.
 */
static const char *const shown_annotations[] = {
	"io.kubernetes.cri-o.TTY", "io.podman.annotations.userns",
};

static bool
is_shown_annotation(const char *key)
{
	for (size_t i = 0; i < sizeof(shown_annotations) /
	    sizeof(*shown_annotations); i++)
		if (strcmp(shown_annotations[i], key) == 0)
			return true;
	return false;
}

int
check_annotations(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	json_object_object_foreach(value, key, member) {
		struct at inner = { at, key, 0, value };

		if (!is_shown_annotation(key) ||
		    !json_object_is_type(member, json_type_string))
			return judge_refuse_at(j, row->reason, &inner,
			    "%.*s: %s; leave it out", STR_FMT(judge_path(j,
			    &inner)), row->text);
	}
	return 0;
}

int
check_env_map(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	json_object_object_foreach(value, key, member) {
		struct at inner = { at, key, 0, value };

		if (key[0] == '\0' || strchr(key, '=') != NULL ||
		    strchr(key, '*') != NULL || !json_object_is_type(member,
		    json_type_string))
			return judge_refuse_at(j, row->reason, &inner,
			    "%.*s: names hold no '=' or '*', values are "
			    "strings", STR_FMT(judge_path(j, &inner)));
	}
	return 0;
}

/* true is what podman-remote sends; what goes out is false. */
int
check_force_false(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	(void)j;
	(void)row;
	(void)value;
	judge_replace(at, json_object_new_boolean(0));
	return 0;
}

int
check_true(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	if (json_object_get_boolean(value))
		return 0;
	return judge_refuse_at(j, row->reason, at,
	    "%.*s is false: %s; leave it out", STR_FMT(judge_path(j, at)),
	    row->text);
}

int
check_container_name(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	struct str name = judge_str(value);

	if (name.len == 0 || check_is_new_name(name))
		return 0;
	return judge_refuse_at(j, row->reason, at,
	    "name \"%s\" must match [a-zA-Z0-9][a-zA-Z0-9_.-]* and not look "
	    "like an id", judge_show(j, name));
}
