/*
 * Networks and volumes as objects of their own: names, subnets, drivers.
 */
#include <sys/socket.h>

#include "policyd/checks.h"
#include "policyd/hostroute.h"
#include "policyd/owner.h"
#include "policyd/range.h"

/*
 * podman removes networks by name, and takes it for the beginning of an id when
 * the name is gone.
 */
static bool
may_be_id_on_podman(const struct judge *j, struct str name)
{
	size_t n = 0;

	while (n < name.len && strchr("0123456789abcdef", name.data[n]) != NULL)
		n++;
	return j->request->backend.kind == BACKEND_PODMAN && n == name.len;
}

int
check_network_name(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	static const char *const reserved[] = { "bridge", "host", "none",
		"default", "podman", "private", "container", "ns", "pod",
		"slirp4netns", "pasta", "ingress" };
	struct str name = judge_str(value);

	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		if (str_equal_nocase(name, str_from(reserved[i])))
			return judge_refuse_at(j, row->reason, at,
			    "network name \"%s\" is reserved; take another",
			    judge_show(j, name));
	if (!check_is_new_name(name) || may_be_id_on_podman(j, name))
		return judge_refuse_at(j, row->reason, at,
		    "network name \"%s\" must match "
		    "[a-zA-Z0-9][a-zA-Z0-9_.-]* and not look like an id",
		    judge_show(j, name));
	return 0;
}

bool
check_is_hex(struct str s)
{
	if (s.len < 12)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (strchr("0123456789abcdef", s.data[i]) == NULL)
			return false;
	return true;
}

/* Private ranges of either family; a subnet is not wider than its range. */
static const struct range private_ranges[] = {
	{ AF_INET, "10.0.0.0", 8 },
	{ AF_INET, "172.16.0.0", 12 },
	{ AF_INET, "192.168.0.0", 16 },
	{ AF_INET6, "fc00::", 7 },
	{ 0, NULL, 0 }
};

/*
 * The bridge's own route is the narrower one: the host's traffic to its LAN, or
 * to a name server there, would go to a container.  A subnet that the daemon
 * chooses keeps clear of the host's routes.
 */
static int
check_routes(struct judge *j, const struct at *at, const struct field *row,
    struct str subnet)
{
	const struct fact *fact = judge_ask(j, FACT_ROUTES, STR(""));
	char route[HOSTROUTE_TEXT_MAX];
	int found;

	if (fact == NULL)
		return 0;
	found = fact->status != 200 ? -1 : hostroute_overlap(fact->text,
	    subnet, (enum backend_kind)j->request->backend.kind, route);
	if (found == 0)
		return 0;
	if (found < 0)
		return judge_refuse_at(j, row->reason, at,
		    "%.*s cannot be compared with the host's routes; leave "
		    "it out, and the daemon chooses one",
		    STR_FMT(judge_path(j, at)));
	return judge_refuse_at(j, row->reason, at,
	    "%.*s overlaps the host's route to %s; leave it out, and the "
	    "daemon chooses one", STR_FMT(judge_path(j, at)), judge_show(j,
	    str_from(route)));
}

int
check_subnet(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	struct str subnet = judge_str(value);

	if (subnet.len == 0)
		return 0;
	if (str_find(subnet, '/') < subnet.len &&
	    range_holds(private_ranges, subnet))
		return check_routes(j, at, row, subnet);
	return judge_refuse_at(j, row->reason, at,
	    "%.*s is \"%s\"; write a subnet of 10.0.0.0/8, 172.16.0.0/12, "
	    "192.168.0.0/16 or fc00::/7", STR_FMT(judge_path(j, at)),
	    judge_show(j, subnet));
}

int
check_network_options(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	json_object_object_foreach(value, key, member) {
		struct at inner = { at, key, 0, value };

		if (strcmp(key, "com.docker.network.driver.mtu") != 0 ||
		    !json_object_is_type(member, json_type_string))
			return judge_refuse_at(j, row->reason, &inner,
			    "network option %s reaches the host; only "
			    "com.docker.network.driver.mtu passes",
			    judge_show(j, str_from(key)));
	}
	return 0;
}

/* {"Network": ""} is what clients send for none. */
int
check_config_from(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	json_object_object_foreach(value, key, member)
		if (strcmp(key, "Network") != 0 || !walk_is_zero(member))
			return judge_refuse_at(j, row->reason, at,
			    "%.*s: %s", STR_FMT(judge_path(j, at)), row->text);
	json_object_object_del(at->parent, at->key);
	return 0;
}

int
check_own_container(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	struct str ref = judge_str(value), id;
	enum owner owner;

	(void)row;
	if (str_starts(ref, "/"))
		ref = str_skip(ref, 1);
	owner = owner_container(j, ref, &id);
	if (owner == OWNER_REFUSED)
		return -R_FACTS;
	if (owner != OWNER_OURS && owner != OWNER_ASKED)
		return owner_refuse_container(j, ref);
	judge_replace(at, judge_new_str(id));
	return 0;
}

/* podman finds a volume by the beginning of its name, too. */
int
check_new_volume_name(struct judge *j, const struct at *at, struct str name)
{
	if (!check_is_hex(name))
		return 0;
	return judge_refuse_at(j, R_NAME, at,
	    "volume name \"%s\" looks like an id; take another",
	    judge_show(j, name));
}

int
check_volume_name(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	struct str name = judge_str(value);

	if (name.len == 0)
		return 0;
	if (!check_is_name(name))
		return judge_refuse_at(j, row->reason, at,
		    "volume name \"%s\" must match [a-zA-Z0-9][a-zA-Z0-9_.-]*",
		    judge_show(j, name));
	/* An existing volume comes back with the labels that it has. */
	switch (owner_volume(j, name)) {
	case OWNER_ABSENT:
		return check_new_volume_name(j, at, name);
	case OWNER_OURS:
	case OWNER_ASKED:
		return 0;
	case OWNER_FOREIGN:
	case OWNER_PREDEFINED:
		return judge_refuse_at(j, R_CONFLICT, at,
		    "volume name \"%s\" is in use outside this project; take "
		    "another", judge_show(j, name));
	case OWNER_REFUSED:
		break;
	}
	return -R_FACTS;
}
