/*
 * Namespaces and networks: which of them a container may share, and with whom.
 */
#include "policyd/checks.h"
#include "policyd/owner.h"

/* container:REF, replaced by the full id. */
static int
check_container_ref(struct judge *j, const struct at *at,
    enum reason reason, struct str value)
{
	struct str ref = str_skip(value, strlen("container:")), id;
	enum owner owner;

	if (str_starts(ref, "/"))
		ref = str_skip(ref, 1);
	owner = owner_container(j, ref, &id);
	if (owner == OWNER_REFUSED)
		return -R_FACTS;
	if (owner != OWNER_OURS && owner != OWNER_ASKED)
		return judge_refuse_at(j, reason, at,
		    "%.*s is \"%s\": no such container in this project",
		    STR_FMT(judge_path(j, at)), judge_show(j, value));
	judge_replace(at, judge_new_str(arena_printf(j->arena,
	    "container:%.*s", STR_FMT(id))));
	return 0;
}

int
check_namespace(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	struct str s = judge_str(value);
	bool joins = false;

	for (const char *const *list = row->arg; *list != NULL; list++) {
		if (strcmp(*list, "container:ID") == 0)
			joins = true;
		else if (str_is(s, *list))
			return 0;
	}
	if (joins && str_starts(s, "container:"))
		return check_container_ref(j, at, row->reason, s);
	return judge_refuse_at(j, row->reason, at,
	    "%.*s is \"%s\"; leave it out, or write %s",
	    STR_FMT(judge_path(j, at)), judge_show(j, s), check_values(j,
	    row->arg));
}

/* Modes that need no look-up. */
static bool
is_plain_mode(const struct judge *j, struct str mode)
{
	static const char *const podman_modes[] = { "private", "slirp4netns",
		"pasta" };

	if (mode.len == 0 || str_is(mode, "default") || str_is(mode,
	    "bridge") || str_is(mode, "none"))
		return true;
	if (j->request->backend.kind != BACKEND_PODMAN)
		return false;
	for (size_t i = 0; i < 3; i++)
		if (str_is(mode, podman_modes[i]))
			return true;
	return false;
}

static int
refuse_network(struct judge *j, const struct at *at, struct str ref)
{
	return judge_refuse_at(j, R_NETWORK, at,
	    "network \"%s\" is not one of this project; create it first",
	    judge_show(j, ref));
}

/*
 * A network by name or id: *out is what goes out, the full id, or the name of
 * a predefined one.
 */
int
check_network_ref(struct judge *j, const struct at *at, struct str ref,
    struct str *out)
{
	struct str id, name;

	*out = ref;
	if (str_is(ref, "host"))
		return judge_refuse_at(j, R_NETWORK_NAMESPACE, at,
		    "the host's network is not shared; use a network of the "
		    "project and published ports");
	switch (owner_network(j, ref, &id, &name)) {
	case OWNER_OURS:
		*out = id;
		return 0;
	case OWNER_ASKED:
		return 0;
	case OWNER_PREDEFINED:
		if (str_is(name, "host"))
			return judge_refuse_at(j, R_NETWORK_NAMESPACE, at,
			    "\"%s\" is the host's network",
			    judge_show(j, ref));
		*out = name;
		return 0;
	case OWNER_ABSENT:
	case OWNER_FOREIGN:
		return refuse_network(j, at, ref);
	case OWNER_REFUSED:
		break;
	}
	return -R_FACTS;
}

int
check_network_mode(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	struct str mode = judge_str(value), out;
	int error;

	if (is_plain_mode(j, mode))
		return 0;
	if (str_starts(mode, "container:"))
		return check_container_ref(j, at, row->reason, mode);
	if (str_find(mode, ':') < mode.len)
		return judge_refuse_at(j, row->reason, at,
		    "%.*s is \"%s\"; default, bridge, none, an own network or "
		    "container:ID pass", STR_FMT(judge_path(j, at)),
		    judge_show(j, mode));
	if ((error = check_network_ref(j, at, mode, &out)) != 0)
		return error;
	judge_replace(at, judge_new_str(out));
	return 0;
}

/* default, bridge and none given are one network. */
static bool
same_network(struct str a, struct str b)
{
	bool a_default = a.len == 0 || str_is(a, "default") || str_is(a,
	    "bridge");
	bool b_default = b.len == 0 || str_is(b, "default") || str_is(b,
	    "bridge");

	return str_equal(a, b) || (a_default && b_default);
}

static int
refuse_mismatch(struct judge *j, const struct at *at, struct str mode)
{
	return judge_refuse_at(j, R_NETWORK, at,
	    "%.*s does not hold the network of HostConfig.NetworkMode "
	    "\"%s\", and would override it; name the same network in both",
	    STR_FMT(judge_path(j, at)), judge_show(j, mode));
}

/*
 * The daemons let this map override NetworkMode: every key is a network of
 * ours, and NetworkMode is one of them.  HostConfig was judged before, so the
 * mode is already what goes out.
 */
int
check_endpoints(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	struct str mode = check_member_str(j->host_config, "NetworkMode");
	struct json_object *out = json_object_new_object();
	bool matched = json_object_object_length(value) == 0;
	int error = 0;

	json_object_object_foreach(value, key, member) {
		struct at inner = { at, key, 0, value };
		struct str network = str_from(key);

		if (!is_plain_mode(j, network))
			error = check_network_ref(j, &inner, network, &network);
		if (error == 0)
			error = walk_value(j, &inner, row->arg, member);
		if (error != 0)
			break;
		matched = matched || same_network(mode, network);
		json_object_object_add(out, arena_text(j->arena, network),
		    json_object_get(check_member(value, key)));
	}
	if (error == 0 && !matched && j->fact_count == 0)
		error = refuse_mismatch(j, at, mode);
	judge_replace(at, out);
	return error;
}

/*
 * CONTAINER[:ALIAS].  Compose links a one-off container to its own services;
 * what another project's container says of itself must not come along.
 */
int
check_links(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	size_t n = json_object_array_length(value);

	/*
	 * podman knows none, and docker-compose run makes odd ones of what
	 * podman shows of the service's containers.
	 */
	if (j->request->backend.kind == BACKEND_PODMAN) {
		judge_replace(at, json_object_new_array());
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		struct at inner = { at, NULL, i, value };
		struct str link = judge_str(json_object_array_get_idx(value,
		    i));
		struct str ref = str_first(link, str_find(link, ':')), id;
		struct str alias = str_skip(link, ref.len + 1);
		enum owner owner;

		if (str_starts(ref, "/"))
			ref = str_skip(ref, 1);
		if (alias.len == 0)
			alias = ref;
		owner = owner_container(j, ref, &id);
		if (owner == OWNER_REFUSED)
			return -R_FACTS;
		if (!check_is_name(alias) || (owner != OWNER_OURS &&
		    owner != OWNER_ASKED))
			return judge_refuse_at(j, row->reason, &inner,
			    "%.*s is \"%s\": %s; put both on a network of "
			    "this project, where names are enough",
			    STR_FMT(judge_path(j, &inner)), judge_show(j,
			    link), row->text);
		judge_replace(&inner, judge_new_str(arena_printf(j->arena,
		    "%.*s:%.*s", STR_FMT(id), STR_FMT(alias))));
	}
	return 0;
}
