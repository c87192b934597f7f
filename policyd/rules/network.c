/*
 * Networks: bodies of create, connect and disconnect; parameters; filters.
 */
#include "policyd/query.h"
#include "policyd/rules/rules.h"

/* clang-format off */
static const char *const drivers[] = { "", "bridge", NULL };
static const char *const scopes[] = { "", "local", NULL };
static const char *const ipam_drivers[] = { "", "default", NULL };

static const struct field address = { "*", K_STRING, check_any, NULL, R_SUBNET, "an address" };

static const struct field ipam_config_fields[] = {
	{ "Subnet",		K_STRING,	check_subnet,	NULL,		R_SUBNET,	"a private range without a route of the host" },
	{ "IPRange",		K_STRING,	check_subnet,	NULL,		R_SUBNET,	"a private range without a route of the host" },
	{ "Gateway",		K_STRING,	check_any,	NULL,		R_SUBNET,	"address of the bridge" },
	{ "AuxiliaryAddresses",	K_OBJECT,	check_map,	&address,	R_SUBNET,	"addresses left out" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field ipam_config = { "[]", K_OBJECT, check_object, ipam_config_fields, R_SUBNET, "one subnet" };

static const struct field ipam_fields[] = {
	{ "Driver",		K_STRING,	check_one_of,	ipam_drivers,	R_NETWORK_OPTION, "the default" },
	{ "Options",		K_OBJECT,	check_unset,	NULL,		R_NETWORK_OPTION, "options of address drivers are not set" },
	{ "Config",		K_ARRAY,	check_array,	&ipam_config,	R_SUBNET,	"subnets" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

const struct field network_create_fields[] = {
	/* name			kinds		check		argument	reason		sentence */
	{ "Name",		K_STRING,	check_network_name, NULL,	R_NAME,		"a name that is not reserved" },
	{ "Driver",		K_STRING,	check_one_of,	drivers,	R_NETWORK_DRIVER, "bridge" },
	{ "Scope",		K_STRING,	check_one_of,	scopes,		R_NETWORK_DRIVER, "local" },
	{ "Ingress",		K_BOOL,		check_unset,	NULL,		R_SWARM,	"ingress networks belong to a swarm" },
	{ "ConfigOnly",		K_BOOL,		check_unset,	NULL,		R_NETWORK_OPTION, "configuration networks are not made" },
	{ "ConfigFrom",		K_OBJECT,	check_config_from, NULL,	R_NETWORK,	"another network's configuration is not used" },
	{ "Options",		K_OBJECT,	check_network_options, NULL,	R_NETWORK_OPTION, "com.docker.network.driver.mtu" },
	{ "IPAM",		K_OBJECT,	check_object,	ipam_fields,	R_NETWORK_OPTION, "addresses" },
	{ "Labels",		K_OBJECT,	check_labels,	NULL,		R_LABEL,	"any without '=', and none that podman acts on; ours is set" },
	{ "CheckDuplicate",	K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"becomes true: a second network of a name is refused" },
	{ "EnableIPv4",		K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"IPv4" },
	{ "EnableIPv6",		K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"IPv6" },
	{ "Internal",		K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"without a way out" },
	{ "Attachable",		K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"swarm only; without effect on a bridge" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

const struct field network_connect_fields[] = {
	{ "Container",		K_STRING,	check_own_container, NULL,	R_NOT_FOUND,	"an own container" },
	{ "EndpointConfig",	K_OBJECT,	check_object,	endpoint_fields, R_NETWORK,	"settings of the endpoint" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

const struct field network_disconnect_fields[] = {
	{ "Container",		K_STRING,	check_own_container, NULL,	R_NOT_FOUND,	"an own container" },
	{ "Force",		K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"even when it is running" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

static const struct filter list_filters[] = {
	/* key		check			reason		sentence */
	{ "driver",	filter_any,		R_FILTER,	"driver" },
	{ "id",		filter_any,		R_FILTER,	"id or its beginning" },
	{ "label",	filter_label,		R_FILTER,	"label; ours is added" },
	{ "name",	filter_any,		R_FILTER,	"name" },
	{ "scope",	filter_any,		R_FILTER,	"scope" },
	{ "type",	filter_any,		R_FILTER,	"custom or builtin" },
	{ "dangling",	filter_any,		R_FILTER,	"without containers" },
	{ "label!",	filter_refuse,		R_FILTER,	"negated labels do not narrow a list on every daemon" },
	{ NULL, NULL, R_NONE, NULL }
};
static const struct filter_set list_filter_set = { list_filters, true, PODMAN_AS_DOCKER, NULL };

const struct param network_list_params[] = {
	{ "filters",	param_filters,	&list_filter_set, R_FILTER,	PARAM_ALWAYS,	"narrowed to the project's label" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param network_inspect_params[] = {
	{ "verbose",	param_bool,	NULL,		R_BAD_QUERY,	0,		"swarm details" },
	{ "scope",	param_one_of,	scopes,		R_PARAMETER,	0,		"local" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};

const struct param network_delete_params[] = {
	{ "force",	param_unset,	NULL,		R_PARAMETER,	0,		"podman would remove the containers on it" },
	{ NULL, NULL, NULL, R_NONE, 0, NULL }
};
/* clang-format on */
