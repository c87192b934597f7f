/*
 * HostConfig of POST /containers/create: what a container may have of the
 * host.  Order is the order of judgement.  Facts: api definitions of Docker
 * Engine 1.24 to 1.55.
 */
#include "policyd/rules/rules.h"

/* clang-format off */
static const int64_t zero = 0;

static const char *const log_drivers[] = { "", "json-file", "local", "none", NULL };
static const char *const isolations[] = { "", "default", NULL };
static const char *const restart_policies[] = { "", "no", "always", "on-failure", "unless-stopped", NULL };
static const char *const consistencies[] = { "", "default", "consistent", "cached", "delegated", NULL };
static const char *const propagations[] = { "", "private", "rprivate", NULL };
static const char *const local_drivers[] = { "", "local", NULL };
static const char *const pid_modes[] = { "", "private", "container:ID", NULL };
static const char *const ipc_modes[] = { "", "private", "shareable", "none", "container:ID", NULL };
static const char *const private_modes[] = { "", "private", NULL };
static const char *const user_modes[] = { "", "private", "auto", "keep-id", "nomap", NULL };
static const char *const tmpfs_flags[] = { "exec", "noexec", NULL };

static const struct field log_config_fields[] = {
	{ "Type",		K_STRING,		check_one_of,	log_drivers,	R_LOG_DRIVER,	"json-file, local, none, or the daemon's default" },
	{ "Config",		K_OBJECT,		check_any,	NULL,		R_LOG_OPTION,	"options that rotate or annotate, on json-file and local only" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

static const struct field port_fields[] = {
	{ "HostIp",		K_STRING,		check_any,	NULL,		R_PORT,		"address; absent or empty becomes 127.0.0.1" },
	{ "HostPort",		K_STRING,		check_any,	NULL,		R_PORT,		"port or range, without the egress proxy's; empty takes a free one" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

static const struct field restart_fields[] = {
	{ "Name",		K_STRING,		check_one_of,	restart_policies, R_RESTART_POLICY, "no, always, on-failure or unless-stopped" },
	{ "MaximumRetryCount",	K_INT,			check_any,	NULL,		R_RESTART_POLICY, "for on-failure" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

static const struct field ulimit_fields[] = {
	{ "Name",		K_STRING,		check_any,	NULL,		R_LIMITS,	"name of the limit" },
	{ "Soft",		K_INT,			check_any,	NULL,		R_LIMITS,	"soft value; core stays 0" },
	{ "Hard",		K_INT,			check_any,	NULL,		R_LIMITS,	"hard value; core stays 0" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

static const struct field bind_option_fields[] = {
	{ "Propagation",	K_STRING,		check_one_of,	propagations,	R_PROPAGATION,	"private only" },
	{ "NonRecursive",	K_BOOL,			check_any,	NULL,		R_BIND_OPTION,	"without submounts" },
	{ "CreateMountpoint",	K_BOOL,			check_drop,	NULL,		R_BIND_OPTION,	"not forwarded: the gateway makes missing sources itself" },
	{ "ReadOnlyNonRecursive", K_BOOL,		check_any,	NULL,		R_BIND_OPTION,	"read-only without submounts" },
	{ "ReadOnlyForceRecursive", K_BOOL,		check_any,	NULL,		R_BIND_OPTION,	"read-only with submounts" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

static const struct field driver_config_fields[] = {
	{ "Name",		K_STRING,		check_one_of,	local_drivers,	R_VOLUME_DRIVER, "local" },
	{ "Options",		K_OBJECT,		check_unset,	NULL,		R_VOLUME_OPTION, "volume driver options can mount any host path" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

static const struct field volume_option_fields[] = {
	{ "NoCopy",		K_BOOL,			check_any,	NULL,		R_BIND_OPTION,	"without the image's files" },
	{ "Labels",		K_OBJECT,		check_labels,	NULL,		R_LABEL,	"labels of a new volume; ours is added" },
	{ "Subpath",		K_STRING,		check_unset,	NULL,		R_BIND_OPTION,	"daemons before API 1.45 would mount the whole volume" },
	{ "DriverConfig",	K_OBJECT,		check_object,	driver_config_fields, R_VOLUME_DRIVER, "local, without options" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

static const struct field tmpfs_flag = { "[]", K_STRING, check_one_of, tmpfs_flags, R_TMPFS_OPTION, "exec or noexec" };
static const struct field tmpfs_flag_list = { "[]", K_ARRAY, check_array, &tmpfs_flag, R_TMPFS_OPTION, "one option" };
static const struct field tmpfs_option_fields[] = {
	{ "SizeBytes",		K_INT,			check_any,	NULL,		R_TMPFS_OPTION,	"size in bytes" },
	{ "Mode",		K_INT,			check_any,	NULL,		R_TMPFS_OPTION,	"permission bits" },
	{ "Options",		K_ARRAY,		check_array,	&tmpfs_flag_list, R_TMPFS_OPTION, "exec or noexec" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

static const struct field mount_fields[] = {
	{ "Type",		K_STRING,		check_any,	NULL,		R_MOUNT_TYPE,	"bind, volume or tmpfs" },
	{ "Source",		K_STRING,		check_any,	NULL,		R_BIND,		"bind: a path below the bind root; volume: a name of this project" },
	{ "Target",		K_STRING,		check_any,	NULL,		R_MOUNT_TARGET,	"absolute path in the container" },
	{ "ReadOnly",		K_BOOL,			check_any,	NULL,		R_BIND_OPTION,	"read-only" },
	{ "Consistency",	K_STRING,		check_one_of,	consistencies,	R_BIND_OPTION,	"consistent, cached or delegated" },
	{ "BindOptions",	K_OBJECT,		check_object,	bind_option_fields, R_BIND_OPTION, "options of a bind" },
	{ "VolumeOptions",	K_OBJECT,		check_object,	volume_option_fields, R_BIND_OPTION, "options of a volume" },
	{ "TmpfsOptions",	K_OBJECT,		check_object,	tmpfs_option_fields, R_BIND_OPTION, "options of a tmpfs" },
	{ "ImageOptions",	K_OBJECT,		check_unset,	NULL,		R_MOUNT_TYPE,	"image mounts are not served" },
	{ "ClusterOptions",	K_OBJECT,		check_unset,	NULL,		R_MOUNT_TYPE,	"cluster volumes belong to a swarm" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

const struct field host_config_fields[] = {
	/* name			kinds			check		argument	reason		sentence */
	{ "Privileged",		K_BOOL,			check_false,	NULL,		R_PRIVILEGED,	"a privileged container owns the host" },
	{ "CapAdd",		K_ARRAY | K_STRING,	check_unset,	NULL,		R_CAPABILITY,	"capabilities are not added" },
	{ "CapDrop",		K_ARRAY | K_STRING,	check_any,	NULL,		R_CAPABILITY,	"capabilities may be dropped; a container with a bind loses MKNOD" },
	{ "Capabilities",	K_ARRAY,		check_unset,	NULL,		R_CAPABILITY,	"an exact capability list is not set" },
	{ "Devices",		K_ARRAY,		check_unset,	NULL,		R_DEVICE,	"host devices are not passed" },
	{ "DeviceRequests",	K_ARRAY,		check_unset,	NULL,		R_DEVICE,	"device requests are not passed" },
	{ "DeviceCgroupRules",	K_ARRAY,		check_unset,	NULL,		R_DEVICE,	"device cgroup rules are not set" },
	{ "PidMode",		K_STRING,		check_namespace, pid_modes,	R_PID_NAMESPACE, "private, or that of an own container" },
	{ "IpcMode",		K_STRING,		check_namespace, ipc_modes,	R_IPC_NAMESPACE, "private, shareable, none, or that of an own container" },
	{ "UTSMode",		K_STRING,		check_namespace, private_modes,	R_UTS_NAMESPACE, "private" },
	{ "UsernsMode",		K_STRING,		check_namespace, user_modes,	R_USER_NAMESPACE, "the daemon's default, auto, keep-id or nomap" },
	{ "CgroupnsMode",	K_STRING,		check_namespace, private_modes,	R_CGROUP_NAMESPACE, "private" },
	{ "NetworkMode",	K_STRING,		check_network_mode, NULL,	R_NETWORK_NAMESPACE, "default, bridge, none, an own network, or that of an own container" },
	{ "SecurityOpt",	K_ARRAY,		check_security_opt, NULL,	R_SECURITY_OPT,	"no-new-privileges, seccomp=builtin, apparmor=docker-default" },
	{ "Sysctls",		K_OBJECT,		check_unset,	NULL,		R_SYSCTL,	"kernel parameters are not set" },
	{ "CgroupParent",	K_STRING,		check_unset,	NULL,		R_CGROUP_PARENT, "the place in the cgroup tree is not chosen" },
	{ "Cgroup",		K_STRING,		check_unset,	NULL,		R_CGROUP,	"another container's cgroup is not joined" },
	{ "Runtime",		K_STRING,		check_unset,	NULL,		R_RUNTIME,	"the runtime is the daemon's default" },
	{ "Isolation",		K_STRING,		check_one_of,	isolations,	R_ISOLATION,	"the isolation is the daemon's default" },
	{ "StorageOpt",		K_OBJECT,		check_unset,	NULL,		R_STORAGE_OPT,	"storage options are not set" },
	{ "Annotations",	K_OBJECT,		check_unset,	NULL,		R_ANNOTATION,	"annotations reach the OCI runtime" },
	{ "Links",		K_ARRAY,		check_links,	NULL,		R_LINK,		"own containers only: a link hands over the other's environment" },
	{ "ContainerIDFile",	K_STRING,		check_unset,	NULL,		R_CONTAINER_ID_FILE, "a file of the host is not written" },
	{ "VolumeDriver",	K_STRING,		check_unset,	NULL,		R_VOLUME_DRIVER, "volumes are of driver local" },
	{ "MaskedPaths",	K_ANY,			check_null,	NULL,		R_MASKED_PATHS,	"any list replaces the daemon's own" },
	{ "ReadonlyPaths",	K_ANY,			check_null,	NULL,		R_MASKED_PATHS,	"any list replaces the daemon's own" },
	{ "OomScoreAdj",	K_INT,			check_at_least,	&zero,		R_OOM,		"below 0 protects against the host's OOM killer" },
	{ "OomKillDisable",	K_BOOL,			check_false,	NULL,		R_OOM,		"the host could run out of memory" },
	{ "GroupAdd",		K_ARRAY,		check_group_add, NULL,		R_GROUP,	"group names and numbers; keep-groups keeps the daemon's" },
	{ "Ulimits",		K_ARRAY,		check_ulimits,	ulimit_fields,	R_LIMITS,	"any, but core stays 0" },
	{ "BlkioWeightDevice",	K_ARRAY,		check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ "BlkioDeviceReadBps",	K_ARRAY,		check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ "BlkioDeviceWriteBps", K_ARRAY,		check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ "BlkioDeviceReadIOps", K_ARRAY,		check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ "BlkioDeviceWriteIOps", K_ARRAY,		check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ "CpuRealtimePeriod",	K_INT,			check_unset,	NULL,		R_LIMITS,	"real-time scheduling is not granted" },
	{ "CpuRealtimeRuntime",	K_INT,			check_unset,	NULL,		R_LIMITS,	"real-time scheduling is not granted" },
	{ "Binds",		K_ARRAY,		check_binds,	NULL,		R_BIND,		"SOURCE below the bind root, or a volume of this project" },
	{ "Mounts",		K_ARRAY,		check_mounts,	mount_fields,	R_MOUNT_TYPE,	"mounts of type bind, volume and tmpfs" },
	{ "VolumesFrom",	K_ARRAY,		check_volumes_from, NULL,	R_NOT_FOUND,	"volumes of own containers" },
	{ "Tmpfs",		K_OBJECT,		check_tmpfs,	NULL,		R_WORKDIR,	"a tmpfs does not lie under /proc, /sys or /dev (but /dev/shm)" },
	{ "PortBindings",	K_OBJECT,		check_ports,	port_fields,	R_PORT,		"published ports; without an address on 127.0.0.1" },
	{ "PublishAllPorts",	K_BOOL,			check_any,	NULL,		R_PORT,		"becomes explicit bindings on 127.0.0.1" },
	{ "LogConfig",		K_OBJECT,		check_log_config, log_config_fields, R_LOG_DRIVER, "json-file, local and none" },
	{ "RestartPolicy",	K_OBJECT,		check_object,	restart_fields,	R_RESTART_POLICY, "passes; not together with a bind below the root" },
	{ "ExtraHosts",		K_ARRAY,		check_extra_hosts, NULL,	R_EXTRA_HOST,	"NAME:ADDRESS, host-gateway too" },
	{ "AutoRemove",		K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"removed when it ends" },
	{ "ConsoleSize",	K_ARRAY,		check_any,	NULL,		R_BAD_VALUE,	"rows and columns" },
	{ "Dns",		K_ARRAY,		check_line,	NULL,		R_BAD_VALUE,	"name servers" },
	{ "DnsOptions",		K_ARRAY,		check_line,	NULL,		R_BAD_VALUE,	"resolver options" },
	{ "DnsSearch",		K_ARRAY,		check_line,	NULL,		R_BAD_VALUE,	"search domains" },
	{ "ReadonlyRootfs",	K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"read-only root" },
	{ "Init",		K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"an init process inside" },
	{ "ShmSize",		K_INT,			check_any,	NULL,		R_BAD_VALUE,	"size of /dev/shm" },
	{ "CpuShares",		K_INT,			check_any,	NULL,		R_BAD_VALUE,	"CPU weight" },
	{ "Memory",		K_INT,			check_any,	NULL,		R_BAD_VALUE,	"memory limit in bytes" },
	{ "MemoryReservation",	K_INT,			check_any,	NULL,		R_BAD_VALUE,	"soft memory limit" },
	{ "MemorySwap",		K_INT,			check_any,	NULL,		R_BAD_VALUE,	"memory and swap" },
	{ "MemorySwappiness",	K_INT,			check_any,	NULL,		R_BAD_VALUE,	"swappiness" },
	{ "KernelMemory",	K_INT,			check_any,	NULL,		R_BAD_VALUE,	"kernel memory limit" },
	{ "KernelMemoryTCP",	K_INT,			check_any,	NULL,		R_BAD_VALUE,	"kernel TCP memory limit" },
	{ "NanoCpus",		K_INT,			check_any,	NULL,		R_BAD_VALUE,	"CPU limit" },
	{ "CpuPeriod",		K_INT,			check_any,	NULL,		R_BAD_VALUE,	"CPU period" },
	{ "CpuQuota",		K_INT,			check_any,	NULL,		R_BAD_VALUE,	"CPU quota" },
	{ "CpusetCpus",		K_STRING,		check_line,	NULL,		R_BAD_VALUE,	"CPUs" },
	{ "CpusetMems",		K_STRING,		check_line,	NULL,		R_BAD_VALUE,	"memory nodes" },
	{ "BlkioWeight",	K_INT,			check_any,	NULL,		R_BAD_VALUE,	"block I/O weight" },
	{ "PidsLimit",		K_INT,			check_any,	NULL,		R_BAD_VALUE,	"process limit" },
	{ "CpuCount",		K_INT,			check_any,	NULL,		R_BAD_VALUE,	"Windows only" },
	{ "CpuPercent",		K_INT,			check_any,	NULL,		R_BAD_VALUE,	"Windows only" },
	{ "IOMaximumIOps",	K_INT,			check_any,	NULL,		R_BAD_VALUE,	"Windows only" },
	{ "IOMaximumBandwidth",	K_INT,			check_any,	NULL,		R_BAD_VALUE,	"Windows only" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
/* clang-format on */
