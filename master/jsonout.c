/*
 * A JSON writer.  Bytes that are not UTF-8 (a path may hold any) become
 * U+FFFD.
 */
#include <inttypes.h>

#include "master/jsonout.h"

/* Length of the well-formed UTF-8 sequence at the front of s, or 0. */
static size_t
sequence(struct str s)
{
	const unsigned char *b = (const unsigned char *)s.data;
	size_t n = b[0] < 0x80 ? 1 : b[0] < 0xc2 ? 0 : b[0] < 0xe0 ? 2 :
	    b[0] < 0xf0 ? 3 : b[0] < 0xf5 ? 4 : 0;

	if (n == 0 || n > s.len)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((b[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong, surrogate, beyond U+10FFFF: the second byte tells. */
	if ((b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] > 0x9f) ||
	    (b[0] == 0xf0 && b[1] < 0x90) || (b[0] == 0xf4 && b[1] > 0x8f))
		return 0;
	return n;
}

static void
put_quoted(struct buf *to, struct str s)
{
	buf_put_char(to, '"');
	while (s.len > 0) {
		size_t n = sequence(s);
		unsigned char c = (unsigned char)s.data[0];

		if (n == 0)
			buf_put_text(to, "\\ufffd");
		else if (c < 0x20 || c == 0x7f)
			buf_printf(to, "\\u%04x", c);
		else if (c == '"' || c == '\\')
			buf_printf(to, "\\%c", c);
		else
			buf_put(to, s.data, n);
		s = str_skip(s, n > 0 ? n : 1);
	}
	buf_put_char(to, '"');
}

/* What stands before a value. */
static void
begin(struct jsonout *j, const char *key)
{
	if (j->needs_comma)
		buf_put_char(j->to, ',');
	if (key != NULL) {
		put_quoted(j->to, str_from(key));
		buf_put_char(j->to, ':');
	}
	j->needs_comma = true;
}

void
jsonout_open(struct jsonout *j, const char *key, char kind)
{
	begin(j, key);
	buf_put_char(j->to, kind);
	j->needs_comma = false;
}

void
jsonout_close(struct jsonout *j, char kind)
{
	buf_put_char(j->to, kind == '{' ? '}' : ']');
	j->needs_comma = true;
}

void
jsonout_text(struct jsonout *j, const char *key, struct str text)
{
	begin(j, key);
	put_quoted(j->to, text);
}

void
jsonout_number(struct jsonout *j, const char *key, uint64_t number)
{
	begin(j, key);
	buf_printf(j->to, "%" PRIu64, number);
}

void
jsonout_bool(struct jsonout *j, const char *key, bool value)
{
	begin(j, key);
	buf_put_text(j->to, value ? "true" : "false");
}

void
jsonout_null(struct jsonout *j, const char *key)
{
	begin(j, key);
	buf_put_text(j->to, "null");
}
