/*
 * Typed values in host byte order.
 */
#include "common/wire.h"

void
wire_put_u8(struct buf *b, uint8_t v)
{
	buf_put(b, &v, sizeof(v));
}

void
wire_put_u16(struct buf *b, uint16_t v)
{
	buf_put(b, &v, sizeof(v));
}

void
wire_put_u32(struct buf *b, uint32_t v)
{
	buf_put(b, &v, sizeof(v));
}

void
wire_put_u64(struct buf *b, uint64_t v)
{
	buf_put(b, &v, sizeof(v));
}

void
wire_put_str(struct buf *b, struct str s)
{
	if (s.len > UINT32_MAX) {
		b->failed = true;
		return;
	}
	wire_put_u32(b, (uint32_t)s.len);
	buf_put_str(b, s);
}

struct wire
wire_open(struct str payload)
{
	return (struct wire){ payload, false };
}

static void
take(struct wire *w, void *out, size_t n)
{
	memset(out, 0, n);
	if (w->failed || w->left.len < n) {
		w->failed = true;
		return;
	}
	memcpy(out, w->left.data, n);
	w->left = str_skip(w->left, n);
}

uint8_t
wire_get_u8(struct wire *w)
{
	uint8_t v;

	take(w, &v, sizeof(v));
	return v;
}

uint16_t
wire_get_u16(struct wire *w)
{
	uint16_t v;

	take(w, &v, sizeof(v));
	return v;
}

uint32_t
wire_get_u32(struct wire *w)
{
	uint32_t v;

	take(w, &v, sizeof(v));
	return v;
}

uint64_t
wire_get_u64(struct wire *w)
{
	uint64_t v;

	take(w, &v, sizeof(v));
	return v;
}

struct str
wire_get_str(struct wire *w)
{
	uint32_t n = wire_get_u32(w);
	struct str s;

	if (w->failed || w->left.len < n) {
		w->failed = true;
		return STR_NONE;
	}
	s = str_first(w->left, n);
	w->left = str_skip(w->left, n);
	return s;
}

bool
wire_is_done(const struct wire *w)
{
	return !w->failed && w->left.len == 0;
}
