/*
 * Strict JSON, checked before any parser sees it.  json-c is lenient even in
 * strict mode: it lets the last of two equal keys win, cuts keys at U+0000,
 * clamps numbers, and knows NaN and single quotes.  What passes here is read
 * by every parser in the same way.
 */
#ifndef POLICYD_LEXER_H
#define POLICYD_LEXER_H

#include "common/str.h"

enum {
	LEXER_DEPTH_MAX = 32,
	LEXER_VALUES_MAX = 20000	/* of all kinds together */
};

struct lexer_error {
	size_t		 offset;	/* byte at which it was seen */
	const char	*what;		/* static text, lower case */
};

/*
 * 0, or -R_BAD_JSON, -R_DUPLICATE_KEY.  Checks: one value and nothing after
 * it; UTF-8 without surrogates; no lone surrogate escape; no U+0000 in any
 * spelling; numbers of RFC 8259's grammar, integers within int64; no key twice
 * in one object (after unescaping); depth and number of values, each of which
 * costs a parser far more memory than its bytes here.  Keys that differ in case only are
 * the walker's concern: it knows which objects are structs and which are maps.
 */
int	 lexer_check(struct str text, struct lexer_error *);

#endif
