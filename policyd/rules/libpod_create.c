/*
 * POST /libpod/containers/create: every key of SpecGenerator, and of
 * PodSpecGenerator for POST /libpod/pods/create.  Facts: podman 4.3 to 5.8.
 */
#include "policyd/rules/rules.h"

/* clang-format off */
static const int64_t zero = 0;

static const char *const private_modes[] = { "", "default", "private", "pod", "container", NULL };
static const char *const ipc_modes[] = { "", "default", "private", "shareable", "none", "pod", "container", NULL };
static const char *const user_modes[] = { "", "default", "private", "auto", "keep-id", "no-map", "pod", NULL };
static const char *const net_modes[] = { "", "default", "private", "bridge", "none", "slirp4netns", "pasta", "pod", "container", NULL };
static const char *const pod_modes[] = { "", "default", "private", NULL };
static const char *const pod_ipc_modes[] = { "", "default", "private", "shareable", "none", NULL };
static const char *const pod_user_modes[] = { "", "default", "private", "auto", "keep-id", "no-map", NULL };
static const char *const pod_net_modes[] = { "", "default", "private", "bridge", "none", "slirp4netns", "pasta", NULL };
static const char *const restart_policies[] = { "", "no", "always", "on-failure", "unless-stopped", NULL };
static const char *const systemd_modes[] = { "", "true", "false", NULL };
static const char *const sdnotify_modes[] = { "", "container", "conmon", "ignore", "healthy", NULL };
static const char *const init_types[] = { "", "always", "once", NULL };
static const char *const volume_modes[] = { "", "anonymous", "tmpfs", "ignore", "bind", NULL };
static const char *const seccomp_policies[] = { "", "default", NULL };
static const char *const cgroup_modes[] = { "", "enabled", NULL };
static const char *const hosts_files[] = { "", "image", "none", NULL };
static const char *const health_logs[] = { "", "local", "events_logger", NULL };
static const char *const exit_policies[] = { "", "continue", "stop", NULL };
static const char *const shared_names[] = { "ipc", "net", "uts", "pid", "cgroup", "user", NULL };

static const struct field expose_map = { "*", K_STRING, check_any, NULL, R_PORT, "a protocol" };

static const struct field memory_fields[] = {
	{ "disableOOMKiller",	K_BOOL,		check_false,	NULL,		R_OOM,		"the host could run out of memory" },
	{ "limit",		K_INT,		check_any,	NULL,		R_LIMITS,	"bytes" },
	{ "reservation",	K_INT,		check_any,	NULL,		R_LIMITS,	"bytes" },
	{ "swap",		K_INT,		check_any,	NULL,		R_LIMITS,	"bytes" },
	{ "kernel",		K_INT,		check_any,	NULL,		R_LIMITS,	"bytes" },
	{ "kernelTCP",		K_INT,		check_any,	NULL,		R_LIMITS,	"bytes" },
	{ "swappiness",		K_INT,		check_any,	NULL,		R_LIMITS,	"0 to 100" },
	{ "useHierarchy",	K_BOOL,		check_any,	NULL,		R_LIMITS,	"cgroup v1 accounting" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field cpu_fields[] = {
	{ "realtimeRuntime",	K_INT,		check_unset,	NULL,		R_LIMITS,	"real-time scheduling is not granted" },
	{ "realtimePeriod",	K_INT,		check_unset,	NULL,		R_LIMITS,	"real-time scheduling is not granted" },
	{ "shares",		K_INT,		check_any,	NULL,		R_LIMITS,	"weight" },
	{ "quota",		K_INT,		check_any,	NULL,		R_LIMITS,	"microseconds" },
	{ "period",		K_INT,		check_any,	NULL,		R_LIMITS,	"microseconds" },
	{ "burst",		K_INT,		check_any,	NULL,		R_LIMITS,	"microseconds" },
	{ "cpus",		K_STRING,	check_any,	NULL,		R_LIMITS,	"CPUs" },
	{ "mems",		K_STRING,	check_any,	NULL,		R_LIMITS,	"memory nodes" },
	{ "idle",		K_INT,		check_any,	NULL,		R_LIMITS,	"idle class" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field pids_fields[] = {
	{ "limit",		K_INT,		check_any,	NULL,		R_LIMITS,	"processes" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field block_fields[] = {
	{ "weight",		K_INT,		check_any,	NULL,		R_LIMITS,	"weight" },
	{ "leafWeight",		K_INT,		check_any,	NULL,		R_LIMITS,	"weight" },
	{ "weightDevice",	K_ARRAY,	check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ "throttleReadBpsDevice", K_ARRAY,	check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ "throttleWriteBpsDevice", K_ARRAY,	check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ "throttleReadIOPSDevice", K_ARRAY,	check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ "throttleWriteIOPSDevice", K_ARRAY,	check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

/* The bare OCI object that is also the body of update. */
const struct field libpod_resource_fields[] = {
	{ "devices",		K_ARRAY,	check_unset,	NULL,		R_DEVICE,	"device cgroup rules are not set" },
	{ "unified",		K_OBJECT,	check_unset,	NULL,		R_LIMITS,	"raw cgroup files are not written" },
	{ "network",		K_OBJECT,	check_unset,	NULL,		R_LIMITS,	"host traffic classes are not chosen" },
	{ "rdma",		K_OBJECT,	check_unset,	NULL,		R_LIMITS,	"RDMA is not granted" },
	{ "hugepageLimits",	K_ARRAY,	check_unset,	NULL,		R_LIMITS,	"huge pages are not granted" },
	{ "memory",		K_OBJECT,	check_object,	memory_fields,	R_LIMITS,	"memory limits" },
	{ "cpu",		K_OBJECT,	check_object,	cpu_fields,	R_LIMITS,	"CPU limits" },
	{ "pids",		K_OBJECT,	check_object,	pids_fields,	R_LIMITS,	"process limit" },
	{ "blockIO",		K_OBJECT,	check_object,	block_fields,	R_LIMITS,	"block I/O weight" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

static const struct field mount_fields[] = {
	{ "destination",	K_STRING,	check_any,	NULL,		R_MOUNT_TARGET,	"absolute path in the container" },
	{ "type",		K_STRING,	check_any,	NULL,		R_MOUNT_TYPE,	"bind or tmpfs" },
	{ "source",		K_STRING,	check_any,	NULL,		R_BIND,		"a path below the bind root" },
	{ "options",		K_ARRAY,	check_any,	NULL,		R_BIND_OPTION,	"ro, rw, nosuid, nodev, noexec, size, mode and kin" },
	{ "uidMappings",	K_ARRAY,	check_unset,	NULL,		R_BIND_OPTION,	"mounts are not mapped to other users" },
	{ "gidMappings",	K_ARRAY,	check_unset,	NULL,		R_BIND_OPTION,	"mounts are not mapped to other groups" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field volume_fields[] = {
	{ "Name",		K_STRING,	check_any,	NULL,		R_VOLUME,	"a volume of this project, or a new one" },
	{ "Dest",		K_STRING,	check_any,	NULL,		R_MOUNT_TARGET,	"absolute path in the container" },
	{ "Options",		K_ARRAY,	check_any,	NULL,		R_BIND_OPTION,	"ro, rw, nosuid, nodev, noexec, nocopy and kin" },
	{ "IsAnonymous",	K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"goes with its container" },
	{ "SubPath",		K_STRING,	check_unset,	NULL,		R_BIND_OPTION,	"older services would mount the whole volume" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field image_volume_fields[] = {
	{ "Source",		K_STRING,	check_image_ref, NULL,		R_IMAGE_NAME,	"any image, by a plain name" },
	{ "Destination",	K_STRING,	check_any,	NULL,		R_MOUNT_TARGET,	"absolute path in the container" },
	{ "ReadWrite",		K_BOOL,		check_unset,	NULL,		R_BIND_OPTION,	"images are not written" },
	{ "subPath",		K_STRING,	check_unset,	NULL,		R_BIND_OPTION,	"the image as a whole" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field port_fields[] = {
	{ "host_ip",		K_STRING,	check_any,	NULL,		R_PORT,		"address; absent or empty becomes 127.0.0.1" },
	{ "container_port",	K_INT,		check_any,	NULL,		R_PORT,		"port inside" },
	{ "host_port",		K_INT,		check_any,	NULL,		R_PORT,		"port on the host, not the egress proxy's; 0 takes a free one" },
	{ "range",		K_INT,		check_any,	NULL,		R_PORT,		"so many ports" },
	{ "protocol",		K_STRING,	check_any,	NULL,		R_PORT,		"tcp, udp or sctp" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
const struct field libpod_network_fields[] = {
	{ "static_ips",		K_ARRAY,	check_any,	NULL,		R_NETWORK,	"addresses" },
	{ "aliases",		K_ARRAY,	check_any,	NULL,		R_NETWORK,	"names on that network" },
	{ "static_mac",		K_STRING,	check_any,	NULL,		R_NETWORK,	"MAC address" },
	{ "interface_name",	K_STRING,	check_any,	NULL,		R_NETWORK,	"name of the interface inside" },
	{ "options",		K_OBJECT,	check_unset,	NULL,		R_NETWORK_OPTION, "options can name host interfaces" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field network = { "*", K_OBJECT, check_object, libpod_network_fields, R_NETWORK, "settings of one network" };
static const struct field shared_name = { "[]", K_STRING, check_one_of, shared_names, R_HOST_FIELD, "a namespace that members of the pod share" };

static const struct field auto_user_fields[] = {
	{ "Size",		K_INT,		check_any,	NULL,		R_USER_NAMESPACE, "size" },
	{ "InitialSize",	K_INT,		check_any,	NULL,		R_USER_NAMESPACE, "size" },
	{ "PasswdFile",		K_STRING,	check_unset,	NULL,		R_USER_NAMESPACE, "files of the host are not read" },
	{ "GroupFile",		K_STRING,	check_unset,	NULL,		R_USER_NAMESPACE, "files of the host are not read" },
	{ "AdditionalUIDMappings", K_ARRAY,	check_unset,	NULL,		R_USER_NAMESPACE, "ids of the host are not mapped" },
	{ "AdditionalGIDMappings", K_ARRAY,	check_unset,	NULL,		R_USER_NAMESPACE, "ids of the host are not mapped" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field idmapping_fields[] = {
	{ "UIDMap",		K_ARRAY,	check_unset,	NULL,		R_USER_NAMESPACE, "ids of the host are not mapped" },
	{ "GIDMap",		K_ARRAY,	check_unset,	NULL,		R_USER_NAMESPACE, "ids of the host are not mapped" },
	{ "HostUIDMapping",	K_BOOL,		check_any,	NULL,		R_USER_NAMESPACE, "the default" },
	{ "HostGIDMapping",	K_BOOL,		check_any,	NULL,		R_USER_NAMESPACE, "the default" },
	{ "AutoUserNs",		K_BOOL,		check_any,	NULL,		R_USER_NAMESPACE, "a namespace of its own" },
	{ "AutoUserNsOpts",	K_OBJECT,	check_object,	auto_user_fields, R_USER_NAMESPACE, "its size" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

static const struct field personality_fields[] = {
	{ "domain",		K_STRING,	check_any,	NULL,		R_BAD_VALUE,	"LINUX or LINUX32" },
	{ "flags",		K_ARRAY,	check_any,	NULL,		R_BAD_VALUE,	"flags" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field rlimit_fields[] = {
	{ "type",		K_STRING,	check_any,	NULL,		R_LIMITS,	"name of the limit" },
	{ "hard",		K_INT,		check_any,	NULL,		R_LIMITS,	"hard value; core stays 0" },
	{ "soft",		K_INT,		check_any,	NULL,		R_LIMITS,	"soft value; core stays 0" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field health_fields[] = {
	{ "Test",		K_ARRAY,	check_any,	NULL,		R_HEALTHCHECK,	"command of the check, run inside the container" },
	{ "Interval",		K_INT,		check_any,	NULL,		R_HEALTHCHECK,	"nanoseconds between checks" },
	{ "Timeout",		K_INT,		check_any,	NULL,		R_HEALTHCHECK,	"nanoseconds a check may take" },
	{ "StartPeriod",	K_INT,		check_any,	NULL,		R_HEALTHCHECK,	"nanoseconds before failures count" },
	{ "StartInterval",	K_INT,		check_any,	NULL,		R_HEALTHCHECK,	"nanoseconds between checks during the start" },
	{ "Retries",		K_INT,		check_any,	NULL,		R_HEALTHCHECK,	"failures until unhealthy" },
	{ "Successes",		K_INT,		check_any,	NULL,		R_HEALTHCHECK,	"successes until healthy" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

const struct field libpod_create_fields[] = {
	/* name			kinds		check		argument	reason		sentence */
	{ "privileged",		K_BOOL,		check_false,	NULL,		R_PRIVILEGED,	"a privileged container owns the host" },
	{ "cap_add",		K_ARRAY,	check_unset,	NULL,		R_CAPABILITY,	"capabilities are not added" },
	{ "cap_drop",		K_ARRAY,	check_any,	NULL,		R_CAPABILITY,	"capabilities may be dropped; a container with a bind loses MKNOD" },
	{ "devices",		K_ARRAY,	check_unset,	NULL,		R_DEVICE,	"host devices are not passed" },
	{ "device_cgroup_rule",	K_ARRAY,	check_unset,	NULL,		R_DEVICE,	"device cgroup rules are not set" },
	{ "devices_from",	K_ARRAY,	check_unset,	NULL,		R_DEVICE,	"devices are not passed on" },
	{ "host_device_list",	K_ARRAY,	check_unset,	NULL,		R_DEVICE,	"host devices are not passed" },
	{ "gpus",		K_ARRAY,	check_unset,	NULL,		R_DEVICE,	"host devices are not passed" },
	{ "pidns",		K_OBJECT,	check_nsmode,	private_modes,	R_PID_NAMESPACE, "private, the pod's, or that of an own container" },
	{ "ipcns",		K_OBJECT,	check_nsmode,	ipc_modes,	R_IPC_NAMESPACE, "private, shareable, none, the pod's, or that of an own container" },
	{ "utsns",		K_OBJECT,	check_nsmode,	private_modes,	R_UTS_NAMESPACE, "private, the pod's, or that of an own container" },
	{ "userns",		K_OBJECT,	check_nsmode,	user_modes,	R_USER_NAMESPACE, "the default, auto, keep-id or no-map" },
	{ "cgroupns",		K_OBJECT,	check_nsmode,	private_modes,	R_CGROUP_NAMESPACE, "private, or that of an own container" },
	{ "netns",		K_OBJECT,	check_nsmode,	net_modes,	R_NETWORK_NAMESPACE, "private, bridge, none, slirp4netns, pasta, the pod's, or that of an own container" },
	{ "idmappings",		K_OBJECT,	check_object,	idmapping_fields, R_USER_NAMESPACE, "the default" },
	{ "seccomp_policy",	K_STRING,	check_one_of,	seccomp_policies, R_SECURITY_OPT, "the default" },
	{ "seccomp_profile_path", K_STRING,	check_unset,	NULL,		R_SECURITY_OPT,	"the seccomp profile is the daemon's" },
	{ "apparmor_profile",	K_STRING,	check_unset,	NULL,		R_SECURITY_OPT,	"the AppArmor profile is the daemon's" },
	{ "selinux_opts",	K_ARRAY,	check_unset,	NULL,		R_SECURITY_OPT,	"the SELinux label is the daemon's" },
	{ "label_nested",	K_BOOL,		check_unset,	NULL,		R_SECURITY_OPT,	"labels are not changed inside" },
	{ "no_new_privileges",	K_BOOL,		check_any,	NULL,		R_SECURITY_OPT,	"restricts" },
	{ "procfs_opts",	K_ARRAY,	check_unset,	NULL,		R_SECURITY_OPT,	"options of /proc are the daemon's" },
	{ "unmask",		K_ARRAY,	check_unset,	NULL,		R_MASKED_PATHS,	"masked paths stay masked" },
	{ "mask",		K_ARRAY,	check_any,	NULL,		R_MASKED_PATHS,	"more masked paths" },
	{ "sysctl",		K_OBJECT,	check_unset,	NULL,		R_SYSCTL,	"kernel parameters are not set" },
	{ "cgroup_parent",	K_STRING,	check_unset,	NULL,		R_CGROUP_PARENT, "the place in the cgroup tree is not chosen" },
	{ "cgroups_mode",	K_STRING,	check_one_of,	cgroup_modes,	R_CGROUP,	"enabled" },
	{ "oci_runtime",	K_STRING,	check_unset,	NULL,		R_RUNTIME,	"the runtime is the daemon's default" },
	{ "storage_opts",	K_OBJECT,	check_unset,	NULL,		R_STORAGE_OPT,	"storage options are not set" },
	{ "annotations",	K_OBJECT,	check_annotations, NULL,	R_ANNOTATION,	"annotations reach the OCI runtime" },
	{ "rootfs",		K_STRING,	check_unset,	NULL,		R_ROOTFS,	"a root filesystem of the host is not used" },
	{ "rootfs_overlay",	K_BOOL,		check_unset,	NULL,		R_ROOTFS,	"a root filesystem of the host is not used" },
	{ "rootfs_mapping",	K_STRING,	check_unset,	NULL,		R_ROOTFS,	"a root filesystem of the host is not used" },
	{ "rootfs_propagation",	K_STRING,	check_unset,	NULL,		R_PROPAGATION,	"mount propagation is the daemon's" },
	{ "overlay_volumes",	K_ARRAY,	check_unset,	NULL,		R_OVERLAY_VOLUME, "overlay volumes mount host directories" },
	{ "env_host",		K_BOOL,		check_unset,	NULL,		R_HOST_ENVIRONMENT, "the daemon's environment is not passed on" },
	{ "httpproxy",		K_BOOL,		check_force_false, NULL,	R_HOST_ENVIRONMENT, "becomes false; the egress proxy is set by the gateway" },
	{ "log_configuration",	K_OBJECT,	check_unset,	NULL,		R_LOG_PATH,	"log files of the host are not named" },
	{ "secrets",		K_ARRAY,	check_unset,	NULL,		R_SECRET,	"secrets of the host are not mounted" },
	{ "secret_env",		K_OBJECT,	check_unset,	NULL,		R_SECRET,	"secrets of the host are not passed" },
	{ "cni_networks",	K_ARRAY,	check_unset,	NULL,		R_CNI_NETWORK,	"networks are named in Networks" },
	{ "network_options",	K_OBJECT,	check_unset,	NULL,		R_NETWORK_OPTION, "options of slirp4netns and pasta reach the host" },
	{ "conmon_pid_file",	K_STRING,	check_unset,	NULL,		R_HOST_FIELD,	"a file of the host is not written" },
	{ "namespace",		K_STRING,	check_unset,	NULL,		R_HOST_FIELD,	"would hide the container from look-ups" },
	{ "hostusers",		K_ARRAY,	check_unset,	NULL,		R_HOST_FIELD,	"users of the host are not copied" },
	{ "init_path",		K_STRING,	check_unset,	NULL,		R_HOST_FIELD,	"a file of the host is not mounted" },
	{ "chroot_directories",	K_ARRAY,	check_unset,	NULL,		R_HOST_FIELD,	"further directories are not prepared" },
	{ "base_hosts_file",	K_STRING,	check_one_of,	hosts_files,	R_HOST_FIELD,	"image or none; a file of the host is not read" },
	{ "healthLogDestination", K_STRING,	check_one_of,	health_logs,	R_HOST_FIELD,	"local or events_logger; a directory of the host is not written" },
	{ "artifact_volumes",	K_ARRAY,	check_unset,	NULL,		R_HOST_FIELD,	"artifacts belong to nobody" },
	{ "removeImage",	K_BOOL,		check_unset,	NULL,		R_IMAGE,	"images are shared and are not removed with a container" },
	{ "intelRdt",		K_OBJECT,	check_unset,	NULL,		R_LIMITS,	"host resource classes are not chosen" },
	{ "unified",		K_OBJECT,	check_unset,	NULL,		R_LIMITS,	"raw cgroup files are not written" },
	{ "weightDevice",	K_OBJECT,	check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ "throttleReadBpsDevice", K_OBJECT,	check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ "throttleWriteBpsDevice", K_OBJECT,	check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ "throttleReadIOPSDevice", K_OBJECT,	check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ "throttleWriteIOPSDevice", K_OBJECT,	check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ "timezone",		K_STRING,	check_timezone,	NULL,		R_HOST_FIELD,	"local or a zone's name; podman joins it to a directory of the host" },
	{ "oom_score_adj",	K_INT,		check_at_least,	&zero,		R_OOM,		"below 0 protects against the host's OOM killer" },
	{ "groups",		K_ARRAY,	check_group_add, NULL,		R_GROUP,	"group names and numbers; keep-groups keeps the daemon's" },
	{ "resource_limits",	K_OBJECT,	check_object,	libpod_resource_fields, R_LIMITS, "limits of memory, CPU and processes" },
	{ "r_limits",		K_ARRAY,	check_ulimits,	rlimit_fields,	R_LIMITS,	"any, but core stays 0" },
	{ "pod",		K_STRING,	check_pod_ref,	NULL,		R_NOT_FOUND,	"an own pod" },
	{ "dependencyContainers", K_ARRAY,	check_own_containers, NULL,	R_NOT_FOUND,	"own containers" },
	{ "mounts",		K_ARRAY,	check_libpod_mounts, mount_fields, R_MOUNT_TYPE, "binds below the bind root, and tmpfs" },
	{ "volumes",		K_ARRAY,	check_libpod_volumes, volume_fields, R_VOLUME,	"volumes of this project" },
	{ "image_volumes",	K_ARRAY,	check_image_volumes, image_volume_fields, R_IMAGE_NAME, "images, read-only" },
	{ "volumes_from",	K_ARRAY,	check_volumes_from, NULL,	R_NOT_FOUND,	"volumes of own containers" },
	{ "Networks",		K_OBJECT,	check_libpod_networks, &network, R_NETWORK,	"networks of this project" },
	{ "networkOrder",	K_ARRAY,	check_unset,	NULL,		R_NETWORK,	"networks are named in Networks" },
	{ "portmappings",	K_ARRAY,	check_port_mappings, port_fields, R_PORT,	"published ports; without an address on 127.0.0.1" },
	{ "publish_image_ports", K_BOOL,	check_any,	NULL,		R_PORT,		"becomes explicit mappings on 127.0.0.1" },
	{ "env",		K_OBJECT,	check_env_map,	NULL,		R_ENVIRONMENT,	"names and values; the proxy's variables are replaced" },
	{ "labels",		K_OBJECT,	check_labels,	NULL,		R_LABEL,	"any without '=', and none that podman acts on; ours is set" },
	{ "work_dir",		K_STRING,	check_workdir,	NULL,		R_WORKDIR,	"an absolute path that is not under /proc, /sys or /dev" },
	{ "hostadd",		K_ARRAY,	check_extra_hosts, NULL,	R_EXTRA_HOST,	"NAME:ADDRESS, host-gateway too" },
	{ "restart_policy",	K_STRING,	check_one_of,	restart_policies, R_RESTART_POLICY, "passes; not together with a bind below the root" },
	{ "restart_tries",	K_INT,		check_any,	NULL,		R_RESTART_POLICY, "for on-failure" },
	{ "systemd",		K_STRING,	check_one_of,	systemd_modes,	R_HOST_FIELD,	"becomes false; with cgroups of version 1 it would write to the host's" },
	{ "sdnotifyMode",	K_STRING,	check_one_of,	sdnotify_modes,	R_HOST_FIELD,	"container, conmon, ignore or healthy" },
	{ "init_container_type", K_STRING,	check_one_of,	init_types,	R_BAD_VALUE,	"always or once" },
	{ "image_volume_mode",	K_STRING,	check_one_of,	volume_modes,	R_BAD_VALUE,	"anonymous, tmpfs, ignore or bind" },
	{ "unsetenv",		K_ARRAY,	check_unset,	NULL,		R_ENVIRONMENT,	"could unset the proxy" },
	{ "unsetenvall",	K_BOOL,		check_unset,	NULL,		R_ENVIRONMENT,	"could unset the proxy" },
	{ "envmerge",		K_ARRAY,	check_unset,	NULL,		R_ENVIRONMENT,	"expands the image's environment" },
	{ "healthconfig",	K_OBJECT,	check_object,	health_fields,	R_HEALTHCHECK,	"command inside the container on a timer" },
	{ "startupHealthConfig", K_OBJECT,	check_object,	health_fields,	R_HEALTHCHECK,	"command inside the container at its start; not together with a bind below the root" },
	{ "personality",	K_OBJECT,	check_object,	personality_fields, R_BAD_VALUE, "execution domain" },
	{ "expose",		K_OBJECT,	check_map,	&expose_map,	R_PORT,		"ports of the container" },
	{ "name",		K_STRING,	check_container_name, NULL,	R_NAME,		"name of the container" },
	{ "entrypoint",		K_ARRAY,	check_any,	NULL,		R_BAD_VALUE,	"entry point" },
	{ "command",		K_ARRAY,	check_any,	NULL,		R_BAD_VALUE,	"command" },
	{ "terminal",		K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"a terminal" },
	{ "stdin",		K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"standard input stays open" },
	{ "stop_signal",	K_INT,		check_any,	NULL,		R_BAD_VALUE,	"signal that stops it" },
	{ "stop_timeout",	K_INT,		check_any,	NULL,		R_BAD_VALUE,	"seconds until it is killed" },
	{ "timeout",		K_INT,		check_any,	NULL,		R_BAD_VALUE,	"seconds it may run" },
	{ "raw_image_name",	K_STRING,	check_any,	NULL,		R_BAD_VALUE,	"for display" },
	{ "image_os",		K_STRING,	check_any,	NULL,		R_BAD_VALUE,	"variant of the image" },
	{ "image_arch",		K_STRING,	check_any,	NULL,		R_BAD_VALUE,	"variant of the image" },
	{ "image_variant",	K_STRING,	check_any,	NULL,		R_BAD_VALUE,	"variant of the image" },
	{ "hostname",		K_STRING,	check_any,	NULL,		R_BAD_VALUE,	"host name inside" },
	{ "remove",		K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"removed when it ends" },
	{ "containerCreateCommand", K_ARRAY,	check_any,	NULL,		R_BAD_VALUE,	"for display" },
	{ "manage_password",	K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"an entry in the container's passwd" },
	{ "passwd_entry",	K_STRING,	check_any,	NULL,		R_BAD_VALUE,	"an entry in the container's passwd" },
	{ "group_entry",	K_STRING,	check_any,	NULL,		R_BAD_VALUE,	"an entry in the container's group" },
	{ "image",		K_STRING,	check_image_ref, NULL,		R_IMAGE_NAME,	"any image, by a plain name" },
	{ "init",		K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"an init process inside" },
	{ "shm_size",		K_INT,		check_any,	NULL,		R_BAD_VALUE,	"size of /dev/shm" },
	{ "shm_size_systemd",	K_INT,		check_any,	NULL,		R_BAD_VALUE,	"size of /run/lock and kin" },
	{ "create_working_dir",	K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"make the working directory" },
	{ "volatile",		K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"without syncing" },
	{ "user",		K_STRING,	check_any,	NULL,		R_BAD_VALUE,	"user inside" },
	{ "read_only_filesystem", K_BOOL,	check_any,	NULL,		R_BAD_VALUE,	"read-only root" },
	{ "read_write_tmpfs",	K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"tmpfs where a read-only root needs it" },
	{ "umask",		K_STRING,	check_any,	NULL,		R_BAD_VALUE,	"umask inside" },
	{ "use_image_resolve_conf", K_BOOL,	check_any,	NULL,		R_BAD_VALUE,	"resolv.conf of the image" },
	{ "dns_server",		K_ARRAY,	check_any,	NULL,		R_BAD_VALUE,	"name servers" },
	{ "dns_search",		K_ARRAY,	check_any,	NULL,		R_BAD_VALUE,	"search domains" },
	{ "dns_option",		K_ARRAY,	check_any,	NULL,		R_BAD_VALUE,	"resolver options" },
	{ "use_image_hostname",	K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"hostname file of the image" },
	{ "use_image_hosts",	K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"hosts file of the image" },
	{ "cpu_period",		K_INT,		check_any,	NULL,		R_BAD_VALUE,	"CPU period" },
	{ "cpu_quota",		K_INT,		check_any,	NULL,		R_BAD_VALUE,	"CPU quota" },
	{ "health_check_on_failure_action", K_INT, check_any,	NULL,		R_BAD_VALUE,	"what follows a failed check; no restart together with a bind below the root" },
	{ "healthMaxLogCount",	K_INT,		check_any,	NULL,		R_BAD_VALUE,	"entries of the check's log" },
	{ "healthMaxLogSize",	K_INT,		check_any,	NULL,		R_BAD_VALUE,	"length of an entry" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

const struct field libpod_pod_fields[] = {
	{ "pidns",		K_OBJECT,	check_nsmode,	pod_modes,	R_PID_NAMESPACE, "private" },
	{ "ipcns",		K_OBJECT,	check_nsmode,	pod_ipc_modes,	R_IPC_NAMESPACE, "private, shareable or none" },
	{ "utsns",		K_OBJECT,	check_nsmode,	pod_modes,	R_UTS_NAMESPACE, "private" },
	{ "userns",		K_OBJECT,	check_nsmode,	pod_user_modes,	R_USER_NAMESPACE, "the default, auto, keep-id or no-map" },
	{ "netns",		K_OBJECT,	check_nsmode,	pod_net_modes,	R_NETWORK_NAMESPACE, "private, bridge, none, slirp4netns or pasta" },
	{ "idmappings",		K_OBJECT,	check_object,	idmapping_fields, R_USER_NAMESPACE, "the default" },
	{ "pod_devices",	K_ARRAY,	check_unset,	NULL,		R_DEVICE,	"host devices are not passed" },
	{ "security_opt",	K_ARRAY,	check_security_opt, NULL,	R_SECURITY_OPT,	"no-new-privileges" },
	{ "sysctl",		K_OBJECT,	check_unset,	NULL,		R_SYSCTL,	"kernel parameters are not set" },
	{ "cgroup_parent",	K_STRING,	check_unset,	NULL,		R_CGROUP_PARENT, "the place in the cgroup tree is not chosen" },
	{ "infra_conmon_pid_file", K_STRING,	check_unset,	NULL,		R_HOST_FIELD,	"a file of the host is not written" },
	{ "hostsFile",		K_STRING,	check_unset,	NULL,		R_HOST_FIELD,	"a file of the host is not read" },
	{ "serviceContainerID",	K_STRING,	check_unset,	NULL,		R_HOST_FIELD,	"service containers belong to kube play" },
	{ "network_options",	K_OBJECT,	check_unset,	NULL,		R_NETWORK_OPTION, "options of slirp4netns and pasta reach the host" },
	{ "cni_networks",	K_ARRAY,	check_unset,	NULL,		R_CNI_NETWORK,	"networks are named in Networks" },
	{ "overlay_volumes",	K_ARRAY,	check_unset,	NULL,		R_OVERLAY_VOLUME, "overlay volumes mount host directories" },
	{ "throttleReadBpsDevice", K_OBJECT,	check_unset,	NULL,		R_DEVICE,	"host devices are not named" },
	{ "infra_image",	K_STRING,	check_unset,	NULL,		R_IMAGE_NAME,	"the infra container's image is the daemon's" },
	{ "infra_command",	K_ARRAY,	check_unset,	NULL,		R_HOST_FIELD,	"the infra container's command is the daemon's" },
	{ "infra_name",		K_STRING,	check_container_name, NULL,	R_NAME,		"name of the infra container" },
	{ "name",		K_STRING,	check_container_name, NULL,	R_NAME,		"name of the pod" },
	{ "mounts",		K_ARRAY,	check_libpod_mounts, mount_fields, R_MOUNT_TYPE, "binds below the bind root, and tmpfs" },
	{ "volumes",		K_ARRAY,	check_libpod_volumes, volume_fields, R_VOLUME,	"volumes of this project" },
	{ "image_volumes",	K_ARRAY,	check_image_volumes, image_volume_fields, R_IMAGE_NAME, "images, read-only" },
	{ "volumes_from",	K_ARRAY,	check_volumes_from, NULL,	R_NOT_FOUND,	"volumes of own containers" },
	{ "Networks",		K_OBJECT,	check_libpod_networks, &network, R_NETWORK,	"networks of this project" },
	{ "portmappings",	K_ARRAY,	check_port_mappings, port_fields, R_PORT,	"published ports; without an address on 127.0.0.1" },
	{ "resource_limits",	K_OBJECT,	check_object,	libpod_resource_fields, R_LIMITS, "limits of memory, CPU and processes" },
	{ "labels",		K_OBJECT,	check_labels,	NULL,		R_LABEL,	"any without '=', and none that podman acts on; ours is set" },
	{ "hostadd",		K_ARRAY,	check_extra_hosts, NULL,	R_EXTRA_HOST,	"NAME:ADDRESS, host-gateway too" },
	{ "restart_policy",	K_STRING,	check_one_of,	restart_policies, R_RESTART_POLICY, "passes; not together with a bind below the root" },
	{ "restart_tries",	K_INT,		check_any,	NULL,		R_RESTART_POLICY, "for on-failure" },
	{ "exit_policy",	K_STRING,	check_one_of,	exit_policies,	R_BAD_VALUE,	"continue or stop" },
	{ "shared_namespaces",	K_ARRAY,	check_array,	&shared_name,	R_HOST_FIELD,	"ipc, net, uts, pid, cgroup, user" },
	{ "hostname",		K_STRING,	check_any,	NULL,		R_BAD_VALUE,	"host name inside" },
	{ "no_infra",		K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"without an infra container" },
	{ "share_parent",	K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"cgroup of the pod" },
	{ "pod_create_command",	K_ARRAY,	check_any,	NULL,		R_BAD_VALUE,	"for display" },
	{ "no_manage_resolv_conf", K_BOOL,	check_any,	NULL,		R_BAD_VALUE,	"resolv.conf of the image" },
	{ "dns_server",		K_ARRAY,	check_any,	NULL,		R_BAD_VALUE,	"name servers" },
	{ "dns_search",		K_ARRAY,	check_any,	NULL,		R_BAD_VALUE,	"search domains" },
	{ "dns_option",		K_ARRAY,	check_any,	NULL,		R_BAD_VALUE,	"resolver options" },
	{ "no_manage_hostname",	K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"hostname file of the image" },
	{ "no_manage_hosts",	K_BOOL,		check_any,	NULL,		R_BAD_VALUE,	"hosts file of the image" },
	{ "shm_size",		K_INT,		check_any,	NULL,		R_BAD_VALUE,	"size of /dev/shm" },
	{ "shm_size_systemd",	K_INT,		check_any,	NULL,		R_BAD_VALUE,	"size of /run/lock and kin" },
	{ "cpu_period",		K_INT,		check_any,	NULL,		R_BAD_VALUE,	"CPU period" },
	{ "cpu_quota",		K_INT,		check_any,	NULL,		R_BAD_VALUE,	"CPU quota" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
/* clang-format on */
