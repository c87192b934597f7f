/*
 * Growable byte buffers with a bound.  Knows nothing of what the bytes mean.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buf.h"

void
buf_init(struct buf *b, size_t max)
{
	*b = (struct buf)BUF_INIT(max);
}

void
buf_free(struct buf *b)
{
	free(b->data);
	buf_init(b, b->max);
}

void
buf_clear(struct buf *b)
{
	b->len = 0;
	b->failed = false;
}

bool
buf_reserve(struct buf *b, size_t more)
{
	size_t need, cap;
	char *data;

	if (more > b->max || b->len > b->max - more) {
		b->failed = true;
		return false;
	}
	need = b->len + more;
	if (need <= b->cap)
		return true;
	cap = b->cap > 0 ? b->cap : 256;
	while (cap < need)
		cap = cap > b->max / 2 ? b->max : cap * 2;
	if (cap < need)
		cap = need;
	data = realloc(b->data, cap);
	if (data == NULL) {
		b->failed = true;
		return false;
	}
	b->data = data;
	b->cap = cap;
	return true;
}

void
buf_put(struct buf *b, const void *bytes, size_t n)
{
	if (n == 0 || !buf_reserve(b, n))
		return;
	memcpy(b->data + b->len, bytes, n);
	b->len += n;
}

void
buf_put_str(struct buf *b, struct str s)
{
	buf_put(b, s.data, s.len);
}

void
buf_put_text(struct buf *b, const char *text)
{
	buf_put(b, text, strlen(text));
}

void
buf_put_char(struct buf *b, char c)
{
	buf_put(b, &c, 1);
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	/* vsnprintf wants room for the NUL, which is then not counted. */
	if (n < 0 || !buf_reserve(b, (size_t)n + 1))
		b->failed = true;
	else {
		vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
}

void
buf_drop(struct buf *b, size_t n)
{
	if (n >= b->len) {
		b->len = 0;
		return;
	}
	memmove(b->data, b->data + n, b->len - n);
	b->len -= n;
}
