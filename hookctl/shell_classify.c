/*
 * The classifier: walks the command lists that the tokenizer gives and looks
 * at each command word and, for programs that run other programs, at their
 * arguments.  Functions return false to stop, which is the answer yes.
 */
#include <stdlib.h>
#include <string.h>

#include "hookctl/shell.h"
#include "hookctl/shell_lex.h"

enum {
	BUDGET_BASE = 4 * 1024 * 1024,	/* bytes judged for one command ... */
	BUDGET_FACTOR = 8		/* ... plus so many times its length */
};

enum program_flag {
	WRAPS = 1,	/* a later word is the program that it runs */
	EVALS = 2,	/* an argument with blanks is a command line */
	SHELL = 4,	/* reads commands from a script, -c or stdin */
	INLINE = 8,	/* reads another language, from a script or inline */
	AWK = 16,	/* its first argument is a program */
	ALIAS = 32,	/* names another command */
	LOOKUP = 64	/* with -v or -V only says what would be run */
};

struct program {
	const char	*name;
	unsigned	 flags;
	const char	*letters;	/* options that bring inline code */
};

/* clang-format off */
static const struct program programs[] = {
	{ "alias",	ALIAS,			NULL },
	{ "arch",	WRAPS,			NULL },
	{ "ash",	SHELL,			"c" },
	{ "awk",	AWK,			NULL },
	{ "bash",	SHELL,			"c" },
	{ "builtin",	WRAPS,			NULL },
	{ "bun",	INLINE,			"e" },
	{ "busybox",	WRAPS,			NULL },
	{ "caffeinate",	WRAPS,			NULL },
	{ "chrt",	WRAPS,			NULL },
	{ "command",	WRAPS | LOOKUP,		NULL },
	{ "dash",	SHELL,			"c" },
	{ "deno",	INLINE,			"" },
	{ "doas",	WRAPS,			NULL },
	{ "entr",	WRAPS | EVALS,		NULL },
	{ "env",	WRAPS | EVALS,		NULL },
	{ "eval",	WRAPS | EVALS,		NULL },
	{ "exec",	WRAPS,			NULL },
	{ "fd",		WRAPS,			NULL },
	{ "find",	WRAPS,			NULL },
	{ "fish",	SHELL,			"c" },
	{ "flock",	WRAPS | EVALS,		NULL },
	{ "gawk",	AWK,			NULL },
	{ "hyperfine",	WRAPS | EVALS,		NULL },
	{ "ionice",	WRAPS,			NULL },
	{ "ksh",	SHELL,			"c" },
	{ "lua",	INLINE,			"e" },
	{ "mawk",	AWK,			NULL },
	{ "nice",	WRAPS,			NULL },
	{ "noglob",	WRAPS,			NULL },
	{ "node",	INLINE,			"ep" },
	{ "nohup",	WRAPS,			NULL },
	{ "nsenter",	WRAPS,			NULL },
	{ "osascript",	INLINE,			"e" },
	{ "parallel",	WRAPS | EVALS,		NULL },
	{ "perl",	INLINE,			"eE" },
	{ "php",	INLINE,			"r" },
	{ "python",	INLINE,			"c" },
	{ "ruby",	INLINE,			"e" },
	{ "runuser",	WRAPS | EVALS,		NULL },
	{ "script",	WRAPS | EVALS,		NULL },
	{ "setsid",	WRAPS,			NULL },
	{ "sg",		WRAPS | EVALS,		NULL },
	{ "sh",		SHELL,			"c" },
	{ "source",	EVALS,			NULL },
	{ "stdbuf",	WRAPS,			NULL },
	{ "strace",	WRAPS,			NULL },
	{ "su",		WRAPS | EVALS,		NULL },
	{ "sudo",	WRAPS,			NULL },
	{ "systemd-run", WRAPS,			NULL },
	{ "taskset",	WRAPS,			NULL },
	{ "time",	WRAPS,			NULL },
	{ "timeout",	WRAPS,			NULL },
	{ "trap",	WRAPS | EVALS,		NULL },
	{ "unshare",	WRAPS,			NULL },
	{ "watch",	WRAPS | EVALS,		NULL },
	{ "xargs",	WRAPS,			NULL },
	{ "zsh",	SHELL,			"c" }
};

static const char *const engines[] = {
	"docker", "docker-buildx", "docker-compose",
	"podman", "podman-compose", "podman-remote"
};

/* Words that leave the next one at the place of a command. */
static const char *const keywords[] = {
	"if", "then", "else", "elif", "fi", "do", "done", "while", "until",
	"{", "}", "!", "esac"
};
/* clang-format on */

/* Where in a simple command the next word stands. */
enum place {
	AT_COMMAND,
	AT_ARGUMENT,
	AT_FUNCTION,	/* after "function" */
	AT_VARIABLE,	/* after "for", "select" */
	AT_IN,		/* after the variable */
	AT_LIST		/* after "in": words that are run by nobody */
};

struct command {
	enum place	 place;
	unsigned	 flags;
	const char	*letters;
	bool		 after_time;	/* options of "time" may follow */
	bool		 inline_code;	/* an option of `letters` was seen */
	bool		 take_next;	/* -c: whatever follows is code */
	bool		 has_operand;	/* a script is named */
	bool		 reads_stdin;	/* -s, -, /dev/stdin */
};

/* What ends a list. */
enum stop { STOP_END, STOP_PAREN, STOP_CASE };

static bool	list_judge(struct lex *, enum stop, bool *is_last);
static bool	text_judge(struct str, unsigned depth, long *budget);

#define COUNT(table)	(sizeof(table) / sizeof(*(table)))

static bool
is_one_of(struct str s, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(s, names[i]))
			return true;
	return false;
}

static struct str
word_base(const struct lex_word *w)
{
	return str_skip(w->text, w->base);
}

static const struct program *
program_find(struct str name)
{
	/* python3, python3.11 */
	if (str_starts(name, "python")) {
		size_t n = sizeof("python") - 1;

		while (n < name.len && (name.data[n] == '.' ||
		    (name.data[n] >= '0' && name.data[n] <= '9')))
			n++;
		if (n == name.len)
			name = STR("python");
	}
	if (str_is(name, "."))
		name = STR("source");
	for (size_t i = 0; i < COUNT(programs); i++)
		if (str_is(name, programs[i].name))
			return &programs[i];
	return NULL;
}

static bool
has_blank(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.data[i] == ' ' || s.data[i] == '\t' || s.data[i] == '\n')
			return true;
	return false;
}

static bool
holds(struct str s, const char *text)
{
	return s.len > 0 && memmem(s.data, s.len, text, strlen(text)) != NULL;
}

/* unix://run/docker.sock, --unix-socket=docker.sock */
static bool
is_engine_socket(const struct lex_word *w)
{
	struct str s = word_base(w);

	if (str_find(s, '=') < s.len)
		s = str_skip(s, str_find(s, '=') + 1);
	return !has_blank(w->text) && (str_is(s, "docker.sock") ||
	    str_is(s, "podman.sock"));
}

bool
shell_mentions_engine(struct str text)
{
	static const char *const wanted[] = { "docker", "podman" };
	size_t matched[2] = { 0, 0 };

	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		/* $ stands before quotes, too: $'ker' */
		if (c == '\'' || c == '"' || c == '$')
			continue;
		if (c == '\\') {
			if (i + 1 < text.len && text.data[i + 1] == '\n')
				i++;
			continue;
		}
		for (size_t k = 0; k < COUNT(wanted); k++) {
			/* No name holds its first letter twice in a way that
			 * would need more than this to fall back. */
			if (c != wanted[k][matched[k]])
				matched[k] = 0;
			if (c == wanted[k][matched[k]])
				matched[k]++;
			if (wanted[k][matched[k]] == '\0')
				return true;
		}
	}
	return false;
}

static bool
text_again(struct lex *lx, struct str text)
{
	return text_judge(text, lx->depth + 1, lx->budget);
}

static void
command_become(struct command *cmd, const struct program *program)
{
	cmd->flags |= program->flags;
	if (program->letters != NULL)
		cmd->letters = program->letters;
	cmd->has_operand = false;
	cmd->inline_code = false;
	cmd->reads_stdin = false;
}

/* A word that is, or after a wrapper may be, the program that runs. */
static bool
program_judge(struct command *cmd, const struct lex_word *w)
{
	const struct program *program;

	if (is_one_of(word_base(w), engines, COUNT(engines)))
		return false;
	program = w->base_expands ? NULL : program_find(word_base(w));
	if (program != NULL)
		command_become(cmd, program);
	return true;
}

/* An option of a shell or interpreter; "-" and "--" come here too. */
static bool
option_judge(struct command *cmd, struct str s)
{
	if (str_is(s, "-"))
		cmd->reads_stdin = true;
	else if (str_is(s, "--eval") || str_is(s, "--print"))
		cmd->inline_code = cmd->take_next = true;
	else if (!str_starts(s, "--"))
		for (size_t i = 1; i < s.len; i++) {
			if (cmd->letters[0] != '\0' &&
			    strchr(cmd->letters, s.data[i]) != NULL)
				cmd->inline_code = cmd->take_next = true;
			if ((cmd->flags & SHELL) != 0 && s.data[i] == 's')
				cmd->reads_stdin = true;
		}
	return true;
}

static bool
shell_argument_judge(struct lex *lx, struct command *cmd,
    const struct lex_word *w)
{
	bool take = cmd->take_next;

	if (!take && w->text.len > 0 && (w->text.data[0] == '-' ||
	    w->text.data[0] == '+'))
		return option_judge(cmd, w->text);
	cmd->take_next = false;
	cmd->has_operand = true;
	if (str_is(w->text, "/dev/stdin"))
		cmd->reads_stdin = true;
	return take || has_blank(w->text) ? text_again(lx, w->text) : true;
}

static bool
inline_argument_judge(struct command *cmd, const struct lex_word *w)
{
	if (!cmd->inline_code && w->text.len > 0 && w->text.data[0] == '-') {
		option_judge(cmd, w->text);
		/* perl -e'code': the code may be part of the option. */
		return !cmd->inline_code || !shell_mentions_engine(w->text);
	}
	if (str_is(w->text, "eval") && !cmd->has_operand)
		cmd->inline_code = true;
	cmd->has_operand = true;
	return !cmd->inline_code || !shell_mentions_engine(w->text);
}

static bool
argument_judge(struct lex *lx, struct command *cmd, const struct lex_word *w)
{
	if (is_engine_socket(w))
		return false;
	if ((cmd->flags & LOOKUP) != 0) {
		cmd->flags &= ~(unsigned)LOOKUP;
		if (str_is(w->text, "-v") || str_is(w->text, "-V")) {
			cmd->flags = 0;
			return true;
		}
	}
	if ((cmd->flags & ALIAS) != 0 && shell_mentions_engine(w->text))
		return false;
	if ((cmd->flags & AWK) != 0 && shell_mentions_engine(w->text))
		return !holds(w->text, "system") && !holds(w->text, "|");
	if ((cmd->flags & SHELL) != 0)
		return shell_argument_judge(lx, cmd, w);
	if ((cmd->flags & INLINE) != 0)
		return inline_argument_judge(cmd, w);
	if ((cmd->flags & WRAPS) != 0) {
		if (w->bare || !program_judge(cmd, w))
			return false;
	}
	if ((cmd->flags & EVALS) != 0 && has_blank(w->text))
		return text_again(lx, w->text);
	return true;
}

/* A script that comes by stdin may be any of the text around. */
static bool
command_end(struct command *cmd)
{
	bool reads = (cmd->flags & (SHELL | INLINE)) != 0 &&
	    (cmd->reads_stdin || (!cmd->has_operand && !cmd->inline_code));

	memset(cmd, 0, sizeof(*cmd));
	return !reads;
}

/* "case" was read: up to and including its "esac". */
static bool
case_judge(struct lex *lx)
{
	struct lex_word w = { 0 };
	enum lex_token token;
	bool is_last = false, had_in = false;

	lx->globs = true;
	if (lx->depth >= LEX_DEPTH || !lex_next(lx, &token, &w))
		return false;
	while (!is_last) {
		if (!lex_next(lx, &token, &w) || token == LEX_END)
			return false;
		if (token == LEX_WORD && !had_in) {
			had_in = true;
			if (!str_is(w.text, "in"))
				return false;
		} else if (token == LEX_WORD && !w.quoted &&
		    str_is(w.text, "esac"))
			return true;
		else if (token == LEX_CLOSE) {
			lx->depth++;
			if (!list_judge(lx, STOP_CASE, &is_last))
				return false;
			lx->depth--;
			lx->globs = true;
		}
	}
	return true;
}

/* A reserved word at a command's place; *taken when it was one. */
static bool
keyword_judge(struct lex *lx, struct command *cmd, const struct lex_word *w,
    bool *taken)
{
	*taken = true;
	if (is_one_of(w->text, keywords, COUNT(keywords)))
		return true;
	if (str_is(w->text, "time"))
		cmd->after_time = true;
	else if (cmd->after_time && (str_is(w->text, "-p") ||
	    str_is(w->text, "--")))
		return true;
	else if (str_is(w->text, "coproc"))
		/* A name may follow, or the command: look at all words. */
		cmd->flags |= WRAPS;
	else if (str_is(w->text, "function"))
		cmd->place = AT_FUNCTION;
	else if (str_is(w->text, "for") || str_is(w->text, "select")) {
		bool arithmetic;

		if (!lex_take_arithmetic(lx, &arithmetic))
			return false;
		cmd->place = arithmetic ? AT_COMMAND : AT_VARIABLE;
	} else if (str_is(w->text, "case"))
		return case_judge(lx);
	else if (str_is(w->text, "[["))
		return lex_take_test(lx);
	else
		*taken = false;
	return true;
}

static bool
command_word_judge(struct lex *lx, struct command *cmd,
    const struct lex_word *w)
{
	bool taken = false;

	if (!w->quoted && !keyword_judge(lx, cmd, w, &taken))
		return false;
	if (w->assigns && is_engine_socket(w))
		return false;
	if (taken || w->assigns)
		return true;
	if (lex_take_parens(lx))
		return true;
	cmd->place = AT_ARGUMENT;
	return !w->base_expands && program_judge(cmd, w);
}

static bool
word_judge(struct lex *lx, struct command *cmd, const struct lex_word *w)
{
	switch (cmd->place) {
	case AT_COMMAND:
		return command_word_judge(lx, cmd, w);
	case AT_ARGUMENT:
		return argument_judge(lx, cmd, w);
	case AT_FUNCTION:
		lex_take_parens(lx);
		cmd->place = AT_COMMAND;
		return true;
	case AT_VARIABLE:
		cmd->place = AT_IN;
		return true;
	case AT_IN:
		cmd->place = str_is(w->text, "in") ? AT_LIST : AT_COMMAND;
		return true;
	case AT_LIST:
		return true;
	}
	return false;
}

/* "(" as a token: a subshell or arithmetic, where a command may stand. */
static bool
open_judge(struct lex *lx, struct command *cmd)
{
	bool taken;

	if (cmd->place != AT_COMMAND || lx->depth >= LEX_DEPTH)
		return false;
	/* The tokenizer is past the first of "((". */
	lx->at--;
	if (!lex_take_arithmetic(lx, &taken))
		return false;
	if (taken)
		return true;
	lx->at++;
	lx->depth++;
	if (!list_judge(lx, STOP_PAREN, &taken))
		return false;
	lx->depth--;
	return true;
}

/* *is_last: a case ended with "esac" rather than ";;". */
static bool
list_judge(struct lex *lx, enum stop stop, bool *is_last)
{
	struct command cmd = { 0 };
	struct lex_word w = { 0 };
	enum lex_token token;

	*is_last = false;
	for (;;) {
		lx->globs = cmd.place != AT_COMMAND;
		if (!lex_next(lx, &token, &w))
			return false;
		if (token == LEX_WORD && stop == STOP_CASE && !w.quoted &&
		    cmd.place == AT_COMMAND && str_is(w.text, "esac")) {
			*is_last = true;
			return true;
		}
		if (token == LEX_WORD) {
			if (!word_judge(lx, &cmd, &w))
				return false;
		} else if (token == LEX_OPEN) {
			if (!open_judge(lx, &cmd))
				return false;
		} else if (!command_end(&cmd))
			return false;
		else if (token == LEX_END)
			return stop == STOP_END;
		else if (token == LEX_CLOSE)
			return stop == STOP_PAREN;
		else if (token == LEX_CASE_END)
			return stop == STOP_CASE;
	}
}

static bool
list_in_parens(struct lex *lx)
{
	bool is_last;

	return list_judge(lx, STOP_PAREN, &is_last);
}

/* False: it calls an engine, or cannot be told not to. */
static bool
text_judge(struct str text, unsigned depth, long *budget)
{
	struct lex lx;
	bool going, is_last;
	char *out;

	*budget -= (long)text.len;
	if (depth > LEX_DEPTH || *budget < 0)
		return false;
	out = malloc(text.len + 1);
	if (out == NULL)
		return false;
	lex_init(&lx, text, out, list_in_parens, text_again, budget);
	lx.depth = depth;
	going = list_judge(&lx, STOP_END, &is_last);
	free(out);
	return going;
}

bool
shell_needs_engine(struct str command)
{
	long budget = BUDGET_BASE + BUDGET_FACTOR * (long)command.len;

	return shell_mentions_engine(command) &&
	    !text_judge(command, 0, &budget);
}
