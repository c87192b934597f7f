/*
 * Reads log lines; see common/log.h for their form.
 */
#include "hookctl/logline.h"

/* The word up to the next blank; *rest moves past it. */
static struct str
next_word(struct str *rest)
{
	size_t n = str_find(*rest, ' ');
	struct str word = str_first(*rest, n);

	*rest = str_skip(*rest, n + 1);
	return word;
}

/* A value: quoted to the next quote (inner ones are escaped), or a word. */
static bool
next_value(struct str *rest, struct str *value)
{
	size_t n;

	if (!str_starts(*rest, "\"")) {
		*value = next_word(rest);
		return true;
	}
	*rest = str_skip(*rest, 1);
	n = str_find(*rest, '"');
	*value = str_first(*rest, n);
	if (n == rest->len)
		return false;
	*rest = str_skip(*rest, n + 1);
	if (rest->len > 0 && rest->data[0] != ' ')
		return false;
	*rest = str_skip(*rest, 1);
	return true;
}

static bool
next_pair(struct str *rest, struct str *key, struct str *value)
{
	size_t n = str_find(*rest, '=');

	*key = str_first(*rest, n);
	if (n == 0 || n == rest->len || str_find(*key, ' ') < n)
		return false;
	*rest = str_skip(*rest, n + 1);
	return next_value(rest, value);
}

static bool
is_printable(struct str line)
{
	for (size_t i = 0; i < line.len; i++)
		if (line.data[i] < 0x20 || line.data[i] == 0x7f)
			return false;
	return true;
}

bool
logline_read(struct logline *l, struct str line)
{
	struct str key;

	memset(l, 0, sizeof(*l));
	if (line.len > LOGLINE_MAX || !is_printable(line))
		return false;
	l->time = next_word(&line);
	l->process = next_word(&line);
	l->level = next_word(&line);
	if (l->time.len == 0 || !str_ends(l->time, "Z") ||
	    !str_ends(l->process, "]") || l->level.len == 0 ||
	    !next_pair(&line, &key, &l->event) || !str_is(key, "event"))
		return false;
	while (line.len > 0) {
		if (l->count == LOGLINE_PAIRS || !next_pair(&line,
		    &l->pair[l->count].key, &l->pair[l->count].value))
			return false;
		l->count++;
	}
	return true;
}

struct str
logline_get(const struct logline *l, const char *key)
{
	for (unsigned i = 0; i < l->count; i++)
		if (str_is(l->pair[i].key, key))
			return l->pair[i].value;
	return STR_NONE;
}

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t
logline_unescape(char *out, size_t size, struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len && n + 1 < size; i++) {
		int high = -1, low = -1;

		if (i + 3 < s.len && s.data[i] == '\\' &&
		    s.data[i + 1] == 'x') {
			high = hex_value(s.data[i + 2]);
			low = hex_value(s.data[i + 3]);
		}
		if (high >= 0 && low >= 0) {
			out[n++] = (char)(high << 4 | low);
			i += 3;
		} else
			out[n++] = s.data[i];
	}
	out[n] = '\0';
	return n;
}
