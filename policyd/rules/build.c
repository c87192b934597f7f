/*
 * POST /build: every parameter.  The context streams; what it holds is read by
 * the scanner.
 */
#include "common/setting.h"
#include "policyd/egress.h"
#include "policyd/image.h"
#include "policyd/parse.h"
#include "policyd/query.h"
#include "policyd/rules/rules.h"

/* ["key=value"]: what podman writes for labels; the last of two counts. */
static int
add_list(struct judge *j, const struct param *row, struct json_object *map,
    struct json_object *list)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		struct str text = judge_str(one);
		struct str key = str_first(text, str_find(text, '='));

		if (!json_object_is_type(one, json_type_string) ||
		    key.len == 0)
			return judge_refuse(j, R_BAD_QUERY,
			    str_from(row->name), "%s: write KEY=VALUE",
			    row->name);
		json_object_object_add(map, arena_text(j->arena, key),
		    judge_new_str(str_skip(text, key.len + 1)));
	}
	return 0;
}

/* A parameter that is a JSON object of strings; an empty one when absent. */
static int
parse_map(struct judge *j, const struct param *row, struct str value,
    bool lists, struct json_object **map)
{
	struct json_object *parsed;

	*map = json_object_new_object();
	json_object_array_add(j->garbage, *map);
	if (value.len == 0)
		return 0;
	parsed = parse_value(j, value);
	if (parsed == NULL && str_is(value, "null"))
		return 0;
	if (lists && json_object_is_type(parsed, json_type_array))
		return add_list(j, row, *map, parsed);
	if (!json_object_is_type(parsed, json_type_object))
		return judge_refuse(j, R_BAD_QUERY, str_from(row->name),
		    "query parameter %s is not a JSON object", row->name);
	json_object_object_foreach(parsed, key, member) {
		if (strchr(key, '=') != NULL)
			return judge_refuse(j, R_LABEL, str_from(row->name),
			    "%s: key \"%s\" holds '='; leave it out",
			    row->name, judge_show(j, str_from(key)));
		if (member != NULL && !json_object_is_type(member,
		    json_type_string))
			return judge_refuse(j, R_BAD_QUERY,
			    str_from(row->name), "%s: values are strings",
			    row->name);
		json_object_object_add(*map, key, json_object_get(member));
	}
	return 0;
}

static struct str
map_text(struct judge *j, struct json_object *map)
{
	return arena_str(j->arena, str_from(json_object_to_json_string_ext(
	    map, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)));
}

int
param_labels(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	struct json_object *map;
	int error = parse_map(j, row, value, j->target.is_libpod,
	    &map);

	if (error != 0)
		return error;
	json_object_object_add(map, PROJECT_LABEL,
	    judge_new_str(j->settings->slug));
	*out = map_text(j, map);
	return 0;
}

int
param_build_args(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	struct json_object *map;
	int error = parse_map(j, row, value, false, &map);

	if (error != 0)
		return error;
	egress_set_map(j, map, STR_NONE);
	if (json_object_object_length(map) > 0)
		*out = map_text(j, map);
	return 0;
}

static int
param_dockerfile(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	struct str clean;

	if (j->request->backend.kind == BACKEND_PODMAN)
		return param_dockerfiles(j, row, value, out);
	if (value.len == 0)
		return 0;
	/* Inside the context the daemon takes it relative to its root. */
	if (str_starts(value, "/") || check_clean_path(j, arena_printf(
	    j->arena, "/%.*s", STR_FMT(value)), &clean) != 0 ||
	    !str_equal(str_skip(clean, 1), str_starts(value, "./") ?
	    str_skip(value, 2) : value))
		return judge_refuse(j, row->reason, str_from(row->name),
		    "dockerfile \"%s\": %s", judge_show(j, value), row->text);
	*out = value;
	return 0;
}

int
param_build_network(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	int error = param_one_of(j, row, value, out);

	if (j->request->backend.kind == BACKEND_PODMAN && (str_is(value,
	    "none") || str_is(value, "NetworkDisabled")))
		*out = STR("1");
	return error;
}

/* Which of docker's builders; podman's own API has no word for it. */
static int
param_builder(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	int error = param_one_of(j, row, value, out);

	if (j->request->backend.kind == BACKEND_PODMAN)
		*out = STR_NONE;
	return error;
}

/* A JSON list of references, or null. */
static int
param_cache_from(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	struct json_object *list;
	size_t n;

	if (value.len == 0 || str_is(value, "null") || str_is(value, "[]"))
		return 0;
	list = parse_value(j, value);
	if (!json_object_is_type(list, json_type_array))
		return judge_refuse(j, R_BAD_QUERY, str_from(row->name),
		    "query parameter %s is not a JSON list", row->name);
	n = json_object_array_length(list);
	for (size_t i = 0; i < n; i++) {
		struct str one = judge_str(json_object_array_get_idx(list, i));

		if (!image_is_plain(j, one))
			return judge_refuse(j, row->reason,
			    str_from(row->name), "cachefrom \"%s\": %s",
			    judge_show(j, one), row->text);
	}
	/* Its own API takes one reference, or a list, by version. */
	if (j->request->backend.kind != BACKEND_PODMAN)
		*out = map_text(j, list);
	return 0;
}

/* clang-format off */
static const char *const network_modes[] = { "default", "none", "bridge", NULL };
static const char *const isolations[] = { "default", NULL };
static const char *const versions[] = { "1", NULL };

const struct param build_params[] = {
	/* name			check		argument	reason		flags		sentence */
	/* First: BuildKit asks for a remote context, and is to be told of itself. */
	{ "session",		param_unset,	NULL,		R_BUILDKIT,	0,		"set DOCKER_BUILDKIT=0 (classic builder)" },
	{ "buildid",		param_unset,	NULL,		R_BUILDKIT,	0,		"set DOCKER_BUILDKIT=0 (classic builder)" },
	{ "remote",		param_unset,	NULL,		R_BUILD_OPTION,	0,		"the daemon would fetch it" },
	{ "networkmode",	param_build_network, network_modes,	R_BUILD_OPTION,	0,		"default, none or bridge" },
	{ "cgroupparent",	param_unset,	NULL,		R_BUILD_OPTION,	0,		"the place in the cgroup tree is not chosen" },
	{ "ulimits",		param_unset,	NULL,		R_BUILD_OPTION,	0,		"limits are the daemon's" },
	{ "securityopt",	param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"confinement is the daemon's" },
	{ "extrahosts",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"host entries are not added to builds" },
	{ "volume",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"host paths are not mounted into builds" },
	{ "devices",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"host devices are not passed" },
	{ "secrets",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"secrets of the host are not mounted" },
	{ "ssh",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"the agent is not forwarded" },
	{ "addcaps",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"capabilities are not added" },
	{ "labelopts",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"confinement is the daemon's" },
	{ "outputs",		param_unset,	NULL,		R_BUILD_OPTION,	0,		"an exporter would write host files" },
	{ "version",		param_builder,	versions,	R_BUILDKIT,	0,		"set DOCKER_BUILDKIT=0 (classic builder)" },
	{ "isolation",		param_one_of,	isolations,	R_BUILD_OPTION,	0,		"the isolation is the daemon's default" },
	{ "dockerfile",		param_dockerfile, NULL,		R_BUILD_CONTEXT, 0,		"a clean relative path in the context" },
	{ "t",			param_target,	NULL,		R_TAG,		PARAM_LIST,	"tags that are free or this project's" },
	{ "labels",		param_labels,	NULL,		R_LABEL,	PARAM_ALWAYS,	"labels of the image; ours is set" },
	{ "buildargs",		param_build_args, NULL,		R_BAD_QUERY,	PARAM_ALWAYS,	"build arguments; the proxy's are set" },
	{ "cachefrom",		param_cache_from, NULL,		R_BUILD_OPTION,	0,		"plain image references" },
	{ "q",			param_bool,	NULL,		R_BAD_QUERY,	0,		"quiet" },
	{ "nocache",		param_bool,	NULL,		R_BAD_QUERY,	0,		"without cache" },
	{ "pull",		param_bool,	NULL,		R_BAD_QUERY,	0,		"pull bases anew" },
	{ "rm",			param_bool,	NULL,		R_BAD_QUERY,	0,		"remove intermediate containers" },
	{ "forcerm",		param_bool,	NULL,		R_BAD_QUERY,	0,		"remove them even on failure" },
	{ "squash",		param_bool,	NULL,		R_BAD_QUERY,	0,		"one layer" },
	{ "memory",		param_int,	NULL,		R_BAD_QUERY,	0,		"memory limit" },
	{ "memswap",		param_int,	NULL,		R_BAD_QUERY,	0,		"memory and swap" },
	{ "cpushares",		param_int,	NULL,		R_BAD_QUERY,	0,		"CPU weight" },
	{ "cpuperiod",		param_int,	NULL,		R_BAD_QUERY,	0,		"CPU period" },
	{ "cpuquota",		param_int,	NULL,		R_BAD_QUERY,	0,		"CPU quota" },
	{ "cpusetcpus",		param_any,	NULL,		R_BAD_QUERY,	0,		"CPUs" },
	{ "cpusetmems",		param_any,	NULL,		R_BAD_QUERY,	0,		"memory nodes" },
	{ "shmsize",		param_int,	NULL,		R_BAD_QUERY,	0,		"size of /dev/shm" },
	{ "platform",		param_any,	NULL,		R_BAD_QUERY,	0,		"os/arch" },
	{ "target",		param_any,	NULL,		R_BAD_QUERY,	0,		"stage to build" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};
/* clang-format on */
