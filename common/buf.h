/*
 * A growable byte buffer with a hard upper bound.  A write over the bound, or
 * without memory, sets `failed` and changes nothing else; the caller looks at
 * it once at the end instead of after every write.
 */
#ifndef COMMON_BUF_H
#define COMMON_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/str.h"

struct buf {
	char	*data;		/* owned; not NUL-terminated */
	size_t	 len;		/* bytes in use */
	size_t	 cap;		/* bytes allocated */
	size_t	 max;		/* bytes that len may never exceed */
	bool	 failed;	/* a write was refused */
};

#define BUF_INIT(limit)	{ NULL, 0, 0, (limit), false }

void		 buf_init(struct buf *, size_t max);
void		 buf_free(struct buf *);	/* keeps max: usable again */
void		 buf_clear(struct buf *);	/* empty, memory kept */
bool		 buf_reserve(struct buf *, size_t more);
void		 buf_put(struct buf *, const void *, size_t);
void		 buf_put_str(struct buf *, struct str);
void		 buf_put_text(struct buf *, const char *);
void		 buf_put_char(struct buf *, char);
void		 buf_printf(struct buf *, const char *, ...)
		    __attribute__((format(printf, 2, 3)));
/* Drops the first n bytes and moves the rest to the front. */
void		 buf_drop(struct buf *, size_t n);

static inline struct str
buf_str(const struct buf *b)
{
	return (struct str){ b->data, b->len };
}

#endif
