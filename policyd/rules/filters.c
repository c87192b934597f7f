/*
 * Filter keys by route.
 */
#include "policyd/rules/rules.h"

/* clang-format off */
static const struct filter container_list_filters[] = {
	/* key		check			reason		sentence */
	{ "id",		filter_any,		R_FILTER,	"id or its beginning" },
	{ "name",	filter_any,		R_FILTER,	"name" },
	{ "label",	filter_label,		R_FILTER,	"label; ours is added" },
	{ "exited",	filter_any,		R_FILTER,	"exit code" },
	{ "status",	filter_any,		R_FILTER,	"state" },
	{ "ancestor",	filter_any,		R_FILTER,	"image" },
	{ "before",	filter_container,	R_NOT_FOUND,	"an own container" },
	{ "since",	filter_container,	R_NOT_FOUND,	"an own container" },
	{ "volume",	filter_any,		R_FILTER,	"volume or mount point" },
	{ "network",	filter_any,		R_FILTER,	"network" },
	{ "pod",	filter_any,		R_FILTER,	"pod; podman only" },
	{ "health",	filter_any,		R_FILTER,	"health" },
	{ "publish",	filter_any,		R_FILTER,	"published port" },
	{ "expose",	filter_any,		R_FILTER,	"exposed port" },
	{ "is-task",	filter_any,		R_FILTER,	"tasks of a swarm" },
	{ "isolation",	filter_any,		R_FILTER,	"Windows only" },
	{ "label!",	filter_refuse,		R_FILTER,	"negated labels do not narrow a list on every daemon" },
	{ NULL, NULL, R_NONE, NULL }
};
const struct filter_set container_list_filter_set = { container_list_filters, true, PODMAN_AS_DOCKER, NULL };
/* clang-format on */
