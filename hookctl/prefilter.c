/*
 * One pass over JSON text: undoes JSON's escapes, then drops what the shell
 * drops (see shell_mentions_engine(), which does the same to plain text).
 * Quotes that delimit JSON strings are dropped too, which can only turn a no
 * into a yes.
 *
 * Runs before libc has started (early/kernel.h): no libc call, and no pointer in
 * static data.
 */
#include "hookctl/prefilter.h"

enum { BREAK = -1 };	/* a character that is part of no name */

struct scan {
	size_t	matched[2];
	bool	after_backslash;	/* a decoded one, for "\ newline" */
};

static const char wanted[2][sizeof("docker")] = { "docker", "podman" };

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A \\u escape, "u" at at[0]: the character if it is ASCII, else BREAK. */
static int
decode_unicode(struct str at)
{
	int value = 0;

	for (size_t i = 1; i <= 4; i++) {
		int digit = i < at.len ? hex_value(at.data[i]) : -1;

		if (digit < 0)
			return BREAK;
		value = value * 16 + digit;
	}
	return value < 0x80 ? value : BREAK;
}

/* The character that an escape stands for; *used grows by its bytes. */
static int
decode_escape(struct str at, size_t *used)
{
	int c;

	if (at.len == 0)
		return BREAK;
	*used += 1;
	switch (at.data[0]) {
	case 'n':
		return '\n';
	case 't': case 'r': case 'b': case 'f':
		return BREAK;
	case 'u':
		c = decode_unicode(at);
		if (c != BREAK)
			*used += 4;
		return c;
	default:
		return (unsigned char)at.data[0];
	}
}

/* One decoded character; true when a name is complete. */
static bool
scan_step(struct scan *s, int c)
{
	bool continued = c == '\n' && s->after_backslash;

	s->after_backslash = c == '\\';
	if (c == '\\' || c == '\'' || c == '"' || c == '$' || continued)
		return false;
	for (size_t k = 0; k < 2; k++) {
		if (c != wanted[k][s->matched[k]])
			s->matched[k] = 0;
		if (c == wanted[k][s->matched[k]])
			s->matched[k]++;
		if (wanted[k][s->matched[k]] == '\0')
			return true;
	}
	return false;
}

bool
prefilter_mentions_engine(struct str payload)
{
	struct scan s = { { 0, 0 }, false };

	for (size_t i = 0; i < payload.len; ) {
		int c = (unsigned char)payload.data[i++];

		if (c == '\\')
			c = decode_escape(str_skip(payload, i), &i);
		if (scan_step(&s, c))
			return true;
	}
	return false;
}
