/*
 * The lexical rules of HTTP/1.1 heads, strict: what RFC 9112 lets a lenient
 * reader forgive is where two readers come to disagree.
 */
#include "common/reason.h"
#include "worker/http_field.h"

struct http_span
http_span_of(const char *base, struct str part)
{
	return (struct http_span){ (uint32_t)(part.data - base),
		(uint32_t)part.len };
}

struct str
http_span_str(const char *base, struct http_span span)
{
	return (struct str){ base + span.at, span.len };
}

static bool
is_token_byte(unsigned char c)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z') ||
	    (c != '\0' && memchr(others, c, sizeof(others) - 1) != NULL);
}

bool
http_is_token(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_token_byte((unsigned char)s.data[i]))
			return false;
	return s.len > 0;
}

bool
http_is_visible(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.data[i];

		if (c <= 0x20 || c >= 0x7f)
			return false;
	}
	return s.len > 0;
}

int
http_line_next(struct str bytes, uint32_t *at, uint32_t *scanned,
    struct str *line)
{
	struct str rest = str_skip(bytes, *scanned);
	size_t end = str_find(rest, '\n');

	if (end == rest.len) {
		*scanned = (uint32_t)bytes.len;
		return 0;
	}
	end += *scanned;
	*line = (struct str){ bytes.data + *at, end - *at };
	*at = *scanned = (uint32_t)end + 1;
	if (line->len == 0 || line->data[line->len - 1] != '\r' ||
	    line->len > HTTP_LINE_MAX)
		return -R_BAD_REQUEST;
	line->len--;
	return 1;
}

static bool
is_value_byte(unsigned char c)
{
	return c == '\t' || (c >= 0x20 && c != 0x7f);
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct str
trim(struct str s)
{
	while (s.len > 0 && is_blank(s.data[0]))
		s = str_skip(s, 1);
	while (s.len > 0 && is_blank(s.data[s.len - 1]))
		s.len--;
	return s;
}

int
http_field_split(struct str line, struct str *name, struct str *value,
    struct str *raw)
{
	size_t colon = str_find(line, ':');

	if (colon == line.len)
		return -R_BAD_REQUEST;
	*name = str_first(line, colon);
	*raw = str_skip(line, colon + 1);
	/* A folded line, or a blank before the colon, is no token. */
	if (!http_is_token(*name))
		return -R_BAD_REQUEST;
	for (size_t i = 0; i < raw->len; i++)
		if (!is_value_byte((unsigned char)raw->data[i]))
			return -R_BAD_REQUEST;
	*value = trim(*raw);
	return 0;
}

static struct str
trim_spaces(struct str s)
{
	while (s.len > 0 && s.data[0] == ' ')
		s = str_skip(s, 1);
	while (s.len > 0 && s.data[s.len - 1] == ' ')
		s.len--;
	return s;
}

bool
http_raw_is(struct str raw, const char *word)
{
	return str_equal_nocase(trim_spaces(raw), str_from(word));
}

int
http_raw_number(struct str raw, uint64_t *number)
{
	struct str s = trim_spaces(raw);
	uint64_t n = 0;

	if (s.len == 0 || s.len > 18 || (s.data[0] == '0' && s.len > 1))
		return -1;
	for (size_t i = 0; i < s.len; i++) {
		if (s.data[i] < '0' || s.data[i] > '9')
			return -1;
		n = n * 10 + (uint64_t)(s.data[i] - '0');
	}
	*number = n;
	return 0;
}

bool
http_list_has(struct str value, const char *word)
{
	while (value.len > 0) {
		size_t comma = str_find(value, ',');

		if (str_equal_nocase(trim(str_first(value, comma)),
		    str_from(word)))
			return true;
		value = str_skip(value, comma + 1);
	}
	return false;
}
