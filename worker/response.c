/*
 * Answer heads.  A daemon is no enemy, but a body whose end is read wrong
 * shifts every later answer: strict in framing, lenient in the rest.
 */
#include "common/reason.h"
#include "worker/response.h"

enum { SEEN_LENGTH = 1, SEEN_CODING = 2 };

void
response_init(struct response *r)
{
	r->status = 0;
	r->line = (struct http_span){ 0, 0 };
	r->field_count = r->size = r->at = r->scanned = 0;
	r->framing = FRAMING_CLOSE;
	r->length = 0;
	r->raw_stream = r->close = r->has_line = false;
	r->seen = 0;
}

/* HTTP/1.x SP three digits, then whatever phrase. */
static int
parse_status_line(struct response *r, const char *base, struct str line)
{
	unsigned status = 0;

	if (line.len < 12 || !str_starts(line, "HTTP/1.") ||
	    (line.data[7] != '0' && line.data[7] != '1') ||
	    line.data[8] != ' ' || (line.len > 12 && line.data[12] != ' '))
		return -R_BACKEND_ANSWER;
	for (size_t i = 9; i < 12; i++) {
		if (line.data[i] < '0' || line.data[i] > '9')
			return -R_BACKEND_ANSWER;
		status = status * 10 + (unsigned)(line.data[i] - '0');
	}
	for (size_t i = 12; i < line.len; i++)
		if ((unsigned char)line.data[i] < 0x20 ||
		    line.data[i] == 0x7f)
			return -R_BACKEND_ANSWER;
	if (status < 100 || status > 599)
		return -R_BACKEND_ANSWER;
	r->status = (uint16_t)status;
	r->close = line.data[7] == '0';
	r->line = http_span_of(base, line);
	r->has_line = true;
	return 0;
}

static int
note_length(struct response *r, struct str raw)
{
	if ((r->seen & SEEN_LENGTH) != 0 ||
	    http_raw_number(raw, &r->length) != 0)
		return -R_BACKEND_ANSWER;
	r->seen |= SEEN_LENGTH;
	r->framing = FRAMING_LENGTH;
	return 0;
}

static int
note_coding(struct response *r, struct str raw)
{
	if ((r->seen & SEEN_CODING) != 0 || !http_raw_is(raw, "chunked"))
		return -R_BACKEND_ANSWER;
	r->seen |= SEEN_CODING;
	r->framing = FRAMING_CHUNKED;
	return 0;
}

static int
parse_field(struct response *r, const char *base, struct str line)
{
	struct str name, value, raw;
	struct http_field *f;

	if (r->field_count == PROTO_HEADERS_MAX ||
	    http_field_split(line, &name, &value, &raw) != 0)
		return -R_BACKEND_ANSWER;
	f = &r->field[r->field_count++];
	f->name = http_span_of(base, name);
	f->value = http_span_of(base, value);
	if (str_equal_nocase(name, STR("Content-Length")))
		return note_length(r, raw);
	if (str_equal_nocase(name, STR("Transfer-Encoding")))
		return note_coding(r, raw);
	if (str_equal_nocase(name, STR("Connection")) &&
	    http_list_has(value, "close"))
		r->close = true;
	if (str_equal_nocase(name, STR("Content-Type")))
		r->raw_stream =
		    str_is(value, "application/vnd.docker.raw-stream") ||
		    str_is(value, "application/vnd.docker.multiplexed-stream");
	return 0;
}

static int
finish(struct response *r, bool is_head)
{
	if ((r->seen & SEEN_LENGTH) != 0 && (r->seen & SEEN_CODING) != 0)
		return -R_BACKEND_ANSWER;
	if (is_head || r->status < 200 || r->status == 204 ||
	    r->status == 304)
		r->framing = FRAMING_NONE;
	r->close |= r->framing == FRAMING_CLOSE;
	r->size = r->at;
	return 1;
}

int
response_feed(struct response *r, struct str bytes, bool is_head)
{
	struct str line;
	int got;

	bytes = str_first(bytes, PROTO_HEAD_MAX);
	while ((got = http_line_next(bytes, &r->at, &r->scanned, &line)) > 0) {
		if (!r->has_line)
			got = parse_status_line(r, bytes.data, line);
		else if (line.len == 0)
			return finish(r, is_head);
		else
			got = parse_field(r, bytes.data, line);
		if (got != 0)
			return got;
	}
	if (got < 0 || bytes.len == PROTO_HEAD_MAX)
		return -R_BACKEND_ANSWER;
	return 0;
}

/*
 * Fields that speak of the daemon's connection and not of the answer.  On 101
 * they are the answer.
 */
static bool
is_hop(struct str name)
{
	static const struct str hops[] = { STR("Connection"),
		STR("Keep-Alive"), STR("Proxy-Connection"), STR("Upgrade") };

	for (size_t i = 0; i < sizeof(hops) / sizeof(*hops); i++)
		if (str_equal_nocase(name, hops[i]))
			return true;
	return false;
}

static bool
is_framing(struct str name)
{
	return str_equal_nocase(name, STR("Content-Length")) ||
	    str_equal_nocase(name, STR("Transfer-Encoding")) ||
	    str_equal_nocase(name, STR("Trailer"));
}

static void
write_line(const struct response *r, const char *base, uint16_t status,
    struct buf *out)
{
	struct str line = http_span_str(base, r->line);

	/* The version is the connection's, and this one is ours. */
	buf_put_text(out, "HTTP/1.1");
	if (status == 0 || status == r->status)
		buf_put_str(out, str_skip(line, strlen("HTTP/1.1")));
	else
		buf_printf(out, " %u %s", (unsigned)status,
		    response_phrase(status));
	buf_put_text(out, "\r\n");
}

void
response_write(const struct response *r, struct str bytes,
    const struct response_change *change, struct buf *out)
{
	write_line(r, bytes.data, change->status, out);
	for (uint32_t i = 0; i < r->field_count; i++) {
		struct str name = http_span_str(bytes.data, r->field[i].name);

		if ((r->status != 101 && is_hop(name)) ||
		    (change->framing != RESPONSE_AS_IS && is_framing(name)))
			continue;
		buf_put_str(out, name);
		buf_put_text(out, ": ");
		buf_put_str(out, http_span_str(bytes.data,
		    r->field[i].value));
		buf_put_text(out, "\r\n");
	}
	if (change->framing == RESPONSE_LENGTH)
		buf_printf(out, "Content-Length: %llu\r\n",
		    (unsigned long long)change->length);
	if (change->framing == RESPONSE_CHUNKED)
		buf_put_text(out, "Transfer-Encoding: chunked\r\n");
	if (change->close)
		buf_put_text(out, "Connection: close\r\n");
	buf_put_text(out, "\r\n");
}

const char *
response_phrase(unsigned status)
{
	static const struct {
		unsigned	 status;
		const char	*phrase;
	} rows[] = {
		{ 200, "OK" }, { 201, "Created" }, { 204, "No Content" },
		{ 304, "Not Modified" }, { 400, "Bad Request" },
		{ 403, "Forbidden" }, { 404, "Not Found" },
		{ 405, "Method Not Allowed" }, { 409, "Conflict" },
		{ 413, "Content Too Large" },
		{ 415, "Unsupported Media Type" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" }, { 501, "Not Implemented" },
		{ 502, "Bad Gateway" }, { 503, "Service Unavailable" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].status == status)
			return rows[i].phrase;
	return status < 400 ? "OK" : "Error";
}
