/*
 * gzip by zlib.  zlib checks the member's sum and length; that there is one
 * member, and how much it may grow, is checked here: daemons hand the stream
 * to readers that differ in what they do behind the first member.
 */
#include <stdlib.h>

#define ZLIB_CONST
#include <zlib.h>

#include "common/log.h"
#include "policyd/inflate.h"

struct inflate {
	z_stream	 z;
	uint64_t	 in, out;	/* bytes of all calls */
	bool		 done;
	const char	*why;
	unsigned char	 chunk[INFLATE_CHUNK];
};

/* zlib's window and state, as its manual gives them. */
enum { ZLIB_HELD = 44 * 1024, GZIP_ONLY = 15 + 16 };

struct inflate *
inflate_new(void)
{
	struct inflate *f = calloc(1, sizeof(*f));

	if (f == NULL || inflateInit2(&f->z, GZIP_ONLY) != Z_OK)
		log_panic("inflate", "out of memory");
	return f;
}

void
inflate_free(struct inflate *f)
{
	if (f == NULL)
		return;
	inflateEnd(&f->z);
	free(f);
}

static int
refuse(struct inflate *f, enum reason reason, const char *why)
{
	f->why = why;
	return -(int)reason;
}

static int
check_growth(struct inflate *f)
{
	if (f->out > INFLATE_TOTAL_MAX)
		return refuse(f, R_TOO_LARGE, "it grows to more than 16 GiB");
	if (f->out > INFLATE_FREE && f->out / INFLATE_RATIO_MAX > f->in)
		return refuse(f, R_TOO_LARGE, "it grows to more than 200 "
		    "times its size; send it uncompressed");
	return 0;
}

int
inflate_next(struct inflate *f, struct str *in, struct str *out)
{
	int result, error;
	size_t taken;

	*out = STR_NONE;
	if (f->done) {
		if (in->len > 0)
			return refuse(f, R_ARCHIVE, "something follows the "
			    "end of the gzip stream");
		return 0;
	}
	f->z.next_in = (const Bytef *)in->data;
	f->z.avail_in = in->len < INFLATE_CHUNK ? (uInt)in->len :
	    INFLATE_CHUNK;
	taken = f->z.avail_in;
	f->z.next_out = f->chunk;
	f->z.avail_out = sizeof(f->chunk);
	result = inflate(&f->z, Z_NO_FLUSH);
	taken -= f->z.avail_in;
	*in = str_skip(*in, taken);
	*out = (struct str){ (const char *)f->chunk,
		sizeof(f->chunk) - f->z.avail_out };
	f->in += taken;
	f->out += out->len;
	f->done = result == Z_STREAM_END;
	if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
		return refuse(f, R_ARCHIVE, "its gzip stream is broken");
	if ((error = check_growth(f)) != 0)
		return error;
	/* A full chunk: zlib may hold more that is decided already. */
	return in->len > 0 || (f->z.avail_out == 0 && !f->done);
}

bool
inflate_is_done(const struct inflate *f)
{
	return f->done;
}

const char *
inflate_why(const struct inflate *f)
{
	return f->why;
}

size_t
inflate_held(const struct inflate *f)
{
	return f == NULL ? 0 : sizeof(*f) + ZLIB_HELD;
}
