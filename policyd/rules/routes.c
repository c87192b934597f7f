/*
 * The compat API (docker, and podman's imitation of it): one row a route.
 * Rows of refused families come last but one; what no row matches is refused.
 */
#include "policyd/rules/rules.h"

#define REFUSED(method, path, reason, text) \
	{ method, path, reason, 0, NULL, BODY_RULE_NONE, NULL, NULL, \
	  FORWARD_RELAY, NULL, text }

/* clang-format off */
const struct route compat_routes[] = {
	/* method	path				refused	flags		parameters			body		fields			prepare		response	answer		sentence */
	{ "GET",	"/_ping",			R_NONE, ROUTE_UNVERSIONED, ping_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"tells the API version" },
	{ "HEAD",	"/_ping",			R_NONE, ROUTE_UNVERSIONED, ping_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"tells the API version" },
	{ "GET",	"/version",			R_NONE, 0,	no_params,			BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"host facts; passes" },
	{ "GET",	"/info",			R_NONE, 0,	no_params,			BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"host facts; passes" },

	{ "GET",	"/containers/json",		R_NONE, 0,	container_list_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"the project's containers" },
	{ "POST",	"/containers/create",		R_NONE, ROUTE_CREATES | ROUTE_DROP_UNKNOWN, container_create_params, BODY_RULE_JSON, container_create_fields, prepare_create, FORWARD_JUDGE, answer_create, "creates a container with the project's label" },
	{ "GET",	"/containers/{container}/json",	R_NONE, 0,	container_inspect_params,	BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"an own container" },
	{ "GET",	"/containers/{container}/top",	R_NONE, 0,	container_top_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"its processes" },
	{ "GET",	"/containers/{container}/logs",	R_NONE, 0,	container_logs_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"its output" },
	{ "GET",	"/containers/{container}/stats", R_NONE, 0,	container_stats_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"its use of resources" },
	{ "GET",	"/containers/{container}/changes", R_NONE, 0,	no_params,			BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"its changed files" },
	{ "GET",	"/containers/{container}/export", R_NONE, 0,	no_params,			BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"its files as tar" },
	{ "POST",	"/containers/{container}/start", R_NONE, 0,	container_start_params,		BODY_RULE_NONE,	NULL,			prepare_start,	FORWARD_RELAY,	NULL,		"starts it, binds resolved again" },
	{ "POST",	"/containers/{container}/stop",	R_NONE, 0,	container_stop_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"stops it" },
	{ "POST",	"/containers/{container}/restart", R_NONE, 0,	container_stop_params,		BODY_RULE_NONE,	NULL,			prepare_start,	FORWARD_RELAY,	NULL,		"restarts it, binds resolved again" },
	{ "POST",	"/containers/{container}/kill",	R_NONE, 0,	container_kill_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"sends it a signal" },
	{ "POST",	"/containers/{container}/pause", R_NONE, 0,	no_params,			BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"pauses it" },
	{ "POST",	"/containers/{container}/unpause", R_NONE, 0,	no_params,			BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"goes on" },
	{ "POST",	"/containers/{container}/rename", R_NONE, 0,	container_rename_params,	BODY_RULE_NONE,	NULL,			prepare_rename,	FORWARD_JUDGE,	answer_create,	"gives it another name" },
	{ "POST",	"/containers/{container}/resize", R_NONE, 0,	container_resize_params,	BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"size of its terminal" },
	{ "POST",	"/containers/{container}/update", R_NONE, 0,	no_params,			BODY_RULE_JSON,	container_update_fields, prepare_update, FORWARD_RELAY,	NULL,		"resource limits and restart policy" },
	{ "POST",	"/containers/{container}/wait",	R_NONE, 0,	container_wait_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"waits for its end" },
	{ "POST",	"/containers/{container}/attach", R_NONE, ROUTE_HIJACK, container_attach_params, BODY_RULE_NONE, NULL,			NULL,		FORWARD_HIJACK,	NULL,		"its streams" },
	{ "DELETE",	"/containers/{container}",	R_NONE, 0,	container_delete_params,	BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"removes it" },
	{ "POST",	"/containers/{container}/exec",	R_NONE, ROUTE_CREATES, no_params,		BODY_RULE_JSON,	exec_create_fields,	prepare_exec_create, FORWARD_JUDGE, answer_exec_create, "prepares a command in it" },

	{ "POST",	"/exec/{exec}/start",		R_NONE, ROUTE_HIJACK, no_params,		BODY_RULE_OPTIONAL, exec_start_fields,	NULL,		FORWARD_HIJACK,	NULL,		"runs the command" },
	{ "POST",	"/exec/{exec}/resize",		R_NONE, 0,	container_resize_params,	BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"size of its terminal" },
	{ "GET",	"/exec/{exec}/json",		R_NONE, 0,	no_params,			BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"state of the command" },

	REFUSED("GET",	"/containers/{container}/attach/ws",		R_WEBSOCKET,	"attach over websocket is not served; use attach"),
	REFUSED("*",	"/containers/{container}/checkpoints",		R_CHECKPOINT,	"checkpoints read and write host files"),
	REFUSED("*",	"/containers/{container}/checkpoints/{name}",	R_CHECKPOINT,	"checkpoints read and write host files"),
	REFUSED("*",	"/auth",		R_REGISTRY_LOGIN, "log in on the host instead; pulls through the gateway are anonymous"),
	REFUSED("POST",	"/images/{image}/push",	R_IMAGE_PUSH,	"push from outside the sandbox"),
	REFUSED("*",	"/swarm",		R_SWARM,	"run containers or compose instead"),
	REFUSED("*",	"/swarm/*",		R_SWARM,	"run containers or compose instead"),
	REFUSED("*",	"/services",		R_SWARM,	"run containers or compose instead"),
	REFUSED("*",	"/services/*",		R_SWARM,	"run containers or compose instead"),
	REFUSED("*",	"/tasks",		R_SWARM,	"run containers or compose instead"),
	REFUSED("*",	"/tasks/*",		R_SWARM,	"run containers or compose instead"),
	REFUSED("*",	"/nodes",		R_SWARM,	"run containers or compose instead"),
	REFUSED("*",	"/nodes/*",		R_SWARM,	"run containers or compose instead"),
	REFUSED("*",	"/plugins",		R_PLUGINS,	"plugins run as root on the host"),
	REFUSED("*",	"/plugins/*",		R_PLUGINS,	"plugins run as root on the host"),
	REFUSED("*",	"/secrets",		R_SECRETS,	"pass values by environment or a bind of the project"),
	REFUSED("*",	"/secrets/*",		R_SECRETS,	"pass values by environment or a bind of the project"),
	REFUSED("*",	"/secret/*",		R_SECRETS,	"pass values by environment or a bind of the project"),
	REFUSED("*",	"/configs",		R_SECRETS,	"pass files by a bind of the project"),
	REFUSED("*",	"/configs/*",		R_SECRETS,	"pass files by a bind of the project"),
	REFUSED("*",	"/distribution/*",	R_DISTRIBUTION,	"the daemon would contact a registry on its own"),
	REFUSED("*",	"/session",		R_BUILDKIT,	"set DOCKER_BUILDKIT=0 (classic builder), or use podman build"),
	REFUSED("*",	"/grpc",		R_BUILDKIT,	"set DOCKER_BUILDKIT=0 (classic builder), or use podman build"),
	REFUSED("*",	"/system/dial-stdio",	R_DIAL_STDIO,	"a raw connection to the daemon cannot be judged"),
	REFUSED("*",	"/generate/*",		R_KUBE,		"Kubernetes YAML carries host paths"),
	REFUSED("*",	"/play/kube",		R_KUBE,		"Kubernetes YAML carries host paths"),
	REFUSED("*",	"/kube/*",		R_KUBE,		"Kubernetes YAML carries host paths"),
	{ NULL, NULL, R_NONE, 0, NULL, BODY_RULE_NONE, NULL, NULL, FORWARD_RELAY, NULL, NULL }
};
/* clang-format on */
