/*
 * Reads /proc/net/route and /proc/net/ipv6_route.  They hold the main table
 * (of IPv4) alone: a route that lies in a table of its own, as some VPNs have
 * it, is not seen here.  No I/O.
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "policyd/hostroute.h"

/* A network of either family. */
struct net {
	int		 family;
	unsigned	 bits;
	unsigned char	 address[16];
};

/* Wider than any private range: the way to the rest of the world, or half. */
static bool
is_default(const struct net *net)
{
	return net->bits < (net->family == AF_INET ? 8 : 7);
}

/* The names that engines give to the bridges of their networks. */
static const struct bridge {
	enum backend_kind engine;
	const char	*name;
	const char	*rest;		/* characters that follow */
	size_t		 length;	/* so many; 0: any number, at least one */
} bridges[] = {
	{ BACKEND_DOCKER,	"docker0",		"",	0 },
	{ BACKEND_DOCKER,	"docker_gwbridge",	"",	0 },
	{ BACKEND_DOCKER,	"br-",	"0123456789abcdef",	12 },
	{ BACKEND_PODMAN,	"podman",	"0123456789",	0 },
	{ BACKEND_PODMAN,	"cni-podman",	"0123456789",	0 },
};

static bool
is_bridge(const struct bridge *b, struct str name)
{
	struct str rest = str_skip(name, strlen(b->name));

	if (!str_starts(name, b->name) || (b->length > 0 && rest.len !=
	    b->length))
		return false;
	if (b->rest[0] == '\0' || rest.len == 0)
		return b->rest[0] == '\0' && rest.len == 0;
	for (size_t i = 0; i < rest.len; i++)
		if (strchr(b->rest, rest.data[i]) == NULL)
			return false;
	return true;
}

static bool
is_of_engine(enum backend_kind engine, struct str name)
{
	for (size_t i = 0; i < sizeof(bridges) / sizeof(*bridges); i++)
		if (bridges[i].engine == engine && is_bridge(&bridges[i],
		    name))
			return true;
	return false;
}

/* ---- reading ------------------------------------------------------------ */

static int
digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool
read_hex(struct str s, unsigned char *out, size_t size)
{
	if (s.len != size * 2)
		return false;
	for (size_t i = 0; i < size; i++) {
		int high = digit(s.data[i * 2]), low = digit(s.data[i * 2 +
		    1]);

		if (high < 0 || low < 0)
			return false;
		out[i] = (unsigned char)(high * 16 + low);
	}
	return true;
}

/* As the kernel prints a word of four bytes that lie in the net's order. */
static bool
read_word(struct str s, unsigned char out[4])
{
	unsigned char printed[4];
	uint32_t word = 0;

	if (!read_hex(s, printed, sizeof(printed)))
		return false;
	for (size_t i = 0; i < sizeof(printed); i++)
		word = word << 8 | printed[i];
	memcpy(out, &word, sizeof(word));
	return true;
}

static unsigned
count_bits(const unsigned char mask[4])
{
	unsigned bits = 0;

	while (bits < 32 && (mask[bits / 8] & (0x80 >> bits % 8)) != 0)
		bits++;
	return bits;
}

enum { COLUMNS = 11 };

static size_t
split(struct str line, struct str column[COLUMNS])
{
	size_t n = 0;

	while (line.len > 0 && n < COLUMNS) {
		size_t end = 0;

		while (end < line.len && line.data[end] != ' ' &&
		    line.data[end] != '\t')
			end++;
		if (end > 0)
			column[n++] = str_first(line, end);
		line = str_skip(line, end + 1);
	}
	return n;
}

/* destination bits source bits hop metric references use flags interface */
static bool
read_six(struct str column[COLUMNS], struct net *net, struct str *name)
{
	unsigned char bits;

	if (!read_hex(column[0], net->address, 16) || !read_hex(column[1],
	    &bits, 1) || bits > 128)
		return false;
	net->family = AF_INET6;
	net->bits = bits;
	*name = column[9];
	return true;
}

/* interface destination gateway flags references use metric mask ... */
static bool
read_four(struct str column[COLUMNS], struct net *net, struct str *name)
{
	unsigned char mask[4];

	if (!read_word(column[1], net->address) || !read_word(column[7],
	    mask))
		return false;
	net->family = AF_INET;
	net->bits = count_bits(mask);
	*name = column[0];
	return true;
}

static bool
read_subnet(struct str s, struct net *net)
{
	struct str text = str_first(s, str_find(s, '/'));
	struct str left = str_skip(s, text.len + 1);
	char address[INET6_ADDRSTRLEN];

	net->family = str_find(text, ':') < text.len ? AF_INET6 : AF_INET;
	net->bits = 0;
	if (text.len >= sizeof(address) || left.len == 0 || left.len > 3)
		return false;
	memcpy(address, text.data, text.len);
	address[text.len] = '\0';
	for (size_t i = 0; i < left.len; i++) {
		if (left.data[i] < '0' || left.data[i] > '9')
			return false;
		net->bits = net->bits * 10 + (unsigned)(left.data[i] - '0');
	}
	return net->bits <= (net->family == AF_INET ? 32 : 128) &&
	    inet_pton(net->family, address, net->address) == 1;
}

/* ---- comparing ---------------------------------------------------------- */

static bool
overlap(const struct net *a, const struct net *b)
{
	unsigned bits = a->bits < b->bits ? a->bits : b->bits;

	if (a->family != b->family || memcmp(a->address, b->address,
	    bits / 8) != 0)
		return false;
	return bits % 8 == 0 || ((a->address[bits / 8] ^
	    b->address[bits / 8]) >> (8 - bits % 8)) == 0;
}

static void
describe(const struct net *net, struct str name,
    char text[HOSTROUTE_TEXT_MAX])
{
	char address[INET6_ADDRSTRLEN] = "";

	inet_ntop(net->family, net->address, address, sizeof(address));
	snprintf(text, HOSTROUTE_TEXT_MAX, "%s/%u (%.*s)", address, net->bits,
	    name.len < 16 ? (int)name.len : 16, name.data);
}

int
hostroute_overlap(struct str table, struct str subnet,
    enum backend_kind engine, char text[HOSTROUTE_TEXT_MAX])
{
	struct net wanted, net;

	if (!read_subnet(subnet, &wanted))
		return -1;
	while (table.len > 0) {
		struct str line = str_first(table, str_find(table, '\n'));
		struct str column[COLUMNS], name;
		size_t n = split(line, column);

		table = str_skip(table, line.len + 1);
		if (n == 0 || str_is(column[0], "Iface"))
			continue;
		if (n < 10 || !(column[0].len == 32 ? read_six(column, &net,
		    &name) : read_four(column, &net, &name)))
			return -1;
		if (is_default(&net) || str_is(name, "lo") ||
		    is_of_engine(engine, name) || !overlap(&net, &wanted))
			continue;
		describe(&net, name, text);
		return 1;
	}
	return 0;
}
