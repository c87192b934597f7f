/*
 * Words: quotes, escapes, expansions and the lists inside them.  A word is
 * built in one buffer used as a stack: a word that holds $( ) lets the words of
 * that list be built, and dropped again, above itself.  No byte of the input is
 * on the stack twice, so the input's length is enough for it.
 */
#include <string.h>

#include "hookctl/shell_word.h"

/* What the word under construction has shown so far. */
struct word_state {
	size_t		 mark;		/* where its text starts in out */
	size_t		 braces;	/* open unquoted { */
	size_t		 literals;	/* bytes that are no expansion */
	struct lex_word	*word;
};

static bool	lex_dollar(struct lex *, struct word_state *, bool in_quotes);

static bool
is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_';
}

/* One literal byte of the word. */
static void
word_put(struct lex *lx, struct word_state *w, char c)
{
	lx->out[lx->used++] = c;
	w->literals++;
	if (c == '/') {
		w->word->base = lx->used - w->mark;
		w->word->base_expands = false;
	}
}

/* An expansion, in.data[from .. at), as it was written. */
static void
word_put_expansion(struct lex *lx, struct word_state *w, size_t from)
{
	memcpy(lx->out + lx->used, lx->in.data + from, lx->at - from);
	lx->used += lx->at - from;
	w->word->expands = true;
	w->word->base_expands = true;
}

/* "(" was read: the list up to its ")". */
static bool
lex_list_inside(struct lex *lx)
{
	bool globs = lx->globs, going;

	if (lx->depth >= LEX_DEPTH)
		return false;
	lx->depth++;
	going = lx->list(lx);
	lx->depth--;
	lx->globs = globs;
	return going;
}

/* A backtick was read.  Inside, a backslash covers $ ` and itself. */
static bool
lex_backtick(struct lex *lx, bool in_quotes)
{
	size_t mark = lx->used;
	bool going;
	char c;

	for (;;) {
		if (lex_at_end(lx))
			return false;
		c = lx->in.data[lx->at++];
		if (c == '`')
			break;
		if (c == '\\' && (lex_peek(lx, 0) == '`' ||
		    lex_peek(lx, 0) == '\\' || lex_peek(lx, 0) == '$' ||
		    (in_quotes && lex_peek(lx, 0) == '"')))
			c = lx->in.data[lx->at++];
		lx->out[lx->used++] = c;
	}
	if (lx->depth >= LEX_DEPTH)
		return false;
	lx->depth++;
	going = lx->text(lx, (struct str){ lx->out + mark, lx->used - mark });
	lx->depth--;
	lx->used = mark;
	return going;
}

static bool
lex_single(struct lex *lx, struct word_state *w)
{
	while (!lex_at_end(lx)) {
		char c = lx->in.data[lx->at++];

		if (c == '\'')
			return true;
		word_put(lx, w, c);
	}
	return false;
}

/* $'...': escapes that stand for other bytes make it computed. */
static bool
lex_ansi(struct lex *lx, struct word_state *w)
{
	while (!lex_at_end(lx)) {
		char c = lx->in.data[lx->at++];

		if (c == '\'')
			return true;
		if (c == '\\' && !lex_at_end(lx)) {
			c = lx->in.data[lx->at++];
			if (is_name(c)) {
				w->word->expands = true;
				w->word->base_expands = true;
				c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
			}
		}
		word_put(lx, w, c);
	}
	return false;
}

static bool
lex_double(struct lex *lx, struct word_state *w)
{
	while (!lex_at_end(lx)) {
		char c = lx->in.data[lx->at++];

		if (c == '"')
			return true;
		if (c == '\\') {
			char next = lex_peek(lx, 0);

			if (next == '\n') {
				lx->at++;
				continue;
			}
			if (next != '\0' && strchr("$`\"\\", next) != NULL)
				c = lx->in.data[lx->at++];
			word_put(lx, w, c);
		} else if (c == '$' || c == '`') {
			lx->at--;
			if (!lex_dollar(lx, w, true))
				return false;
		} else
			word_put(lx, w, c);
	}
	return false;
}

/*
 * Bytes that are read over up to `close`, in which only quotes and lists
 * matter: ${...}, arithmetic, arrays.  `open` nests, unless it is `close`.
 * Text can be read over more than once (see lex_take_arithmetic), hence the
 * budget.
 */
bool
lex_over(struct lex *lx, char open, char close, bool in_quotes)
{
	struct lex_word ignored = { 0 };
	struct word_state w = { lx->used, 0, 0, &ignored };
	size_t depth = 0;
	bool going = true;

	while (going) {
		char c;

		if (lex_at_end(lx) || --*lx->budget < 0)
			return false;
		c = lx->in.data[lx->at++];
		if (c == close && depth == 0)
			return true;
		if (c == close)
			depth--;
		else if (c == open)
			depth++;
		else if (c == '\\' && !lex_at_end(lx))
			lx->at++;
		else if (c == '\'' && !in_quotes)
			going = lex_single(lx, &w);
		else if (c == '"')
			going = lex_double(lx, &w);
		else if (c == '$' || c == '`') {
			lx->at--;
			going = lex_dollar(lx, &w, in_quotes);
		}
		lx->used = w.mark;
	}
	return false;
}

bool
lex_take_arithmetic(struct lex *lx, bool *taken)
{
	size_t start = lx->at, used = lx->used;

	*taken = false;
	while (lex_is_blank(lex_peek(lx, 0)))
		lx->at++;
	if (!lex_starts(lx, "((")) {
		lx->at = start;
		return true;
	}
	if (lx->depth >= LEX_DEPTH)
		return false;
	lx->at += 2;
	lx->depth++;
	*taken = lex_over(lx, '(', ')', false) && lex_peek(lx, 0) == ')';
	lx->depth--;
	lx->used = used;
	/*
	 * ((a) b) is a list within a list.  What lies inside may have been
	 * judged already, and is judged again as a list.
	 */
	lx->at = *taken ? lx->at + 1 : start;
	return true;
}

/* The part of a $-expansion after the '$'; *is_one: it was an expansion. */
static bool
lex_expansion(struct lex *lx, bool in_quotes, bool *is_one)
{
	bool taken;
	char c = lex_peek(lx, 0);

	*is_one = true;
	if (c == '(') {
		if (!lex_take_arithmetic(lx, &taken))
			return false;
		if (taken)
			return true;
		lx->at++;
		return lex_list_inside(lx);
	}
	if (c == '{' || c == '[') {
		bool going;

		if (lx->depth >= LEX_DEPTH)
			return false;
		lx->at++;
		lx->depth++;
		going = c == '{' ? lex_over(lx, '}', '}', in_quotes) :
		    lex_over(lx, '[', ']', in_quotes);
		lx->depth--;
		return going;
	}
	if (c >= '0' && c <= '9')
		lx->at++;
	else if (is_name(c))
		while (is_name(lex_peek(lx, 0)))
			lx->at++;
	else if (c != '\0' && strchr("@*#?-$!", c) != NULL)
		lx->at++;
	else
		*is_one = false;
	return true;
}

/* At a '$' or a backtick. */
static bool
lex_dollar(struct lex *lx, struct word_state *w, bool in_quotes)
{
	size_t from = lx->at, used = lx->used;
	bool is_one;

	if (lx->in.data[lx->at++] == '`') {
		if (!lex_backtick(lx, in_quotes))
			return false;
		word_put_expansion(lx, w, from);
		return true;
	}
	if (!in_quotes && (lex_peek(lx, 0) == '\'' || lex_peek(lx, 0) == '"')) {
		w->word->quoted = true;
		return lx->in.data[lx->at++] == '"' ? lex_double(lx, w) :
		    lex_ansi(lx, w);
	}
	if (!lex_expansion(lx, in_quotes, &is_one))
		return false;
	lx->used = used;
	if (is_one)
		word_put_expansion(lx, w, from);
	else
		word_put(lx, w, '$');
	return true;
}

/* The text so far is NAME, NAME+ or NAME[...], and '=' is next. */
static bool
word_is_assignment(const struct lex *lx, const struct word_state *w)
{
	struct str s = { lx->out + w->mark, lx->used - w->mark };
	size_t n = 0;

	if (w->word->quoted || s.len == 0 || (s.data[0] >= '0' &&
	    s.data[0] <= '9'))
		return false;
	while (n < s.len && is_name(s.data[n]))
		n++;
	if (n == 0)
		return false;
	if (n < s.len && s.data[n] == '[') {
		while (n < s.len && s.data[n] != ']')
			n++;
		n++;
	}
	return n == s.len || (n + 1 == s.len && s.data[n] == '+');
}

/* "(" of an array or of a pattern list was read: words up to its ")". */
static bool
lex_group(struct lex *lx, struct word_state *w)
{
	size_t from = lx->at - 1;
	bool going;

	if (lx->depth >= LEX_DEPTH)
		return false;
	lx->depth++;
	going = lex_over(lx, '(', ')', false);
	lx->depth--;
	if (going)
		word_put_expansion(lx, w, from);
	return going;
}

/* One byte that is neither quote, expansion nor operator. */
static bool
word_plain(struct lex *lx, struct word_state *w)
{
	char c = lx->in.data[lx->at++];

	if (c == '=' && !w->word->assigns)
		w->word->assigns = word_is_assignment(lx, w);
	if (c == '*' || c == '?' || (c == ',' && w->braces > 0)) {
		w->word->expands = true;
		w->word->base_expands = true;
	}
	if (c == '{')
		w->braces++;
	word_put(lx, w, c);
	if (lex_peek(lx, 0) != '(')
		return true;
	if ((c == '=' && w->word->assigns) ||
	    (lx->globs && c != '\0' && strchr("?*+@!", c) != NULL)) {
		lx->at++;
		return lex_group(lx, w);
	}
	return true;
}

/* A quote, escape or expansion; false in *more when the word is over. */
static bool
word_step(struct lex *lx, struct word_state *w, bool *more)
{
	char c = lx->in.data[lx->at];

	*more = true;
	if (c == '\\') {
		lx->at++;
		if (lex_peek(lx, 0) == '\n') {
			lx->at++;
			return true;
		}
		w->word->quoted = true;
		if (!lex_at_end(lx))
			word_put(lx, w, lx->in.data[lx->at++]);
		return true;
	}
	if (c == '\'' || c == '"') {
		lx->at++;
		w->word->quoted = true;
		return c == '\'' ? lex_single(lx, w) : lex_double(lx, w);
	}
	if (c == '$' || c == '`')
		return lex_dollar(lx, w, false);
	if ((c == '<' || c == '>') && lex_peek(lx, 1) == '(') {
		size_t from = lx->at, used = lx->used;

		lx->at += 2;
		if (!lex_list_inside(lx))
			return false;
		lx->used = used;
		word_put_expansion(lx, w, from);
		return true;
	}
	if (lex_is_blank(c) || lex_is_operator(c)) {
		*more = false;
		return true;
	}
	return word_plain(lx, w);
}

bool
lex_word(struct lex *lx, struct lex_word *word)
{
	struct word_state w = { lx->used, 0, 0, word };
	bool more = true;

	memset(word, 0, sizeof(*word));
	while (more && !lex_at_end(lx))
		if (!word_step(lx, &w, &more))
			return false;
	word->text = (struct str){ lx->out + w.mark, lx->used - w.mark };
	word->bare = word->expands && w.literals == 0;
	/* The bytes stay until the next token is read. */
	lx->used = w.mark;
	return true;
}

bool
lex_expansions(struct lex *lx, size_t from, size_t to)
{
	struct lex_word ignored = { 0 };
	struct word_state w = { lx->used, 0, 0, &ignored };
	size_t len = lx->in.len;
	bool going = true;

	lx->in.len = to;
	lx->at = from;
	while (going && !lex_at_end(lx)) {
		char c = lex_peek(lx, 0);

		if (c == '\\')
			lx->at += 2;
		else if (c == '$' || c == '`')
			going = lex_dollar(lx, &w, true);
		else
			lx->at++;
		lx->used = w.mark;
	}
	lx->in.len = len;
	return going;
}
