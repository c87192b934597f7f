/*
 * Query parameters of the container and exec routes.
 */
#include "policyd/clean_path.h"
#include "policyd/owner.h"
#include "policyd/query.h"
#include "policyd/rules/rules.h"

static int
param_name(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	if (value.len == 0)
		return 0;
	/* Daemons take one leading slash off. */
	if (str_starts(value, "/"))
		value = str_skip(value, 1);
	if (!check_is_new_name(value))
		return judge_refuse(j, R_NAME, str_from(row->name),
		    "name \"%s\" must match [a-zA-Z0-9][a-zA-Z0-9_.-]* and not "
		    "look like an id", judge_show(j, value));
	if (str_starts(value, "buildx_buildkit_"))
		return judge_refuse(j, R_BUILDKIT, str_from(row->name),
		    "a BuildKit container would run privileged; "
		    "set DOCKER_BUILDKIT=0");
	*out = value;
	return 0;
}

/* A container of ours, sent by its full id. */
int
param_container(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	enum owner owner;

	if (value.len == 0)
		return judge_refuse(j, R_BAD_QUERY, str_from(row->name),
		    "query parameter %s is missing", row->name);
	owner = owner_container(j, value, out);
	if (owner == OWNER_OURS || owner == OWNER_ASKED)
		return 0;
	return owner == OWNER_REFUSED ? -R_FACTS :
	    owner_refuse_container(j, value);
}

int
param_pod(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	enum owner owner;

	if (value.len == 0)
		return judge_refuse(j, R_BAD_QUERY, str_from(row->name),
		    "query parameter %s is missing", row->name);
	owner = owner_pod(j, value, out);
	if (owner == OWNER_OURS || owner == OWNER_ASKED)
		return 0;
	return owner == OWNER_REFUSED ? -R_FACTS : owner_refuse_pod(j, value);
}

/* Where in the container: as the daemon cleans it. */
int
param_archive_path(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	struct str clean, rooted = value;

	if (!str_starts(value, "/"))
		rooted = arena_printf(j->arena, "/%.*s", STR_FMT(value));
	if (value.len == 0 || check_clean_path(j, rooted, &clean) != 0)
		return judge_refuse(j, R_BAD_QUERY, str_from(row->name),
		    "query parameter path is not a path");
	if (clean_path_is_kernel(clean))
		return judge_refuse(j, row->reason, str_from(row->name),
		    "path \"%s\": %s", judge_show(j, value), row->text);
	*out = value;
	return 0;
}

/* dockerd runs the host's ps with these. */
int
param_ps_args(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	for (size_t i = 0; i < value.len; i++)
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		    "0123456789 ,-_:%", value.data[i]) == NULL)
			return judge_refuse(j, row->reason, str_from(row->name),
			    "ps_args: letters, digits, commas and dashes pass");
	*out = value;
	return 0;
}

/* clang-format off */
static const char *const wait_conditions[] = { "not-running", "next-exit", "removed", NULL };

const struct param no_params[] = {
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param ping_params[] = {
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param container_list_params[] = {
	/* name		check		argument	reason		flags		sentence */
	{ "all",	param_bool,	NULL,		R_BAD_QUERY,	0,		"stopped ones too" },
	{ "limit",	param_int,	NULL,		R_BAD_QUERY,	0,		"the newest so many" },
	{ "size",	param_bool,	NULL,		R_BAD_QUERY,	0,		"with sizes" },
	{ "trunc_cmd",	param_drop,	NULL,		R_BAD_QUERY,	0,		"not read by daemons; left out" },
	{ "filters",	param_filters,	&container_list_filter_set, R_FILTER, PARAM_ALWAYS, "narrowed to the project's label" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param container_create_params[] = {
	{ "name",	param_name,	NULL,		R_NAME,		0,		"name of the container" },
	{ "platform",	param_any,	NULL,		R_BAD_QUERY,	0,		"os/arch of the image" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param container_inspect_params[] = {
	{ "size",	param_bool,	NULL,		R_BAD_QUERY,	0,		"with sizes" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param container_top_params[] = {
	{ "ps_args",	param_ps_args,	NULL,		R_PARAMETER,	0,		"columns of ps" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param container_logs_params[] = {
	{ "follow",	param_bool,	NULL,		R_BAD_QUERY,	0,		"as it is written" },
	{ "stdout",	param_bool,	NULL,		R_BAD_QUERY,	0,		"standard output" },
	{ "stderr",	param_bool,	NULL,		R_BAD_QUERY,	0,		"standard error" },
	{ "since",	param_any,	NULL,		R_BAD_QUERY,	0,		"from this time" },
	{ "until",	param_any,	NULL,		R_BAD_QUERY,	0,		"to this time" },
	{ "timestamps",	param_bool,	NULL,		R_BAD_QUERY,	0,		"with times" },
	{ "tail",	param_any,	NULL,		R_BAD_QUERY,	0,		"the last so many lines" },
	{ "details",	param_bool,	NULL,		R_BAD_QUERY,	0,		"with attributes" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param container_stats_params[] = {
	{ "stream",	param_bool,	NULL,		R_BAD_QUERY,	0,		"go on" },
	{ "one-shot",	param_bool,	NULL,		R_BAD_QUERY,	0,		"one sample" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param container_start_params[] = {
	{ "detachKeys",	param_any,	NULL,		R_BAD_QUERY,	0,		"keys that detach" },
	{ "checkpoint",	param_unset,	NULL,		R_CHECKPOINT,	0,		"checkpoints read host files" },
	{ "checkpoint-dir", param_unset, NULL,		R_CHECKPOINT,	0,		"checkpoints read host files" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

/* stop and restart */
const struct param container_stop_params[] = {
	{ "t",		param_int,	NULL,		R_BAD_QUERY,	0,		"seconds until it is killed" },
	{ "signal",	param_any,	NULL,		R_BAD_QUERY,	0,		"signal to send first" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param container_kill_params[] = {
	{ "signal",	param_any,	NULL,		R_BAD_QUERY,	0,		"signal to send" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param container_rename_params[] = {
	{ "name",	param_name,	NULL,		R_NAME,		0,		"the new name" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param container_resize_params[] = {
	{ "h",		param_int,	NULL,		R_BAD_QUERY,	0,		"rows" },
	{ "w",		param_int,	NULL,		R_BAD_QUERY,	0,		"columns" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param container_wait_params[] = {
	{ "condition",	param_one_of,	wait_conditions, R_BAD_QUERY,	0,		"not-running, next-exit or removed" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param container_attach_params[] = {
	{ "detachKeys",	param_any,	NULL,		R_BAD_QUERY,	0,		"keys that detach" },
	{ "logs",	param_bool,	NULL,		R_BAD_QUERY,	0,		"what was written before" },
	{ "stream",	param_bool,	NULL,		R_BAD_QUERY,	0,		"go on" },
	{ "stdin",	param_bool,	NULL,		R_BAD_QUERY,	0,		"standard input" },
	{ "stdout",	param_bool,	NULL,		R_BAD_QUERY,	0,		"standard output" },
	{ "stderr",	param_bool,	NULL,		R_BAD_QUERY,	0,		"standard error" },
	{ "hijack",	param_drop,	NULL,		R_BAD_QUERY,	0,		"an SDK's own; left out" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param archive_params[] = {
	{ "path",	param_archive_path, NULL,	R_WORKDIR,	PARAM_ALWAYS,	"a path that is not under /proc, /sys or /dev" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param archive_put_params[] = {
	{ "path",	param_archive_path, NULL,	R_WORKDIR,	PARAM_ALWAYS,	"a path that is not under /proc, /sys or /dev" },
	{ "noOverwriteDirNonDir", param_bool, NULL,	R_BAD_QUERY,	0,		"keep directories apart from files" },
	{ "copyUIDGID",	param_bool,	NULL,		R_BAD_QUERY,	0,		"keep owners" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param container_delete_params[] = {
	{ "force",	param_bool,	NULL,		R_BAD_QUERY,	0,		"kill it first" },
	{ "v",		param_bool,	NULL,		R_BAD_QUERY,	0,		"its anonymous volumes too" },
	{ "link",	param_unset,	NULL,		R_LINK,		0,		"legacy links are not served" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};
/* clang-format on */
