/*
 * POST /libpod/build: every parameter.  The context is read by the scanner;
 * RUN never gets the host's network.
 */
#include "policyd/egress.h"
#include "policyd/image.h"
#include "policyd/parse.h"
#include "policyd/query.h"
#include "policyd/rules/rules.h"

static int
refuse(struct judge *j, const struct param *row, struct str value)
{
	return judge_refuse(j, row->reason, str_from(row->name),
	    "query parameter %s is \"%s\": %s", row->name,
	    judge_show(j, value), row->text);
}

static void
add_namespace(struct json_object *list, struct str name, bool host)
{
	struct json_object *one = json_object_new_object();

	json_object_object_add(one, "Name", judge_new_str(name));
	json_object_object_add(one, "Host", json_object_new_boolean(host));
	json_object_object_add(one, "Path", json_object_new_string(""));
	json_object_array_add(list, one);
}

/*
 * The path of a network's entry names a network; these mean the usual one, for
 * which services look in vain, or find somebody's network of that name.
 */
static bool
is_usual_network(struct str name, struct json_object *path)
{
	struct str text = judge_str(path);

	return str_is(name, "network") && (str_is(text, "default") ||
	    str_is(text, "bridge") || str_is(text, "private") ||
	    str_is(text, "podman"));
}

/*
 * [{"Name": "user", "Host": true, "Path": ""}] is what the client sends.
 * Without an entry for the network the service would take the host's.
 */
static int
param_ns_options(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	struct json_object *list = parse_value(j, value);
	struct json_object *kept = json_object_new_array();
	size_t n = json_object_is_type(list, json_type_array) ?
	    json_object_array_length(list) : 0;
	bool named = false;

	json_object_array_add(j->garbage, kept);
	if (value.len > 0 && !str_is(value, "null") && !json_object_is_type(
	    list, json_type_array))
		return refuse(j, row, value);
	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		struct str name = check_member_str(one, "Name");
		struct json_object *path = check_member(one, "Path");
		bool host = !walk_is_zero(check_member(one, "Host"));

		named = named || str_is(name, "network");
		if (!json_object_is_type(one, json_type_object) ||
		    json_object_object_length(one) > 3 || (host && !str_is(
		    name, "user")) || (!walk_is_zero(path) &&
		    !is_usual_network(name, path)))
			return refuse(j, row, value);
		add_namespace(kept, name, host);
	}
	if (!named)
		add_namespace(kept, STR("network"), false);
	*out = arena_str(j->arena, str_from(json_object_to_json_string_ext(
	    kept, JSON_C_TO_STRING_PLAIN)));
	return 0;
}

/* Only what the client always sends: the host's ids as they are. */
static int
param_id_mapping(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	struct json_object *map = parse_value(j, value);

	if (value.len == 0)
		return 0;
	if (!json_object_is_type(map, json_type_object))
		return refuse(j, row, value);
	json_object_object_foreach(map, key, member)
		if (strcmp(key, "HostUIDMapping") != 0 &&
		    strcmp(key, "HostGIDMapping") != 0 &&
		    strcmp(key, "AutoUserNsOpts") != 0 &&
		    !walk_is_zero(member))
			return refuse(j, row, value);
	*out = STR("{\"HostUIDMapping\":true,\"HostGIDMapping\":true}");
	return 0;
}

/* The client sends the path of the service's own default. */
static int
param_seccomp(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	(void)out;
	if (value.len == 0 || str_is(value,
	    "/usr/share/containers/seccomp.json"))
		return 0;
	return refuse(j, row, value);
}

/* podman-remote repeats the tag here; anything path-like is a destination. */
static int
param_output(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	if (value.len == 0)
		return 0;
	if (!image_is_plain(j, value))
		return refuse(j, row, value);
	return param_target(j, row, value, out);
}

static int
check_dockerfile_name(struct judge *j, const struct param *row,
    struct str name)
{
	struct str clean;

	if (str_starts(name, "/") || str_ends(name, ".in") ||
	    check_clean_path(j, arena_printf(j->arena, "/%.*s",
	    STR_FMT(name)), &clean) != 0 ||
	    !str_equal(str_skip(clean, 1), name))
		return refuse(j, row, name);
	return 0;
}

int
param_dockerfiles(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	struct json_object *list = str_starts(value, "[") ? parse_value(j, value) :
	    NULL;
	size_t n = json_object_is_type(list, json_type_array) ?
	    json_object_array_length(list) : 0;
	int error;

	if (value.len == 0)
		return 0;
	if (list == NULL && (error = check_dockerfile_name(j, row, value)) !=
	    0)
		return error;
	for (size_t i = 0; i < n; i++) {
		struct str name = judge_str(json_object_array_get_idx(list,
		    i));

		if ((error = check_dockerfile_name(j, row, name)) != 0)
			return error;
	}
	*out = value;
	return 0;
}

static int
param_set_env(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	if (value.len > 0 && str_find(value, '=') == value.len)
		return refuse(j, row, value);
	return param_any(j, row, value, out);
}

/* clang-format off */
static const char *const network_modes[] = { "0", "1", "2", "default", "none", "bridge", "NetworkDefault", "NetworkDisabled", "NetworkEnabled", NULL };
static const char *const isolations[] = { "default", "0", "1", "3", "oci", "rootless", NULL };

const struct param libpod_build_params[] = {
	/* name			check		argument	reason		flags		sentence */
	{ "nsoptions",		param_ns_options, NULL,		R_BUILD_OPTION,	PARAM_ALWAYS,	"the user namespace may be the host's; the network is forced apart" },
	{ "networkmode",	param_build_network, network_modes,	R_BUILD_OPTION,	0,		"default, none or bridge" },
	{ "isolation",		param_one_of,	isolations,	R_BUILD_OPTION,	0,		"default, oci or rootless" },
	{ "idmappingoptions",	param_id_mapping, NULL,		R_BUILD_OPTION,	0,		"ids of the host are not mapped" },
	{ "seccomp",		param_seccomp,	NULL,		R_BUILD_OPTION,	0,		"the seccomp profile is the service's" },
	{ "apparmor",		param_unset,	NULL,		R_BUILD_OPTION,	0,		"the AppArmor profile is the service's" },
	{ "labelopts",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"the SELinux label is the service's" },
	{ "securityopt",	param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"confinement is the service's" },
	{ "addcaps",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"capabilities are not added" },
	{ "dropcaps",		param_any,	NULL,		R_BAD_QUERY,	PARAM_LIST,	"capabilities may be dropped" },
	{ "devices",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"host devices are not passed" },
	{ "volume",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"host paths are not mounted into builds" },
	{ "volumes",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"host paths are not mounted into builds" },
	{ "transientRunMounts",	param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"host paths are not mounted into builds" },
	{ "secrets",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"secrets are not mounted" },
	{ "ssh",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"the agent is not forwarded" },
	{ "ulimits",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"limits are the service's" },
	{ "cgroupparent",	param_unset,	NULL,		R_BUILD_OPTION,	0,		"the place in the cgroup tree is not chosen" },
	{ "remote",		param_unset,	NULL,		R_BUILD_OPTION,	0,		"the service would fetch it, or take a directory of its host" },
	{ "additionalbuildcontexts", param_unset, NULL,		R_BUILD_OPTION,	PARAM_LIST,	"directories of the host are not contexts" },
	{ "localcontextdir",	param_unset,	NULL,		R_BUILD_OPTION,	0,		"directories of the host are not contexts" },
	{ "extrahosts",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"host entries are not added to builds" },
	{ "groupadd",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"the service's groups are not kept" },
	{ "cacheto",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"would push to a registry" },
	{ "cachefrom",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"would pull from a registry" },
	{ "cppflags",		param_unset,	NULL,		R_BUILD_OPTION,	PARAM_LIST,	"flags of the preprocessor read host files" },
	{ "rusagelogfile",	param_unset,	NULL,		R_BUILD_OPTION,	0,		"a file of the host is not written" },
	{ "sourcePolicy",	param_unset,	NULL,		R_BUILD_OPTION,	0,		"a file of the host is not read" },
	{ "from",		param_image,	NULL,		R_IMAGE_NAME,	0,		"a plain image reference" },
	{ "manifest",		param_unset,	NULL,		R_BUILD_OPTION,	0,		"manifest lists carry no label" },
	{ "registry",		param_unset,	NULL,		R_BUILD_OPTION,	0,		"the registry is part of the name" },
	{ "tlsVerify",		param_true,	NULL,		R_BUILD_OPTION,	0,		"certificates are checked" },
	{ "httpproxy",		param_false,	NULL,		R_HOST_ENVIRONMENT, PARAM_ALWAYS, "becomes false; the egress proxy is set by the gateway" },
	{ "setenv",		param_set_env,	NULL,		R_ENVIRONMENT,	PARAM_LIST,	"NAME=VALUE; a bare name would take the service's" },
	{ "unsetenv",		param_any,	NULL,		R_BAD_QUERY,	PARAM_LIST,	"variables left out" },
	{ "unsetlabel",		param_unset,	NULL,		R_LABEL,	PARAM_LIST,	"could take our label off" },
	{ "dockerfile",		param_dockerfiles, NULL,	R_BUILD_CONTEXT, 0,		"clean relative paths in the context, not ending in .in" },
	{ "t",			param_target,	NULL,		R_TAG,		PARAM_LIST,	"tags that are free or this project's" },
	{ "output",		param_output,	NULL,		R_BUILD_OPTION,	0,		"the tag once more; a destination would be a path of the host" },
	{ "outputs",		param_unset,	NULL,		R_BUILD_OPTION,	0,		"an exporter would write host files" },
	{ "outputformat",	param_any,	NULL,		R_BAD_QUERY,	0,		"media type" },
	{ "labels",		param_labels,	NULL,		R_LABEL,	PARAM_ALWAYS,	"labels of the image; ours is set" },
	{ "annotations",	param_unset,	NULL,		R_ANNOTATION,	PARAM_LIST,	"containers of the image would hand them to the OCI runtime; labels do not" },
	{ "buildargs",		param_build_args, NULL,		R_BAD_QUERY,	PARAM_ALWAYS,	"build arguments; the proxy's are set" },
	{ "pullpolicy",		param_any,	NULL,		R_BAD_QUERY,	0,		"when to pull bases" },
	{ "pull",		param_any,	NULL,		R_BAD_QUERY,	0,		"when to pull bases" },
	{ "platform",		param_any,	NULL,		R_BAD_QUERY,	PARAM_LIST,	"os/arch" },
	{ "allplatforms",	param_bool,	NULL,		R_BAD_QUERY,	0,		"every platform of the base" },
	{ "target",		param_any,	NULL,		R_BAD_QUERY,	0,		"stage to build" },
	{ "q",			param_bool,	NULL,		R_BAD_QUERY,	0,		"quiet" },
	{ "nocache",		param_bool,	NULL,		R_BAD_QUERY,	0,		"without cache" },
	{ "rm",			param_bool,	NULL,		R_BAD_QUERY,	0,		"remove intermediate containers" },
	{ "forcerm",		param_bool,	NULL,		R_BAD_QUERY,	0,		"remove them even on failure" },
	{ "layers",		param_bool,	NULL,		R_BAD_QUERY,	0,		"layers" },
	{ "squash",		param_bool,	NULL,		R_BAD_QUERY,	0,		"one layer" },
	{ "jobs",		param_int,	NULL,		R_BAD_QUERY,	0,		"stages at a time" },
	{ "identitylabel",	param_bool,	NULL,		R_BAD_QUERY,	0,		"label of the builder" },
	{ "omithistory",	param_bool,	NULL,		R_BAD_QUERY,	0,		"without history" },
	{ "timestamp",		param_int,	NULL,		R_BAD_QUERY,	0,		"time of the files" },
	{ "compression",	param_int,	NULL,		R_BAD_QUERY,	0,		"compression of layers" },
	{ "excludes",		param_any,	NULL,		R_BAD_QUERY,	PARAM_LIST,	"patterns left out" },
	{ "ignore",		param_bool,	NULL,		R_BAD_QUERY,	0,		"ignore errors" },
	{ "rusage",		param_bool,	NULL,		R_BAD_QUERY,	0,		"resources used" },
	{ "skipunusedstages",	param_bool,	NULL,		R_BAD_QUERY,	0,		"skip stages" },
	{ "compatvolumes",	param_unset,	NULL,		R_BUILD_OPTION,	0,		"steps would see the host by a link in a volume's path" },
	{ "inheritlabels",	param_bool,	NULL,		R_BAD_QUERY,	0,		"labels of the base" },
	{ "createdannotation",	param_bool,	NULL,		R_BAD_QUERY,	0,		"time of the image" },
	{ "inheritannotations",	param_bool,	NULL,		R_BAD_QUERY,	0,		"annotations of the base" },
	{ "retry",		param_int,	NULL,		R_BAD_QUERY,	0,		"tries" },
	{ "retry-delay",	param_any,	NULL,		R_BAD_QUERY,	0,		"time between tries" },
	{ "nohosts",		param_bool,	NULL,		R_BAD_QUERY,	0,		"without a hosts file" },
	{ "dnsservers",		param_any,	NULL,		R_BAD_QUERY,	PARAM_LIST,	"name servers" },
	{ "dnsoptions",		param_any,	NULL,		R_BAD_QUERY,	PARAM_LIST,	"resolver options" },
	{ "dnssearch",		param_any,	NULL,		R_BAD_QUERY,	PARAM_LIST,	"search domains" },
	{ "memory",		param_int,	NULL,		R_BAD_QUERY,	0,		"memory limit" },
	{ "memswap",		param_int,	NULL,		R_BAD_QUERY,	0,		"memory and swap" },
	{ "cpushares",		param_int,	NULL,		R_BAD_QUERY,	0,		"CPU weight" },
	{ "cpuperiod",		param_int,	NULL,		R_BAD_QUERY,	0,		"CPU period" },
	{ "cpuquota",		param_int,	NULL,		R_BAD_QUERY,	0,		"CPU quota" },
	{ "cpusetcpus",		param_any,	NULL,		R_BAD_QUERY,	0,		"CPUs" },
	{ "cpusetmems",		param_any,	NULL,		R_BAD_QUERY,	0,		"memory nodes" },
	{ "shmsize",		param_int,	NULL,		R_BAD_QUERY,	0,		"size of /dev/shm" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};
/* clang-format on */
