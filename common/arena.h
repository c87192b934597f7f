/*
 * Bump allocator with a bound: everything that belongs to one request is
 * taken from one arena and goes with it.  Not freed piecewise.
 */
#ifndef COMMON_ARENA_H
#define COMMON_ARENA_H

#include <stddef.h>

#include "common/str.h"

struct arena_block;

struct arena {
	struct arena_block	*blocks;	/* newest first */
	size_t			 used;		/* bytes handed out */
	size_t			 max;		/* bytes that may be */
};

void	 arena_init(struct arena *, size_t max);
void	 arena_free(struct arena *);		/* all of it; usable again */
/*
 * Zeroed and aligned for any type.  Over the bound, or without memory, it
 * panics: the arena's bound is far above what a bounded request can ask for,
 * so reaching it is a broken invariant and the process ends (its requests are
 * then refused by the worker).
 */
void	*arena_alloc(struct arena *, size_t);
struct str arena_str(struct arena *, struct str);	/* copy, NUL after it */
char	*arena_text(struct arena *, struct str);	/* the same as char * */
struct str arena_printf(struct arena *, const char *, ...)
	    __attribute__((format(printf, 2, 3)));

#endif
