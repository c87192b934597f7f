/*
 * POST /containers/create: the top of its body.  HostConfig comes before
 * NetworkingConfig, which is compared with it.  Facts: api definitions of
 * Docker Engine 1.24 to 1.55.
 */
#include "policyd/rules/rules.h"

/* clang-format off */
static const struct field healthcheck_fields[] = {
	/* name			kinds			check		argument	reason		sentence */
	{ "Test",		K_ARRAY,		check_any,	NULL,		R_HEALTHCHECK,	"command of the health check, run inside the container" },
	{ "Interval",		K_INT,			check_any,	NULL,		R_HEALTHCHECK,	"nanoseconds between checks" },
	{ "Timeout",		K_INT,			check_any,	NULL,		R_HEALTHCHECK,	"nanoseconds a check may take" },
	{ "StartPeriod",	K_INT,			check_any,	NULL,		R_HEALTHCHECK,	"nanoseconds before failures count" },
	{ "StartInterval",	K_INT,			check_any,	NULL,		R_HEALTHCHECK,	"nanoseconds between checks during the start period" },
	{ "Retries",		K_INT,			check_any,	NULL,		R_HEALTHCHECK,	"failures until unhealthy" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

static const struct field empty_object_fields[] = {
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
static const struct field empty_object = { "*", K_OBJECT, check_object, empty_object_fields, R_BAD_VALUE, "an empty object" };

static const struct field endpoint = { "*", K_OBJECT, check_object, endpoint_fields, R_NETWORK, "settings of one network" };

static const struct field networking_fields[] = {
	{ "EndpointsConfig",	K_OBJECT,		check_endpoints, &endpoint,	R_NETWORK,	"networks of this project, NetworkMode among them" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

const struct field container_create_fields[] = {
	/* name			kinds			check		argument	reason		sentence */
	{ "HostConfig",		K_OBJECT,		check_object,	host_config_fields, R_BAD_VALUE, "what the container may have of the host" },
	{ "NetworkingConfig",	K_OBJECT,		check_object,	networking_fields, R_NETWORK,	"networks to join" },
	{ "Volumes",		K_OBJECT,		check_volume_map, NULL,		R_VOLUME_KEY,	"keys are clean paths in the container, and nothing else" },
	{ "Env",		K_ARRAY,		check_env,	NULL,		R_ENVIRONMENT,	"NAME=VALUE; the proxy's variables are replaced" },
	{ "Labels",		K_OBJECT,		check_labels,	NULL,		R_LABEL,	"any without '=', and none that podman acts on; ours is set" },
	{ "WorkingDir",		K_STRING,		check_workdir,	NULL,		R_WORKDIR,	"an absolute path that is not under /proc, /sys or /dev" },
	{ "Hostname",		K_STRING,		check_line,	NULL,		R_BAD_VALUE,	"host name inside" },
	{ "Domainname",		K_STRING,		check_line,	NULL,		R_BAD_VALUE,	"domain name inside" },
	{ "User",		K_STRING,		check_line,	NULL,		R_BAD_VALUE,	"user inside" },
	{ "AttachStdin",	K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"streams of the client" },
	{ "AttachStdout",	K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"streams of the client" },
	{ "AttachStderr",	K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"streams of the client" },
	{ "ExposedPorts",	K_OBJECT,		check_exposed,	&empty_object,	R_PORT,		"ports of the container" },
	{ "Tty",		K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"a terminal" },
	{ "OpenStdin",		K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"standard input stays open" },
	{ "StdinOnce",		K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"standard input ends with its client" },
	{ "Cmd",		K_ARRAY | K_STRING,	check_any,	NULL,		R_BAD_VALUE,	"command" },
	{ "Entrypoint",		K_ARRAY | K_STRING,	check_any,	NULL,		R_BAD_VALUE,	"entry point" },
	{ "Image",		K_STRING,		check_image_ref, NULL,		R_IMAGE_NAME,	"any image, by a plain name" },
	{ "NetworkDisabled",	K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"without network" },
	{ "MacAddress",		K_STRING,		check_line,	NULL,		R_BAD_VALUE,	"MAC address" },
	{ "OnBuild",		K_ARRAY,		check_unset,	NULL,		R_ON_BUILD,	"a commit would keep these steps, and the next build run them unread" },
	{ "StopSignal",		K_STRING,		check_line,	NULL,		R_BAD_VALUE,	"signal that stops it" },
	{ "StopTimeout",	K_INT,			check_any,	NULL,		R_BAD_VALUE,	"seconds until it is killed" },
	{ "Shell",		K_ARRAY | K_STRING,	check_any,	NULL,		R_BAD_VALUE,	"image metadata" },
	{ "ArgsEscaped",	K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"Windows only" },
	{ "Healthcheck",	K_OBJECT,		check_object,	healthcheck_fields, R_HEALTHCHECK, "command inside the container on a timer" },
	{ "Cpuset",		K_STRING,		check_unset,	NULL,		R_UNKNOWN_FIELD, "legacy; use HostConfig.CpusetCpus" },
	{ "name",		K_STRING,		check_drop,	NULL,		R_NAME,		"not forwarded; the query names the container" },
	{ "Name",		K_STRING,		check_drop,	NULL,		R_NAME,		"not forwarded; the query names the container" },
	{ "EnvMerge",		K_ARRAY,		check_unset,	NULL,		R_ENVIRONMENT,	"a podman extension that expands the image's environment" },
	{ "UnsetEnv",		K_ARRAY,		check_unset,	NULL,		R_ENVIRONMENT,	"a podman extension that could unset the proxy" },
	{ "UnsetEnvAll",	K_BOOL,			check_unset,	NULL,		R_ENVIRONMENT,	"a podman extension that could unset the proxy" },
	{ "*",			K_ANY,			check_misplaced, host_config_fields, R_UNKNOWN_FIELD, "keys of HostConfig belong into it" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
/* clang-format on */
