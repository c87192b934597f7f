/*
 * What is particular to libpod's create routes, and to podman's events.
 */
#include "common/setting.h"
#include "policyd/checks.h"
#include "policyd/egress.h"
#include "policyd/image_of.h"
#include "policyd/owner.h"
#include "policyd/recheck.h"
#include "policyd/rules/rules.h"

/* None, kill and stop; what is left restarts, in this or a later podman. */
static bool
is_health_action_final(struct json_object *action)
{
	int64_t n = json_object_get_int64(action);

	return n == 0 || n == 2 || n == 4;
}

/* The field that lets the service start it again by itself, or NULL. */
static const char *
find_restart(struct judge *j)
{
	struct str policy = check_member_str(j->tree, "restart_policy");

	if (policy.len > 0 && !str_is(policy, "no"))
		return "restart_policy";
	if (!is_health_action_final(check_member(j->tree,
	    "health_check_on_failure_action")))
		return "health_check_on_failure_action";
	return walk_is_zero(check_member(j->tree, "startupHealthConfig")) ?
	    NULL : "startupHealthConfig";
}

static int
check_restart(struct judge *j)
{
	const char *field = find_restart(j);

	if (!j->bind_below_root)
		return 0;
	if (field != NULL)
		return judge_refuse(j, R_BIND_RESTART, str_from(field),
		    "a bind below %s together with %s: the service would follow "
		    "a swapped path without the gateway; leave one of them out",
		    judge_show(j, j->settings->roots.path[0]), field);
	/* Else it would have its pod's. */
	json_object_object_add(j->tree, "restart_policy",
	    json_object_new_string("no"));
	return 0;
}

static void
add_mapping(struct json_object *list, int64_t port, const char *protocol)
{
	struct json_object *one = json_object_new_object();

	json_object_object_add(one, "host_ip",
	    json_object_new_string("127.0.0.1"));
	json_object_object_add(one, "container_port",
	    json_object_new_int64(port));
	json_object_object_add(one, "protocol",
	    json_object_new_string(protocol));
	json_object_array_add(list, one);
}

static bool
is_mapped(struct json_object *list, int64_t port)
{
	size_t n = json_object_array_length(list);

	for (size_t i = 0; i < n; i++)
		if (json_object_get_int64(check_member(
		    json_object_array_get_idx(list, i), "container_port")) ==
		    port)
			return true;
	return false;
}

/* "80" or "80/udp" -> a mapping on loopback, unless there is one. */
static void
map_port(struct judge *j, struct json_object *list, struct str key,
    struct str protocol)
{
	struct str number = str_first(key, str_find(key, '/'));
	int64_t port = 0;

	if (number.len == 0 || number.len > 5)
		return;
	for (size_t i = 0; i < number.len; i++) {
		if (number.data[i] < '0' || number.data[i] > '9')
			return;
		port = port * 10 + (number.data[i] - '0');
	}
	if (number.len < key.len)
		protocol = str_skip(key, number.len + 1);
	if (port > 0 && port <= 65535 && !is_mapped(list, port))
		add_mapping(list, port, protocol.len > 0 ? arena_text(
		    j->arena, protocol) : "tcp");
}

static void
map_ports(struct judge *j, struct json_object *exposed)
{
	struct json_object *list = check_force_array(j->tree, "portmappings");

	if (!json_object_is_type(exposed, json_type_object))
		return;
	json_object_object_foreach(exposed, key, value)
		map_port(j, list, str_from(key), judge_str(value));
}

/* publish_image_ports would bind every address. */
static void
publish_image_ports(struct judge *j, struct json_object *config)
{
	if (walk_is_zero(check_member(j->tree, "publish_image_ports")))
		return;
	json_object_object_add(j->tree, "publish_image_ports",
	    json_object_new_boolean(0));
	map_ports(j, check_member(j->tree, "expose"));
	map_ports(j, check_member(config, "ExposedPorts"));
}

/* A device node made inside would be one on the host's disk. */
static void
drop_mknod(struct json_object *list)
{
	size_t n = json_object_array_length(list);

	for (size_t i = 0; i < n; i++)
		if (str_is(judge_str(json_object_array_get_idx(list, i)),
		    "CAP_MKNOD"))
			return;
	json_object_array_add(list, json_object_new_string("CAP_MKNOD"));
}

int
prepare_libpod_create(struct judge *j)
{
	struct json_object *config;
	int error;

	check_set_container_labels(j, j->tree, "labels");
	if ((error = egress_check(j)) != 0 || (error = check_restart(j)) != 0)
		return error;
	if (j->has_bind)
		drop_mknod(check_force_array(j->tree, "cap_drop"));
	json_object_object_add(j->tree, "httpproxy",
	    json_object_new_boolean(0));
	json_object_object_add(j->tree, "privileged",
	    json_object_new_boolean(0));
	json_object_object_add(j->tree, "systemd",
	    json_object_new_string("false"));
	if (egress_is_injected(j))
		egress_set_map(j, check_force_object(j->tree, "env"),
		    egress_names(j, check_member_str(j->tree, "name"),
		    check_member(j->tree, "Networks"), "aliases"));
	j->subject = arena_str(j->arena, check_member_str(j->tree, "name"));
	if ((error = image_settle(j, "image", &config)) != 0)
		return error;
	publish_image_ports(j, config);
	return 0;
}

int
prepare_libpod_pod(struct judge *j)
{
	check_set_label(j, j->tree, "labels");
	j->subject = arena_str(j->arena, check_member_str(j->tree, "name"));
	return check_restart(j);
}

int
prepare_libpod_network_create(struct judge *j)
{
	check_set_label(j, j->tree, "labels");
	j->subject = arena_str(j->arena, check_member_str(j->tree, "name"));
	if (j->subject.len > 0)
		return 0;
	return judge_refuse(j, R_BAD_VALUE, STR("name"),
	    "a network needs a name");
}

/* podman takes label values as alternatives: the answer is filtered. */
int
prepare_events(struct judge *j)
{
	if (j->request->backend.kind == BACKEND_PODMAN)
		j->response = FORWARD_JUDGE_LINES;
	return 0;
}

int
prepare_volume_list(struct judge *j)
{
	if (j->request->backend.kind == BACKEND_PODMAN)
		j->response = FORWARD_JUDGE;
	return 0;
}

/* Every member: a start of the pod starts them all. */
int
prepare_pod_start(struct judge *j)
{
	const struct fact *fact = owner_get_libpod(j, arena_printf(j->arena,
	    "/pods/%.*s/json", STR_FMT(j->object)));
	struct recheck started = { 0, { STR_NONE } };
	struct json_object *pod, *members;
	bool absent;

	if (fact == NULL)
		return 0;
	pod = owner_fact_json(j, fact, &absent);
	if (pod == NULL)
		return absent ? owner_refuse_pod(j, j->subject) : -R_FACTS;
	members = check_member(pod, "Containers");
	for (size_t i = 0; json_object_is_type(members, json_type_array) &&
	    i < json_object_array_length(members); i++) {
		int error = recheck_add(j, &started, check_member_str(
		    json_object_array_get_idx(members, i), "Id"));

		if (error != 0)
			return error;
	}
	return recheck_all(j, &started);
}
