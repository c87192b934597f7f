/*
 * What a start brings up, looked at again: where the binds of a container lead
 * now, whose networks its names stand for now, and on podman the same of all
 * containers that it starts first.  Knows no route, and nothing of creation.
 */
#include "policyd/checks.h"
#include "policyd/owner.h"
#include "policyd/recheck.h"

int
recheck_add(struct judge *j, struct recheck *r, struct str id)
{
	for (size_t i = 0; i < r->count; i++)
		if (str_equal(r->id[i], id))
			return 0;
	if (r->count == RECHECK_MAX)
		return judge_refuse(j, R_BUDGET, STR("Dependencies"),
		    "more than %d containers would start; start some of them "
		    "one by one first", RECHECK_MAX);
	r->id[r->count++] = id;
	return 0;
}

/* It may be gone since it was looked up, or never have been ours. */
static int
refuse_unread(struct judge *j, struct str id, enum owner owner)
{
	if (owner == OWNER_ASKED)
		return 0;
	if (owner == OWNER_REFUSED)
		return -R_FACTS;
	if (str_equal(id, j->object))
		return owner_refuse_container(j, j->subject);
	return judge_refuse(j, R_DEPENDENCY, STR("Dependencies"),
	    "a container that would be started, too, is gone or not this "
	    "project's; create %s again", judge_show(j, j->subject));
}

/* ---- networks ----------------------------------------------------------- */

static int
refuse_moved(struct judge *j, struct str name)
{
	return judge_refuse(j, R_NETWORK_MOVED, STR("NetworkSettings.Networks"),
	    "network \"%s\" of this container is not this project's any more; "
	    "create the container again", judge_show(j, name));
}

/*
 * Nobody can make another network of these names.  podman 5 lists a mode that
 * is no network as if it were one: it is believed when it is the mode.
 */
static bool
is_everybodys(const struct judge *j, struct str name, struct str mode)
{
	if (j->request->backend.kind == BACKEND_PODMAN)
		return str_is(name, "podman") || (str_equal(name, mode) &&
		    (str_is(name, "none") || str_is(name, "slirp4netns") ||
		    str_is(name, "pasta")));
	return str_is(name, "bridge") || str_is(name, "none") ||
	    str_is(name, "default");
}

/*
 * The word by which the daemon will look for it: docker goes by the id once
 * the container has been started, and until then by the name that the network
 * had at create; podman always by that name.
 */
static struct str
network_word(const struct judge *j, struct str name,
    struct json_object *endpoint)
{
	struct str id = check_member_str(endpoint, "NetworkID");

	return j->request->backend.kind == BACKEND_PODMAN || id.len == 0 ?
	    name : id;
}

/*
 * One that is gone is refused here in the daemon's words: until the start is
 * there, another project may have made one of that name.
 */
static int
check_network(struct judge *j, struct str name, struct json_object *endpoint,
    struct str mode)
{
	struct str word = network_word(j, name, endpoint), id, found;

	if (is_everybodys(j, name, mode))
		return 0;
	if (!check_is_name(word))
		return refuse_moved(j, name);
	switch (owner_network(j, word, &id, &found)) {
	case OWNER_OURS:
	case OWNER_ASKED:
		return 0;
	case OWNER_ABSENT:
		return owner_refuse_network(j, name);
	/* A name of few hex digits finds what has an id that begins so. */
	case OWNER_PREDEFINED:
	case OWNER_FOREIGN:
		return refuse_moved(j, name);
	case OWNER_REFUSED:
		break;
	}
	return -R_FACTS;
}

static int
check_networks(struct judge *j, struct json_object *inspect)
{
	struct json_object *networks = check_member(check_member(inspect,
	    "NetworkSettings"), "Networks");
	struct str mode = check_member_str(check_member(inspect,
	    "HostConfig"), "NetworkMode");

	if (str_is(mode, "host"))
		return refuse_moved(j, mode);
	if (json_object_is_type(networks, json_type_object) &&
	    json_object_object_length(networks) > 0) {
		json_object_object_foreach(networks, key, endpoint) {
			int error = check_network(j, str_from(key), endpoint,
			    mode);

			if (error != 0)
				return error;
		}
		return 0;
	}
	/* docker takes the mode for a name when it knows no network. */
	if (j->request->backend.kind == BACKEND_PODMAN || mode.len == 0 ||
	    str_starts(mode, "container:"))
		return 0;
	return check_network(j, mode, NULL, mode);
}

/* ---- what podman starts along ------------------------------------------- */

/* Members of HostConfig that may name a container, as container:ID. */
static const char *const joined[] = { "NetworkMode", "IpcMode", "PidMode",
	"UTSMode", "UsernsMode", "CgroupMode" };

static int
add_dependencies(struct judge *j, struct recheck *r,
    struct json_object *inspect)
{
	struct json_object *list = check_member(inspect, "Dependencies");
	size_t n = json_object_is_type(list, json_type_array) ?
	    json_object_array_length(list) : 0;
	int error = 0;

	for (size_t i = 0; i < n && error == 0; i++)
		error = recheck_add(j, r, judge_str(json_object_array_get_idx(
		    list, i)));
	for (size_t i = 0; i < sizeof(joined) / sizeof(*joined) &&
	    error == 0; i++) {
		struct str mode = check_member_str(check_member(inspect,
		    "HostConfig"), joined[i]);

		if (str_starts(mode, "container:"))
			error = recheck_add(j, r, str_skip(mode,
			    strlen("container:")));
	}
	return error;
}

/* ---- in all ------------------------------------------------------------- */

static int
recheck_one(struct judge *j, struct recheck *r, struct str id)
{
	enum owner owner = OWNER_ABSENT;
	struct json_object *inspect = NULL;
	int error;

	if (check_is_name(id))
		inspect = owner_inspect_container(j, id, &owner);
	if (inspect == NULL)
		return refuse_unread(j, id, owner);
	if ((error = check_binds_again(j, inspect)) != 0 ||
	    (error = check_networks(j, inspect)) != 0)
		return error;
	return j->request->backend.kind == BACKEND_PODMAN ?
	    add_dependencies(j, r, inspect) : 0;
}

int
recheck_all(struct judge *j, struct recheck *r)
{
	/* The list grows as it is gone through. */
	for (size_t i = 0; i < r->count; i++) {
		int error = recheck_one(j, r, r->id[i]);

		if (error != 0)
			return error;
	}
	return 0;
}

int
recheck_binds(struct judge *j, struct str id)
{
	enum owner owner;
	struct json_object *inspect = owner_inspect_container(j, id, &owner);

	if (inspect == NULL)
		return refuse_unread(j, id, owner);
	return check_binds_again(j, inspect);
}
