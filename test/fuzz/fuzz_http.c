/*
 * Heads and bodies of both directions.  What comes whole and what comes byte
 * by byte must be read alike; what is accepted must hold to the rules that
 * the rest of the worker builds on.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "worker/http_body.h"
#include "worker/http_head.h"
#include "worker/response.h"

int	 LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
require(bool holds)
{
	if (!holds)
		abort();
}

static bool
is_inside(struct http_span span, uint32_t size)
{
	return span.at <= size && span.len <= size - span.at;
}

/* ---- requests ----------------------------------------------------------- */

static void
check_head(const struct http_head *h, struct str bytes)
{
	struct str raw = str_first(bytes, h->size);
	unsigned hosts = 0, framings = 0;

	require(h->size <= bytes.len && h->size <= PROTO_HEAD_MAX);
	require(str_ends(raw, "\r\n\r\n"));
	require(http_span_str(raw.data, h->target).data[0] == '/');
	for (uint32_t i = 0; i < h->field_count; i++) {
		struct str name = http_span_str(raw.data, h->field[i].name);
		struct str value = http_span_str(raw.data, h->field[i].value);

		require(is_inside(h->field[i].name, h->size) &&
		    is_inside(h->field[i].value, h->size));
		require(http_is_token(name));
		require(value.len == 0 || memchr(value.data, '\n',
		    value.len) == NULL);
		hosts += str_equal_nocase(name, STR("Host"));
		framings += str_equal_nocase(name, STR("Content-Length")) ||
		    str_equal_nocase(name, STR("Transfer-Encoding"));
	}
	require(hosts == 1 && framings <= 1);
	require(framings == 1 || h->body_kind == BODY_NONE);
}

static int
head_slowly(struct http_head *h, struct str bytes)
{
	int got = 0;

	http_head_init(h);
	for (size_t i = 1; i <= bytes.len && got == 0; i++)
		got = http_head_feed(h, str_first(bytes, i));
	return got;
}

static void
fuzz_head(struct str bytes)
{
	static struct http_head whole, slow;
	int got;

	memset(&whole, 0, sizeof(whole));
	memset(&slow, 0, sizeof(slow));
	http_head_init(&whole);
	got = http_head_feed(&whole, bytes);
	require(head_slowly(&slow, bytes) == got);
	if (got != 1)
		return;
	require(memcmp(&whole, &slow, sizeof(whole)) == 0);
	check_head(&whole, bytes);
}

/* ---- answers ------------------------------------------------------------ */

static void
fuzz_response(struct str bytes)
{
	static struct response whole, slow, again;
	struct response_change change = { 0, RESPONSE_AS_IS, 0, false };
	struct buf out = BUF_INIT(8 * PROTO_HEAD_MAX);
	int got, slowly = 0;

	response_init(&whole);
	got = response_feed(&whole, bytes, false);
	response_init(&slow);
	for (size_t i = 1; i <= bytes.len && slowly == 0; i++)
		slowly = response_feed(&slow, str_first(bytes, i), false);
	require(slowly == got);
	if (got == 1) {
		require(whole.size == slow.size &&
		    whole.framing == slow.framing &&
		    whole.length == slow.length);
		/* What is written for the client is read as the same. */
		response_write(&whole, bytes, &change, &out);
		response_init(&again);
		require(response_feed(&again, buf_str(&out), false) == 1);
		require(again.status == whole.status &&
		    again.framing == whole.framing &&
		    again.length == whole.length);
		buf_free(&out);
	}
}

/* ---- bodies ------------------------------------------------------------- */

static int
body_slowly(struct http_body *b, struct str bytes, size_t *used,
    struct buf *out)
{
	int got = 0;

	*used = 0;
	for (size_t i = 0; i < bytes.len && got == 0; i++) {
		char c = bytes.data[i];
		size_t one, data;

		got = http_body_decode(b, &c, 1, &one, &data);
		buf_put(out, &c, data);
		*used += one;
	}
	return got;
}

static void
fuzz_body(struct str bytes, enum http_framing framing, uint64_t length,
    bool trailers)
{
	struct http_body whole, slow, follow;
	struct buf slow_out = BUF_INIT(1 << 24), copy = BUF_INIT(1 << 24);
	size_t used, data, slow_used, follow_used;
	int got;

	http_body_init(&whole, framing, length, trailers);
	if (http_body_is_done(&whole))
		return;
	slow = follow = whole;
	buf_put_str(&copy, bytes);
	got = http_body_decode(&whole, copy.data, copy.len, &used, &data);
	require(used <= bytes.len && data <= used);
	require(body_slowly(&slow, bytes, &slow_used, &slow_out) == got);
	require(http_body_follow(&follow, bytes.data, bytes.len,
	    &follow_used) == got);
	require(used == slow_used && used == follow_used);
	require(str_equal(buf_str(&slow_out), (struct str){ copy.data, data }));
	require((got == 1) == http_body_is_done(&whole));
	buf_free(&slow_out);
	buf_free(&copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };

	/* The first byte says what the others are. */
	if (size < 2)
		return 0;
	bytes = str_skip(bytes, 1);
	switch (data[0] % 4) {
	case 0:
		fuzz_head(bytes);
		break;
	case 1:
		fuzz_response(bytes);
		break;
	case 2:
		fuzz_body(bytes, FRAMING_CHUNKED, 0, (data[0] & 4) != 0);
		break;
	default:
		fuzz_body(bytes, FRAMING_LENGTH, data[0], false);
		break;
	}
	return 0;
}
