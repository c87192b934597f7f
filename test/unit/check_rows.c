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
#include "test/policy/files.h"
#include "test/policy/tables.h"

Suite	*rows_suite(void);

enum { NAMED_MAX = 4096 };

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
	const struct shape_row *shape = tables_shape(row);
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
find_route(const struct verdict *v, const struct msg_request *request)
{
	struct str path = str_first(request->target, str_find(request->target,
	    '?'));
	const struct route *r = memmem(path.data, path.len, "/libpod/",
	    strlen("/libpod/")) != NULL ? libpod_routes : compat_routes;

	for (; v->row != NULL && r->path != NULL; r++)
		if (strcmp(r->path, v->row) == 0 && (strcmp(r->method, "*") ==
		    0 || str_is(request->method, r->method)))
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
	route = find_route(run.verdict, &run.request);
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

/* ---- probes: a value of each other kind at every row -------------------- */

static void
visit_probe(const struct trail *t, const struct field *row, void *arg)
{
	struct arena a;
	const char *body;

	(void)arg;
	if (row->check == check_drop)
		return;
	arena_init(&a, 1024 * 1024);
	body = tables_probe_kinds(&a, t, row->kinds);
	if (body != NULL) {
		fprintf(stderr, "%s %s: %s is not refused as bad-value\n",
		    t->route->method, t->route->path, body);
		complaints++;
	}
	arena_free(&a);
}

static void
visit_need(const struct trail *t, const struct field *row, void *arg)
{
	bool cases = t->table->has_cases;

	(void)arg;
	need(t->route, "field", row->name, row, cases, cases &&
	    !takes_any(row), row->text);
}

START_TEST(fields_refuse_other_kinds)
{
	complaints = 0;
	tables_each_field(visit_probe, NULL);
	ck_assert_int_eq(complaints, 0);
}
END_TEST

/* ---- odd values: whatever comes, a verdict comes of it ------------------- */

/* What is judged otherwise on podman, and with a proxy. */
static const char *const settings[] = { "egress=on",
	"egress=on | backend=podman", NULL };

static const char *
given_of(const struct table_row *t, size_t i)
{
	return t->routes == compat_routes ? settings[i] : t->given;
}

static void
complain_of(const char *request)
{
	if (request == NULL)
		return;
	fprintf(stderr, "no sound verdict of %s\n", request);
	complaints++;
}

static void
visit_try(const struct trail *t, const struct field *row, void *arg)
{
	(void)row;
	(void)arg;
	for (size_t i = 0; settings[i] != NULL; i++) {
		struct arena a;

		arena_init(&a, 1024 * 1024);
		complain_of(tables_try_field(&a, t, given_of(t->table, i)));
		arena_free(&a);
	}
}

static void
try_params(const struct table_row *t, const struct route *r)
{
	for (const struct param *p = r->params; p != NULL && p->name != NULL;
	    p++) {
		for (size_t i = 0; settings[i] != NULL; i++) {
			struct arena a;

			arena_init(&a, 1024 * 1024);
			complain_of(tables_try_param(&a, t, r, p, given_of(t,
			    i)));
			arena_free(&a);
		}
	}
}

START_TEST(odd_values_end_in_a_verdict)
{
	complaints = 0;
	tables_each_field(visit_try, NULL);
	for (const struct table_row *t = tables; t->routes != NULL; t++)
		for (const struct route *r = t->routes; r->path != NULL; r++)
			try_params(t, r);
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

static void
need_routes(const struct route *r)
{
	for (; r->path != NULL; r++) {
		bool owned = route_object(r) != OBJECT_NONE && (r->flags &
		    ROUTE_ANY_OWNER) == 0;

		need(r, "route", "itself", r, r->refused == R_NONE,
		    r->refused != R_NONE || owned, r->text);
		need_params(r);
	}
}

START_TEST(rows_have_cases)
{
	static struct case_list list;

	files_load_topics(&list);
	for (size_t i = 0; i < list.count; i++)
		name_case(&list.row[i]);
	complaints = 0;
	for (const struct table_row *t = tables; t->routes != NULL; t++)
		if (t->has_cases)
			need_routes(t->routes);
	tables_each_field(visit_need, NULL);
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
	tcase_add_test(rows, odd_values_end_in_a_verdict);
	suite_add_tcase(suite, rows);
	return suite;
}
