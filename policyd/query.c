/*
 * Query strings.  Daemons differ in which of two equal parameters wins, in
 * whether case counts, in what a boolean is and in what a broken escape does;
 * what goes out has one reading.
 */
#include "policyd/percent.h"
#include "policyd/query.h"

static int
bad(struct judge *j, struct str name, const char *what)
{
	return judge_refuse(j, R_BAD_QUERY, name, "query parameter %s %s",
	    judge_show(j, name), what);
}

/* application/x-www-form-urlencoded: '+' is a blank. */
static int
decode(struct judge *j, struct str raw, struct str *out)
{
	char *text = arena_alloc(j->arena, raw.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < raw.len; i++) {
		int c = (unsigned char)raw.data[i];

		if (c == '+')
			c = ' ';
		if (c == '%') {
			c = percent_decode_one(str_skip(raw, i));
			if (c < 0)
				return bad(j, raw, "has a broken escape");
			i += 2;
		}
		if (c == 0)
			return bad(j, raw, "holds a NUL");
		text[n++] = (char)c;
	}
	*out = (struct str){ text, n };
	return 0;
}

int
query_parse(struct judge *j)
{
	struct str left = j->target.query;

	while (left.len > 0) {
		struct str part = str_first(left, str_find(left, '&'));
		struct query_pair *pair;
		size_t eq = str_find(part, '=');
		int error;

		left = str_skip(left, part.len + 1);
		if (part.len == 0)
			continue;
		if (j->query.count == PARAMS_MAX)
			return bad(j, STR("string"), "has too many parts");
		pair = &j->query.pair[j->query.count++];
		if ((error = decode(j, str_first(part, eq), &pair->name)) !=
		    0 || (error = decode(j, str_skip(part, eq + 1),
		    &pair->value)) != 0)
			return error;
	}
	return 0;
}

/* libpod's names are compared without case, here and there. */
static bool
names_match(const struct judge *j, struct str name, const char *wanted)
{
	return j->target.is_libpod ? str_equal_nocase(name, str_from(wanted)) :
	    str_is(name, wanted);
}

struct str
query_value(const struct judge *j, const char *name)
{
	for (size_t i = 0; i < j->query.count; i++)
		if (names_match(j, j->query.pair[i].name, name))
			return j->query.pair[i].value;
	return STR_NONE;
}

void
query_append(struct judge *j, const char *name, struct str value)
{
	struct str encoded = target_encode(j, value, false);

	j->query_out = arena_printf(j->arena, "%.*s%s%s=%.*s",
	    STR_FMT(j->query_out), j->query_out.len > 0 ? "&" : "", name,
	    STR_FMT(encoded));
}

/*
 * podman-remote sends detachKeys and detachkeys, with one value: said twice,
 * but in one way only.
 */
static bool
is_repeated(const struct judge *j, const struct param *row,
    const struct query_pair *pair)
{
	const struct query_pair *first = j->query.pair;

	if (!j->target.is_libpod || (row->flags & PARAM_LIST) != 0)
		return false;
	while (!names_match(j, first->name, row->name))
		first++;
	return str_equal(first->value, pair->value);
}

static int
check_row(struct judge *j, const struct param *row)
{
	bool found = false;

	for (size_t i = 0; i < j->query.count; i++) {
		struct query_pair *pair = &j->query.pair[i];
		struct str out = STR_NONE;
		int error;

		if (!names_match(j, pair->name, row->name))
			continue;
		pair->used = true;
		if (found && is_repeated(j, row, pair))
			continue;
		if (found && (row->flags & PARAM_LIST) == 0)
			return bad(j, pair->name, "stands twice");
		found = true;
		if ((error = row->check(j, row, pair->value, &out)) != 0)
			return error;
		if (out.data != NULL)
			query_append(j, row->name, out);
	}
	if (!found && (row->flags & PARAM_ALWAYS) != 0) {
		struct str out = STR_NONE;
		int error = row->check(j, row, STR_NONE, &out);

		if (error != 0)
			return error;
		if (out.data != NULL)
			query_append(j, row->name, out);
	}
	return 0;
}

/* A parameter that no row took. */
static int
check_unknown(struct judge *j, struct str name)
{
	const struct param *row = j->route->params;

	/* These name host files on any route of any version. */
	if (str_equal_nocase(name, STR("export")) ||
	    str_equal_nocase(name, STR("import")))
		return judge_refuse(j, R_EXPORT_IMPORT, name,
		    "query parameter %s names a host file; leave it out",
		    judge_show(j, name));
	for (; row != NULL && row->name != NULL; row++)
		if (str_equal_nocase(name, str_from(row->name)))
			return bad(j, name, "is spelled in another case");
	if ((j->route->flags & ROUTE_DROP_UNKNOWN) != 0)
		return 0;
	return judge_refuse(j, R_UNKNOWN_PARAMETER, name,
	    "query parameter %s has no rule on %s; leave it out",
	    judge_show(j, name), j->route->path);
}

int
query_check(struct judge *j)
{
	const struct param *row = j->route->params;
	int error;

	for (; row != NULL && row->name != NULL; row++)
		if ((error = check_row(j, row)) != 0)
			return error;
	for (size_t i = 0; i < j->query.count; i++)
		if (!j->query.pair[i].used && (error = check_unknown(j,
		    j->query.pair[i].name)) != 0)
			return error;
	return 0;
}

int
param_any(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	for (size_t i = 0; i < value.len; i++)
		if ((unsigned char)value.data[i] < 0x20)
			return bad(j, str_from(row->name),
			    "holds a control character");
	*out = value;
	return 0;
}

int
param_drop(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	(void)j;
	(void)row;
	(void)value;
	*out = STR_NONE;
	return 0;
}

int
param_refuse(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	(void)value;
	(void)out;
	return judge_refuse(j, row->reason, str_from(row->name),
	    "query parameter %s: %s", row->name, row->text);
}

/* As Go's strconv.ParseBool. */
static int
parse_bool(struct str value)
{
	static const char *const yes[] = { "1", "t", "T", "true", "TRUE",
		"True" };
	static const char *const no[] = { "0", "f", "F", "false", "FALSE",
		"False" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
		if (str_is(value, yes[i]))
			return 1;
		if (str_is(value, no[i]))
			return 0;
	}
	return -1;
}

bool
query_is_true(struct str value)
{
	return parse_bool(value) == 1;
}

int
param_unset(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	*out = STR_NONE;
	if (value.len == 0 || parse_bool(value) == 0 || str_is(value, "[]") ||
	    str_is(value, "{}") || str_is(value, "null"))
		return 0;
	return param_refuse(j, row, value, out);
}

int
param_bool(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	int yes = parse_bool(value);

	if (value.len == 0)
		return 0;
	if (yes < 0)
		return bad(j, str_from(row->name), "is not a boolean");
	*out = yes ? STR("1") : STR("0");
	return 0;
}

int
param_int(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	size_t at = str_starts(value, "-") ? 1 : 0;

	if (value.len == 0)
		return 0;
	if (value.len == at || value.len > at + 18)
		return bad(j, str_from(row->name), "is not a number");
	for (size_t i = at; i < value.len; i++)
		if (value.data[i] < '0' || value.data[i] > '9')
			return bad(j, str_from(row->name), "is not a number");
	*out = value;
	return 0;
}

int
param_one_of(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	const char *const *list = row->arg;

	if (value.len == 0)
		return 0;
	for (; *list != NULL; list++)
		if (str_is(value, *list)) {
			*out = value;
			return 0;
		}
	return judge_refuse(j, row->reason, str_from(row->name),
	    "query parameter %s is \"%s\"; instead: %s", row->name,
	    judge_show(j, value), row->text);
}
