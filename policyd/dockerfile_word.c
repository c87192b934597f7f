/*
 * Inside one instruction: the command, flags, words, JSON lists, variables.
 * Follows the builders byte by byte where that decides what they see.
 */
#include <json-c/json.h>
#include <string.h>

#include "policyd/dockerfile_lex.h"

static bool
is_split(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

struct str
dockerfile_command(struct str *instruction)
{
	struct str s = *instruction;
	size_t n = 0;
	struct str command;

	while (n < s.len && !is_split(s.data[n]))
		n++;
	command = str_first(s, n);
	while (n < s.len && is_split(s.data[n]))
		n++;
	*instruction = str_skip(s, n);
	return command;
}

/* The builders look at bytes here, as if they were Latin-1. */
static bool
is_flag_space(char c)
{
	return is_split(c) || c == '\n' || c == '\x85' || c == '\xa0';
}

/* End of the flag that starts at s, and whether anything in it is odd. */
static size_t
flag_end(struct str s, bool *odd)
{
	char quote = '\0';

	for (size_t i = 0; i < s.len; i++) {
		char c = s.data[i];

		if (quote == '\0' && is_flag_space(c))
			return i;
		if (c == '\\') {
			*odd = true;
			i++;
		} else if (quote != '\0')
			quote = c == quote ? '\0' : quote;
		else if (c == '\'' || c == '"') {
			*odd = true;
			quote = c;
		} else if (c < '!' || c > '~' || c == '$')
			*odd = true;
	}
	return s.len;
}

bool
dockerfile_flag(struct str *left, struct str *flag, bool *odd)
{
	struct str s = *left;

	*odd = false;
	while (s.len > 0 && is_flag_space(s.data[0]))
		s = str_skip(s, 1);
	*left = s;
	if (!str_starts(s, "--"))
		return false;
	*flag = str_first(s, flag_end(s, odd));
	*left = str_skip(s, flag->len);
	/* A bare -- ends the flags, if it comes out as one. */
	return flag->len > 2;
}

bool
dockerfile_word(struct str *left, struct str *word)
{
	struct str s = *left;
	size_t n = 0;

	while (s.len > 0 && is_split(s.data[0]))
		s = str_skip(s, 1);
	while (n < s.len && !is_split(s.data[n]))
		n++;
	*word = str_first(s, n);
	*left = str_skip(s, n);
	return n > 0;
}

bool
dockerfile_quoted_word(struct str *left, char escape, struct str *word)
{
	struct str s = *left;
	char quote = '\0';
	size_t n = 0;

	while (s.len > 0 && is_split(s.data[0]))
		s = str_skip(s, 1);
	for (; n < s.len; n++) {
		char c = s.data[n];

		if (c == escape && quote != '\'' && n + 1 < s.len)
			n++;
		else if (quote != '\0')
			quote = c == quote ? '\0' : quote;
		else if (c == '\'' || c == '"')
			quote = c;
		else if (is_split(c))
			break;
	}
	*word = str_first(s, n);
	*left = str_skip(s, n);
	return n > 0;
}

int
dockerfile_json(struct arena *arena, struct str text, struct str *out,
    size_t max)
{
	struct json_tokener *tokener;
	struct json_object *list = NULL;
	int n = -1;

	if (!str_starts(text, "["))
		return -1;
	/* Lenient on purpose: what only might be a list is read as one, too. */
	tokener = json_tokener_new();
	if (tokener != NULL)
		list = json_tokener_parse_ex(tokener, text.data,
		    (int)text.len);
	if (json_object_is_type(list, json_type_array)) {
		n = 0;
		for (size_t i = 0; i < json_object_array_length(list) &&
		    (size_t)n < max; i++) {
			struct json_object *item =
			    json_object_array_get_idx(list, i);

			out[n++] = arena_str(arena, (struct str){
			    json_object_get_string(item),
			    (size_t)json_object_get_string_len(item) });
		}
	}
	json_object_put(list);
	json_tokener_free(tokener);
	return n;
}

/* ---- variables ---------------------------------------------------------- */

struct variable *
dockerfile_scope_find(struct scope *scope, struct str name)
{
	for (size_t i = 0; i < scope->count; i++)
		if (str_equal(scope->variable[i].name, name))
			return &scope->variable[i];
	return NULL;
}

bool
dockerfile_scope_set(struct scope *scope, struct arena *arena, struct str name,
    struct str value)
{
	struct variable *v = dockerfile_scope_find(scope, name);

	if (v == NULL) {
		if (scope->count == LEX_VARIABLES_MAX)
			return false;
		v = &scope->variable[scope->count++];
		v->name = arena_str(arena, name);
	}
	v->value = value;
	return true;
}

/* An expansion under way: the text that is left, and what came out. */
struct expansion {
	struct scope	*scope;
	struct str	 left;
	char		 escape;
	unsigned	 depth;
	struct buf	 out;
};

enum { DEPTH_MAX = 8 };

static void	 expand_until(struct expansion *, char stop);

static struct str
value_of(struct expansion *e, struct str name)
{
	struct variable *v = dockerfile_scope_find(e->scope, name);

	return v != NULL ? v->value : e->scope->other(e->scope, name);
}

static bool
is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_';
}

static struct str
take_name(struct expansion *e)
{
	size_t n = 0;
	struct str name;

	while (n < e->left.len && is_name_char(e->left.data[n]))
		n++;
	name = str_first(e->left, n);
	e->left = str_skip(e->left, n);
	return name;
}

/* The rest is not followed: whatever it is, it may be anything. */
static void
give_up(struct expansion *e)
{
	buf_put_char(&e->out, LEX_ANY);
	e->left = STR_NONE;
}

static bool
is_uncertain(struct str value)
{
	return str_find(value, LEX_ANY) < value.len ||
	    str_find(value, LEX_WILD) < value.len;
}

static bool
is_word(struct str value)
{
	return str_find(value, LEX_ANY) == value.len &&
	    str_find(value, ':') == value.len;
}

/* Behind "${NAME:": -word or +word. */
static void
expand_alternative(struct expansion *e, struct str name)
{
	char kind = e->left.len > 0 ? e->left.data[0] : '\0';
	struct str value = value_of(e, name);
	struct buf kept = e->out;

	if ((kind != '-' && kind != '+') || ++e->depth > DEPTH_MAX) {
		give_up(e);
		return;
	}
	e->left = str_skip(e->left, 1);
	buf_init(&e->out, LEX_VALUE_MAX);
	expand_until(e, '}');
	e->depth--;
	if (is_uncertain(value))
		buf_put_char(&kept, is_word(value) && is_word(buf_str(
		    &e->out)) ? LEX_WILD : LEX_ANY);
	else if ((value.len > 0) == (kind == '+'))
		buf_put_str(&kept, buf_str(&e->out));
	else if (kind == '-')
		buf_put_str(&kept, value);
	kept.failed |= e->out.failed;
	buf_free(&e->out);
	e->out = kept;
}

static void
expand_braces(struct expansion *e)
{
	struct str name = take_name(e);
	char next = e->left.len > 0 ? e->left.data[0] : '\0';

	if (name.len == 0 || (next != '}' && next != ':')) {
		give_up(e);
		return;
	}
	e->left = str_skip(e->left, 1);
	if (next == '}')
		buf_put_str(&e->out, value_of(e, name));
	else
		expand_alternative(e, name);
}

/* Behind a '$'. */
static void
expand_dollar(struct expansion *e)
{
	char next = e->left.len > 0 ? e->left.data[0] : '\0';

	if (next == '{') {
		e->left = str_skip(e->left, 1);
		expand_braces(e);
	} else if ((next >= '0' && next <= '9') || (next & 0x80) != 0)
		/* Parsers differ on where such a name ends. */
		give_up(e);
	else if (is_name_char(next))
		buf_put_str(&e->out, value_of(e, take_name(e)));
	else
		buf_put_char(&e->out, '$');
}

static void
expand_double_quotes(struct expansion *e)
{
	while (e->left.len > 0) {
		char c = e->left.data[0];

		e->left = str_skip(e->left, 1);
		if (c == '"')
			return;
		if (c == '$') {
			expand_dollar(e);
			continue;
		}
		if (c == e->escape && e->left.len > 0) {
			char next = e->left.data[0];

			/* Whether "\\" stays two is a parser's call. */
			if (next == e->escape) {
				give_up(e);
				return;
			}
			if (next == '"' || next == '$') {
				c = next;
				e->left = str_skip(e->left, 1);
			}
		}
		buf_put_char(&e->out, c);
	}
}

static void
expand_single_quotes(struct expansion *e)
{
	size_t n = str_find(e->left, '\'');

	buf_put_str(&e->out, str_first(e->left, n));
	e->left = str_skip(e->left, n + 1);
}

static void
expand_until(struct expansion *e, char stop)
{
	while (e->left.len > 0) {
		char c = e->left.data[0];

		e->left = str_skip(e->left, 1);
		if (c == stop && stop != '\0')
			return;
		if (c == '\'')
			expand_single_quotes(e);
		else if (c == '"')
			expand_double_quotes(e);
		else if (c == '$')
			expand_dollar(e);
		else if (c == e->escape) {
			buf_put_str(&e->out, str_first(e->left, 1));
			e->left = str_skip(e->left, 1);
		} else
			buf_put_char(&e->out, c);
	}
}

struct str
dockerfile_expand(struct arena *arena, struct scope *scope, struct str word,
    char escape)
{
	static const char any[] = { LEX_ANY };
	struct expansion e = { .scope = scope, .left = word,
		.escape = escape };
	struct str out;

	buf_init(&e.out, LEX_VALUE_MAX);
	expand_until(&e, '\0');
	out = e.out.failed ? (struct str){ any, 1 } :
	    arena_str(arena, buf_str(&e.out));
	buf_free(&e.out);
	return out;
}
