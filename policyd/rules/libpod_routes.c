/*
 * The libpod API, on podman.sock: one row a route.  What no row matches is
 * refused.
 */
#include "policyd/rules/rules.h"

#define REFUSED(method, path, reason, text) \
	{ method, path, reason, 0, NULL, BODY_RULE_NONE, NULL, NULL, \
	  FORWARD_RELAY, NULL, text }
/* A look-up or an act on one object, without a body. */
#define PLAIN(method, path, params, text) \
	{ method, path, R_NONE, 0, params, BODY_RULE_NONE, NULL, NULL, \
	  FORWARD_RELAY, NULL, text }

/* clang-format off */
const struct route libpod_routes[] = {
	PLAIN("GET",	"/_ping",				ping_params,			"tells the API version"),
	PLAIN("HEAD",	"/_ping",				ping_params,			"tells the API version"),
	PLAIN("GET",	"/version",				no_params,			"host facts; passes"),
	PLAIN("GET",	"/info",				no_params,			"host facts; passes"),
	{ "GET",	"/events",			R_NONE, 0,	event_params,			BODY_RULE_NONE,	NULL,			prepare_events,	FORWARD_RELAY,	answer_event,	"events of the project's objects" },

	{ "GET",	"/system/df",			R_NONE, 0,	no_params,			BODY_RULE_NONE,	NULL,			prepare_libpod_df, FORWARD_JUDGE, answer_libpod_df, "the project's part of it, images whole" },

	PLAIN("GET",	"/containers/json",			libpod_list_params,		"the project's containers"),
	{ "POST",	"/containers/create",		R_NONE, ROUTE_CREATES, no_params,		BODY_RULE_JSON,	libpod_create_fields,	prepare_libpod_create, FORWARD_JUDGE, answer_create, "creates a container with the project's label" },
	PLAIN("POST",	"/containers/prune",			prune_params,			"removes the project's stopped containers"),
	PLAIN("GET",	"/containers/stats",			libpod_stats_params,		"use of resources of own containers"),
	PLAIN("GET",	"/containers/{container}/json",		container_inspect_params,	"an own container"),
	PLAIN("GET",	"/containers/{container}/exists",	libpod_exists_params,		"whether it is there"),
	PLAIN("GET",	"/containers/{container}/top",		libpod_top_params,		"its processes"),
	PLAIN("GET",	"/containers/{container}/logs",		container_logs_params,		"its output"),
	PLAIN("GET",	"/containers/{container}/stats",	container_stats_params,		"its use of resources"),
	PLAIN("GET",	"/containers/{container}/changes",	libpod_changes_params,		"its changed files"),
	PLAIN("GET",	"/containers/{container}/export",	no_params,			"its files as tar"),
	PLAIN("GET",	"/containers/{container}/healthcheck",	no_params,			"runs its health check"),
	{ "POST",	"/containers/{container}/init",	R_NONE, 0,	no_params,			BODY_RULE_NONE,	NULL,			prepare_start,	FORWARD_RELAY,	NULL,		"prepares it, binds and networks resolved again, and what it starts first" },
	{ "POST",	"/containers/{container}/start", R_NONE, 0,	libpod_start_params,		BODY_RULE_NONE,	NULL,			prepare_start,	FORWARD_RELAY,	NULL,		"starts it, binds and networks resolved again, and what it starts first" },
	PLAIN("POST",	"/containers/{container}/stop",		libpod_stop_params,		"stops it"),
	{ "POST",	"/containers/{container}/restart", R_NONE, 0,	libpod_stop_params,		BODY_RULE_NONE,	NULL,			prepare_start,	FORWARD_RELAY,	NULL,		"restarts it, binds and networks resolved again, and what it starts first" },
	PLAIN("POST",	"/containers/{container}/shouldrestart", no_params,			"whether its policy would restart it"),
	PLAIN("POST",	"/containers/{container}/kill",		container_kill_params,		"sends it a signal"),
	PLAIN("POST",	"/containers/{container}/pause",	no_params,			"pauses it"),
	PLAIN("POST",	"/containers/{container}/unpause",	no_params,			"goes on"),
	{ "POST",	"/containers/{container}/rename", R_NONE, 0,	container_rename_params,	BODY_RULE_NONE,	NULL,			prepare_rename,	FORWARD_JUDGE,	answer_create,	"gives it another name" },
	PLAIN("POST",	"/containers/{container}/resize",	libpod_resize_params,		"size of its terminal"),
	{ "POST",	"/containers/{container}/update", R_NONE, 0,	libpod_update_params,		BODY_RULE_JSON,	libpod_resource_fields,	NULL,		FORWARD_RELAY,	NULL,		"resource limits" },
	PLAIN("POST",	"/containers/{container}/wait",		libpod_wait_params,		"waits for its end"),
	{ "POST",	"/containers/{container}/attach", R_NONE, ROUTE_HIJACK, container_attach_params, BODY_RULE_NONE, NULL,			prepare_attach,	FORWARD_HIJACK,	NULL,		"its streams" },
	{ "HEAD",	"/containers/{container}/archive", R_NONE, 0,	archive_params,			BODY_RULE_NONE,	NULL,			prepare_archive, FORWARD_RELAY,	NULL,		"state of a path in it" },
	{ "GET",	"/containers/{container}/archive", R_NONE, 0,	archive_params,			BODY_RULE_NONE,	NULL,			prepare_archive, FORWARD_RELAY,	NULL,		"a path in it as tar" },
	{ "PUT",	"/containers/{container}/archive", R_NONE, 0,	libpod_archive_put_params,		BODY_RULE_SCAN,	NULL,			prepare_archive_put, FORWARD_RELAY,	NULL,		"plain tar of files, directories and links into it" },
	PLAIN("DELETE",	"/containers/{container}",		libpod_delete_params,		"removes it"),
	{ "POST",	"/containers/{container}/exec",	R_NONE, ROUTE_CREATES, no_params,		BODY_RULE_JSON,	exec_create_fields,	prepare_exec_create, FORWARD_JUDGE, answer_exec_create, "prepares a command in it" },
	{ "POST",	"/exec/{exec}/start",		R_NONE, ROUTE_HIJACK, no_params,		BODY_RULE_OPTIONAL, libpod_exec_start_fields, NULL,	FORWARD_HIJACK,	NULL,		"runs the command" },
	PLAIN("POST",	"/exec/{exec}/resize",			libpod_resize_params,		"size of its terminal"),
	{ "POST",	"/exec/{exec}/remove",		R_NONE, 0,	no_params,			BODY_RULE_OPTIONAL, libpod_exec_remove_fields, NULL,	FORWARD_RELAY,	NULL,		"forgets the command" },
	PLAIN("GET",	"/exec/{exec}/json",			no_params,			"state of the command"),

	PLAIN("GET",	"/images/json",				image_list_params,		"all images: they are shared"),
	PLAIN("GET",	"/images/search",			libpod_search_params,		"searches a registry"),
	PLAIN("POST",	"/images/pull",				libpod_pull_params,		"pulls an image, anonymously"),
	PLAIN("GET",	"/images/export",			libpod_image_save_params,	"saves images"),
	{ "POST",	"/images/load",			R_NONE, 0,	no_params,			BODY_RULE_STREAM, NULL,			prepare_image_load, FORWARD_RELAY, NULL,	"refused without --allow-image-load" },
	PLAIN("POST",	"/images/prune",			libpod_image_prune_params,	"removes the project's unused images"),
	{ "DELETE",	"/images/remove",		R_NONE, ROUTE_REPORTS, libpod_image_remove_params,	BODY_RULE_NONE,	NULL,			NULL,		FORWARD_JUDGE,	answer_image_remove, "removes own images" },
	{ "GET",	"/images/{image}/get",		R_NONE, ROUTE_ANY_OWNER, libpod_image_save_params, BODY_RULE_NONE, NULL,		NULL,		FORWARD_RELAY,	NULL,		"saves an image" },
	{ "GET",	"/images/{image}/json",		R_NONE, ROUTE_ANY_OWNER, libpod_image_inspect_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"any image" },
	{ "GET",	"/images/{image}/exists",	R_NONE, ROUTE_ANY_OWNER, no_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"whether it is there" },
	{ "GET",	"/images/{image}/tree",		R_NONE, ROUTE_ANY_OWNER, libpod_tree_params,	BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"its layers" },
	{ "GET",	"/images/{image}/history",	R_NONE, ROUTE_ANY_OWNER, no_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"its history" },
	{ "GET",	"/images/{image}/resolve",	R_NONE, ROUTE_ANY_OWNER, no_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_RELAY,	NULL,		"names that a short one stands for" },
	{ "POST",	"/images/{image}/tag",		R_NONE, 0,	image_tag_params,		BODY_RULE_NONE,	NULL,			prepare_image_tag, FORWARD_RELAY, NULL,		"tags an own image; a tag of others is not moved" },
	PLAIN("POST",	"/images/{image}/untag",		libpod_untag_params,		"takes a tag off an own image"),
	{ "DELETE",	"/images/{image}",		R_NONE, 0,	libpod_image_delete_params,	BODY_RULE_NONE,	NULL,			NULL,		FORWARD_JUDGE,	answer_image_remove, "removes an own image" },
	{ "POST",	"/commit",			R_NONE, 0,	libpod_commit_params,		BODY_RULE_NONE,	NULL,			prepare_commit,	FORWARD_RELAY,	NULL,		"an image of an own container, with the project's label" },
	{ "POST",	"/build",			R_NONE, 0,	libpod_build_params,		BODY_RULE_SCAN,	NULL,			prepare_build,	FORWARD_RELAY,	NULL,		"build with the project's label; the context is read" },

	PLAIN("GET",	"/networks/json",			network_list_params,		"the project's networks"),
	{ "POST",	"/networks/create",		R_NONE, ROUTE_CREATES, libpod_network_create_params, BODY_RULE_JSON, libpod_network_create_fields, prepare_libpod_network_create, FORWARD_JUDGE, answer_conflict, "creates a bridge network with the project's label" },
	PLAIN("POST",	"/networks/prune",			prune_params,			"removes the project's unused networks"),
	PLAIN("GET",	"/networks/{network}/json",		no_params,			"an own network"),
	PLAIN("GET",	"/networks/{network}",			no_params,			"an own network"),
	PLAIN("GET",	"/networks/{network}/exists",		no_params,			"whether it is there"),
	PLAIN("DELETE",	"/networks/{network}",			network_delete_params,		"removes it"),
	{ "POST",	"/networks/{network}/connect",	R_NONE, ROUTE_BRIDGE, no_params,		BODY_RULE_JSON,	libpod_network_connect_fields, NULL,	FORWARD_RELAY,	NULL,		"an own container to an own network" },
	{ "POST",	"/networks/{network}/disconnect", R_NONE, ROUTE_BRIDGE, no_params,		BODY_RULE_JSON,	network_disconnect_fields, NULL,	FORWARD_RELAY,	NULL,		"an own container from it" },

	{ "GET",	"/volumes/json",		R_NONE, 0,	volume_list_params,		BODY_RULE_NONE,	NULL,			NULL,		FORWARD_JUDGE,	answer_volume_list, "the project's volumes" },
	{ "POST",	"/volumes/create",		R_NONE, ROUTE_CREATES, no_params,		BODY_RULE_OPTIONAL, libpod_volume_create_fields, prepare_volume_create, FORWARD_JUDGE, answer_volume_create, "creates a local volume with the project's label" },
	PLAIN("POST",	"/volumes/prune",			libpod_volume_prune_params,	"removes the project's unused volumes"),
	PLAIN("GET",	"/volumes/{volume}/json",		no_params,			"an own volume"),
	PLAIN("GET",	"/volumes/{volume}/exists",		no_params,			"whether it is there"),
	PLAIN("GET",	"/volumes/{volume}/export",		no_params,			"its files as tar"),
	{ "DELETE",	"/volumes/{volume}",		R_NONE, 0,	libpod_volume_delete_params,	BODY_RULE_NONE,	NULL,			prepare_volume_delete, FORWARD_RELAY, NULL,	"removes it" },

	PLAIN("GET",	"/pods/json",				libpod_pod_list_params,		"the project's pods"),
	{ "POST",	"/pods/create",			R_NONE, ROUTE_CREATES, no_params,		BODY_RULE_JSON,	libpod_pod_fields,	prepare_libpod_pod, FORWARD_JUDGE, answer_create, "creates a pod with the project's label" },
	PLAIN("GET",	"/pods/stats",				libpod_pod_stats_params,	"use of resources of own pods"),
	PLAIN("GET",	"/pods/{pod}/json",			no_params,			"an own pod"),
	PLAIN("GET",	"/pods/{pod}/exists",			no_params,			"whether it is there"),
	PLAIN("GET",	"/pods/{pod}/top",			libpod_top_params,		"its processes"),
	{ "POST",	"/pods/{pod}/start",		R_NONE, 0,	no_params,			BODY_RULE_NONE,	NULL,			prepare_pod_start, FORWARD_RELAY, NULL,		"starts its members, binds and networks resolved again" },
	PLAIN("POST",	"/pods/{pod}/stop",			libpod_stop_params,		"stops its members"),
	{ "POST",	"/pods/{pod}/restart",		R_NONE, 0,	no_params,			BODY_RULE_NONE,	NULL,			prepare_pod_start, FORWARD_RELAY, NULL,		"restarts its members, binds and networks resolved again" },
	PLAIN("POST",	"/pods/{pod}/kill",			container_kill_params,		"sends its members a signal"),
	PLAIN("POST",	"/pods/{pod}/pause",			no_params,			"pauses its members"),
	PLAIN("POST",	"/pods/{pod}/unpause",			no_params,			"goes on"),
	PLAIN("DELETE",	"/pods/{pod}",				libpod_pod_delete_params,	"removes it and its members"),

	REFUSED("POST",	"/pods/prune",			R_PRUNE,	"podman takes no filter here: pods of every project would go; remove pods by name"),
	REFUSED("POST",	"/system/prune",		R_PRUNE,	"prune containers, images, networks and volumes one kind after the other"),
	REFUSED("POST",	"/images/{image}/push",		R_IMAGE_PUSH,	"push from outside the sandbox"),
	REFUSED("POST",	"/images/scp/{image}",		R_IMAGE_PUSH,	"copies images by ssh from the host"),
	REFUSED("POST",	"/images/import",		R_PULL_SOURCE,	"the service would read a URL or a file of its host"),
	REFUSED("*",	"/local/*",			R_LOCAL_FILES,	"reads files of the service's host"),
	REFUSED("*",	"/containers/showmounted",	R_LOCAL_FILES,	"shows paths of the host"),
	REFUSED("*",	"/containers/{container}/mount", R_LOCAL_FILES,	"mounts on the host"),
	REFUSED("*",	"/containers/{container}/unmount", R_LOCAL_FILES, "unmounts on the host"),
	REFUSED("*",	"/containers/{container}/checkpoint", R_CHECKPOINT, "checkpoints write host files"),
	REFUSED("*",	"/containers/{container}/restore", R_CHECKPOINT, "checkpoints read host files"),
	REFUSED("*",	"/generate/*",			R_KUBE,		"systemd units and Kubernetes YAML carry host paths"),
	REFUSED("*",	"/play/*",			R_KUBE,		"Kubernetes YAML carries host paths"),
	REFUSED("*",	"/kube/*",			R_KUBE,		"Kubernetes YAML carries host paths"),
	REFUSED("*",	"/secrets/*",			R_SECRETS,	"secrets are not supported; pass values by environment or a bind"),
	REFUSED("*",	"/manifests/*",			R_ROUTE,	"manifest lists carry no label"),
	REFUSED("*",	"/artifacts/*",			R_ROUTE,	"artifacts carry no label"),
	REFUSED("*",	"/quadlets/*",			R_LOCAL_FILES,	"writes systemd units on the host"),
	{ NULL, NULL, R_NONE, 0, NULL, BODY_RULE_NONE, NULL, NULL, FORWARD_RELAY, NULL, NULL }
};
/* clang-format on */
