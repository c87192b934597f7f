/*
 * Reads addresses as inet_pton() does: one spelling of each number, no names.
 */
#include <arpa/inet.h>

#include "policyd/range.h"

static bool
same_bits(const unsigned char *a, const unsigned char *b, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	if (memcmp(a, b, whole) != 0)
		return false;
	return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

static bool
parse_bits(struct str s, unsigned most, unsigned *bits)
{
	*bits = 0;
	if (s.len == 0 || s.len > 3)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.data[i] < '0' || s.data[i] > '9')
			return false;
		*bits = *bits * 10 + (unsigned)(s.data[i] - '0');
	}
	return *bits <= most;
}

bool
range_holds(const struct range *range, struct str s)
{
	struct str text = str_first(s, str_find(s, '/'));
	unsigned char address[16], first[16];
	char name[INET6_ADDRSTRLEN];

	if (text.len >= sizeof(name))
		return false;
	memcpy(name, text.data, text.len);
	name[text.len] = '\0';
	for (; range->address != NULL; range++) {
		unsigned most = range->family == AF_INET ? 32 : 128;
		unsigned bits = most;

		if (inet_pton(range->family, name, address) != 1 ||
		    (text.len < s.len && !parse_bits(str_skip(s, text.len +
		    1), most, &bits)))
			continue;
		inet_pton(range->family, range->address, first);
		if (bits >= range->bits && same_bits(address, first,
		    range->bits))
			return true;
	}
	return false;
}
