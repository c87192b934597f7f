/*
 * Images: parameters of pull, list, save, tag, remove, commit and load.
 */
#include "policyd/image.h"
#include "policyd/owner.h"
#include "policyd/query.h"
#include "policyd/rules/rules.h"

/* fromSrc=- is an import of the body; anything else is fetched by the daemon. */
static int
param_from_source(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	if (value.len == 0)
		return 0;
	if (!str_is(value, "-"))
		return judge_refuse(j, R_PULL_SOURCE, str_from(row->name),
		    "fromSrc would make the daemon fetch %s; pull an image "
		    "instead", judge_show(j, value));
	if (!j->settings->image_load)
		return judge_refuse(j, R_IMAGE_IMPORT, str_from(row->name),
		    "importing images needs --allow-image-load");
	*out = value;
	return 0;
}

static int
param_pull(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	struct str name = value;

	if (str_starts(name, "docker.io/"))
		name = str_skip(name, strlen("docker.io/"));
	if (str_starts(name, "moby/buildkit"))
		return judge_refuse(j, R_BUILDKIT, str_from(row->name),
		    "a BuildKit container would run privileged; set "
		    "DOCKER_BUILDKIT=0 (classic builder), or use podman build");
	return param_image(j, row, value, out);
}

/* Only with an import. */
static int
param_import_only(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	if (value.len == 0)
		return 0;
	if (query_value(j, "fromSrc").len == 0)
		return judge_refuse(j, row->reason, str_from(row->name),
		    "query parameter %s goes with an import; leave it out",
		    row->name);
	return strcmp(row->name, "changes") == 0 ? param_changes(j, row, value,
	    out) : param_any(j, row, value, out);
}

int
param_own_image(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	int error = param_image(j, row, value, out);
	enum owner owner;

	if (error != 0)
		return error;
	if (value.len == 0)
		return judge_refuse(j, R_BAD_QUERY, str_from(row->name),
		    "query parameter %s is missing", row->name);
	owner = owner_image_spelled(j, value, out);
	if (owner == OWNER_OURS || owner == OWNER_ASKED)
		return 0;
	if (owner == OWNER_REFUSED)
		return -R_FACTS;
	if (owner == OWNER_ABSENT)
		return owner_refuse_image(j, value);
	return judge_refuse(j, row->reason, str_from(row->name),
	    "image %s is not this project's", judge_show(j, value));
}

/* clang-format off */
static const struct filter list_filters[] = {
	/* key		check			reason		sentence */
	{ "dangling",	filter_any,		R_FILTER,	"untagged" },
	{ "label",	filter_label,		R_FILTER,	"label" },
	{ "before",	filter_any,		R_FILTER,	"older than an image" },
	{ "since",	filter_any,		R_FILTER,	"newer than an image" },
	{ "until",	filter_any,		R_FILTER,	"older than a time" },
	{ "reference",	filter_any,		R_FILTER,	"pattern of names" },
	{ "label!",	filter_refuse,		R_FILTER,	"negated labels do not narrow a list on every daemon" },
	{ NULL, NULL, R_NONE, NULL }
};
static const struct filter_set list_filter_set = { list_filters, false, PODMAN_AS_DOCKER, NULL };

static const struct filter search_filters[] = {
	{ "stars",	filter_any,		R_FILTER,	"at least so many stars" },
	{ "is-official", filter_any,		R_FILTER,	"official ones" },
	{ "is-automated", filter_any,		R_FILTER,	"automated ones" },
	{ NULL, NULL, R_NONE, NULL }
};
static const struct filter_set search_filter_set = { search_filters, false, PODMAN_AS_DOCKER, NULL };

const struct param image_list_params[] = {
	/* name		check		argument	reason		flags		sentence */
	{ "all",	param_bool,	NULL,		R_BAD_QUERY,	0,		"intermediate ones too" },
	{ "filters",	param_filters,	&list_filter_set, R_FILTER,	0,		"images are shared: nothing is narrowed" },
	{ "digests",	param_bool,	NULL,		R_BAD_QUERY,	0,		"with digests" },
	{ "shared-size", param_bool,	NULL,		R_BAD_QUERY,	0,		"with sizes" },
	{ "manifests",	param_bool,	NULL,		R_BAD_QUERY,	0,		"with manifests" },
	{ "only_ids",	param_drop,	NULL,		R_BAD_QUERY,	0,		"not read by daemons; left out" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param image_create_params[] = {
	{ "fromImage",	param_pull,	NULL,		R_IMAGE_NAME,	0,		"image to pull, from a registry" },
	{ "fromSrc",	param_from_source, NULL,	R_PULL_SOURCE,	0,		"refused, but - with --allow-image-load" },
	{ "repo",	param_import_only, NULL,	R_PULL_SOURCE,	0,		"name of an imported image" },
	{ "tag",	param_any,	NULL,		R_BAD_QUERY,	0,		"tag or digest" },
	{ "message",	param_import_only, NULL,	R_PULL_SOURCE,	0,		"message of an imported image" },
	{ "changes",	param_import_only, NULL,	R_PULL_SOURCE,	PARAM_LIST,	"changes to an imported image" },
	{ "platform",	param_any,	NULL,		R_BAD_QUERY,	0,		"os/arch" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param image_load_params[] = {
	{ "quiet",	param_bool,	NULL,		R_BAD_QUERY,	0,		"without progress" },
	{ "platform",	param_any,	NULL,		R_BAD_QUERY,	0,		"os/arch" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param image_search_params[] = {
	{ "term",	param_any,	NULL,		R_BAD_QUERY,	0,		"what to look for" },
	{ "limit",	param_int,	NULL,		R_BAD_QUERY,	0,		"so many results" },
	{ "filters",	param_filters,	&search_filter_set, R_FILTER,	0,		"stars, is-official, is-automated" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param image_save_params[] = {
	{ "names",	param_image,	NULL,		R_IMAGE_NAME,	PARAM_LIST,	"images to save" },
	{ "platform",	param_any,	NULL,		R_BAD_QUERY,	PARAM_LIST,	"os/arch" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

/* get, json and history of one image */
const struct param image_inspect_params[] = {
	{ "platform",	param_any,	NULL,		R_BAD_QUERY,	PARAM_LIST,	"os/arch" },
	{ "manifests",	param_bool,	NULL,		R_BAD_QUERY,	0,		"with manifests" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param image_tag_params[] = {
	{ "repo",	param_repo,	NULL,		R_IMAGE_NAME,	0,		"a name that is free or this project's" },
	{ "tag",	param_any,	NULL,		R_IMAGE_NAME,	0,		"tag" },
	{ "force",	param_drop,	NULL,		R_BAD_QUERY,	0,		"not read by daemons; left out" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param image_delete_params[] = {
	{ "force",	param_image_force, NULL,	R_PARAMETER,	0,		"even when stopped containers use it; podman would remove them" },
	{ "noprune",	param_bool,	NULL,		R_BAD_QUERY,	0,		"keep its parents" },
	{ "platforms",	param_any,	NULL,		R_BAD_QUERY,	PARAM_LIST,	"os/arch" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param commit_params[] = {
	{ "container",	param_container, NULL,		R_NOT_FOUND,	PARAM_ALWAYS,		"an own container" },
	{ "repo",	param_any,	NULL,		R_IMAGE_NAME,	0,		"a name that is free or this project's" },
	{ "tag",	param_any,	NULL,		R_IMAGE_NAME,	0,		"tag" },
	{ "author",	param_any,	NULL,		R_BAD_QUERY,	0,		"author" },
	{ "comment",	param_any,	NULL,		R_BAD_QUERY,	0,		"comment" },
	{ "pause",	param_bool,	NULL,		R_BAD_QUERY,	0,		"pause it meanwhile" },
	{ "changes",	param_changes,	NULL,		R_COMMIT_CHANGE, PARAM_LIST,	"changes to the image; our label is added" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};
/* clang-format on */
