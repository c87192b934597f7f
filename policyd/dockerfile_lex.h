/*
 * The text level of a Dockerfile: logical lines, flags, words, variables.
 * Used by dockerfile.c and its tests only.
 */
#ifndef POLICYD_DOCKERFILE_LEX_H
#define POLICYD_DOCKERFILE_LEX_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"
#include "common/buf.h"

/* ---- lines -------------------------------------------------------------- */

/* How parsers differ: one reading is one choice of these. */
enum {
	LEX_HEREDOC = 1,	/* RUN <<EOF takes the lines up to EOF */
	LEX_TWO_ESCAPES = 2	/* two escapes at a line's end join nothing */
};

struct dockerfile_lex {
	struct str	 left;
	unsigned	 reading;
	char		 escape;	/* '\\', or '`' by directive */
	size_t		 line;		/* of the last line read */
	size_t		 start;		/* line of the instruction given out */
	struct buf	 joined;	/* the instruction given out */
	/* What parsers take differently, or NULL: the first such thing. */
	const char	*doubtful;
	size_t		 doubtful_line;
};

/* Looks at the directives on top, too. */
void	 dockerfile_lex_init(struct dockerfile_lex *, struct str text,
	    unsigned reading);
void	 dockerfile_lex_free(struct dockerfile_lex *);
/* The next instruction, continuation lines joined; false: no more. */
bool	 dockerfile_lex_next(struct dockerfile_lex *, struct str *instruction);

/* ---- inside one instruction --------------------------------------------- */

struct str dockerfile_trim(struct str);		/* white space of Unicode */
/* Takes the command off; what is left starts behind the white space. */
struct str dockerfile_command(struct str *instruction);
/*
 * Takes the next flag off, as the builders find flags; false: there is none.
 * odd: it has quotes, escapes or bytes that change it.
 */
bool	 dockerfile_flag(struct str *left, struct str *flag, bool *odd);
/* The next word between white space. */
bool	 dockerfile_word(struct str *left, struct str *word);
/* The same, but white space in quotes and behind an escape does not count. */
bool	 dockerfile_quoted_word(struct str *left, char escape,
	    struct str *word);
/* A list in JSON form: its strings, decoded into the arena.  -1: none. */
int	 dockerfile_json(struct arena *, struct str, struct str *out,
	    size_t max);

/* ---- variables ---------------------------------------------------------- */

/* Stand in an expanded text for what is not known. */
#define LEX_WILD	'\x01'	/* a word without ':' (a builder's own) */
#define LEX_ANY		'\x02'	/* anything, or nothing */

enum { LEX_VALUE_MAX = 4096, LEX_VARIABLES_MAX = 256 };

struct variable {
	struct str	 name;
	struct str	 value;		/* expanded */
};
struct scope {
	size_t		 count;
	struct variable	 variable[LEX_VARIABLES_MAX];
	/* A name that is not among them: its value, or empty text. */
	struct str	(*other)(struct scope *, struct str name);
	const void	*given;		/* for other(), as is: */
	bool		 missed;
};

struct variable *dockerfile_scope_find(struct scope *, struct str name);
/* false: there are too many.  Replaces a value that is there. */
bool	 dockerfile_scope_set(struct scope *, struct arena *, struct str name,
	    struct str value);
/* Quotes off, variables in; over LEX_VALUE_MAX it is LEX_ANY. */
struct str dockerfile_expand(struct arena *, struct scope *, struct str word,
	    char escape);

#endif
