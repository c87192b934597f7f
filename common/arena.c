/*
 * Bump allocator.  Blocks of 16 KiB, larger ones for larger requests.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "common/log.h"

enum { ARENA_BLOCK = 16 * 1024 };

struct arena_block {
	struct arena_block	*next;
	size_t			 size;
	size_t			 used;
	_Alignas(max_align_t) char bytes[];
};

void
arena_init(struct arena *a, size_t max)
{
	*a = (struct arena){ NULL, 0, max };
}

void
arena_free(struct arena *a)
{
	struct arena_block *block, *next;

	for (block = a->blocks; block != NULL; block = next) {
		next = block->next;
		free(block);
	}
	arena_init(a, a->max);
}

static struct arena_block *
arena_grow(struct arena *a, size_t need)
{
	size_t size = need > ARENA_BLOCK ? need : ARENA_BLOCK;
	struct arena_block *block = malloc(sizeof(*block) + size);

	if (block == NULL)
		log_panic("arena", "out of memory");
	block->next = a->blocks;
	block->size = size;
	block->used = 0;
	a->blocks = block;
	return block;
}

void *
arena_alloc(struct arena *a, size_t n)
{
	const size_t align = _Alignof(max_align_t);
	struct arena_block *block = a->blocks;
	void *p;

	if (n > a->max || a->used > a->max - n)
		log_panic("arena", "bound exceeded");
	n = (n + align - 1) / align * align;
	if (block == NULL || block->size - block->used < n)
		block = arena_grow(a, n);
	p = block->bytes + block->used;
	block->used += n;
	a->used += n;
	return memset(p, 0, n);
}

char *
arena_text(struct arena *a, struct str s)
{
	char *copy = arena_alloc(a, s.len + 1);

	if (s.len > 0)
		memcpy(copy, s.data, s.len);
	return copy;
}

struct str
arena_str(struct arena *a, struct str s)
{
	return (struct str){ arena_text(a, s), s.len };
}

struct str
arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap, again;
	char *text;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		log_panic("arena", "format");
	text = arena_alloc(a, (size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	return (struct str){ text, (size_t)n };
}
