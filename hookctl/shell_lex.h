/*
 * Tokens of POSIX shell and bash: words with their quotes taken off, separators,
 * redirections (read over), heredocs.  Knows nothing of which program is which.
 *
 * Command lists stand inside words too ($( ), <( ), backticks, heredocs): for
 * those the tokenizer calls back into its user, who reads tokens up to the
 * closing parenthesis and comes back.  That is what makes a heredoc, a comment
 * or a case pattern inside $( ) come out right.
 *
 * Every function returns false to stop: what was to be found is found, or the
 * text cannot be parsed.  Both mean the same to the only user.
 */
#ifndef HOOKCTL_SHELL_LEX_H
#define HOOKCTL_SHELL_LEX_H

#include <stdbool.h>
#include <stddef.h>

#include "common/str.h"

enum {
	LEX_DEPTH = 16,		/* lists within lists; deeper: stop */
	LEX_HEREDOCS = 8,	/* pending at once; more: stop */
	LEX_DELIMITER = 64	/* bytes of a heredoc's delimiter */
};

enum lex_token {
	LEX_END,
	LEX_WORD,
	LEX_NEWLINE,
	LEX_SEPARATOR,		/* ; & && || | |& */
	LEX_CASE_END,		/* ;; ;& ;;& */
	LEX_OPEN,
	LEX_CLOSE
};

struct lex_word {
	struct str	 text;		/* unquoted; expansions stay as written */
	size_t		 base;		/* where the last path component starts */
	bool		 quoted;	/* a quote or an escape: no keyword */
	bool		 assigns;	/* NAME=..., NAME+=..., NAME[...]=... */
	bool		 expands;	/* holds an expansion, glob or brace list */
	bool		 base_expands;	/* the last path component does */
	bool		 bare;		/* nothing but expansions */
};

struct lex_heredoc {
	char	 delimiter[LEX_DELIMITER];
	size_t	 len;
	bool	 strip_tabs;
	bool	 quoted;	/* no expansion in the body */
};

struct lex;
/* Reads a list up to and including its ')'. */
typedef bool (*lex_list)(struct lex *);
/* Judges a text of its own: what backticks hold. */
typedef bool (*lex_text)(struct lex *, struct str);

struct lex {
	struct str		 in;
	size_t			 at;
	char			*out;		/* words are built here, as on a stack */
	size_t			 used;
	bool			 globs;		/* ?( *( +( @( !( belong to words */
	unsigned		 depth;
	size_t			 pending;
	struct lex_heredoc	 heredoc[LEX_HEREDOCS];
	lex_list		 list;
	lex_text		 text;
	long			*budget;	/* bytes that may still be judged */
};

/* out must hold in.len bytes; budget is shared by texts within texts. */
void	 lex_init(struct lex *, struct str in, char *out, lex_list, lex_text,
	    long *budget);
/* The word is valid until the next call. */
bool	 lex_next(struct lex *, enum lex_token *, struct lex_word *);
/* "()" follows, as in a function's definition; it is read. */
bool	 lex_take_parens(struct lex *);
/* "((" follows and closes with "))": it is read, *taken set. */
bool	 lex_take_arithmetic(struct lex *, bool *taken);
/* Reads a conditional up to and including its "]]". */
bool	 lex_take_test(struct lex *);

#endif
