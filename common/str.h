/*
 * A view of bytes that somebody else owns: never freed, never assumed to end
 * in NUL, may hold any byte.  It lives as long as what it looks into (a frame,
 * an arena, a string constant).
 */
#ifndef COMMON_STR_H
#define COMMON_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct str {
	const char	*data;
	size_t		 len;
};

/* A string constant as a view, usable in initialisers. */
#define STR(literal)	((struct str){ (literal), sizeof(literal) - 1 })
#define STR_NONE	((struct str){ NULL, 0 })

/* printf("%.*s", STR_FMT(s)) */
#define STR_FMT(s)	(int)(s).len, (s).data != NULL ? (s).data : ""

static inline struct str
str_from(const char *text)
{
	return (struct str){ text, text != NULL ? strlen(text) : 0 };
}

static inline bool
str_equal(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data,
	    a.len) == 0);
}

static inline bool
str_is(struct str a, const char *text)
{
	return str_equal(a, str_from(text));
}

static inline bool
str_starts(struct str s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.len >= n && memcmp(s.data, prefix, n) == 0;
}

static inline bool
str_ends(struct str s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.len >= n && memcmp(s.data + s.len - n, suffix, n) == 0;
}

/* What is left of s after its first n bytes. */
static inline struct str
str_skip(struct str s, size_t n)
{
	if (n > s.len)
		n = s.len;
	/* Nothing may be added to the null pointer of STR_NONE, not even 0. */
	return (struct str){ n > 0 ? s.data + n : s.data, s.len - n };
}

/* The first n bytes of s. */
static inline struct str
str_first(struct str s, size_t n)
{
	return (struct str){ s.data, n < s.len ? n : s.len };
}

/* Position of c in s, or s.len. */
static inline size_t
str_find(struct str s, char c)
{
	const char *at = s.len > 0 ? memchr(s.data, c, s.len) : NULL;

	return at != NULL ? (size_t)(at - s.data) : s.len;
}

/* Equal but for the case of ASCII letters: header and parameter names. */
static inline bool
str_equal_nocase(struct str a, struct str b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++) {
		unsigned char x = (unsigned char)a.data[i];
		unsigned char y = (unsigned char)b.data[i];

		if (x >= 'A' && x <= 'Z')
			x = (unsigned char)(x | 0x20);
		if (y >= 'A' && y <= 'Z')
			y = (unsigned char)(y | 0x20);
		if (x != y)
			return false;
	}
	return true;
}

#endif
