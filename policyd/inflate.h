/*
 * Takes a gzip stream apart piece by piece: one member, nothing behind it,
 * bounded in what it grows to.  Knows nothing of what is inside.
 */
#ifndef POLICYD_INFLATE_H
#define POLICYD_INFLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/reason.h"
#include "common/str.h"

enum {
	INFLATE_CHUNK = 64 * 1024,	/* bytes given out at once */
	INFLATE_RATIO_MAX = 200,	/* out for one in, beyond the first: */
	INFLATE_FREE = 256 * 1024 * 1024
};
#define INFLATE_TOTAL_MAX	(UINT64_C(16) << 30)

struct inflate;

struct inflate	*inflate_new(void);
void		 inflate_free(struct inflate *);
/*
 * Gives the next bytes of content; takes what they need from `in`.  1: there
 * may be more in what was given already, call again; 0: all of `in` is taken
 * and all that it holds was given out; negative: -R_ARCHIVE or -R_TOO_LARGE,
 * why in inflate_why().  `out` lives until the next call.
 */
int		 inflate_next(struct inflate *, struct str *in,
		    struct str *out);
/* The stream is whole. */
bool		 inflate_is_done(const struct inflate *);
const char	*inflate_why(const struct inflate *);
size_t		 inflate_held(const struct inflate *);

#endif
