/*
 * Query parameters of the libpod routes, where they are not the compat ones.
 * Names are compared without case and sent in the spelling of the row.
 */
#include "policyd/checks.h"
#include "policyd/image.h"
#include "policyd/parse.h"
#include "policyd/query.h"
#include "policyd/rules/rules.h"

/* true passes, false would turn a check off. */
int
param_true(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	int error = param_bool(j, row, value, out);

	if (error != 0 || !str_is(*out, "0"))
		return error;
	return judge_refuse(j, row->reason, str_from(row->name),
	    "query parameter %s is false: %s; leave it out", row->name,
	    row->text);
}

/* Whatever came, false goes out. */
int
param_false(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	(void)j;
	(void)row;
	(void)value;
	*out = STR("0");
	return 0;
}

static int
param_libpod_pull(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	if (str_starts(value, "docker://"))
		value = str_skip(value, strlen("docker://"));
	if (!image_is_plain(j, value))
		return judge_refuse(j, R_PULL_SOURCE, str_from(row->name),
		    "\"%s\" is not the name of an image in a registry",
		    judge_show(j, value));
	*out = value;
	return 0;
}

static bool
is_plain_name(struct str name)
{
	static const char *const bad[] = { "", ".", "..", "proc", "sys", "dev" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (str_is(name, bad[i]))
			return false;
	return str_find(name, '/') == name.len && !check_has_control(name);
}

/* {"old": "new"}: what `podman cp` under another name sends. */
static int
param_rename(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	struct json_object *map;

	if (value.len == 0)
		return 0;
	map = parse_value(j, value);
	if (!json_object_is_type(map, json_type_object))
		return judge_refuse(j, R_BAD_QUERY, str_from(row->name),
		    "query parameter %s is not a JSON object", row->name);
	json_object_object_foreach(map, key, member) {
		(void)key;
		if (!json_object_is_type(member, json_type_string) ||
		    !is_plain_name(judge_str(member)))
			return judge_refuse(j, row->reason, str_from(row->name),
			    "query parameter %s holds \"%s\": %s", row->name,
			    judge_show(j, judge_str(member)), row->text);
	}
	*out = arena_str(j->arena, str_from(json_object_to_json_string_ext(map,
	    JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)));
	return 0;
}

/* clang-format off */
static const char *const formats[] = { "docker-archive", "oci-archive", "docker-dir", "oci-dir", NULL };
static const char *const commit_formats[] = { "oci", "docker", NULL };
static const char *const pull_policies[] = { "missing", "always", "newer", "never", NULL };

const struct param libpod_list_params[] = {
	/* name		check		argument	reason		flags		sentence */
	{ "all",	param_bool,	NULL,		R_BAD_QUERY,	0,		"stopped ones too" },
	{ "external",	param_unset,	NULL,		R_PARAMETER,	0,		"containers of builds carry no label" },
	{ "last",	param_int,	NULL,		R_BAD_QUERY,	0,		"the newest so many" },
	{ "limit",	param_int,	NULL,		R_BAD_QUERY,	0,		"the newest so many" },
	{ "namespace",	param_bool,	NULL,		R_BAD_QUERY,	0,		"with namespaces" },
	{ "pod",	param_drop,	NULL,		R_BAD_QUERY,	0,		"not read by the service; left out" },
	{ "size",	param_bool,	NULL,		R_BAD_QUERY,	0,		"with sizes" },
	{ "sync",	param_bool,	NULL,		R_BAD_QUERY,	0,		"ask the runtime" },
	{ "filters",	param_filters,	&container_list_filter_set, R_FILTER, PARAM_ALWAYS, "narrowed to the project's label" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_exists_params[] = {
	{ "external",	param_unset,	NULL,		R_PARAMETER,	0,		"containers of builds carry no label" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_stats_params[] = {
	{ "containers",	param_container, NULL,		R_NOT_FOUND,	PARAM_LIST | PARAM_ALWAYS, "own containers, at least one: none would mean all" },
	{ "stream",	param_bool,	NULL,		R_BAD_QUERY,	0,		"go on" },
	{ "interval",	param_int,	NULL,		R_BAD_QUERY,	0,		"seconds" },
	{ "all",	param_unset,	NULL,		R_PARAMETER,	0,		"would show every project" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_start_params[] = {
	{ "detachKeys",	param_any,	NULL,		R_BAD_QUERY,	0,		"keys that detach" },
	{ "recursive",	param_drop,	NULL,		R_BAD_QUERY,	0,		"not read by the service; left out" },
	{ "sync",	param_drop,	NULL,		R_BAD_QUERY,	0,		"not read by the service; left out" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

/* stop and restart, of containers and pods */
const struct param libpod_stop_params[] = {
	{ "timeout",	param_int,	NULL,		R_BAD_QUERY,	0,		"seconds until it is killed" },
	{ "t",		param_int,	NULL,		R_BAD_QUERY,	0,		"seconds until it is killed" },
	{ "ignore",	param_bool,	NULL,		R_BAD_QUERY,	0,		"say nothing when it is not there" },
	{ "all",	param_unset,	NULL,		R_PARAMETER,	0,		"would act on every container" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_resize_params[] = {
	{ "h",		param_int,	NULL,		R_BAD_QUERY,	0,		"rows" },
	{ "w",		param_int,	NULL,		R_BAD_QUERY,	0,		"columns" },
	{ "running",	param_bool,	NULL,		R_BAD_QUERY,	0,		"say nothing when it does not run" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_wait_params[] = {
	{ "condition",	param_any,	NULL,		R_BAD_QUERY,	PARAM_LIST,	"states to wait for" },
	{ "interval",	param_any,	NULL,		R_BAD_QUERY,	0,		"how often to look" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_delete_params[] = {
	{ "force",	param_bool,	NULL,		R_BAD_QUERY,	0,		"kill it first" },
	{ "ignore",	param_bool,	NULL,		R_BAD_QUERY,	0,		"say nothing when it is not there" },
	{ "depend",	param_drop,	NULL,		R_PARAMETER,	0,		"could remove containers of others; left out" },
	{ "timeout",	param_int,	NULL,		R_BAD_QUERY,	0,		"seconds until it is killed" },
	{ "v",		param_bool,	NULL,		R_BAD_QUERY,	0,		"its anonymous volumes too" },
	{ "volumes",	param_bool,	NULL,		R_BAD_QUERY,	0,		"its anonymous volumes too" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_archive_put_params[] = {
	{ "path",	param_archive_path, NULL,	R_WORKDIR,	PARAM_ALWAYS,	"a path that is not under /proc, /sys or /dev" },
	{ "noOverwriteDirNonDir", param_bool, NULL,	R_BAD_QUERY,	0,		"keep directories apart from files" },
	{ "copyUIDGID",	param_bool,	NULL,		R_BAD_QUERY,	0,		"keep owners" },
	{ "rename",	param_rename,	NULL,		R_WORKDIR,	0,		"new names of entries: no paths, nor proc, sys or dev" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_top_params[] = {
	{ "ps_args",	param_ps_args,	NULL,		R_PARAMETER,	PARAM_LIST,	"columns of ps" },
	{ "delay",	param_int,	NULL,		R_BAD_QUERY,	0,		"seconds" },
	{ "stream",	param_bool,	NULL,		R_BAD_QUERY,	0,		"go on" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_changes_params[] = {
	{ "parent",	param_unset,	NULL,		R_PARAMETER,	0,		"could name another project's container" },
	{ "diffType",	param_any,	NULL,		R_BAD_QUERY,	0,		"kind" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_update_params[] = {
	{ "restartPolicy", param_unset,	NULL,		R_UPDATE,	0,		"the restart policy is set at create" },
	{ "restartRetries", param_unset, NULL,		R_UPDATE,	0,		"the restart policy is set at create" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_image_save_params[] = {
	{ "compress",	param_bool,	NULL,		R_BAD_QUERY,	0,		"compressed layers" },
	{ "format",	param_one_of,	formats,	R_BAD_QUERY,	0,		"docker-archive, oci-archive, docker-dir, oci-dir" },
	{ "ociAcceptUncompressedLayers", param_bool, NULL, R_BAD_QUERY,	0,		"layers as they are" },
	{ "references",	param_image,	NULL,		R_IMAGE_NAME,	PARAM_LIST,	"images to save" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_tree_params[] = {
	{ "whatrequires", param_bool,	NULL,		R_BAD_QUERY,	0,		"what builds on it" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_pull_params[] = {
	{ "reference",	param_libpod_pull, NULL,	R_PULL_SOURCE,	PARAM_ALWAYS,	"image to pull, from a registry" },
	{ "OS",		param_any,	NULL,		R_BAD_QUERY,	0,		"variant" },
	{ "Arch",	param_any,	NULL,		R_BAD_QUERY,	0,		"variant" },
	{ "Variant",	param_any,	NULL,		R_BAD_QUERY,	0,		"variant" },
	{ "tlsVerify",	param_true,	NULL,		R_PARAMETER,	0,		"certificates are checked" },
	{ "allTags",	param_bool,	NULL,		R_BAD_QUERY,	0,		"every tag" },
	{ "policy",	param_one_of,	pull_policies,	R_BAD_QUERY,	0,		"missing, always, newer or never" },
	{ "quiet",	param_bool,	NULL,		R_BAD_QUERY,	0,		"without progress" },
	{ "compatMode",	param_bool,	NULL,		R_BAD_QUERY,	0,		"progress as docker writes it" },
	{ "retry",	param_int,	NULL,		R_BAD_QUERY,	0,		"tries" },
	{ "retrydelay",	param_any,	NULL,		R_BAD_QUERY,	0,		"time between tries" },
	{ "pullProgress", param_bool,	NULL,		R_BAD_QUERY,	0,		"progress" },
	{ "authfile",	param_drop,	NULL,		R_REGISTRY_LOGIN, 0,		"a path of the client's; left out, pulls are anonymous" },
	{ "username",	param_unset,	NULL,		R_REGISTRY_LOGIN, 0,		"pulls are anonymous" },
	{ "password",	param_unset,	NULL,		R_REGISTRY_LOGIN, 0,		"pulls are anonymous" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_image_prune_params[] = {
	{ "all",	param_bool,	NULL,		R_BAD_QUERY,	0,		"tagged ones too" },
	{ "external",	param_unset,	NULL,		R_PRUNE,	0,		"what builds left carries no label" },
	{ "buildcache",	param_unset,	NULL,		R_PRUNE,	0,		"the build cache is shared" },
	{ "filters",	param_filters,	&image_prune_filter_set, R_PRUNE_FILTER, PARAM_ALWAYS, "the project's label alone" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_image_remove_params[] = {
	{ "images",	param_own_image, NULL,		R_IMAGE,	PARAM_LIST | PARAM_ALWAYS, "own images, at least one: none would mean all" },
	{ "all",	param_unset,	NULL,		R_PARAMETER,	0,		"would remove every image" },
	{ "force",	param_unset,	NULL,		R_PARAMETER,	0,		"would remove containers that use it" },
	{ "ignore",	param_bool,	NULL,		R_BAD_QUERY,	0,		"say nothing when it is not there" },
	{ "lookupManifest", param_bool,	NULL,		R_BAD_QUERY,	0,		"manifest lists" },
	{ "noprune",	param_bool,	NULL,		R_BAD_QUERY,	0,		"keep its parents" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_image_delete_params[] = {
	{ "force",	param_unset,	NULL,		R_PARAMETER,	0,		"would remove containers that use it" },
	{ "ignore",	param_bool,	NULL,		R_BAD_QUERY,	0,		"say nothing when it is not there" },
	{ "lookupManifest", param_bool,	NULL,		R_BAD_QUERY,	0,		"manifest lists" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_image_inspect_params[] = {
	{ "size",	param_bool,	NULL,		R_BAD_QUERY,	0,		"with sizes" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_untag_params[] = {
	{ "repo",	param_any,	NULL,		R_IMAGE_NAME,	0,		"a tag of it" },
	{ "tag",	param_any,	NULL,		R_IMAGE_NAME,	0,		"a tag of it" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_commit_params[] = {
	{ "container",	param_container, NULL,		R_NOT_FOUND,	PARAM_ALWAYS,	"an own container" },
	{ "repo",	param_repo,	NULL,		R_IMAGE_NAME,	0,		"a name that is free or this project's" },
	{ "tag",	param_any,	NULL,		R_IMAGE_NAME,	0,		"tag" },
	{ "author",	param_any,	NULL,		R_BAD_QUERY,	0,		"author" },
	{ "comment",	param_any,	NULL,		R_BAD_QUERY,	0,		"comment" },
	{ "format",	param_one_of,	commit_formats,	R_BAD_QUERY,	0,		"oci or docker" },
	{ "pause",	param_bool,	NULL,		R_BAD_QUERY,	0,		"pause it meanwhile" },
	{ "squash",	param_bool,	NULL,		R_BAD_QUERY,	0,		"one layer" },
	{ "stream",	param_bool,	NULL,		R_BAD_QUERY,	0,		"progress" },
	{ "changes",	param_changes,	NULL,		R_COMMIT_CHANGE, PARAM_LIST,	"changes to the image; our label is added" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_network_create_params[] = {
	{ "ignoreIfExists", param_unset, NULL,		R_PARAMETER,	0,		"could hand out another project's network" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_volume_prune_params[] = {
	{ "dryrun",	param_bool,	NULL,		R_BAD_QUERY,	0,		"only say what would go" },
	{ "filters",	param_filters,	&volume_prune_filter_set, R_PRUNE_FILTER, PARAM_ALWAYS, "the project's label alone" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_volume_delete_params[] = {
	{ "force",	param_unset,	NULL,		R_PARAMETER,	0,		"would remove containers that use it" },
	{ "timeout",	param_int,	NULL,		R_BAD_QUERY,	0,		"seconds until they are killed" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

static const struct filter pod_filters[] = {
	{ "id",		filter_any,		R_FILTER,	"id" },
	{ "name",	filter_any,		R_FILTER,	"name" },
	{ "label",	filter_label,		R_FILTER,	"label; ours is added" },
	{ "status",	filter_any,		R_FILTER,	"state" },
	{ "ctr-ids",	filter_any,		R_FILTER,	"a member's id" },
	{ "ctr-names",	filter_any,		R_FILTER,	"a member's name" },
	{ "ctr-number",	filter_any,		R_FILTER,	"number of members" },
	{ "ctr-status",	filter_any,		R_FILTER,	"a member's state" },
	{ "network",	filter_any,		R_FILTER,	"network" },
	{ "until",	filter_any,		R_FILTER,	"older than this" },
	{ "label!",	filter_refuse,		R_FILTER,	"negated labels do not narrow" },
	{ NULL, NULL, R_NONE, NULL }
};
static const struct filter_set pod_filter_set = { pod_filters, true, PODMAN_AS_DOCKER, NULL };

const struct param libpod_pod_list_params[] = {
	{ "filters",	param_filters,	&pod_filter_set, R_FILTER,	PARAM_ALWAYS,	"narrowed to the project's label" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_pod_stats_params[] = {
	{ "namesOrIDs",	param_pod,	NULL,		R_NOT_FOUND,	PARAM_LIST | PARAM_ALWAYS, "own pods, at least one: none would mean all" },
	{ "all",	param_unset,	NULL,		R_PARAMETER,	0,		"would show every project" },
	{ "stream",	param_bool,	NULL,		R_BAD_QUERY,	0,		"go on" },
	{ "delay",	param_int,	NULL,		R_BAD_QUERY,	0,		"seconds" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_pod_delete_params[] = {
	{ "force",	param_bool,	NULL,		R_BAD_QUERY,	0,		"stop it first" },
	{ "timeout",	param_int,	NULL,		R_BAD_QUERY,	0,		"seconds until its members are killed" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param libpod_search_params[] = {
	{ "authfile",	param_drop,	NULL,		R_REGISTRY_LOGIN, 0,		"a path of the client's; left out, searches are anonymous" },
	{ "term",	param_any,	NULL,		R_BAD_QUERY,	0,		"what to look for" },
	{ "limit",	param_int,	NULL,		R_BAD_QUERY,	0,		"so many results" },
	{ "filters",	param_any,	NULL,		R_BAD_QUERY,	0,		"stars, is-official, is-automated" },
	{ "listTags",	param_bool,	NULL,		R_BAD_QUERY,	0,		"tags" },
	{ "tlsVerify",	param_true,	NULL,		R_PARAMETER,	0,		"certificates are checked" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};
/* clang-format on */
