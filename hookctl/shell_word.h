/*
 * What the two halves of the tokenizer share; see shell_lex.h for its users.
 */
#ifndef HOOKCTL_SHELL_WORD_H
#define HOOKCTL_SHELL_WORD_H

#include <stdbool.h>
#include <string.h>

#include "hookctl/shell_lex.h"

/* A word, empty where an operator stands. */
bool	 lex_word(struct lex *, struct lex_word *);
/* Bytes from .. up to close, read over; what they expand is judged. */
bool	 lex_over(struct lex *, char open, char close, bool in_quotes);
/* Judges what in[from, to) expands: the body of a heredoc. */
bool	 lex_expansions(struct lex *, size_t from, size_t to);

/* The byte n places on, or '\0' past the end. */
static inline char
lex_peek(const struct lex *lx, size_t n)
{
	return lx->at + n < lx->in.len ? lx->in.data[lx->at + n] : '\0';
}

static inline bool
lex_at_end(const struct lex *lx)
{
	return lx->at >= lx->in.len;
}

static inline bool
lex_starts(const struct lex *lx, const char *text)
{
	return str_starts(str_skip(lx->in, lx->at), text);
}

static inline bool
lex_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool
lex_is_operator(char c)
{
	return c != '\0' && strchr(";&|()<>\n", c) != NULL;
}

#endif
