/*
 * What is particular to a route, after its parameters and body were judged:
 * labels, what follows from a bind, ports, what is looked at again.
 */
#include "common/setting.h"
#include "policyd/checks.h"
#include "policyd/egress.h"
#include "policyd/image_of.h"
#include "policyd/owner.h"
#include "policyd/query.h"
#include "policyd/recheck.h"
#include "policyd/rules/rules.h"

static bool
restarts(struct json_object *policy)
{
	struct str name = check_member_str(policy, "Name");

	return name.len > 0 && !str_is(name, "no");
}

static int
refuse_restart(struct judge *j)
{
	return judge_refuse(j, R_BIND_RESTART, STR("RestartPolicy"),
	    "a bind below %s together with a restart policy: the daemon would "
	    "follow a swapped path without the gateway; leave one of them out, "
	    "or bind the project itself", judge_show(j,
	    j->settings->roots.path[0]));
}

/* A device node made inside would be one on the host's disk. */
static void
drop_mknod(struct judge *j)
{
	struct json_object *value = check_member(j->host_config, "CapDrop");
	struct json_object *list = json_object_new_array();
	size_t n = json_object_is_type(value, json_type_array) ?
	    json_object_array_length(value) : 0;
	bool is_dropped = str_is(judge_str(value), "MKNOD");

	if (json_object_is_type(value, json_type_string))
		json_object_array_add(list, json_object_get(value));
	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(value, i);

		is_dropped = is_dropped || str_is(judge_str(one), "MKNOD");
		json_object_array_add(list, json_object_get(one));
	}
	if (!is_dropped)
		json_object_array_add(list, json_object_new_string("MKNOD"));
	json_object_object_add(j->host_config, "CapDrop", list);
}

static void
bind_ports(struct judge *j, struct json_object *exposed)
{
	struct json_object *bindings = check_force_object(j->host_config,
	    "PortBindings");

	if (exposed == NULL)
		return;
	json_object_object_foreach(exposed, key, value) {
		struct json_object *list, *one;

		(void)value;
		if (check_member(bindings, key) != NULL ||
		    !check_is_port(str_from(key)))
			continue;
		list = json_object_new_array();
		one = json_object_new_object();
		json_object_object_add(one, "HostIp",
		    json_object_new_string("127.0.0.1"));
		json_object_object_add(one, "HostPort",
		    json_object_new_string(""));
		json_object_array_add(list, one);
		json_object_object_add(bindings, key, list);
	}
}

/* The first word that runs: entry points first, the image's where none is set. */
static struct str
first_word(struct judge *j, struct json_object *image)
{
	struct json_object *lists[] = {
		check_member(j->tree, "Entrypoint"),
		check_member(image, "Entrypoint"),
		check_member(j->tree, "Cmd"),
		check_member(image, "Cmd"),
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct str word = json_object_is_type(lists[i],
		    json_type_array) ? judge_str(json_object_array_get_idx(
		    lists[i], 0)) : judge_str(lists[i]);

		if (word.len > 0)
			return word;
	}
	return STR_NONE;
}

/*
 * podman gives to what looks like an init system the right to write to cgroups,
 * with version 1 of them to the host's.  By docker's API it cannot be told not
 * to.
 */
static int
check_init(struct judge *j, struct json_object *image)
{
	static const char *const inits[] = { "/sbin/init", "/usr/sbin/init",
		"/usr/local/sbin/init", "systemd" };
	struct str word = first_word(j, image), name = word;

	while (str_find(name, '/') < name.len)
		name = str_skip(name, str_find(name, '/') + 1);
	for (size_t i = 0; i < sizeof(inits) / sizeof(*inits); i++)
		if (str_is(word, inits[i]) || str_is(name, inits[i]))
			return judge_refuse(j, R_HOST_FIELD, STR("Cmd"),
			    "%s would run in podman's systemd mode, which "
			    "writes to the host's cgroups; start it from a "
			    "shell: sh -c 'exec %s'", judge_show(j, word),
			    judge_show(j, word));
	return 0;
}

/*
 * What the image brings along: ports that PublishAllPorts would bind on every
 * address, and volumes that the daemon would make without a label.
 */
static int
apply_image(struct judge *j)
{
	struct json_object *image;
	int error;

	if ((error = image_settle(j, "Image", &image)) != 0)
		return error;
	if (!walk_is_zero(check_member(j->host_config, "PublishAllPorts"))) {
		json_object_object_add(j->host_config, "PublishAllPorts",
		    json_object_new_boolean(0));
		bind_ports(j, check_member(j->tree, "ExposedPorts"));
		bind_ports(j, check_member(image, "ExposedPorts"));
	}
	if (j->request->backend.kind == BACKEND_PODMAN)
		return check_init(j, image);
	mounts_label_anonymous(j, check_member(j->tree, "Volumes"));
	mounts_label_anonymous(j, check_member(image, "Volumes"));
	return 0;
}

static struct str
own_names(struct judge *j)
{
	struct str name = query_value(j, "name");

	return egress_names(j, str_starts(name, "/") ? str_skip(name, 1) : name,
	    check_member(check_member(j->tree, "NetworkingConfig"),
	    "EndpointsConfig"), "Aliases");
}

int
prepare_create(struct judge *j)
{
	int error;

	check_set_container_labels(j, j->tree, "Labels");
	if ((error = egress_check(j)) != 0)
		return error;
	if (j->bind_below_root && restarts(check_member(j->host_config,
	    "RestartPolicy")))
		return refuse_restart(j);
	if (j->has_bind)
		drop_mknod(j);
	if (egress_is_injected(j))
		egress_set_env(j, check_force_array(j->tree, "Env"),
		    own_names(j));
	j->subject = query_value(j, "name");
	return apply_image(j);
}

int
prepare_rename(struct judge *j)
{
	j->subject = query_value(j, "name");
	return 0;
}

int
prepare_exec_create(struct judge *j)
{
	struct json_object *env = check_member(j->tree, "Env");

	if (env != NULL)
		egress_strip_env(j, env);
	return 0;
}

int
prepare_start(struct judge *j)
{
	struct recheck started = { 1, { j->object } };

	return recheck_all(j, &started);
}

/* podman sets a container up when somebody attaches: its binds are mounted then. */
int
prepare_attach(struct judge *j)
{
	return j->request->backend.kind == BACKEND_PODMAN ? prepare_start(j) :
	    0;
}

/* docker mounts a stopped container's binds for an archive. */
int
prepare_archive(struct judge *j)
{
	return recheck_binds(j, j->object);
}

int
prepare_update(struct judge *j)
{
	int error;

	if (!restarts(check_member(j->tree, "RestartPolicy")))
		return 0;
	if ((error = recheck_binds(j, j->object)) != 0)
		return error;
	return j->bind_below_root ? refuse_restart(j) : 0;
}
