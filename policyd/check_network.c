/*
 * Networks and volumes as objects of their own: names, subnets, drivers.
 */
#include <arpa/inet.h>

#include "policyd/checks.h"
#include "policyd/owner.h"

int
check_network_name(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	static const char *const reserved[] = { "bridge", "host", "none",
		"default", "podman", "private", "container", "ns", "pod",
		"slirp4netns", "pasta" };
	struct str name = judge_str(value);

	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		if (str_equal_nocase(name, str_from(reserved[i])))
			return judge_refuse_at(j, row->reason, at,
			    "network name \"%s\" is reserved; take another",
			    judge_show(j, name));
	/* A name of hex digits would win over the id that begins with it. */
	if (!check_is_name(name) || check_is_hex(name))
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

/* A private range of either family, not wider than it. */
static const struct range_row {
	int		 family;
	const char	*address;
	unsigned	 bits;
} range_rows[] = {
	{ AF_INET, "10.0.0.0", 8 },
	{ AF_INET, "172.16.0.0", 12 },
	{ AF_INET, "192.168.0.0", 16 },
	{ AF_INET6, "fc00::", 7 },
};

static bool
same_bits(const unsigned char *a, const unsigned char *b, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	if (memcmp(a, b, whole) != 0)
		return false;
	return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

static bool
parse_prefix(struct str s, unsigned *bits)
{
	*bits = 0;
	if (s.len == 0 || s.len > 3)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.data[i] < '0' || s.data[i] > '9')
			return false;
		*bits = *bits * 10 + (unsigned)(s.data[i] - '0');
	}
	return *bits <= 128;
}

/* ADDRESS/BITS within one of the rows. */
static bool
is_private_subnet(struct str subnet)
{
	struct str text = str_first(subnet, str_find(subnet, '/'));
	unsigned char address[16], range[16];
	char name[64];
	unsigned bits;

	if (text.len >= sizeof(name) || !parse_prefix(str_skip(subnet,
	    text.len + 1), &bits))
		return false;
	memcpy(name, text.data, text.len);
	name[text.len] = '\0';
	for (size_t i = 0; i < sizeof(range_rows) / sizeof(*range_rows); i++) {
		const struct range_row *row = &range_rows[i];

		if (inet_pton(row->family, name, address) != 1)
			continue;
		inet_pton(row->family, row->address, range);
		if (bits >= row->bits && same_bits(address, range, row->bits))
			return true;
	}
	return false;
}

int
check_subnet(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	struct str subnet = judge_str(value);

	if (subnet.len == 0 || is_private_subnet(subnet))
		return 0;
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
	case OWNER_OURS:
	case OWNER_ABSENT:
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
