/*
 * Confinement, limits, hosts entries and log drivers of a container.
 */
#include "policyd/checks.h"

int
check_security_opt(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	static const char *const allowed[] = { "no-new-privileges",
		"no-new-privileges=true", "no-new-privileges:true",
		"seccomp=builtin", "apparmor=docker-default" };
	size_t n = json_object_array_length(value);

	for (size_t i = 0; i < n; i++) {
		struct at inner = { at, NULL, i, value };
		struct json_object *element = json_object_array_get_idx(value,
		    i);
		bool found = false;

		for (size_t k = 0; k < sizeof(allowed) / sizeof(*allowed); k++)
			found = found || str_is(judge_str(element), allowed[k]);
		if (!found)
			return judge_refuse_at(j, row->reason, &inner,
			    "%.*s is \"%s\"; only no-new-privileges, "
			    "seccomp=builtin and apparmor=docker-default pass",
			    STR_FMT(judge_path(j, &inner)),
			    judge_show(j, judge_str(element)));
	}
	return 0;
}

/*
 * docker calls it Name, libpod type; "core", or as the kernel's own names are
 * written.
 */
static bool
is_core(struct json_object *limit)
{
	struct str name = check_member_str(limit, "Name");
	size_t n = strlen("rlimit_");

	if (name.len == 0)
		name = check_member_str(limit, "type");
	if (str_equal_nocase(str_first(name, n), STR("rlimit_")))
		name = str_skip(name, n);
	return str_equal_nocase(name, STR("core"));
}

static bool
is_all_zero(struct json_object *limit)
{
	static const char *const values[] = { "Soft", "Hard", "soft",
		"hard" };

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (!walk_is_zero(check_member(limit, values[i])))
			return false;
	return true;
}

int
check_ulimits(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	size_t n = json_object_array_length(value);

	for (size_t i = 0; i < n; i++) {
		struct at inner = { at, NULL, i, value };
		struct json_object *limit = json_object_array_get_idx(value, i);
		int error;

		if (!json_object_is_type(limit, json_type_object))
			return judge_refuse_at(j, R_BAD_VALUE, &inner,
			    "%.*s must be an object",
			    STR_FMT(judge_path(j, &inner)));
		if ((error = walk_object(j, &inner, row->arg, limit)) != 0)
			return error;
		/* Core files are written by the host's kernel, by its rules. */
		if (is_core(limit) && !is_all_zero(limit))
			return judge_refuse_at(j, row->reason, &inner,
			    "%.*s: core files are written on the host; leave "
			    "core at 0", STR_FMT(judge_path(j, &inner)));
	}
	return 0;
}

int
check_group_add(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	size_t n = json_object_array_length(value);

	for (size_t i = 0; i < n; i++) {
		struct at inner = { at, NULL, i, value };
		struct str group = judge_str(json_object_array_get_idx(value,
		    i));

		if (!check_is_name(group) || str_equal_nocase(group,
		    STR("keep-groups")))
			return judge_refuse_at(j, row->reason, &inner,
			    "%.*s is \"%s\": %s",
			    STR_FMT(judge_path(j, &inner)),
			    judge_show(j, group), row->text);
	}
	return 0;
}

static bool
is_host_entry(struct str entry)
{
	size_t mark = str_find(entry, ':');
	size_t other = str_find(entry, '=');

	/* Newer clients write NAME=ADDRESS. */
	if (other < mark)
		mark = other;
	if (mark == 0 || mark + 1 >= entry.len || check_has_control(entry))
		return false;
	for (size_t i = 0; i < entry.len; i++)
		if (entry.data[i] == ' ' || entry.data[i] == ',' ||
		    entry.data[i] == '"' || (unsigned char)entry.data[i] >=
		    0x80)
			return false;
	return true;
}

int
check_extra_hosts(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	size_t n = json_object_array_length(value);

	for (size_t i = 0; i < n; i++) {
		struct at inner = { at, NULL, i, value };
		struct str entry = judge_str(json_object_array_get_idx(value,
		    i));

		if (!is_host_entry(entry))
			return judge_refuse_at(j, row->reason, &inner,
			    "%.*s is \"%s\"; write NAME:ADDRESS",
			    STR_FMT(judge_path(j, &inner)),
			    judge_show(j, entry));
	}
	return 0;
}

static int
check_log_options(struct judge *j, const struct at *at,
    struct json_object *options)
{
	static const char *const allowed[] = { "max-size", "max-file",
		"compress", "mode", "max-buffer-size", "labels",
		"labels-regex", "env", "env-regex", "tag" };

	json_object_object_foreach(options, key, value) {
		struct at inner = { at, key, 0, options };
		bool found = false;

		for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
			found = found || strcmp(key, allowed[i]) == 0;
		if (!found || !json_object_is_type(value, json_type_string))
			return judge_refuse_at(j, R_LOG_OPTION, &inner,
			    "%.*s: only max-size, max-file, compress, mode, "
			    "max-buffer-size, labels, env and tag pass",
			    STR_FMT(judge_path(j, &inner)));
	}
	return 0;
}

int
check_log_config(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	struct json_object *options = check_member(value, "Config");
	struct str type = check_member_str(value, "Type");
	struct at inner = { at, "Config", 0, value };
	int error = walk_object(j, at, row->arg, value);

	if (error != 0 || walk_is_zero(options))
		return error;
	if (!str_is(type, "json-file") && !str_is(type, "local"))
		return judge_refuse_at(j, R_LOG_OPTION, &inner,
		    "%.*s: options go with the json-file and local drivers; "
		    "name one of them", STR_FMT(judge_path(j, &inner)));
	return check_log_options(j, &inner, options);
}
