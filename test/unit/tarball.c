#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tarball.h"

enum { BLOCK = 512, SUM_AT = 148 };

static void
mend(char *block)
{
	unsigned sum = 0;

	memset(block + SUM_AT, ' ', 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned char)block[i];
	snprintf(block + SUM_AT, 8, "%06o", sum & 0777777);
	block[SUM_AT + 7] = ' ';
}

/* Without the NUL that a full field has no room for. */
static void
put_text(char *field, size_t max, const char *text)
{
	size_t n = strlen(text);

	memcpy(field, text, n < max ? n : max);
}

void
tarball_header(struct buf *b, const char *name, char type, uint64_t size,
    const char *link)
{
	char block[BLOCK] = "";

	put_text(block, 100, name);
	snprintf(block + 100, 8, "%07o", 0644U);
	snprintf(block + 108, 8, "%07o", 0U);
	snprintf(block + 116, 8, "%07o", 0U);
	snprintf(block + 124, 12, "%011llo", (unsigned long long)size &
	    077777777777);
	snprintf(block + 136, 12, "%011o", 0U);
	block[156] = type;
	put_text(block + 157, 100, link);
	memcpy(block + 257, "ustar\0" "00", 8);
	mend(block);
	buf_put(b, block, BLOCK);
}

void
tarball_data(struct buf *b, struct str data)
{
	static const char zero[BLOCK];

	buf_put_str(b, data);
	buf_put(b, zero, -data.len % BLOCK);
}

void
tarball_file(struct buf *b, const char *name, const char *text)
{
	tarball_header(b, name, '0', strlen(text), "");
	tarball_data(b, str_from(text));
}

void
tarball_entry(struct buf *b, const char *name, char type, const char *link)
{
	tarball_header(b, name, type, 0, link);
}

void
tarball_meta(struct buf *b, char type, struct str data)
{
	tarball_header(b, "meta", type, data.len, "");
	tarball_data(b, data);
}

void
tarball_record(struct buf *b, const char *key, const char *value)
{
	size_t n = strlen(key) + strlen(value) + 3, len = n + 1, before = 0;

	while (len != before) {
		before = len;
		len = n + (size_t)snprintf(NULL, 0, "%zu", len);
	}
	buf_printf(b, "%zu %s=%s\n", len, key, value);
}

void
tarball_end(struct buf *b)
{
	static const char zero[2 * BLOCK];

	buf_put(b, zero, sizeof(zero));
}

void
tarball_patch(struct buf *b, size_t at, size_t field, const void *bytes,
    size_t n)
{
	memcpy(b->data + at + field, bytes, n);
	if (field != SUM_AT)
		mend(b->data + at);
}

void
tarball_gzip(struct buf *out, struct str bytes, size_t zeros)
{
	static unsigned char zero[65536], chunk[65536];
	z_stream z = { .zalloc = NULL };
	int result;

	if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8,
	    Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	z.next_in = (unsigned char *)(uintptr_t)bytes.data;
	z.avail_in = (unsigned)bytes.len;
	do {
		if (z.avail_in == 0 && zeros > 0) {
			z.next_in = zero;
			z.avail_in = zeros < sizeof(zero) ? (unsigned)zeros :
			    sizeof(zero);
			zeros -= z.avail_in;
		}
		z.next_out = chunk;
		z.avail_out = sizeof(chunk);
		result = deflate(&z, zeros > 0 ? Z_NO_FLUSH : Z_FINISH);
		buf_put(out, chunk, sizeof(chunk) - z.avail_out);
	} while (result == Z_OK);
	deflateEnd(&z);
}
