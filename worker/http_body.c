/*
 * Body framing.  A chunk is SIZE CRLF DATA CRLF with SIZE in hexadecimal, no
 * sign, no leading zero, no extension; Go's reader forgives more, and what it
 * forgives a client must not be able to use.
 */
#include <string.h>

#include "common/reason.h"
#include "worker/http_body.h"

enum chunk_state {
	CHUNK_SIZE,		/* in the hexadecimal digits */
	CHUNK_SIZE_LF,		/* CR was read */
	CHUNK_DATA,
	CHUNK_DATA_CR,
	CHUNK_DATA_LF,
	CHUNK_LAST,		/* behind the last chunk, at a line's start */
	CHUNK_LAST_LF,		/* the CR of the empty line was read */
	CHUNK_TRAILER,		/* in a trailer line */
	CHUNK_TRAILER_LF,
	BODY_DONE
};

enum { SIZE_DIGITS = 15, TRAILER_MAX = 8 * 1024 };

void
http_body_init(struct http_body *b, enum http_framing framing, uint64_t length,
    bool trailers)
{
	memset(b, 0, sizeof(*b));
	b->framing = (uint8_t)framing;
	b->trailers = trailers;
	b->state = CHUNK_SIZE;
	if (framing == FRAMING_LENGTH)
		b->left = length;
	if (framing == FRAMING_NONE ||
	    (framing == FRAMING_LENGTH && length == 0))
		b->state = BODY_DONE;
}

bool
http_body_is_done(const struct http_body *b)
{
	return b->state == BODY_DONE;
}

uint64_t
http_body_left(const struct http_body *b)
{
	return b->left;
}

void
http_body_skip(struct http_body *b, uint64_t n)
{
	b->left -= n < b->left ? n : b->left;
	if (b->left == 0)
		b->state = BODY_DONE;
}

int
http_body_close(const struct http_body *b)
{
	return b->state == BODY_DONE || b->framing == FRAMING_CLOSE ? 0 :
	    -R_BAD_REQUEST;
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

static int
read_size(struct http_body *b, char c)
{
	int digit = hex_value(c);

	if (digit >= 0) {
		/* A zero in front is the last chunk, or nothing. */
		if (b->line == SIZE_DIGITS || (b->line == 1 && b->left == 0))
			return -R_BAD_REQUEST;
		b->left = b->left * 16 + (uint64_t)digit;
		b->line++;
		return 0;
	}
	if (c != '\r' || b->line == 0)
		return -R_BAD_REQUEST;
	b->state = CHUNK_SIZE_LF;
	return 0;
}

static int
read_trailer(struct http_body *b, char c)
{
	if (!b->trailers || ++b->trailer > TRAILER_MAX)
		return -R_BAD_REQUEST;
	if (c == '\r')
		b->state = CHUNK_TRAILER_LF;
	else if (c == '\n')
		return -R_BAD_REQUEST;
	else
		b->state = CHUNK_TRAILER;
	return 0;
}

static int
expect(struct http_body *b, char c, char wanted, enum chunk_state next)
{
	if (c != wanted)
		return -R_BAD_REQUEST;
	b->state = (uint8_t)next;
	b->line = 0;
	return 0;
}

/* One byte of framing, never of data. */
static int
step(struct http_body *b, char c)
{
	switch ((enum chunk_state)b->state) {
	case CHUNK_SIZE:
		return read_size(b, c);
	case CHUNK_SIZE_LF:
		return expect(b, c, '\n', b->left > 0 ? CHUNK_DATA :
		    CHUNK_LAST);
	case CHUNK_DATA_CR:
		return expect(b, c, '\r', CHUNK_DATA_LF);
	case CHUNK_DATA_LF:
		return expect(b, c, '\n', CHUNK_SIZE);
	case CHUNK_LAST:
		if (c == '\r')
			return expect(b, c, '\r', CHUNK_LAST_LF);
		return read_trailer(b, c);
	case CHUNK_LAST_LF:
		return expect(b, c, '\n', BODY_DONE);
	case CHUNK_TRAILER:
		return read_trailer(b, c);
	case CHUNK_TRAILER_LF:
		return expect(b, c, '\n', CHUNK_LAST);
	case CHUNK_DATA:
	case BODY_DONE:
		break;
	}
	return -R_INTERNAL;
}

/* How many of n bytes are data from here on; 0: framing comes first. */
static size_t
take_data(struct http_body *b, size_t n)
{
	if (b->framing == FRAMING_CLOSE)
		return n;
	if (b->framing == FRAMING_CHUNKED && b->state != CHUNK_DATA)
		return 0;
	if (n < b->left) {
		b->left -= n;
		return n;
	}
	n = (size_t)b->left;
	b->left = 0;
	b->state = b->framing == FRAMING_CHUNKED ? CHUNK_DATA_CR : BODY_DONE;
	return n;
}

static int
walk(struct http_body *b, const char *bytes, char *out, size_t n,
    size_t *used, size_t *data)
{
	size_t at = 0, kept = 0;
	int error = 0;

	while (at < n && b->state != BODY_DONE && error == 0) {
		size_t run = take_data(b, n - at);

		if (run == 0) {
			error = step(b, bytes[at++]);
			continue;
		}
		if (out != NULL && kept != at)
			memmove(out + kept, bytes + at, run);
		kept += run;
		at += run;
	}
	*used = at;
	*data = kept;
	if (error != 0)
		return error;
	return b->state == BODY_DONE ? 1 : 0;
}

int
http_body_decode(struct http_body *b, char *bytes, size_t n, size_t *used,
    size_t *data)
{
	return walk(b, bytes, bytes, n, used, data);
}

int
http_body_follow(struct http_body *b, const char *bytes, size_t n,
    size_t *used)
{
	size_t data;

	return walk(b, bytes, NULL, n, used, &data);
}
