/*
 * Egress variables.  NO_PROXY keeps of the client's list what cannot lead out:
 * names without a dot (services call each other by them) and private ranges.
 */
#include <sys/socket.h>

#include "policyd/checks.h"
#include "policyd/egress.h"
#include "policyd/range.h"

/* Both spellings of each: programs differ in which they read. */
static const char *const proxy_names[] = { "HTTP_PROXY", "http_proxy",
	"HTTPS_PROXY", "https_proxy", NULL };
static const char *const bypass_names[] = { "NO_PROXY", "no_proxy", NULL };

static bool
is_named(struct str entry, const char *const *names)
{
	struct str name = str_first(entry, str_find(entry, '='));

	for (; *names != NULL; names++)
		if (str_is(name, *names))
			return true;
	return false;
}

bool
egress_is_injected(const struct judge *j)
{
	const struct msg_egress *e = &j->settings->egress;

	return e->mode != EGRESS_OFF && e->answers[j->request->face] != 0;
}

int
egress_check(struct judge *j)
{
	if (j->settings->egress.mode != EGRESS_REQUIRE ||
	    egress_is_injected(j))
		return 0;
	return judge_refuse(j, R_EGRESS, STR_NONE,
	    "the egress proxy is required and does not answer; start it, or "
	    "start the gateway with --egress inject-if-available");
}

static const struct range kept_ranges[] = {
	{ AF_INET, "10.0.0.0", 8 },
	{ AF_INET, "127.0.0.0", 8 },
	{ AF_INET, "169.254.0.0", 16 },
	{ AF_INET, "172.16.0.0", 12 },
	{ AF_INET, "192.168.0.0", 16 },
	{ AF_INET6, "::1", 128 },
	{ AF_INET6, "fc00::", 7 },
	{ AF_INET6, "fe80::", 10 },
	{ 0, NULL, 0 }
};

/* A host that a client may keep out of the proxy's sight. */
static bool
is_kept(struct str host)
{
	struct str address = host;

	if (str_starts(host, "[") && str_ends(host, "]"))
		address = str_first(str_skip(host, 1), host.len - 2);
	if (range_holds(kept_ranges, address))
		return true;
	return check_is_name(host) && str_find(host, '.') == host.len;
}

static struct str
append_host(struct judge *j, struct str list, struct str host)
{
	struct str left = list;

	while (left.len > 0) {
		struct str one = str_first(left, str_find(left, ','));

		if (str_equal(one, host))
			return list;
		left = str_skip(left, one.len + 1);
	}
	return arena_printf(j->arena, "%.*s%s%.*s", STR_FMT(list),
	    list.len > 0 ? "," : "", STR_FMT(host));
}

static struct str
append_kept(struct judge *j, struct str list, struct str hosts)
{
	while (hosts.len > 0) {
		struct str one = str_first(hosts, str_find(hosts, ','));

		hosts = str_skip(hosts, one.len + 1);
		while (one.len > 0 && one.data[0] == ' ')
			one = str_skip(one, 1);
		while (one.len > 0 && one.data[one.len - 1] == ' ')
			one.len--;
		if (is_kept(one))
			list = append_host(j, list, one);
	}
	return list;
}

/* Takes the client's copies out; what they kept out of the proxy in *bypass. */
static void
strip(struct judge *j, struct json_object *env, struct str *bypass)
{
	size_t kept = 0, n = json_object_array_length(env);

	for (size_t i = 0; i < n; i++) {
		struct json_object *element = json_object_array_get_idx(env, i);
		struct str entry = judge_str(element);

		if (is_named(entry, bypass_names))
			*bypass = append_kept(j, *bypass, str_skip(entry,
			    str_find(entry, '=') + 1));
		else if (!is_named(entry, proxy_names)) {
			if (kept != i)
				json_object_array_put_idx(env, kept,
				    json_object_get(element));
			kept++;
		}
	}
	json_object_array_del_idx(env, kept, n - kept);
}

void
egress_strip_env(struct judge *j, struct json_object *env)
{
	struct str bypass = STR_NONE;

	if (egress_is_injected(j) && json_object_array_length(env) > 0)
		strip(j, env, &bypass);
}

struct str
egress_names(struct judge *j, struct str name, struct json_object *networks,
    const char *member)
{
	struct str names = name;

	if (!json_object_is_type(networks, json_type_object))
		return names;
	json_object_object_foreach(networks, key, network) {
		struct json_object *aliases = check_member(network, member);
		size_t n = aliases == NULL ? 0 : json_object_array_length(
		    aliases);

		(void)key;
		for (size_t i = 0; i < n; i++)
			names = arena_printf(j->arena, "%.*s,%.*s",
			    STR_FMT(names), STR_FMT(judge_str(
			    json_object_array_get_idx(aliases, i))));
	}
	return names;
}

static void
add(struct judge *j, struct json_object *env, const char *name,
    struct str value)
{
	json_object_array_add(env, judge_new_str(arena_printf(j->arena,
	    "%s=%.*s", name, STR_FMT(value))));
}

void
egress_set_env(struct judge *j, struct json_object *env, struct str names)
{
	struct str bypass = STR("localhost,127.0.0.1,::1");

	if (!egress_is_injected(j))
		return;
	bypass = append_kept(j, bypass, names);
	if (json_object_array_length(env) > 0)
		strip(j, env, &bypass);
	for (size_t i = 0; proxy_names[i] != NULL; i++)
		add(j, env, proxy_names[i],
		    j->settings->egress.url[j->request->face]);
	for (size_t i = 0; bypass_names[i] != NULL; i++)
		add(j, env, bypass_names[i], bypass);
}

void
egress_set_map(struct judge *j, struct json_object *map, struct str names)
{
	struct str bypass = STR("localhost,127.0.0.1,::1");

	if (!egress_is_injected(j))
		return;
	bypass = append_kept(j, bypass, names);
	for (size_t i = 0; bypass_names[i] != NULL; i++)
		bypass = append_kept(j, bypass, check_member_str(map,
		    bypass_names[i]));
	for (size_t i = 0; proxy_names[i] != NULL; i++)
		json_object_object_add(map, proxy_names[i], judge_new_str(
		    j->settings->egress.url[j->request->face]));
	for (size_t i = 0; bypass_names[i] != NULL; i++)
		json_object_object_add(map, bypass_names[i],
		    judge_new_str(bypass));
}
