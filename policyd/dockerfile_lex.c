/*
 * Lines, directives, continuation, heredocs.  A text is read once for each
 * reading; what no reading settles is noted as doubtful.
 */
#include <string.h>

#include "policyd/dockerfile.h"
#include "policyd/dockerfile_lex.h"

enum { HEREDOCS_MAX = 16 };

/* One heredoc that a line opens. */
struct heredoc {
	struct str	 name;
	bool		 chomp;		/* <<-: leading tabs do not count */
};

/* ---- white space -------------------------------------------------------- */

/* Bytes of the white space character at the front of s, or 0. */
static size_t
space_at_front(struct str s)
{
	static const char *const wide[] = {
		"\xc2\x85", "\xc2\xa0", "\xe1\x9a\x80", "\xe2\x80\xa8",
		"\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80",
	};

	if (s.len == 0)
		return 0;
	if (strchr(" \t\n\v\f\r", s.data[0]) != NULL)
		return s.data[0] != '\0';
	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		if (str_starts(s, wide[i]))
			return strlen(wide[i]);
	/* U+2000 to U+200A */
	if (str_starts(s, "\xe2\x80") && s.len > 2 &&
	    (unsigned char)s.data[2] >= 0x80 &&
	    (unsigned char)s.data[2] <= 0x8a)
		return 3;
	return 0;
}

static struct str
trim_front(struct str s)
{
	size_t n;

	while ((n = space_at_front(s)) > 0)
		s = str_skip(s, n);
	return s;
}

struct str
dockerfile_trim(struct str s)
{
	bool cut = true;

	s = trim_front(s);
	while (cut) {
		cut = false;
		for (size_t n = 1; n <= 3 && n <= s.len && !cut; n++)
			if (space_at_front(str_skip(s, s.len - n)) == n) {
				s.len -= n;
				cut = true;
			}
	}
	return s;
}

/* ---- lines -------------------------------------------------------------- */

static void
doubt(struct dockerfile_lex *l, const char *what)
{
	if (l->doubtful != NULL)
		return;
	l->doubtful = what;
	l->doubtful_line = l->line;
}

/* One line of the file without its end; false: no more. */
static bool
next_line(struct dockerfile_lex *l, struct str *line)
{
	if (l->left.len == 0)
		return false;
	*line = str_first(l->left, str_find(l->left, '\n'));
	l->left = str_skip(l->left, line->len + 1);
	l->line++;
	if (line->len > 0 && line->data[line->len - 1] == '\r')
		line->len--;
	if (str_find(*line, '\r') < line->len)
		doubt(l, "holds a carriage return inside a line");
	while (line->len > 0 && line->data[line->len - 1] == '\r')
		line->len--;
	return true;
}

/* Takes the escape off that joins the next line; false: nothing joins. */
static bool
take_continuation(struct dockerfile_lex *l, struct str *line)
{
	struct str cut = *line;

	while (cut.len > 0 && (cut.data[cut.len - 1] == ' ' ||
	    cut.data[cut.len - 1] == '\t'))
		cut.len--;
	if (cut.len == 0 || cut.data[cut.len - 1] != l->escape)
		return false;
	cut.len--;
	if (cut.len > 0 && cut.data[cut.len - 1] == l->escape) {
		doubt(l, "ends in two escape characters");
		if ((l->reading & LEX_TWO_ESCAPES) != 0)
			return false;
	}
	*line = cut;
	return true;
}

static bool
is_comment_or_empty(struct str line)
{
	line = trim_front(line);
	return line.len == 0 || line.data[0] == '#';
}

/* ---- the directive ------------------------------------------------------ */

/* "# escape = x" in any spacing and case: its value, or data NULL. */
static struct str
escape_directive(struct str line)
{
	static const struct str key = { "escape", 6 };

	line = trim_front(line);
	if (line.len == 0 || line.data[0] != '#')
		return STR_NONE;
	line = trim_front(str_skip(line, 1));
	if (!str_equal_nocase(str_first(line, key.len), key))
		return STR_NONE;
	line = trim_front(str_skip(line, key.len));
	if (line.len == 0 || line.data[0] != '=')
		return STR_NONE;
	line = dockerfile_trim(str_skip(line, 1));
	return line.len == 0 ? str_first(key, 0) : line;
}

/*
 * Every parser knows the directive on the first line.  Behind other directives
 * or comments some do and some do not.
 */
static void
read_directives(struct dockerfile_lex *l)
{
	struct dockerfile_lex probe = *l;
	struct str line, value;

	for (size_t n = 1; next_line(&probe, &line); n++) {
		struct str trimmed = trim_front(line);

		if (trimmed.len == 0 || trimmed.data[0] != '#')
			return;
		value = escape_directive(line);
		if (value.data == NULL || str_is(value, "\\"))
			continue;
		l->line = n;
		if (n == 1 && str_is(value, "`"))
			l->escape = '`';
		else
			doubt(l, "sets the escape character elsewhere than in "
			    "the first line, or to something else");
		l->line = 0;
	}
}

void
dockerfile_lex_init(struct dockerfile_lex *l, struct str text, unsigned reading)
{
	memset(l, 0, sizeof(*l));
	if (str_starts(text, "\xef\xbb\xbf"))
		text = str_skip(text, 3);
	l->left = text;
	l->reading = reading;
	l->escape = '\\';
	buf_init(&l->joined, DOCKERFILE_MAX);
	read_directives(l);
}

void
dockerfile_lex_free(struct dockerfile_lex *l)
{
	buf_free(&l->joined);
}

/* ---- heredocs ----------------------------------------------------------- */

/*
 * Splits like a shell, quotes and escapes kept.  unsure: a quote or a brace is
 * not closed, or a space stands inside braces; parsers then split elsewhere.
 */
static bool
shell_word(struct str *left, struct str *word, bool *unsure)
{
	size_t i = 0;
	char quote = '\0';
	bool braces = false;

	*left = trim_front(*left);
	for (; i < left->len; i++) {
		char c = left->data[i];

		if (c == '\\' && quote != '\'') {
			i++;
			continue;
		}
		if (quote != '\0')
			quote = c == quote ? '\0' : quote;
		else if (c == '\'' || c == '"')
			quote = c;
		else if (c == '$' && i + 1 < left->len &&
		    left->data[i + 1] == '{')
			braces = true;
		else if (c == '}')
			braces = false;
		else if (space_at_front(str_skip(*left, i)) > 0) {
			*unsure |= braces;
			break;
		}
	}
	*unsure |= quote != '\0' || braces;
	*word = str_first(*left, i);
	*left = str_skip(*left, word->len);
	return word->len > 0;
}

static bool
is_plain_name(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		    "abcdefghijklmnopqrstuvwxyz0123456789_.-", s.data[i]) ==
		    NULL || s.data[i] == '\0')
			return false;
	return s.len > 0;
}

/* 3<<-"EOF": true when the word opens a heredoc. */
static bool
read_heredoc(struct dockerfile_lex *l, struct str word, struct heredoc *h)
{
	while (word.len > 0 && word.data[0] >= '0' && word.data[0] <= '9')
		word = str_skip(word, 1);
	if (!str_starts(word, "<<"))
		return false;
	word = str_skip(word, 2);
	h->chomp = str_starts(word, "-");
	word = str_skip(word, h->chomp);
	if (word.len == 0 || str_find(word, '<') < word.len)
		return false;
	if (word.len > 2 && (word.data[0] == '"' || word.data[0] == '\'') &&
	    word.data[word.len - 1] == word.data[0])
		word = (struct str){ word.data + 1, word.len - 2 };
	if (!is_plain_name(word))
		doubt(l, "opens a heredoc whose name is no plain word");
	h->name = word;
	return true;
}

/* RUN, COPY, ADD, and those behind ONBUILD. */
static bool
takes_heredoc(struct str instruction)
{
	struct str command = dockerfile_command(&instruction);
	struct str flag;
	bool odd;

	if (str_equal_nocase(command, STR("onbuild"))) {
		while (dockerfile_flag(&instruction, &flag, &odd))
			continue;
		command = dockerfile_command(&instruction);
	}
	return str_equal_nocase(command, STR("run")) ||
	    str_equal_nocase(command, STR("copy")) ||
	    str_equal_nocase(command, STR("add"));
}

static bool
has_mark(struct str s)
{
	for (size_t i = 0; i + 1 < s.len; i++)
		if (s.data[i] == '<' && s.data[i + 1] == '<')
			return true;
	return false;
}

static void
skip_heredoc(struct dockerfile_lex *l, const struct heredoc *h)
{
	struct str line;

	while (next_line(l, &line)) {
		while (h->chomp && line.len > 0 && line.data[0] == '\t')
			line = str_skip(line, 1);
		if (str_equal(line, h->name))
			return;
	}
	doubt(l, "opens a heredoc that is not closed");
}

static void
skip_heredocs(struct dockerfile_lex *l, struct str instruction)
{
	struct heredoc list[HEREDOCS_MAX];
	struct str left = instruction, word;
	bool unsure = false;
	size_t n = 0;

	if (!has_mark(instruction) || !takes_heredoc(instruction))
		return;
	while (shell_word(&left, &word, &unsure))
		if (n < HEREDOCS_MAX && read_heredoc(l, word, &list[n]))
			n++;
	/* In a JSON list there is none, but what is one is a parser's call. */
	dockerfile_command(&instruction);
	if (n == HEREDOCS_MAX || unsure || (n > 0 &&
	    str_starts(trim_front(instruction), "[")))
		doubt(l, "has << where parsers disagree whether it is a "
		    "heredoc");
	for (size_t i = 0; i < n; i++)
		skip_heredoc(l, &list[i]);
}

/* ---- instructions ------------------------------------------------------- */

bool
dockerfile_lex_next(struct dockerfile_lex *l, struct str *instruction)
{
	struct str line = STR_NONE;
	bool joins;

	do {
		if (!next_line(l, &line))
			return false;
	} while (is_comment_or_empty(line));
	line = trim_front(line);
	l->start = l->line;
	buf_clear(&l->joined);
	joins = take_continuation(l, &line);
	buf_put_str(&l->joined, line);
	while (joins && next_line(l, &line)) {
		if (is_comment_or_empty(line))
			continue;
		joins = take_continuation(l, &line);
		buf_put_str(&l->joined, line);
	}
	*instruction = dockerfile_trim(buf_str(&l->joined));
	if ((l->reading & LEX_HEREDOC) != 0)
		skip_heredocs(l, *instruction);
	return true;
}
