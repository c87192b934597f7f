/*
 * Percent escapes.  Knows nothing of where in a URL they may stand.
 */
#include "policyd/percent.h"

bool
percent_is_unreserved(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
	    c == '~';
}

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int
percent_decode_one(struct str s)
{
	int high, low;

	if (s.len < 3)
		return -1;
	high = hex_value(s.data[1]);
	low = hex_value(s.data[2]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}
