/*
 * POST /containers/{container}/update: resource limits and restart policy,
 * each judged by its row of HostConfig.
 */
#include "policyd/rules/rules.h"

/* clang-format off */
const struct field container_update_fields[] = {
	/* name			kinds	check		argument	   reason	sentence */
	{ "CpuShares",		K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "Memory",		K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "NanoCpus",		K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "BlkioWeight",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "CpuPeriod",		K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "CpuQuota",		K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "CpusetCpus",		K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "CpusetMems",		K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "KernelMemory",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "KernelMemoryTCP",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "MemoryReservation",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "MemorySwap",		K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "MemorySwappiness",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "OomKillDisable",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "PidsLimit",		K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "Ulimits",		K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "CpuCount",		K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "CpuPercent",		K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "IOMaximumIOps",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "IOMaximumBandwidth",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "RestartPolicy",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "CgroupParent",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "BlkioWeightDevice",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "BlkioDeviceReadBps",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "BlkioDeviceWriteBps",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "BlkioDeviceReadIOps",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "BlkioDeviceWriteIOps",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "CpuRealtimePeriod",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "CpuRealtimeRuntime",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "Devices",		K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "DeviceCgroupRules",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ "DeviceRequests",	K_ANY,	check_as,	host_config_fields, R_UPDATE,	"as at create" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
/* clang-format on */
