/*
 * Volumes: body of create; parameters; filters.
 */
#include "policyd/query.h"
#include "policyd/rules/rules.h"

/* clang-format off */
static const char *const drivers[] = { "", "local", NULL };

const struct field volume_create_fields[] = {
	/* name			kinds		check		argument	reason		sentence */
	{ "Driver",		K_STRING,	check_one_of,	drivers,	R_VOLUME_DRIVER, "local" },
	{ "DriverOpts",		K_OBJECT,	check_unset,	NULL,		R_VOLUME_OPTION, "volume driver options can mount any host path" },
	{ "ClusterVolumeSpec",	K_OBJECT,	check_unset,	NULL,		R_SWARM,	"cluster volumes belong to a swarm" },
	{ "Labels",		K_OBJECT,	check_labels,	NULL,		R_LABEL,	"any without '=', and none that podman acts on; ours is set" },
	{ "Name",		K_STRING,	check_volume_name, NULL,	R_NAME,		"free, or one of this project" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

static const struct filter list_filters[] = {
	/* key		check			reason		sentence */
	{ "dangling",	filter_any,		R_FILTER,	"not in use" },
	{ "driver",	filter_any,		R_FILTER,	"driver" },
	{ "label",	filter_label,		R_FILTER,	"label; ours is added" },
	{ "name",	filter_any,		R_FILTER,	"name" },
	{ "label!",	filter_refuse,		R_FILTER,	"negated labels do not narrow a list on every daemon" },
	{ NULL, NULL, R_NONE, NULL }
};
static const struct filter_set list_filter_set = { list_filters, true, PODMAN_ANSWER, NULL };

const struct param volume_list_params[] = {
	{ "filters",	param_filters,	&list_filter_set, R_FILTER,	PARAM_ALWAYS,	"narrowed to the project's label" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param volume_delete_params[] = {
	{ "force",	param_bool,	NULL,		R_BAD_QUERY,	0,		"ignore errors" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};
/* clang-format on */
