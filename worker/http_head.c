/*
 * Request heads.  Judges form alone: which methods, targets and fields are
 * allowed where is the policy's to say.
 */
#include "common/reason.h"
#include "worker/http_head.h"

enum { SEEN_HOST = 1, SEEN_LENGTH = 2, SEEN_CODING = 4, SEEN_EXPECT = 8 };
enum { METHOD_MAX = 16 };

void
http_head_init(struct http_head *h)
{
	/* The table of fields is written before it is read. */
	h->method = h->target = (struct http_span){ 0, 0 };
	h->field_count = 0;
	h->body_kind = BODY_NONE;
	h->body_length = 0;
	h->close = h->expect = h->has_line = false;
	h->size = h->line = h->scanned = 0;
	h->seen = 0;
}

/*
 * Upper case only: a daemon takes `get` for a method of its own.  CONNECT and
 * TRACE mean something to HTTP itself and nothing to a daemon.
 */
static int
check_method(struct str m)
{
	if (m.len == 0 || m.len > METHOD_MAX)
		return -R_BAD_REQUEST;
	for (size_t i = 0; i < m.len; i++)
		if (m.data[i] < 'A' || m.data[i] > 'Z')
			return -R_BAD_REQUEST;
	if (str_is(m, "CONNECT") || str_is(m, "TRACE"))
		return -R_BAD_REQUEST;
	return 0;
}

/* Origin form only. */
static int
check_target(struct str t)
{
	if (t.len == 0 || t.data[0] != '/' || !http_is_visible(t) ||
	    str_find(t, '#') < t.len)
		return -R_BAD_TARGET;
	return 0;
}

static int
parse_request_line(struct http_head *h, const char *base, struct str line)
{
	size_t first = str_find(line, ' ');
	struct str rest = str_skip(line, first + 1);
	size_t second = str_find(rest, ' ');
	struct str method = str_first(line, first);
	struct str target = str_first(rest, second);
	int error;

	if ((error = check_method(method)) != 0)
		return error;
	h->method = http_span_of(base, method);
	if (!str_is(str_skip(rest, second), " HTTP/1.1"))
		return -R_BAD_REQUEST;
	if ((error = check_target(target)) != 0)
		return error;
	h->target = http_span_of(base, target);
	h->has_line = true;
	return 0;
}

static int
note_once(struct http_head *h, uint8_t bit)
{
	if ((h->seen & bit) != 0)
		return -R_BAD_REQUEST;
	h->seen |= bit;
	return 0;
}

/* What Go's server takes; an empty one is what several clients send. */
static int
note_host(struct http_head *h, struct str value, struct str raw)
{
	static const char others[] = "!$%&'()*+,-.:;=[]_~";

	(void)raw;
	for (size_t i = 0; i < value.len; i++) {
		char c = value.data[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		    (c >= 'A' && c <= 'Z') ||
		    (c != '\0' && strchr(others, c) != NULL)))
			return -R_BAD_REQUEST;
	}
	return note_once(h, SEEN_HOST);
}

static int
note_length(struct http_head *h, struct str value, struct str raw)
{
	(void)value;
	if (http_raw_number(raw, &h->body_length) != 0)
		return -R_BAD_REQUEST;
	h->body_kind = BODY_LENGTH;
	return note_once(h, SEEN_LENGTH);
}

static int
note_coding(struct http_head *h, struct str value, struct str raw)
{
	(void)value;
	if (!http_raw_is(raw, "chunked"))
		return -R_BAD_REQUEST;
	h->body_kind = BODY_CHUNKED;
	return note_once(h, SEEN_CODING);
}

static int
note_expect(struct http_head *h, struct str value, struct str raw)
{
	(void)raw;
	if (!str_equal_nocase(value, STR("100-continue")))
		return -R_BAD_REQUEST;
	h->expect = true;
	return note_once(h, SEEN_EXPECT);
}

static int
note_connection(struct http_head *h, struct str value, struct str raw)
{
	(void)raw;
	if (http_list_has(value, "close"))
		h->close = true;
	return 0;
}

/* The fields that say something about the connection or the body's end. */
static const struct {
	struct str	 name;
	int		(*note)(struct http_head *, struct str, struct str);
} notes[] = {
	{ STR("Host"), note_host },
	{ STR("Content-Length"), note_length },
	{ STR("Transfer-Encoding"), note_coding },
	{ STR("Expect"), note_expect },
	{ STR("Connection"), note_connection },
};

static int
parse_field(struct http_head *h, const char *base, struct str line)
{
	struct str name, value, raw;
	struct http_field *f;
	int error;

	if (h->field_count == PROTO_HEADERS_MAX)
		return -R_HEAD_TOO_LARGE;
	if ((error = http_field_split(line, &name, &value, &raw)) != 0)
		return error;
	f = &h->field[h->field_count++];
	f->name = http_span_of(base, name);
	f->value = http_span_of(base, value);
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (str_equal_nocase(name, notes[i].name))
			return notes[i].note(h, value, raw);
	return 0;
}

static int
finish(struct http_head *h)
{
	uint8_t both = SEEN_LENGTH | SEEN_CODING;

	/* With both, daemons take one and a relay may take the other. */
	if ((h->seen & both) == both || (h->seen & SEEN_HOST) == 0)
		return -R_BAD_REQUEST;
	if (h->body_kind == BODY_LENGTH && h->body_length == 0)
		h->body_kind = BODY_NONE;
	h->size = h->line;
	return 1;
}

static int
parse_line(struct http_head *h, const char *base, struct str line)
{
	if (!h->has_line)
		return parse_request_line(h, base, line);
	if (line.len == 0)
		return finish(h);
	return parse_field(h, base, line);
}

int
http_head_feed(struct http_head *h, struct str bytes)
{
	struct str line;
	int got;

	/* Not text at all: say so without waiting for a line to end. */
	if (bytes.len > 0 && (bytes.data[0] < 'A' || bytes.data[0] > 'Z'))
		return -R_BAD_REQUEST;
	bytes = str_first(bytes, PROTO_HEAD_MAX);
	while ((got = http_line_next(bytes, &h->line, &h->scanned,
	    &line)) > 0) {
		got = parse_line(h, bytes.data, line);
		if (got != 0)
			return got;
	}
	if (got == 0 && bytes.len == PROTO_HEAD_MAX)
		return -R_HEAD_TOO_LARGE;
	return got;
}
