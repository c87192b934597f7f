/*
 * Prunes and events: our label goes into their filters, so that they see the
 * project's objects only.
 */
#include "policyd/query.h"
#include "policyd/rules/rules.h"

/* clang-format off */
static const struct filter prune_filters[] = {
	/* key		check			reason		sentence */
	{ "until",	filter_any,		R_PRUNE_FILTER,	"older than this" },
	{ "label",	filter_label,		R_PRUNE_FILTER,	"label; ours is added" },
	{ "label!",	filter_label,		R_PRUNE_FILTER,	"without this label; ours is required all the same" },
	{ NULL, NULL, R_NONE, NULL }
};
static const struct filter_set prune_filter_set = { prune_filters, true, PODMAN_AS_DOCKER, NULL };

const struct param prune_params[] = {
	{ "filters",	param_filters,	&prune_filter_set, R_PRUNE_FILTER, PARAM_ALWAYS, "narrowed to the project's label" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

static const struct filter volume_prune_filters[] = {
	{ "label",	filter_label,		R_PRUNE_FILTER,	"label; ours is added" },
	{ "label!",	filter_label,		R_PRUNE_FILTER,	"without this label; ours is required all the same" },
	{ "all",	filter_any,		R_PRUNE_FILTER,	"named ones too" },
	{ NULL, NULL, R_NONE, NULL }
};
const struct filter_set volume_prune_filter_set = { volume_prune_filters, true, PODMAN_LABEL_ONLY, NULL };

const struct param volume_prune_params[] = {
	{ "filters",	param_filters,	&volume_prune_filter_set, R_PRUNE_FILTER, PARAM_ALWAYS, "narrowed to the project's label" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

static const struct filter image_prune_filters[] = {
	{ "dangling",	filter_any,		R_PRUNE_FILTER,	"untagged ones only" },
	{ "until",	filter_any,		R_PRUNE_FILTER,	"older than this" },
	{ "label",	filter_label,		R_PRUNE_FILTER,	"label; ours is added" },
	{ "label!",	filter_label,		R_PRUNE_FILTER,	"without this label; ours is required all the same" },
	{ NULL, NULL, R_NONE, NULL }
};
const struct filter_set image_prune_filter_set = { image_prune_filters, true, PODMAN_LABEL_ONLY, "dangling" };

const struct param image_prune_params[] = {
	{ "filters",	param_filters,	&image_prune_filter_set, R_PRUNE_FILTER, PARAM_ALWAYS, "narrowed to the project's label" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param build_prune_params[] = {
	{ "all",	param_drop,	NULL,		R_PRUNE,	0,		"the build cache is shared: nothing is pruned" },
	{ "filters",	param_drop,	NULL,		R_PRUNE,	0,		"the build cache is shared: nothing is pruned" },
	{ "keep-storage", param_drop,	NULL,		R_PRUNE,	0,		"the build cache is shared: nothing is pruned" },
	{ "reserved-space", param_drop,	NULL,		R_PRUNE,	0,		"the build cache is shared: nothing is pruned" },
	{ "max-used-space", param_drop,	NULL,		R_PRUNE,	0,		"the build cache is shared: nothing is pruned" },
	{ "min-free-space", param_drop,	NULL,		R_PRUNE,	0,		"the build cache is shared: nothing is pruned" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

static const struct filter event_filters[] = {
	{ "container",	filter_any,		R_FILTER,	"container" },
	{ "daemon",	filter_any,		R_FILTER,	"daemon" },
	{ "event",	filter_any,		R_FILTER,	"kind of event" },
	{ "image",	filter_any,		R_FILTER,	"image" },
	{ "label",	filter_label,		R_FILTER,	"label; ours is added" },
	{ "network",	filter_any,		R_FILTER,	"network" },
	{ "scope",	filter_any,		R_FILTER,	"local" },
	{ "type",	filter_any,		R_FILTER,	"kind of object" },
	{ "volume",	filter_any,		R_FILTER,	"volume" },
	{ "label!",	filter_refuse,		R_FILTER,	"negated labels are ignored by daemons" },
	{ NULL, NULL, R_NONE, NULL }
};
static const struct filter_set event_filter_set = { event_filters, true, PODMAN_ANSWER, NULL };

const struct param event_params[] = {
	{ "since",	param_any,	NULL,		R_BAD_QUERY,	0,		"from this time" },
	{ "until",	param_any,	NULL,		R_BAD_QUERY,	0,		"to this time" },
	{ "stream",	param_bool,	NULL,		R_BAD_QUERY,	0,		"go on (podman)" },
	{ "filters",	param_filters,	&event_filter_set, R_FILTER,	PARAM_ALWAYS,	"narrowed to the project's label" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param df_params[] = {
	{ "type",	param_any,	NULL,		R_BAD_QUERY,	PARAM_LIST,	"kind of object" },
	{ "verbose",	param_bool,	NULL,		R_BAD_QUERY,	0,		"with details" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};
/* clang-format on */
