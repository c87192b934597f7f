/*
 * The rule tables: no row without a case.  A case names a row by its request:
 * method and path the route, the query its parameters, the body its fields.
 * Besides, what holds for every row: it has a sentence, and a value of another
 * kind is refused at it.
 */
#include <stdio.h>
#include <stdlib.h>

#include <check.h>

#include "policyd/lexer.h"
#include "policyd/query.h"
#include "policyd/rules/rules.h"
#include "test/policy/cases.h"
#include "test/policy/files.h"

Suite	*rows_suite(void);

enum { NAMED_MAX = 4096, STEPS_MAX = 16 };

/* What cases showed of a row (of any of the tables). */
struct named {
	const void	*row;
	bool		 allowed;
	bool		 denied;
};
static struct named named[NAMED_MAX];
static size_t named_count;
static int complaints;

static struct named *
find_named(const void *row)
{
	for (size_t i = 0; i < named_count; i++)
		if (named[i].row == row)
			return &named[i];
	ck_assert_uint_lt(named_count, NAMED_MAX);
	named[named_count].row = row;
	return &named[named_count++];
}

static void
name_row(const void *row, bool allowed, bool denied)
{
	struct named *n = find_named(row);

	n->allowed = n->allowed || allowed;
	n->denied = n->denied || denied;
}

/* ---- what is inside a field, by its check ------------------------------- */

enum shape { SHAPE_PLAIN, SHAPE_TABLE, SHAPE_LIST_OF_TABLES,
	SHAPE_MAP_OF_LISTS, SHAPE_LIST_OF_ROW, SHAPE_MAP_OF_ROW };

/* One row a check whose argument is not NULL. */
static const struct shape_row {
	int		(*check)(struct judge *, const struct at *,
			    const struct field *, struct json_object *);
	enum shape	 shape;
	const char	*key;		/* of a map, for probes */
} shape_rows[] = {
	{ check_one_of,		SHAPE_PLAIN, NULL },
	{ check_at_least,	SHAPE_PLAIN, NULL },
	{ check_namespace,	SHAPE_PLAIN, NULL },
	{ check_as,		SHAPE_PLAIN, NULL },
	{ check_misplaced,	SHAPE_PLAIN, NULL },
	{ check_object,		SHAPE_TABLE, NULL },
	{ check_log_config,	SHAPE_TABLE, NULL },
	{ check_mounts,		SHAPE_LIST_OF_TABLES, NULL },
	{ check_ulimits,	SHAPE_LIST_OF_TABLES, NULL },
	{ check_ports,		SHAPE_MAP_OF_LISTS, "80/tcp" },
	{ check_array,		SHAPE_LIST_OF_ROW, NULL },
	{ check_map,		SHAPE_MAP_OF_ROW, "80/tcp" },
	{ check_exposed,	SHAPE_MAP_OF_ROW, "80/tcp" },
	{ check_nsmode,		SHAPE_PLAIN, NULL },
	{ check_libpod_mounts,	SHAPE_LIST_OF_TABLES, NULL },
	{ check_libpod_volumes,	SHAPE_LIST_OF_TABLES, NULL },
	{ check_image_volumes,	SHAPE_LIST_OF_TABLES, NULL },
	{ check_port_mappings,	SHAPE_LIST_OF_TABLES, NULL },
	{ check_libpod_networks, SHAPE_MAP_OF_ROW, "own-net" },
	{ check_endpoints,	SHAPE_MAP_OF_ROW, "bridge" },
};

static const struct shape_row *
find_shape(const struct field *row)
{
	static const struct shape_row plain = { NULL, SHAPE_PLAIN, NULL };

	if (row->arg == NULL)
		return &plain;
	for (size_t i = 0; i < sizeof(shape_rows) / sizeof(*shape_rows); i++)
		if (shape_rows[i].check == row->check)
			return &shape_rows[i];
	ck_abort_msg("%s: its check is not known here; add it to shape_rows",
	    row->name);
	return NULL;
}

/* ---- what a case names -------------------------------------------------- */

struct naming {
	const struct verdict *verdict;
	struct str	 refused;	/* field of a refusal */
};

static void	 name_fields(const struct naming *, const struct field *,
		    struct json_object *, const char *path);

static bool
is_refused_at(const struct naming *n, const char *path)
{
	/* In the daemon's words, which name no field. */
	return n->verdict->kind == VERDICT_DENY && (str_starts(n->refused,
	    path) || n->verdict->deny.reason == R_NOT_FOUND);
}

static void
name_value(const struct naming *n, const struct field *row,
    struct json_object *value, const char *path)
{
	const struct shape_row *shape = find_shape(row);
	size_t count = json_object_is_type(value, json_type_array) ?
	    json_object_array_length(value) : 0;
	bool is_map = json_object_is_type(value, json_type_object);
	char inner[1024];

	name_row(row, n->verdict->kind == VERDICT_FORWARD, is_refused_at(n,
	    path));
	if (shape->shape == SHAPE_TABLE && is_map)
		name_fields(n, row->arg, value, path);
	for (size_t i = 0; i < count; i++) {
		struct json_object *one = json_object_array_get_idx(value, i);

		snprintf(inner, sizeof(inner), "%s[%zu]", path, i);
		if (shape->shape == SHAPE_LIST_OF_TABLES)
			name_fields(n, row->arg, one, inner);
		else if (shape->shape == SHAPE_LIST_OF_ROW)
			name_value(n, row->arg, one, inner);
	}
	if (!is_map || (shape->shape != SHAPE_MAP_OF_ROW && shape->shape !=
	    SHAPE_MAP_OF_LISTS))
		return;
	json_object_object_foreach(value, key, member) {
		snprintf(inner, sizeof(inner), "%s.%s", path, key);
		if (shape->shape == SHAPE_MAP_OF_ROW)
			name_value(n, row->arg, member, inner);
		for (size_t i = 0; shape->shape == SHAPE_MAP_OF_LISTS &&
		    json_object_is_type(member, json_type_array) &&
		    i < json_object_array_length(member); i++)
			name_fields(n, row->arg, json_object_array_get_idx(
			    member, i), inner);
	}
}

static void
name_fields(const struct naming *n, const struct field *table,
    struct json_object *object, const char *path)
{
	if (!json_object_is_type(object, json_type_object))
		return;
	json_object_object_foreach(object, key, value) {
		bool exact;
		const struct field *row = walk_find(table, str_from(key),
		    &exact);
		char inner[1024];

		while (row == NULL && table->name != NULL && strcmp(
		    table->name, "*") != 0)
			table++;
		if (row == NULL && table->name == NULL)
			return;
		snprintf(inner, sizeof(inner), "%s%s%s", path, *path != '\0' ?
		    "." : "", key);
		name_value(n, row != NULL ? row : table, value, inner);
	}
}

static struct json_object *
parse(struct str text)
{
	struct lexer_error error;
	struct json_tokener *t;
	struct json_object *object;

	if (text.len == 0 || lexer_check(text, &error) != 0)
		return NULL;
	t = json_tokener_new();
	object = json_tokener_parse_ex(t, text.data, (int)text.len);
	json_tokener_free(t);
	return object;
}

static void
name_filters(const struct naming *n, const struct param *param,
    struct str value)
{
	const struct filter_set *set = param->arg;
	struct json_object *object = parse(value);

	if (json_object_is_type(object, json_type_object)) {
		json_object_object_foreach(object, key, values) {
			const struct filter *row = set->filters;

			(void)values;
			for (; row->name != NULL; row++)
				if (strcmp(row->name, key) == 0)
					name_row(row, n->verdict->kind ==
					    VERDICT_FORWARD, n->verdict->kind
					    == VERDICT_DENY);
		}
	}
	json_object_put(object);
}

static void
name_params(const struct naming *n, const struct route *route,
    struct case_run *run)
{
	struct judge j = { .arena = &run->arena, .out = arena_alloc(
	    &run->arena, sizeof(struct verdict)) };
	const struct param *row;

	j.target.query = str_skip(run->request.target, str_find(
	    run->request.target, '?') + 1);
	if (query_parse(&j) != 0 || route->params == NULL)
		return;
	for (size_t i = 0; i < j.query.count; i++) {
		struct str name = j.query.pair[i].name;

		for (row = route->params; row->name != NULL; row++) {
			if (!str_is(name, row->name))
				continue;
			name_row(row, n->verdict->kind != VERDICT_DENY,
			    n->verdict->kind == VERDICT_DENY &&
			    (str_equal(n->refused, name) ||
			    n->verdict->deny.reason == (int)row->reason));
			if (row->check == param_filters)
				name_filters(n, row, j.query.pair[i].value);
		}
	}
}

static const struct route *
find_route(const struct verdict *v, struct str method)
{
	for (const struct route *r = compat_routes; v->row != NULL &&
	    r->path != NULL; r++)
		if (strcmp(r->path, v->row) == 0 && (strcmp(r->method, "*") ==
		    0 || str_is(method, r->method)))
			return r;
	return NULL;
}

static void
name_case(const struct policy_case *c)
{
	struct case_run run;
	struct naming n;
	const struct route *route;
	struct json_object *body;

	cases_run(c, &run);
	n.verdict = run.verdict;
	n.refused = run.verdict->deny.field;
	route = find_route(run.verdict, run.request.method);
	if (route != NULL) {
		name_row(route, n.verdict->kind != VERDICT_DENY,
		    n.verdict->kind == VERDICT_DENY);
		name_params(&n, route, &run);
		body = route->fields != NULL ? parse(run.body) : NULL;
		if (body != NULL)
			name_fields(&n, route->fields, body, "");
		json_object_put(body);
	}
	cases_run_free(&run);
}

/* ---- the tables --------------------------------------------------------- */

static const struct table_row {
	const struct route *routes;
	const char	*prefix;	/* of its paths, for probes */
	const char	*given;		/* likewise */
	bool		 has_cases;
} tables[] = {
	{ compat_routes, "", "", true },
	{ libpod_routes, "/v4.3.1/libpod", "face=podman | backend=podman",
	    false },
};

/* ---- what every row needs ----------------------------------------------- */

static void
need(const struct route *route, const char *what, const char *name,
    const void *row, bool allow, bool deny, const char *text)
{
	const struct named *n = find_named(row);
	const char *missing = allow && !n->allowed ? "that is allowed" :
	    deny && !n->denied ? "that is refused" : NULL;

	if (missing != NULL) {
		fprintf(stderr, "%s %s: %s %s has no case %s\n",
		    route->method, route->path, what, name, missing);
		complaints++;
	}
	if (text == NULL || text[0] == '\0') {
		fprintf(stderr, "%s %s: %s %s has no sentence\n",
		    route->method, route->path, what, name);
		complaints++;
	}
}

/* Any value of the kind passes: only the kind can be refused, see probes. */
static bool
takes_any(const struct field *row)
{
	bool exact;

	if (row->check == check_as)
		row = walk_find(row->arg, str_from(row->name), &exact);
	return row->check == check_any || row->check == check_drop ||
	    row->check == check_line;
}

/* ---- probes: a value of no kind at every row ---------------------------- */

struct step {
	const char	*key;		/* NULL: an element */
};
struct trail {
	const struct table_row *table;
	const struct route *route;
	size_t		 count;
	struct step	 step[STEPS_MAX];
};

static struct json_object *
build(const struct trail *t, size_t from)
{
	struct json_object *value, *outer;

	if (from == t->count)
		return json_object_new_double(1.5);
	value = build(t, from + 1);
	if (t->step[from].key == NULL) {
		outer = json_object_new_array();
		json_object_array_add(outer, value);
	} else {
		outer = json_object_new_object();
		json_object_object_add(outer, t->step[from].key, value);
	}
	return outer;
}

static struct str
own_path(struct arena *a, const char *path)
{
	static const char *const names[][2] = { { "{container}", "own" },
		{ "{exec}", "{OWN_EXEC}" }, { "{network}", "own-net" },
		{ "{volume}", "own-vol" }, { "{image}", "own-image:t" },
		{ "{pod}", "own-pod" } };
	struct str out = str_from(path);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *at = strstr(path, names[i][0]);

		if (at != NULL)
			out = arena_printf(a, "%.*s%s%s", (int)(at - path),
			    path, names[i][1], at + strlen(names[i][0]));
	}
	return out;
}

static void
probe(const struct trail *t)
{
	struct json_object *body = build(t, 0);
	struct policy_case c = { .file = "probe", .name = t->route->path };
	const char *text = json_object_to_json_string(body);
	struct case_run run;
	struct arena a;

	arena_init(&a, 1024 * 1024);
	c.request = arena_printf(&a, "%s %s%.*s", t->route->method,
	    t->table->prefix, STR_FMT(own_path(&a, t->route->path)));
	c.given = str_from(t->table->given);
	c.body = str_from(text);
	cases_run(&c, &run);
	if (run.verdict->kind != VERDICT_DENY || run.verdict->deny.reason !=
	    R_BAD_VALUE) {
		fprintf(stderr, "%s %s: %s is not refused as bad-value: "
		    "%.*s\n", t->route->method, t->route->path, text,
		    STR_FMT(run.out));
		complaints++;
	}
	cases_run_free(&run);
	arena_free(&a);
	json_object_put(body);
}

static void	 walk_table(struct trail, const struct field *,
		    void (*)(const struct trail *, const struct field *));

static void
walk_row(struct trail t, const struct field *row,
    void (*visit)(const struct trail *, const struct field *))
{
	const struct shape_row *shape = find_shape(row);

	visit(&t, row);
	ck_assert_uint_lt(t.count + 2, STEPS_MAX);
	switch (shape->shape) {
	case SHAPE_PLAIN:
		break;
	case SHAPE_TABLE:
		walk_table(t, row->arg, visit);
		break;
	case SHAPE_LIST_OF_TABLES:
		t.step[t.count++].key = NULL;
		walk_table(t, row->arg, visit);
		break;
	case SHAPE_MAP_OF_LISTS:
		t.step[t.count++].key = shape->key;
		t.step[t.count++].key = NULL;
		walk_table(t, row->arg, visit);
		break;
	case SHAPE_LIST_OF_ROW:
		t.step[t.count++].key = NULL;
		walk_row(t, row->arg, visit);
		break;
	case SHAPE_MAP_OF_ROW:
		t.step[t.count++].key = shape->key;
		walk_row(t, row->arg, visit);
		break;
	}
}

static void
walk_table(struct trail t, const struct field *table,
    void (*visit)(const struct trail *, const struct field *))
{
	t.count++;
	for (; table->name != NULL; table++) {
		t.step[t.count - 1].key = strcmp(table->name, "*") == 0 ?
		    "Memory" : table->name;
		walk_row(t, table, visit);
	}
}

static void
visit_probe(const struct trail *t, const struct field *row)
{
	if (row->check != check_drop)
		probe(t);
}

static void
visit_need(const struct trail *t, const struct field *row)
{
	bool cases = t->table->has_cases;

	need(t->route, "field", row->name, row, cases, cases &&
	    !takes_any(row), row->text);
}

static void
each_field(void (*visit)(const struct trail *, const struct field *))
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		const struct route *r = tables[i].routes;

		for (; r->path != NULL; r++) {
			struct trail t = { .table = &tables[i], .route = r };

			if (r->fields != NULL)
				walk_table(t, r->fields, visit);
		}
	}
}

START_TEST(fields_refuse_other_kinds)
{
	complaints = 0;
	each_field(visit_probe);
	ck_assert_int_eq(complaints, 0);
}
END_TEST

static bool
param_takes_any(const struct param *row)
{
	return row->check == param_any || row->check == param_bool ||
	    row->check == param_int || row->check == param_drop;
}

static void
need_params(const struct route *r)
{
	for (const struct param *p = r->params; p != NULL && p->name != NULL;
	    p++) {
		const struct filter_set *set = p->check == param_filters ?
		    p->arg : NULL;

		need(r, "parameter", p->name, p, p->check != param_refuse,
		    !param_takes_any(p), p->text);
		for (const struct filter *f = set != NULL ? set->filters :
		    NULL; f != NULL && f->name != NULL; f++)
			need(r, "filter", f->name, f, f->check !=
			    filter_refuse, f->check == filter_refuse, f->text);
	}
}

START_TEST(rows_have_cases)
{
	static struct case_list list;

	files_load_topics(&list);
	for (size_t i = 0; i < list.count; i++)
		name_case(&list.row[i]);
	complaints = 0;
	for (const struct route *r = compat_routes; r->path != NULL; r++) {
		bool owned = route_object(r) != OBJECT_NONE && (r->flags &
		    ROUTE_ANY_OWNER) == 0;

		need(r, "route", "itself", r, r->refused == R_NONE,
		    r->refused != R_NONE || owned, r->text);
		need_params(r);
	}
	each_field(visit_need);
	ck_assert_int_eq(complaints, 0);
}
END_TEST

Suite *
rows_suite(void)
{
	Suite *suite = suite_create("rows");
	TCase *rows = tcase_create("rows");

	tcase_set_timeout(rows, 120);
	tcase_add_test(rows, rows_have_cases);
	tcase_add_test(rows, fields_refuse_other_kinds);
	suite_add_tcase(suite, rows);
	return suite;
}
