/*
 * The tokenizer: separators, redirections, heredocs, and what stands where a
 * command does but is none.  Words are read by shell_word.c.
 */
#include <string.h>

#include "hookctl/shell_lex.h"
#include "hookctl/shell_word.h"

void
lex_init(struct lex *lx, struct str in, char *out, lex_list list, lex_text text,
    long *budget)
{
	memset(lx, 0, sizeof(*lx));
	lx->in = in;
	lx->out = out;
	lx->list = list;
	lx->text = text;
	lx->budget = budget;
}

static void
lex_skip_blanks(struct lex *lx)
{
	for (;;) {
		if (lex_is_blank(lex_peek(lx, 0)) || lex_peek(lx, 0) == '\r')
			lx->at++;
		else if (lex_starts(lx, "\\\n"))
			lx->at += 2;
		else
			return;
	}
}

static void
lex_skip_comment(struct lex *lx)
{
	if (lex_peek(lx, 0) == '#')
		while (!lex_at_end(lx) && lex_peek(lx, 0) != '\n')
			lx->at++;
}

/* One line of the input from `at`, without its newline. */
static struct str
lex_line(const struct lex *lx, size_t at)
{
	struct str rest = str_skip(lx->in, at);

	return str_first(rest, str_find(rest, '\n'));
}

static bool
lex_heredoc_read(struct lex *lx, const struct lex_heredoc *doc)
{
	struct str delimiter = { doc->delimiter, doc->len };
	size_t from = lx->at, at = from, end;

	for (;;) {
		struct str line = lex_line(lx, at);

		end = at + line.len;
		while (doc->strip_tabs && line.len > 0 && line.data[0] == '\t')
			line = str_skip(line, 1);
		if (str_equal(line, delimiter))
			break;
		/* The end of the text ends a heredoc, with a warning only. */
		if (end >= lx->in.len) {
			at = end;
			break;
		}
		at = end + 1;
	}
	if (!doc->quoted && !lex_expansions(lx, from, at))
		return false;
	lx->at = end < lx->in.len ? end + 1 : lx->in.len;
	return true;
}

/* A newline was read: the bodies that were announced on the line follow. */
static bool
lex_heredocs(struct lex *lx)
{
	size_t count = lx->pending;
	struct lex_heredoc doc[LEX_HEREDOCS];

	/* A body may hold lists with heredocs of their own. */
	memcpy(doc, lx->heredoc, sizeof(doc));
	lx->pending = 0;
	for (size_t i = 0; i < count; i++)
		if (!lex_heredoc_read(lx, &doc[i]))
			return false;
	return true;
}

static bool
lex_heredoc_announce(struct lex *lx, bool strip_tabs, const struct lex_word *w)
{
	struct lex_heredoc *doc;

	if (lx->pending == LEX_HEREDOCS || w->text.len > LEX_DELIMITER)
		return false;
	doc = &lx->heredoc[lx->pending++];
	memcpy(doc->delimiter, w->text.data, w->text.len);
	doc->len = w->text.len;
	doc->strip_tabs = strip_tabs;
	doc->quoted = w->quoted;
	return true;
}

/* Longest first. */
static const char *const redirections[] = {
	"<<<", "<<-", "&>>", "<<", "<>", "<&", ">>", ">&", ">|", "&>", "<", ">"
};

/* A redirection stands here: it and its target are read, *taken set. */
static bool
lex_redirection(struct lex *lx, bool *taken)
{
	const char *op = NULL;
	struct lex_word target;
	bool globs = lx->globs;

	*taken = false;
	if ((lex_peek(lx, 0) == '<' || lex_peek(lx, 0) == '>') &&
	    lex_peek(lx, 1) == '(')
		return true;
	for (size_t i = 0; i < sizeof(redirections) / sizeof(*redirections) &&
	    op == NULL; i++)
		if (lex_starts(lx, redirections[i]))
			op = redirections[i];
	if (op == NULL)
		return true;
	lx->at += strlen(op);
	lex_skip_blanks(lx);
	lx->globs = true;
	if (!lex_word(lx, &target))
		return false;
	lx->globs = globs;
	*taken = true;
	if (strcmp(op, "<<") == 0 || strcmp(op, "<<-") == 0)
		return lex_heredoc_announce(lx, op[2] == '-', &target);
	return true;
}

/* 2> and {fd}>: the word belongs to the redirection that follows. */
static bool
lex_is_descriptor(const struct lex *lx, const struct lex_word *w)
{
	char next = lex_peek(lx, 0);
	struct str s = w->text;

	if ((next != '<' && next != '>') || w->quoted || s.len == 0)
		return false;
	if (s.data[0] == '{' && s.data[s.len - 1] == '}')
		return true;
	for (size_t i = 0; i < s.len; i++)
		if (s.data[i] < '0' || s.data[i] > '9')
			return false;
	return true;
}

static const struct {
	const char	*text;
	enum lex_token	 token;
} operators[] = {
	{ ";;&", LEX_CASE_END },
	{ ";;", LEX_CASE_END },
	{ ";&", LEX_CASE_END },
	{ "&&", LEX_SEPARATOR },
	{ "||", LEX_SEPARATOR },
	{ "|&", LEX_SEPARATOR },
	{ ";", LEX_SEPARATOR },
	{ "&", LEX_SEPARATOR },
	{ "|", LEX_SEPARATOR },
	{ "(", LEX_OPEN },
	{ ")", LEX_CLOSE },
	{ "\n", LEX_NEWLINE }
};

static bool
lex_operator(struct lex *lx, enum lex_token *token)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (lex_starts(lx, operators[i].text)) {
			lx->at += strlen(operators[i].text);
			*token = operators[i].token;
			return true;
		}
	return false;
}

bool
lex_next(struct lex *lx, enum lex_token *token, struct lex_word *word)
{
	for (;;) {
		bool taken;

		lex_skip_blanks(lx);
		lex_skip_comment(lx);
		if (lex_at_end(lx)) {
			*token = LEX_END;
			return true;
		}
		if (!lex_redirection(lx, &taken))
			return false;
		if (taken)
			continue;
		if ((lex_peek(lx, 0) != '<' && lex_peek(lx, 0) != '>') &&
		    lex_operator(lx, token))
			return *token == LEX_NEWLINE ? lex_heredocs(lx) : true;
		if (!lex_word(lx, word))
			return false;
		if (lex_is_descriptor(lx, word))
			continue;
		*token = LEX_WORD;
		return true;
	}
}

bool
lex_take_parens(struct lex *lx)
{
	size_t start = lx->at;

	lex_skip_blanks(lx);
	if (lex_peek(lx, 0) == '(') {
		lx->at++;
		lex_skip_blanks(lx);
		if (lex_peek(lx, 0) == ')') {
			lx->at++;
			return true;
		}
	}
	lx->at = start;
	return false;
}

bool
lex_take_test(struct lex *lx)
{
	struct lex_word word;

	lx->globs = true;
	for (;;) {
		lex_skip_blanks(lx);
		if (lex_at_end(lx))
			return false;
		if (lex_is_operator(lex_peek(lx, 0)) && !lex_starts(lx, "<(") &&
		    !lex_starts(lx, ">(")) {
			lx->at++;
			continue;
		}
		if (!lex_word(lx, &word))
			return false;
		if (!word.quoted && str_is(word.text, "]]"))
			return true;
	}
}
