/*
 * The compat API (docker, and podman's imitation of it): one row a route.
 * Rows of refused families come last; what no row matches is refused.
 *
 * "not supported" in a sentence is read by the docker CLI: docker inspect X
 * asks kind after kind, and goes on to the next one at these words.
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
	{ "POST",	"/containers/{container}/start", R_NONE, 0,	container_start_params,		BODY_RULE_NONE,	NULL,			prepare_start,	FORWARD_RELAY,	NULL,		"starts it, binds and networks resolved again" },
	{ "POST",	"/containers/{container}/stop",	R_NONE, 0,	container_stop_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"stops it" },
	{ "POST",	"/containers/{container}/restart", R_NONE, 0,	container_stop_params,		BODY_RULE_NONE,	NULL,			prepare_start,	FORWARD_RELAY,	NULL,		"restarts it, binds and networks resolved again" },
	{ "POST",	"/containers/{container}/kill",	R_NONE, 0,	container_kill_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"sends it a signal" },
	{ "POST",	"/containers/{container}/pause", R_NONE, 0,	no_params,			BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"pauses it" },
	{ "POST",	"/containers/{container}/unpause", R_NONE, 0,	no_params,			BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"goes on" },
	{ "POST",	"/containers/{container}/rename", R_NONE, 0,	container_rename_params,	BODY_RULE_NONE,	NULL,			prepare_rename,	FORWARD_JUDGE,	answer_create,	"gives it another name" },
	{ "POST",	"/containers/{container}/resize", R_NONE, 0,	container_resize_params,	BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"size of its terminal" },
	{ "POST",	"/containers/{container}/update", R_NONE, 0,	no_params,			BODY_RULE_JSON,	container_update_fields, prepare_update, FORWARD_RELAY,	NULL,		"resource limits and restart policy" },
	{ "POST",	"/containers/{container}/wait",	R_NONE, 0,	container_wait_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"waits for its end" },
	{ "POST",	"/containers/{container}/attach", R_NONE, ROUTE_HIJACK, container_attach_params, BODY_RULE_NONE, NULL,			prepare_attach,	FORWARD_HIJACK,	NULL,		"its streams" },
	{ "DELETE",	"/containers/{container}",	R_NONE, 0,	container_delete_params,	BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"removes it" },
	{ "POST",	"/containers/{container}/exec",	R_NONE, ROUTE_CREATES, no_params,		BODY_RULE_JSON,	exec_create_fields,	prepare_exec_create, FORWARD_JUDGE, answer_exec_create, "prepares a command in it" },

	{ "POST",	"/exec/{exec}/start",		R_NONE, ROUTE_HIJACK, no_params,		BODY_RULE_OPTIONAL, exec_start_fields,	NULL,		FORWARD_HIJACK,	NULL,		"runs the command" },
	{ "POST",	"/exec/{exec}/resize",		R_NONE, 0,	container_resize_params,	BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"size of its terminal" },
	{ "GET",	"/exec/{exec}/json",		R_NONE, 0,	no_params,			BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"state of the command" },

	{ "HEAD",	"/containers/{container}/archive", R_NONE, 0,	archive_params,			BODY_RULE_NONE,	NULL,			prepare_archive, FORWARD_RELAY,	NULL,		"state of a path in it" },
	{ "GET",	"/containers/{container}/archive", R_NONE, 0,	archive_params,			BODY_RULE_NONE,	NULL,			prepare_archive, FORWARD_RELAY,	NULL,		"a path in it as tar" },
	{ "PUT",	"/containers/{container}/archive", R_NONE, 0,	archive_put_params,		BODY_RULE_SCAN,	NULL,			prepare_archive_put, FORWARD_RELAY,	NULL,		"plain tar of files, directories and links into it" },
	{ "POST",	"/containers/prune",		R_NONE, 0,	prune_params,			BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"removes the project's stopped containers" },

	{ "GET",	"/networks",			R_NONE, 0,	network_list_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"the project's networks" },
	{ "POST",	"/networks/create",		R_NONE, ROUTE_CREATES | ROUTE_DROP_UNKNOWN, no_params, BODY_RULE_JSON, network_create_fields, prepare_network_create, FORWARD_JUDGE, answer_conflict, "creates a bridge network with the project's label" },
	{ "POST",	"/networks/prune",		R_NONE, 0,	prune_params,			BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"removes the project's unused networks" },
	{ "GET",	"/networks/{network}",		R_NONE, ROUTE_PREDEFINED, network_inspect_params, BODY_RULE_NONE, NULL,			NULL,		FORWARD_JUDGE,	answer_network_inspect, "an own network; a predefined one without its containers" },
	{ "DELETE",	"/networks/{network}",		R_NONE, 0,	network_delete_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"removes it" },
	{ "POST",	"/networks/{network}/connect",	R_NONE, ROUTE_BRIDGE, no_params,		BODY_RULE_JSON,	network_connect_fields,	NULL,		FORWARD_RELAY,	NULL,		"an own container to an own network, or to the default bridge" },
	{ "POST",	"/networks/{network}/disconnect", R_NONE, ROUTE_BRIDGE, no_params,		BODY_RULE_JSON,	network_disconnect_fields, NULL,	FORWARD_RELAY,	NULL,		"an own container from it" },

	{ "GET",	"/volumes",			R_NONE, 0,	volume_list_params,		BODY_RULE_NONE,	NULL,			prepare_volume_list, FORWARD_RELAY, answer_volume_list, "the project's volumes" },
	{ "POST",	"/volumes/create",		R_NONE, ROUTE_CREATES | ROUTE_DROP_UNKNOWN, no_params, BODY_RULE_OPTIONAL, volume_create_fields, prepare_volume_create, FORWARD_JUDGE, answer_volume_create, "creates a local volume with the project's label" },
	{ "POST",	"/volumes/prune",		R_NONE, 0,	volume_prune_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"removes the project's unused volumes" },
	{ "GET",	"/volumes/{volume}",		R_NONE, 0,	no_params,			BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"an own volume" },
	{ "DELETE",	"/volumes/{volume}",		R_NONE, 0,	volume_delete_params,		BODY_RULE_NONE,	NULL,			prepare_volume_delete, FORWARD_RELAY, NULL,	"removes it" },

	{ "GET",	"/images/json",			R_NONE, 0,	image_list_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"all images: they are shared" },
	{ "POST",	"/images/create",		R_NONE, 0,	image_create_params,		BODY_RULE_IMPORT, NULL,			prepare_image_create, FORWARD_RELAY, NULL,	"pulls an image, anonymously" },
	{ "POST",	"/images/load",			R_NONE, 0,	image_load_params,		BODY_RULE_STREAM, NULL,			prepare_image_load, FORWARD_RELAY, NULL,	"refused without --allow-image-load" },
	{ "GET",	"/images/search",		R_NONE, 0,	image_search_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"searches a registry" },
	{ "GET",	"/images/get",			R_NONE, 0,	image_save_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"saves images" },
	{ "POST",	"/images/prune",		R_NONE, 0,	image_prune_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"removes the project's unused images" },
	{ "GET",	"/images/{image}/get",		R_NONE, ROUTE_ANY_OWNER, image_inspect_params,	BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"saves an image" },
	{ "GET",	"/images/{image}/json",		R_NONE, ROUTE_ANY_OWNER, image_inspect_params,	BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"any image" },
	{ "GET",	"/images/{image}/history",	R_NONE, ROUTE_ANY_OWNER, image_inspect_params,	BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"its history" },
	{ "POST",	"/images/{image}/tag",		R_NONE, 0,	image_tag_params,		BODY_RULE_NONE,	NULL,			prepare_image_tag, FORWARD_RELAY, NULL,		"tags an own image; a tag of others is not moved" },
	{ "DELETE",	"/images/{image}",		R_NONE, 0,	image_delete_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_JUDGE,	answer_image_remove, "removes an own image" },
	{ "POST",	"/commit",			R_NONE, 0,	commit_params,			BODY_RULE_NONE,	NULL,			prepare_commit,	FORWARD_RELAY,	NULL,		"an image of an own container, with the project's label" },
	{ "POST",	"/build",			R_NONE, 0,	build_params,			BODY_RULE_SCAN,	NULL,			prepare_build,	FORWARD_RELAY,	answer_build,	"classic build with the project's label" },
	{ "POST",	"/build/prune",			R_NONE, 0,	build_prune_params,		BODY_RULE_NONE,	NULL,			prepare_build_prune, FORWARD_RELAY, NULL,	"answers that nothing was pruned" },

	{ "GET",	"/events",			R_NONE, 0,	event_params,			BODY_RULE_NONE,	NULL,			prepare_events,	FORWARD_RELAY,	answer_event,	"events of the project's objects" },
	{ "GET",	"/system/df",			R_NONE, 0,	df_params,			BODY_RULE_NONE,	NULL,			NULL,		FORWARD_JUDGE,	answer_df,	"the project's part of it, images whole" },

	/* docker inspect IMAGE asks for these first, and goes on at the last words. */
	REFUSED("GET",	"/containers/{image}/json",	R_BAD_TARGET,	"a container's name has no slash (invalid reference format)"),
	REFUSED("GET",	"/networks/{image}",		R_BAD_TARGET,	"a network's name has no slash (invalid reference format)"),
	REFUSED("GET",	"/volumes/{image}",		R_BAD_TARGET,	"a volume's name has no slash (invalid reference format)"),
	REFUSED("GET",	"/containers/{container}/attach/ws",		R_WEBSOCKET,	"attach over websocket is not served; use attach"),
	REFUSED("*",	"/containers/{container}/checkpoints",		R_CHECKPOINT,	"checkpoints read and write host files"),
	REFUSED("*",	"/containers/{container}/checkpoints/{name}",	R_CHECKPOINT,	"checkpoints read and write host files"),
	REFUSED("*",	"/auth",		R_REGISTRY_LOGIN, "log in on the host instead; pulls through the gateway are anonymous"),
	REFUSED("POST",	"/images/{image}/push",	R_IMAGE_PUSH,	"push from outside the sandbox"),
	REFUSED("*",	"/swarm/*",		R_SWARM,	"swarm is not supported here; run containers or compose"),
	REFUSED("*",	"/services/*",		R_SWARM,	"swarm is not supported here; run containers or compose"),
	REFUSED("*",	"/tasks/*",		R_SWARM,	"swarm is not supported here; run containers or compose"),
	REFUSED("*",	"/nodes/*",		R_SWARM,	"swarm is not supported here; run containers or compose"),
	REFUSED("*",	"/plugins/*",		R_PLUGINS,	"plugins are not supported: they run as root on the host"),
	REFUSED("*",	"/secrets/*",		R_SECRETS,	"secrets are not supported; pass values by environment or a bind"),
	REFUSED("*",	"/secret/*",		R_SECRETS,	"secrets are not supported; pass values by environment or a bind"),
	REFUSED("*",	"/configs/*",		R_SECRETS,	"configs are not supported; pass files by a bind of the project"),
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
