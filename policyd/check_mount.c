/*
 * Everything that puts something at a path of the container: Binds, Mounts,
 * Volumes, VolumesFrom, Tmpfs; and the working directory.
 */
#include "common/setting.h"
#include "policyd/checks.h"
#include "policyd/clean_path.h"
#include "policyd/owner.h"
#include "policyd/rules/rules.h"

/* One row a mount option. */
struct option_row {
	const char	*name;
	enum reason	 refused;	/* R_NONE: passes */
	bool		 dropped;
};

static const struct option_row option_rows[] = {
	{ "ro", R_NONE, false }, { "rw", R_NONE, false },
	/* Relabelling would change the labels of the host's own files. */
	{ "z", R_NONE, true }, { "Z", R_NONE, true },
	{ "private", R_NONE, false }, { "rprivate", R_NONE, false },
	{ "nocopy", R_NONE, false }, { "cached", R_NONE, false },
	{ "delegated", R_NONE, false }, { "consistent", R_NONE, false },
	{ "shared", R_PROPAGATION, false }, { "rshared", R_PROPAGATION, false },
	{ "slave", R_PROPAGATION, false }, { "rslave", R_PROPAGATION, false },
	{ "unbindable", R_PROPAGATION, false },
	{ "runbindable", R_PROPAGATION, false },
};

/* Judges a comma list; *out is what is left of it. */
static int
check_options(struct judge *j, const struct at *at, struct str options,
    struct str *out)
{
	*out = STR_NONE;
	while (options.len > 0) {
		struct str one = str_first(options, str_find(options, ','));
		const struct option_row *row = NULL;

		options = str_skip(options, one.len + 1);
		for (size_t i = 0; i < sizeof(option_rows) /
		    sizeof(*option_rows); i++)
			if (str_is(one, option_rows[i].name))
				row = &option_rows[i];
		if (row == NULL || row->refused != R_NONE)
			return judge_refuse_at(j, row == NULL ?
			    R_BIND_OPTION : row->refused, at,
			    "%.*s has option \"%s\"; ro, rw, private, nocopy "
			    "and the consistency words pass",
			    STR_FMT(judge_path(j, at)), judge_show(j, one));
		if (!row->dropped)
			*out = arena_printf(j->arena, "%.*s%s%.*s",
			    STR_FMT(*out), out->len > 0 ? "," : "",
			    STR_FMT(one));
	}
	return 0;
}

/* podman writes Mounts as one comma-separated string and reads that again. */
static int
check_resplit(struct judge *j, const struct at *at, struct str value)
{
	if (j->request->backend.kind != BACKEND_PODMAN)
		return 0;
	for (size_t i = 0; i < value.len; i++)
		if (strchr(",\"=", value.data[i]) != NULL)
			return judge_refuse_at(j, R_BIND_OPTION, at,
			    "%.*s holds a comma, a quote or '='; podman would "
			    "read options out of it",
			    STR_FMT(judge_path(j, at)));
	return 0;
}

static int
check_target(struct judge *j, const struct at *at, struct str target,
    struct str *clean)
{
	if (check_clean_path(j, target, clean) != 0 || str_is(*clean, "/") ||
	    clean_path_is_kernel(*clean))
		return judge_refuse_at(j, R_MOUNT_TARGET, at,
		    "%.*s has target \"%s\"; write an absolute path that is "
		    "not /, nor below /proc, /sys or /dev",
		    STR_FMT(judge_path(j, at)), judge_show(j, target));
	if (str_find(*clean, ',') < clean->len || str_find(*clean, '"') <
	    clean->len)
		return judge_refuse_at(j, R_MOUNT_TARGET, at,
		    "%.*s has target \"%s\"; write a path without commas and "
		    "quotes", STR_FMT(judge_path(j, at)),
		    judge_show(j, target));
	return 0;
}

/* An anonymous volume at target, labelled, as an entry of Mounts. */
static void
add_anonymous(struct judge *j, struct str target)
{
	struct json_object *mount = json_object_new_object();
	struct json_object *options = json_object_new_object();

	json_object_object_add(mount, "Type", json_object_new_string("volume"));
	json_object_object_add(mount, "Target", judge_new_str(target));
	check_set_label(j, options, "Labels");
	json_object_object_add(mount, "VolumeOptions", options);
	json_object_array_add(check_force_array(j->host_config, "Mounts"),
	    mount);
}

/* [source:]target[:options] */
static int
check_bind_entry(struct judge *j, const struct at *at, struct str entry)
{
	struct str source = str_first(entry, str_find(entry, ':'));
	struct str target = str_skip(entry, source.len + 1);
	struct str options, kept = STR_NONE, clean, resolved = source;
	int error;

	target = str_first(target, str_find(target, ':'));
	options = str_skip(entry, source.len + 1 + target.len + 1);
	if (str_find(options, ':') < options.len || target.len == 0)
		return judge_refuse_at(j, R_BIND_OPTION, at,
		    "%.*s is \"%s\"; write SOURCE:TARGET[:OPTIONS]",
		    STR_FMT(judge_path(j, at)), judge_show(j, entry));
	if (str_starts(source, "/"))
		error = check_bind_source(j, at, source, &resolved);
	else
		error = check_named_volume(j, at, source, NULL);
	if (error != 0 || (error = check_target(j, at, target, &clean)) != 0 ||
	    (error = check_options(j, at, options, &kept)) != 0)
		return error;
	if (str_find(resolved, ':') < resolved.len)
		return judge_refuse_at(j, R_BIND, at,
		    "%.*s leads to a path with a colon; use --mount",
		    STR_FMT(judge_path(j, at)));
	judge_replace(at, judge_new_str(arena_printf(j->arena,
	    "%.*s:%.*s%s%.*s", STR_FMT(resolved), STR_FMT(clean),
	    kept.len > 0 ? ":" : "", STR_FMT(kept))));
	return 0;
}

int
check_binds(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	struct json_object *kept = json_object_new_array();
	size_t n = json_object_array_length(value);
	int error = 0;

	(void)row;
	for (size_t i = 0; i < n && error == 0; i++) {
		struct at inner = { at, NULL, i, value };
		struct json_object *entry = json_object_array_get_idx(value, i);
		struct str text = judge_str(entry), clean;

		if (!json_object_is_type(entry, json_type_string))
			error = judge_refuse_at(j, R_BAD_VALUE, &inner,
			    "%.*s must be a string",
			    STR_FMT(judge_path(j, &inner)));
		else if (str_find(text, ':') < text.len) {
			error = check_bind_entry(j, &inner, text);
			json_object_array_add(kept, json_object_get(
			    json_object_array_get_idx(value, i)));
		} else if ((error = check_target(j, &inner, text, &clean)) ==
		    0 && (error = check_resplit(j, &inner, clean)) == 0)
			add_anonymous(j, clean);
	}
	judge_replace(at, kept);
	return error;
}

static int
check_mount_bind(struct judge *j, const struct at *at,
    struct json_object *mount)
{
	struct str resolved;
	int error;

	if (!walk_is_zero(check_member(mount, "VolumeOptions")) ||
	    !walk_is_zero(check_member(mount, "TmpfsOptions")))
		return judge_refuse_at(j, R_BIND_OPTION, at,
		    "%.*s is a bind with options of another type",
		    STR_FMT(judge_path(j, at)));
	error = check_bind_source(j, at, check_member_str(mount, "Source"),
	    &resolved);
	if (error != 0)
		return error;
	json_object_object_add(mount, "Source", judge_new_str(resolved));
	return 0;
}

static int
check_mount_volume(struct judge *j, const struct at *at,
    struct json_object *mount)
{
	struct str name = check_member_str(mount, "Source");
	struct json_object *options = check_force_object(mount,
	    "VolumeOptions");
	int error = 0;

	if (!walk_is_zero(check_member(mount, "BindOptions")) ||
	    !walk_is_zero(check_member(mount, "TmpfsOptions")))
		return judge_refuse_at(j, R_BIND_OPTION, at,
		    "%.*s is a volume with options of another type",
		    STR_FMT(judge_path(j, at)));
	if (name.len > 0)
		error = check_named_volume(j, at, name, check_member(options,
		    "Labels"));
	if (error == 0)
		check_set_label(j, options, "Labels");
	return error;
}

static int
check_mount_tmpfs(struct judge *j, const struct at *at,
    struct json_object *mount)
{
	if (walk_is_zero(check_member(mount, "Source")) &&
	    walk_is_zero(check_member(mount, "BindOptions")) &&
	    walk_is_zero(check_member(mount, "VolumeOptions")))
		return 0;
	return judge_refuse_at(j, R_BIND_OPTION, at,
	    "%.*s is a tmpfs with a source or options of another type",
	    STR_FMT(judge_path(j, at)));
}

/* One row a type of mount. */
static const struct mount_row {
	const char	*type;
	int		(*check)(struct judge *, const struct at *,
			    struct json_object *);
} mount_rows[] = {
	{ "bind",	check_mount_bind },
	{ "volume",	check_mount_volume },
	{ "tmpfs",	check_mount_tmpfs },
};

static int
check_mount(struct judge *j, const struct at *at, struct json_object *mount)
{
	struct str type = check_member_str(mount, "Type"), clean;
	struct str target = check_member_str(mount, "Target");
	int error;

	for (size_t i = 0; i < sizeof(mount_rows) / sizeof(*mount_rows); i++) {
		if (!str_is(type, mount_rows[i].type))
			continue;
		if ((error = mount_rows[i].check(j, at, mount)) != 0 ||
		    (error = check_target(j, at, target, &clean)) != 0)
			return error;
		json_object_object_add(mount, "Target", judge_new_str(clean));
		if ((error = check_resplit(j, at, clean)) != 0)
			return error;
		return check_resplit(j, at, check_member_str(mount,
		    "Source"));
	}
	return judge_refuse_at(j, R_MOUNT_TYPE, at,
	    "%.*s is of type \"%s\"; bind, volume and tmpfs pass",
	    STR_FMT(judge_path(j, at)), judge_show(j, type));
}

int
check_mounts(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	size_t n = json_object_array_length(value);

	for (size_t i = 0; i < n; i++) {
		struct at inner = { at, NULL, i, value };
		struct json_object *mount = json_object_array_get_idx(value, i);
		int error;

		if (!json_object_is_type(mount, json_type_object))
			return judge_refuse_at(j, R_BAD_VALUE, &inner,
			    "%.*s must be an object",
			    STR_FMT(judge_path(j, &inner)));
		if ((error = walk_object(j, &inner, row->arg, mount)) != 0 ||
		    (error = check_mount(j, &inner, mount)) != 0)
			return error;
	}
	return 0;
}

int
check_volume_map(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	json_object_object_foreach(value, key, member) {
		struct at inner = { at, key, 0, value };
		struct str path = str_from(key), clean;

		/* podman reads "SOURCE:TARGET" here as a bind. */
		if (str_find(path, ':') < path.len ||
		    str_find(path, ',') < path.len ||
		    check_clean_path(j, path, &clean) != 0 ||
		    str_is(clean, "/") || clean_path_is_kernel(clean))
			return judge_refuse_at(j, row->reason, &inner,
			    "%.*s: %s; write a path, or use Binds",
			    STR_FMT(judge_path(j, &inner)), row->text);
		if (!walk_is_zero(member))
			return judge_refuse_at(j, R_BAD_VALUE, &inner,
			    "%.*s must be {}", STR_FMT(judge_path(j, &inner)));
	}
	return 0;
}

/*
 * The other's mounts become the container's own: its binds count as binds of
 * this one, for MKNOD, for a restart policy, and for where they lead by now.
 */
static int
inherit_mounts(struct judge *j, struct str id)
{
	enum owner owner;
	struct json_object *other = owner_inspect_container(j, id, &owner);
	struct json_object *mounts = check_member(other, "Mounts");
	size_t n = json_object_is_type(mounts, json_type_array) ?
	    json_object_array_length(mounts) : 0;

	if (owner == OWNER_ASKED)
		return 0;
	if (owner == OWNER_REFUSED)
		return -R_FACTS;
	if (other == NULL)
		return owner_refuse_container(j, id);
	if (j->inherited == NULL) {
		j->inherited = json_object_new_array();
		json_object_array_add(j->garbage, j->inherited);
	}
	for (size_t i = 0; i < n; i++)
		json_object_array_add(j->inherited, json_object_get(
		    json_object_array_get_idx(mounts, i)));
	return check_binds_again(j, other);
}

int
check_volumes_from(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	size_t n = json_object_array_length(value);

	(void)row;
	for (size_t i = 0; i < n; i++) {
		struct at inner = { at, NULL, i, value };
		struct str entry = judge_str(json_object_array_get_idx(value,
		    i));
		struct str ref = str_first(entry, str_find(entry, ':'));
		struct str mode = str_skip(entry, ref.len + 1), kept, id;
		enum owner owner;
		int error;

		if ((error = check_options(j, &inner, mode, &kept)) != 0)
			return error;
		if (str_starts(ref, "/"))
			ref = str_skip(ref, 1);
		owner = owner_container(j, ref, &id);
		if (owner == OWNER_REFUSED)
			return -R_FACTS;
		if (owner != OWNER_OURS && owner != OWNER_ASKED)
			return owner_refuse_container(j, ref);
		if ((error = inherit_mounts(j, id)) != 0)
			return error;
		judge_replace(&inner, judge_new_str(arena_printf(j->arena,
		    "%.*s%s%.*s", STR_FMT(id), kept.len > 0 ? ":" : "",
		    STR_FMT(kept))));
	}
	return 0;
}

/* One row an option of a tmpfs. */
static const struct tmpfs_row {
	const char	*name;		/* ends in '=': takes a number */
	bool		 dropped;
} tmpfs_rows[] = {
	{ "rw", false }, { "ro", false }, { "exec", false },
	{ "noexec", false }, { "nosuid", false }, { "nodev", false },
	{ "size=", false }, { "mode=", false }, { "uid=", false },
	{ "gid=", false },
	/* Left out, the daemon's own nosuid and nodev stay. */
	{ "suid", true }, { "dev", true },
};

static bool
is_number(struct str s, const char *suffixes)
{
	size_t n = 0;

	while (n < s.len && s.data[n] >= '0' && s.data[n] <= '9')
		n++;
	if (n > 0 && n + 1 == s.len && strchr(suffixes, s.data[n]) != NULL)
		n++;
	return n > 0 && n == s.len;
}

static const struct tmpfs_row *
find_tmpfs_row(struct str option)
{
	for (size_t i = 0; i < sizeof(tmpfs_rows) / sizeof(*tmpfs_rows); i++) {
		const struct tmpfs_row *row = &tmpfs_rows[i];
		struct str name = str_from(row->name);

		if (!str_ends(name, "=")) {
			if (str_equal(option, name))
				return row;
		} else if (str_starts(option, row->name) && is_number(str_skip(
		    option, name.len), "kKmMgG%"))
			return row;
	}
	return NULL;
}

static int
check_tmpfs_options(struct judge *j, const struct at *at, struct str options,
    struct str *out)
{
	*out = STR("");
	while (options.len > 0) {
		struct str one = str_first(options, str_find(options, ','));
		const struct tmpfs_row *row = find_tmpfs_row(one);

		options = str_skip(options, one.len + 1);
		if (row == NULL)
			return judge_refuse_at(j, R_TMPFS_OPTION, at,
			    "%.*s has option \"%s\"; rw, ro, exec, noexec, "
			    "nosuid, nodev, size, mode, uid and gid pass",
			    STR_FMT(judge_path(j, at)), judge_show(j, one));
		if (!row->dropped)
			*out = arena_printf(j->arena, "%.*s%s%.*s",
			    STR_FMT(*out), out->len > 0 ? "," : "",
			    STR_FMT(one));
	}
	return 0;
}

int
check_tmpfs(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	json_object_object_foreach(value, key, member) {
		struct at inner = { at, key, 0, value };
		struct str path = str_from(key), clean, kept;
		int error;

		if (str_find(path, ':') < path.len ||
		    str_find(path, ',') < path.len ||
		    check_clean_path(j, path, &clean) != 0 ||
		    clean_path_is_kernel(clean) || str_is(clean, "/"))
			return judge_refuse_at(j, row->reason, &inner,
			    "%.*s: %s", STR_FMT(judge_path(j, &inner)),
			    row->text);
		if (member != NULL && !json_object_is_type(member,
		    json_type_string))
			return judge_refuse_at(j, R_BAD_VALUE, &inner,
			    "%.*s must be a string",
			    STR_FMT(judge_path(j, &inner)));
		error = check_tmpfs_options(j, &inner, judge_str(member),
		    &kept);
		if (error != 0)
			return error;
		judge_replace(&inner, judge_new_str(kept));
	}
	return 0;
}

int
check_workdir(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	struct str path = judge_str(value), clean;

	if (path.len == 0)
		return 0;
	if (!check_is_workdir(j, path, &clean))
		return judge_refuse_at(j, row->reason, at,
		    "%.*s is \"%s\": %s", STR_FMT(judge_path(j, at)),
		    judge_show(j, path), row->text);
	judge_replace(at, judge_new_str(clean));
	return 0;
}

/*
 * Config.Volumes become labelled anonymous volumes: an entry of Mounts at each
 * target that nothing else takes, what comes by VolumesFrom included.
 */
static bool
is_bound(struct json_object *binds, struct str target)
{
	size_t n = binds == NULL ? 0 : json_object_array_length(binds);

	for (size_t i = 0; i < n; i++) {
		struct str bind = judge_str(json_object_array_get_idx(binds,
		    i));
		struct str rest = str_skip(bind, str_find(bind, ':') + 1);

		if (str_equal(str_first(rest, str_find(rest, ':')), target))
			return true;
	}
	return false;
}

/* key: what the mounts of this list call their target. */
static bool
is_mounted(struct json_object *mounts, const char *key, struct str target)
{
	size_t n = mounts == NULL ? 0 : json_object_array_length(mounts);

	for (size_t i = 0; i < n; i++)
		if (str_equal(check_member_str(json_object_array_get_idx(
		    mounts, i), key), target))
			return true;
	return false;
}

static bool
is_tmpfs(struct judge *j, struct json_object *tmpfs, struct str target)
{
	if (tmpfs == NULL)
		return false;
	json_object_object_foreach(tmpfs, key, member) {
		struct str clean;

		(void)member;
		if (check_clean_path(j, str_from(key), &clean) == 0 &&
		    str_equal(clean, target))
			return true;
	}
	return false;
}

static bool
is_taken(struct judge *j, struct str target)
{
	struct json_object *h = j->host_config;

	return is_bound(check_member(h, "Binds"), target) ||
	    is_mounted(check_member(h, "Mounts"), "Target", target) ||
	    is_mounted(j->inherited, "Destination", target) ||
	    is_tmpfs(j, check_member(h, "Tmpfs"), target);
}

void
mounts_label_anonymous(struct judge *j, struct json_object *volumes)
{
	if (!json_object_is_type(volumes, json_type_object))
		return;
	json_object_object_foreach(volumes, key, member) {
		struct str clean;

		(void)member;
		if (check_clean_path(j, str_from(key), &clean) == 0 &&
		    !is_taken(j, clean))
			add_anonymous(j, clean);
	}
}
