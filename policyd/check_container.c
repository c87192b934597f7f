/*
 * Environment, labels, published ports, and fields at the wrong level.
 */
#include <arpa/inet.h>

#include "common/setting.h"
#include "policyd/checks.h"

int
check_env(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	size_t n = json_object_array_length(value);

	for (size_t i = 0; i < n; i++) {
		struct at inner = { at, NULL, i, value };
		struct json_object *element = json_object_array_get_idx(value,
		    i);
		struct str entry = judge_str(element);
		struct str name = str_first(entry, str_find(entry, '='));

		if (!json_object_is_type(element, json_type_string))
			return judge_refuse_at(j, R_BAD_VALUE, &inner,
			    "%.*s must be a string",
			    STR_FMT(judge_path(j, &inner)));
		/* podman takes a bare name, or NAME*, from its own environment. */
		if (name.len == 0 || name.len == entry.len)
			return judge_refuse_at(j, row->reason, &inner,
			    "%.*s is \"%s\"; write NAME=VALUE",
			    STR_FMT(judge_path(j, &inner)), judge_show(j,
			    name));
	}
	return 0;
}

/*
 * Keys by which programs on the host act: podman auto-update restarts the unit
 * that a label names, and logs in with the file that another one names.
 */
static const char *const acted_on[] = { "io.containers.autoupdate",
	"PODMAN_SYSTEMD_UNIT" };

/* What we set ourselves comes back from clients that copy a container. */
static bool
is_acted_on(struct str key, struct json_object *value)
{
	if (str_is(key, acted_on[0]) && str_is(judge_str(value), "disabled"))
		return false;
	for (size_t i = 0; i < sizeof(acted_on) / sizeof(*acted_on); i++)
		if (str_starts(key, acted_on[i]))
			return true;
	return false;
}

void
check_set_container_labels(struct judge *j, struct json_object *parent,
    const char *key)
{
	check_set_label(j, parent, key);
	if (j->request->backend.kind == BACKEND_PODMAN)
		json_object_object_add(check_member(parent, key), acted_on[0],
		    json_object_new_string("disabled"));
}

int
check_labels(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	json_object_object_foreach(value, key, member) {
		struct at inner = { at, key, 0, value };

		/* What a daemon trims could come to mean our label. */
		if (check_has_control(str_from(key)) || key[0] == ' ' ||
		    str_ends(str_from(key), " "))
			return judge_refuse_at(j, row->reason, &inner,
			    "label key \"%s\" holds blanks at its ends or "
			    "control characters", judge_show(j,
			    str_from(key)));
		if (strchr(key, '=') != NULL)
			return judge_refuse_at(j, row->reason, &inner,
			    "label key \"%s\" holds '='; leave it out",
			    judge_show(j, str_from(key)));
		if (is_acted_on(str_from(key), member))
			return judge_refuse_at(j, row->reason, &inner,
			    "label %s makes podman act on the host; leave it "
			    "out", judge_show(j, str_from(key)));
		if (!json_object_is_type(member, json_type_string))
			return judge_refuse_at(j, R_BAD_VALUE, &inner,
			    "%.*s must be a string",
			    STR_FMT(judge_path(j, &inner)));
	}
	return 0;
}

static bool
read_port(struct str s, int64_t *port)
{
	*port = 0;
	if (s.len == 0 || s.len > 5)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.data[i] < '0' || s.data[i] > '9')
			return false;
		*port = *port * 10 + (s.data[i] - '0');
	}
	return *port <= 65535;
}

/* A port, or a range of them, within 16 bits: podman would cut the rest. */
static bool
read_ports(struct str s, int64_t *first, int64_t *last)
{
	struct str low = str_first(s, str_find(s, '-'));

	if (!read_port(low, first))
		return false;
	*last = *first;
	return low.len == s.len || (read_port(str_skip(s, low.len + 1), last) &&
	    *first <= *last);
}

int
check_host_ports(struct judge *j, const struct at *at,
    const struct field *row, int64_t first, int64_t last)
{
	int64_t egress;

	if (!read_port(j->settings->egress_port, &egress) ||
	    egress < first || egress > last)
		return 0;
	return judge_refuse_at(j, row->reason, at,
	    "%.*s takes port %lld of the host, where containers look for the "
	    "egress proxy; publish another port", STR_FMT(judge_path(j, at)),
	    (long long)egress);
}

/* "80/tcp", "80", "8000-8010/udp" */
bool
check_is_port(struct str key)
{
	struct str port = str_first(key, str_find(key, '/'));
	struct str protocol = str_skip(key, port.len + 1);
	int64_t first, last;

	return read_ports(port, &first, &last) && (port.len == key.len ||
	    str_is(protocol, "tcp") || str_is(protocol, "udp") ||
	    str_is(protocol, "sctp"));
}

/* As both families are written: "0" and leading zeroes have two readings. */
bool
check_is_address(struct str s)
{
	unsigned char address[16];
	char text[INET6_ADDRSTRLEN];

	if (s.len >= sizeof(text))
		return false;
	memcpy(text, s.data, s.len);
	text[s.len] = '\0';
	return inet_pton(AF_INET, text, address) == 1 ||
	    inet_pton(AF_INET6, text, address) == 1;
}

static struct json_object *
new_loopback(void)
{
	struct json_object *binding = json_object_new_object();

	json_object_object_add(binding, "HostIp",
	    json_object_new_string("127.0.0.1"));
	json_object_object_add(binding, "HostPort", json_object_new_string(""));
	return binding;
}

/* more: ports behind the first that its key names. */
static int
check_binding(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *binding, int64_t more)
{
	int64_t first = 0, last = 0;
	struct str ip, port;
	int error;

	if (!json_object_is_type(binding, json_type_object))
		return judge_refuse_at(j, R_BAD_VALUE, at,
		    "%.*s must be an object", STR_FMT(judge_path(j, at)));
	if ((error = walk_object(j, at, row->arg, binding)) != 0)
		return error;
	ip = check_member_str(binding, "HostIp");
	port = check_member_str(binding, "HostPort");
	if ((ip.len > 0 && !check_is_address(ip)) || (port.len > 0 &&
	    !read_ports(port, &first, &last)))
		return judge_refuse_at(j, row->reason, at,
		    "%.*s: HostIp is an address, HostPort a number or a range",
		    STR_FMT(judge_path(j, at)));
	if (ip.len == 0)
		json_object_object_add(binding, "HostIp",
		    json_object_new_string("127.0.0.1"));
	if (first > 0 && last < first + more)
		last = first + more;
	return check_host_ports(j, at, row, first, last);
}

/* "8000-8010/tcp" has ten behind its first. */
static int64_t
count_more(struct str key)
{
	int64_t first = 0, last = 0;

	read_ports(str_first(key, str_find(key, '/')), &first, &last);
	return last - first;
}

static int
refuse_port(struct judge *j, const struct at *at, const struct field *row)
{
	return judge_refuse_at(j, row->reason, at,
	    "%.*s: write PORT/tcp, PORT/udp or PORT/sctp",
	    STR_FMT(judge_path(j, at)));
}

int
check_exposed(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	json_object_object_foreach(value, key, member) {
		struct at inner = { at, key, 0, value };

		(void)member;
		if (!check_is_port(str_from(key)))
			return refuse_port(j, &inner, row);
	}
	return check_map(j, at, row, value);
}

int
check_ports(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	json_object_object_foreach(value, key, bindings) {
		struct at inner = { at, key, 0, value };

		if (!check_is_port(str_from(key)))
			return refuse_port(j, &inner, row);
		if (bindings != NULL && !json_object_is_type(bindings,
		    json_type_array))
			return judge_refuse_at(j, R_BAD_VALUE, &inner,
			    "%.*s must be an array",
			    STR_FMT(judge_path(j, &inner)));
		/* The daemon would fill an empty list with all addresses. */
		if (bindings == NULL || json_object_array_length(bindings) ==
		    0) {
			struct json_object *list = json_object_new_array();

			json_object_array_add(list, new_loopback());
			judge_replace(&inner, list);
			continue;
		}
		for (size_t i = 0; i < json_object_array_length(bindings);
		    i++) {
			struct at leaf = { &inner, NULL, i, bindings };
			int error = check_binding(j, &leaf, row,
			    json_object_array_get_idx(bindings, i),
			    count_more(str_from(key)));

			if (error != 0)
				return error;
		}
	}
	return 0;
}

/*
 * A key of HostConfig at the top of the body: docker 20.10 honours some of
 * them.  Judged by its own row for the reason's sake, and refused all the same.
 */
int
check_misplaced(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	bool exact;
	const struct field *real = walk_find(row->arg, str_from(at->key),
	    &exact);
	int error;

	if (walk_is_zero(value) && real != NULL) {
		json_object_object_del(at->parent, at->key);
		return 0;
	}
	if (real == NULL)
		return judge_refuse_at(j, R_UNKNOWN_FIELD, at,
		    "field %.*s has no rule; leave it out",
		    STR_FMT(judge_path(j, at)));
	if ((error = walk_value(j, at, real, value)) != 0)
		return error;
	return judge_refuse_at(j, R_UNKNOWN_FIELD, at,
	    "field %.*s belongs into HostConfig",
	    STR_FMT(judge_path(j, at)));
}

int
check_as(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	bool exact;
	const struct field *real = walk_find(row->arg, str_from(row->name),
	    &exact);

	return walk_value(j, at, real, value);
}
