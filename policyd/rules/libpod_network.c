/*
 * Networks and volumes of libpod: bodies.
 */
#include "policyd/rules/rules.h"

/* clang-format off */
static const char *const drivers[] = { "", "bridge", NULL };
static const char *const volume_drivers[] = { "", "local", NULL };
static const char *const ipam_drivers[] = { "", "host-local", NULL };

static const struct field lease_fields[] = {
	{ "start_ip",		K_STRING,	check_any,	NULL,		R_SUBNET,	"first address" },
	{ "end_ip",		K_STRING,	check_any,	NULL,		R_SUBNET,	"last address" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field subnet_fields[] = {
	{ "subnet",		K_STRING,	check_subnet,	NULL,		R_SUBNET,	"a private range without a route of the host" },
	{ "gateway",		K_STRING,	check_any,	NULL,		R_SUBNET,	"address of the bridge" },
	{ "lease_range",	K_OBJECT,	check_object,	lease_fields,	R_SUBNET,	"addresses given out" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field subnet = { "[]", K_OBJECT, check_object, subnet_fields, R_SUBNET, "one subnet" };

static const struct field ipam_fields[] = {
	{ "driver",		K_STRING,	check_one_of,	ipam_drivers,	R_NETWORK_OPTION, "host-local" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field option_fields[] = {
	{ "mtu",		K_STRING,	check_any,	NULL,		R_NETWORK_OPTION, "size of a packet" },
	{ "isolate",		K_STRING,	check_any,	NULL,		R_NETWORK_OPTION, "apart from other networks" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

const struct field libpod_network_create_fields[] = {
	/* name			kinds		check		argument	reason		sentence */
	{ "name",		K_STRING,	check_network_name, NULL,	R_NAME,		"a name that is not reserved" },
	{ "id",			K_STRING,	check_unset,	NULL,		R_NAME,		"ids are given by the service" },
	{ "driver",		K_STRING,	check_one_of,	drivers,	R_NETWORK_DRIVER, "bridge" },
	{ "network_interface",	K_STRING,	check_unset,	NULL,		R_NETWORK_OPTION, "could name an interface of the host" },
	{ "routes",		K_ARRAY,	check_unset,	NULL,		R_NETWORK_OPTION, "routes are not set" },
	{ "options",		K_OBJECT,	check_object,	option_fields,	R_NETWORK_OPTION, "mtu and isolate" },
	{ "ipam_options",	K_OBJECT,	check_object,	ipam_fields,	R_NETWORK_OPTION, "host-local" },
	{ "subnets",		K_ARRAY,	check_array,	&subnet,	R_SUBNET,	"private ranges without a route of the host" },
	{ "labels",		K_OBJECT,	check_labels,	NULL,		R_LABEL,	"any without '=', and none that podman acts on; ours is set" },
	{ "created",		K_STRING,	check_any,	NULL,		R_BAD_VALUE,	"not read" },
	{ "ipv6_enabled",	K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"IPv6" },
	{ "internal",		K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"without a way out" },
	{ "dns_enabled",	K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"names of containers" },
	{ "network_dns_servers", K_ARRAY,	check_any,	NULL,		R_BAD_VALUE,	"name servers" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

const struct field libpod_network_connect_fields[] = {
	{ "container",		K_STRING,	check_own_container, NULL,	R_NOT_FOUND,	"an own container" },
	{ "static_ips",		K_ARRAY,	check_any,	NULL,		R_NETWORK,	"addresses" },
	{ "aliases",		K_ARRAY,	check_any,	NULL,		R_NETWORK,	"names on that network" },
	{ "static_mac",		K_STRING,	check_any,	NULL,		R_NETWORK,	"MAC address" },
	{ "interface_name",	K_STRING,	check_any,	NULL,		R_NETWORK,	"name of the interface inside" },
	{ "options",		K_OBJECT,	check_unset,	NULL,		R_NETWORK_OPTION, "options can name host interfaces" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

const struct field libpod_volume_create_fields[] = {
	{ "Driver",		K_STRING,	check_one_of,	volume_drivers,	R_VOLUME_DRIVER, "local" },
	{ "Options",		K_OBJECT,	check_unset,	NULL,		R_VOLUME_OPTION, "volume driver options can mount any host path" },
	{ "IgnoreIfExists",	K_BOOL,		check_unset,	NULL,		R_PARAMETER,	"could hand out another project's volume" },
	{ "Label",		K_OBJECT,	check_labels,	NULL,		R_LABEL,	"older spelling, without '=' either; ours is set in Labels" },
	{ "Labels",		K_OBJECT,	check_labels,	NULL,		R_LABEL,	"any without '=', and none that podman acts on; ours is set" },
	{ "Name",		K_STRING,	check_volume_name, NULL,	R_NAME,		"free, or one of this project" },
	{ "UID",		K_INT,		check_any,	NULL,		R_BAD_VALUE,	"owner" },
	{ "GID",		K_INT,		check_any,	NULL,		R_BAD_VALUE,	"group" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

const struct field libpod_exec_remove_fields[] = {
	{ "Force",		K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"end it first" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

const struct field libpod_exec_start_fields[] = {
	{ "Detach",		K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"without a stream" },
	{ "Tty",		K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"a terminal" },
	{ "h",			K_INT,		check_any,	NULL,		R_BAD_VALUE,	"rows" },
	{ "w",			K_INT,		check_any,	NULL,		R_BAD_VALUE,	"columns" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
/* clang-format on */
