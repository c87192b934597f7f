/*
 * The strict JSON check: a recursive descent that builds nothing but the list
 * of keys of the objects that are open.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "common/reason.h"
#include "policyd/lexer.h"

/* A key, unescaped, in the pool. */
struct key {
	uint64_t	hash;
	size_t		at;
	size_t		len;
};

struct lexer {
	struct str	 text;
	size_t		 at;
	int		 depth;
	int		 error;
	const char	*what;
	struct buf	 pool;		/* unescaped bytes of the last strings */
	struct key	*keys;
	size_t		 key_count;
	size_t		 key_cap;
	size_t		 values;
};

static int lex_value(struct lexer *);

static int
fail(struct lexer *l, enum reason reason, const char *what)
{
	if (l->error == 0) {
		l->error = -(int)reason;
		l->what = what;
	}
	return -1;
}

static int
bad(struct lexer *l, const char *what)
{
	return fail(l, R_BAD_JSON, what);
}

static int
peek(const struct lexer *l)
{
	return l->at < l->text.len ? (unsigned char)l->text.data[l->at] : -1;
}

static void
skip_space(struct lexer *l)
{
	int c;

	while ((c = peek(l)) == ' ' || c == '\t' || c == '\n' || c == '\r')
		l->at++;
}

static int
lex_word(struct lexer *l, const char *word)
{
	if (!str_starts(str_skip(l->text, l->at), word))
		return bad(l, "not a value");
	l->at += strlen(word);
	return 0;
}

static bool
is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static int
lex_digits(struct lexer *l)
{
	if (!is_digit(peek(l)))
		return bad(l, "number without digits");
	while (is_digit(peek(l)))
		l->at++;
	return 0;
}

/* Within int64, or uint64: what podman writes for "unlimited". */
static bool
fits_64_bits(struct str digits, bool negative)
{
	struct str max = negative ? STR("9223372036854775808") :
	    STR("18446744073709551615");

	if (digits.len != max.len)
		return digits.len < max.len;
	return memcmp(digits.data, max.data, max.len) <= 0;
}

static int
lex_number(struct lexer *l)
{
	bool negative = peek(l) == '-';
	size_t start;

	l->at += negative;
	start = l->at;
	if (peek(l) == '0' && is_digit(l->at + 1 < l->text.len ?
	    l->text.data[l->at + 1] : -1))
		return bad(l, "number with a leading zero");
	if (lex_digits(l) != 0)
		return -1;
	if (peek(l) != '.' && peek(l) != 'e' && peek(l) != 'E') {
		if (!fits_64_bits((struct str){ l->text.data + start,
		    l->at - start }, negative))
			return bad(l, "integer beyond 64 bits");
		return 0;
	}
	if (peek(l) == '.') {
		l->at++;
		if (lex_digits(l) != 0)
			return -1;
	}
	if (peek(l) == 'e' || peek(l) == 'E') {
		l->at++;
		if (peek(l) == '+' || peek(l) == '-')
			l->at++;
		return lex_digits(l);
	}
	return 0;
}

static int
lex_hex4(struct lexer *l, unsigned *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++) {
		int c = peek(l);
		unsigned digit;

		if (is_digit(c))
			digit = (unsigned)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f' && c > 0)
			digit = (unsigned)((c | 0x20) - 'a' + 10);
		else
			return bad(l, "\\u without four hex digits");
		*out = *out * 16 + digit;
		l->at++;
	}
	return 0;
}

static void
put_utf8(struct buf *b, unsigned c)
{
	if (c < 0x80)
		buf_put_char(b, (char)c);
	else if (c < 0x800) {
		buf_put_char(b, (char)(0xc0 | c >> 6));
		buf_put_char(b, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		buf_put_char(b, (char)(0xe0 | c >> 12));
		buf_put_char(b, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_put_char(b, (char)(0x80 | (c & 0x3f)));
	} else {
		buf_put_char(b, (char)(0xf0 | c >> 18));
		buf_put_char(b, (char)(0x80 | (c >> 12 & 0x3f)));
		buf_put_char(b, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_put_char(b, (char)(0x80 | (c & 0x3f)));
	}
}

static int
lex_unicode_escape(struct lexer *l)
{
	unsigned c, low;

	if (lex_hex4(l, &c) != 0)
		return -1;
	if (c == 0)
		return bad(l, "U+0000");
	if (c >= 0xdc00 && c <= 0xdfff)
		return bad(l, "lone surrogate");
	if (c >= 0xd800 && c <= 0xdbff) {
		if (!str_starts(str_skip(l->text, l->at), "\\u"))
			return bad(l, "lone surrogate");
		l->at += 2;
		if (lex_hex4(l, &low) != 0)
			return -1;
		if (low < 0xdc00 || low > 0xdfff)
			return bad(l, "lone surrogate");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	put_utf8(&l->pool, c);
	return 0;
}

static int
lex_escape(struct lexer *l)
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";
	int c = peek(l);
	const char *at;

	l->at++;
	if (c == 'u')
		return lex_unicode_escape(l);
	at = c > 0 ? strchr(from, c) : NULL;
	if (at == NULL)
		return bad(l, "unknown escape");
	buf_put_char(&l->pool, to[at - from]);
	return 0;
}

/* One character beyond ASCII; RFC 3629: shortest form, no surrogates. */
static int
lex_utf8(struct lexer *l)
{
	static const struct { unsigned char first, last, min, max, more; }
	rows[] = {
		{ 0xc2, 0xdf, 0x80, 0xbf, 1 }, { 0xe0, 0xe0, 0xa0, 0xbf, 2 },
		{ 0xe1, 0xec, 0x80, 0xbf, 2 }, { 0xed, 0xed, 0x80, 0x9f, 2 },
		{ 0xee, 0xef, 0x80, 0xbf, 2 }, { 0xf0, 0xf0, 0x90, 0xbf, 3 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 3 }, { 0xf4, 0xf4, 0x80, 0x8f, 3 },
	};
	const unsigned char *p = (const unsigned char *)l->text.data + l->at;
	size_t left = l->text.len - l->at;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (p[0] < rows[i].first || p[0] > rows[i].last)
			continue;
		if (left <= rows[i].more || p[1] < rows[i].min ||
		    p[1] > rows[i].max)
			break;
		for (unsigned k = 2; k <= rows[i].more; k++)
			if ((p[k] & 0xc0) != 0x80)
				return bad(l, "invalid UTF-8");
		buf_put(&l->pool, p, rows[i].more + 1u);
		l->at += rows[i].more + 1u;
		return 0;
	}
	return bad(l, "invalid UTF-8");
}

/* Leaves the unescaped bytes at the end of the pool. */
static int
lex_string(struct lexer *l)
{
	if (peek(l) != '"')
		return bad(l, "not a string");
	l->at++;
	for (;;) {
		int c = peek(l);
		int error = 0;

		if (c < 0)
			return bad(l, "string without end");
		if (c < 0x20)
			return bad(l, "control character in a string");
		if (c == '"') {
			l->at++;
			return l->pool.failed ? bad(l, "too large") : 0;
		}
		if (c == '\\') {
			l->at++;
			error = lex_escape(l);
		} else if (c >= 0x80)
			error = lex_utf8(l);
		else {
			buf_put_char(&l->pool, (char)c);
			l->at++;
		}
		if (error != 0)
			return error;
	}
}

static uint64_t
hash_bytes(const char *p, size_t n)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)p[i]) * 1099511628211u;
	return hash;
}

static int
push_key(struct lexer *l, size_t pool_at)
{
	struct key *key;

	if (l->key_count == l->key_cap) {
		size_t cap = l->key_cap > 0 ? l->key_cap * 2 : 64;
		struct key *keys = realloc(l->keys, cap * sizeof(*keys));

		if (keys == NULL)
			return bad(l, "out of memory");
		l->keys = keys;
		l->key_cap = cap;
	}
	key = &l->keys[l->key_count++];
	key->at = pool_at;
	key->len = l->pool.len - pool_at;
	key->hash = hash_bytes(l->pool.data + pool_at, key->len);
	return 0;
}

static int
compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* The keys of the object just closed: equal hashes are compared in full. */
static int
check_keys(struct lexer *l, size_t first)
{
	size_t count = l->key_count - first;
	struct key *keys;

	if (count < 2)
		return 0;
	keys = l->keys + first;
	qsort(keys, count, sizeof(*keys), compare_keys);
	for (size_t i = 1; i < count; i++)
		if (keys[i].hash == keys[i - 1].hash &&
		    keys[i].len == keys[i - 1].len &&
		    memcmp(l->pool.data + keys[i].at,
		    l->pool.data + keys[i - 1].at, keys[i].len) == 0)
			return fail(l, R_DUPLICATE_KEY, "a key stands twice");
	return 0;
}

static int
lex_member(struct lexer *l)
{
	size_t pool_at = l->pool.len;

	skip_space(l);
	if (lex_string(l) != 0 || push_key(l, pool_at) != 0)
		return -1;
	skip_space(l);
	if (peek(l) != ':')
		return bad(l, "no colon after a key");
	l->at++;
	return lex_value(l);
}

static int
lex_element(struct lexer *l)
{
	return lex_value(l);
}

/* The inside of an object or array, after its opening bracket. */
static int
lex_items(struct lexer *l, int close, int (*item)(struct lexer *))
{
	skip_space(l);
	if (peek(l) == close) {
		l->at++;
		return 0;
	}
	for (;;) {
		int c;

		if (item(l) != 0)
			return -1;
		skip_space(l);
		c = peek(l);
		l->at++;
		if (c == close)
			return 0;
		if (c != ',')
			return bad(l, "no comma between values");
	}
}

static int
lex_object(struct lexer *l)
{
	size_t first = l->key_count, pool_at = l->pool.len;
	int error;

	l->at++;
	error = lex_items(l, '}', lex_member);
	if (error == 0)
		error = check_keys(l, first);
	l->key_count = first;
	l->pool.len = pool_at;
	return error;
}

static int
lex_array(struct lexer *l)
{
	l->at++;
	return lex_items(l, ']', lex_element);
}

static int
lex_nested(struct lexer *l, int (*lex)(struct lexer *))
{
	int error;

	if (++l->depth > LEXER_DEPTH_MAX)
		return bad(l, "nested too deep");
	error = lex(l);
	l->depth--;
	return error;
}

static int
lex_value(struct lexer *l)
{
	size_t pool_at = l->pool.len;
	int error;

	if (++l->values > LEXER_VALUES_MAX)
		return bad(l, "too many values");
	skip_space(l);
	switch (peek(l)) {
	case '{':
		return lex_nested(l, lex_object);
	case '[':
		return lex_nested(l, lex_array);
	case '"':
		error = lex_string(l);
		l->pool.len = pool_at;
		return error;
	case 't':
		return lex_word(l, "true");
	case 'f':
		return lex_word(l, "false");
	case 'n':
		return lex_word(l, "null");
	default:
		return lex_number(l);
	}
}

int
lexer_check(struct str text, struct lexer_error *error)
{
	struct lexer l = { .text = text };

	/* Unescaping never lengthens; one byte more keeps max above zero. */
	buf_init(&l.pool, text.len + 1);
	/* An empty key has a place in it, too. */
	buf_reserve(&l.pool, 1);
	if (lex_value(&l) == 0) {
		skip_space(&l);
		if (l.at != text.len)
			bad(&l, "bytes after the value");
	}
	buf_free(&l.pool);
	free(l.keys);
	error->offset = l.at < text.len ? l.at : text.len;
	error->what = l.what;
	return l.error;
}
