/*
 * EndpointSettings: one network of a container, at create and at connect.
 */
#include "policyd/rules/rules.h"

/* clang-format off */
static const struct field ipam_fields[] = {
	{ "IPv4Address",	K_STRING,		check_any,	NULL,		R_NETWORK,	"static address" },
	{ "IPv6Address",	K_STRING,		check_any,	NULL,		R_NETWORK,	"static address" },
	{ "LinkLocalIPs",	K_ARRAY,		check_any,	NULL,		R_NETWORK,	"further addresses" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

const struct field endpoint_fields[] = {
	{ "IPAMConfig",		K_OBJECT,		check_object,	ipam_fields,	R_NETWORK,	"static addresses" },
	{ "Links",		K_ARRAY,		check_links,	NULL,		R_LINK,		"own containers only: a link hands over the other's environment" },
	{ "Aliases",		K_ARRAY,		check_line,	NULL,		R_NETWORK,	"names on that network" },
	{ "MacAddress",		K_STRING,		check_line,	NULL,		R_NETWORK,	"MAC address" },
	{ "DriverOpts",		K_OBJECT,		check_unset,	NULL,		R_NETWORK_OPTION, "endpoint options can set kernel parameters" },
	{ "GwPriority",		K_INT,			check_any,	NULL,		R_NETWORK,	"which gateway is the default" },
	{ "NetworkID",		K_STRING,		check_unset,	NULL,		R_NETWORK,	"could name another network than its key" },
	{ "EndpointID",		K_STRING,		check_unset,	NULL,		R_NETWORK,	"written by the daemon" },
	{ "Gateway",		K_STRING,		check_unset,	NULL,		R_NETWORK,	"written by the daemon" },
	{ "IPAddress",		K_STRING,		check_any,	NULL,		R_NETWORK,	"address" },
	{ "IPPrefixLen",	K_INT,			check_any,	NULL,		R_NETWORK,	"written by the daemon" },
	{ "IPv6Gateway",	K_STRING,		check_unset,	NULL,		R_NETWORK,	"written by the daemon" },
	{ "GlobalIPv6Address",	K_STRING,		check_any,	NULL,		R_NETWORK,	"address" },
	{ "GlobalIPv6PrefixLen", K_INT,			check_any,	NULL,		R_NETWORK,	"written by the daemon" },
	{ "DNSNames",		K_ARRAY,		check_unset,	NULL,		R_NETWORK,	"written by the daemon" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
/* clang-format on */
