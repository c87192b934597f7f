/*
 * Walks the rule tables and makes requests out of where their rows stand.
 */
#include <stdio.h>
#include <stdlib.h>

#include "test/policy/sound.h"
#include "test/policy/tables.h"

static const struct shape_row shape_rows[] = {
	{ check_one_of,		SHAPE_WORDS, NULL },
	{ check_namespace,	SHAPE_WORDS, NULL },
	{ check_nsmode,		SHAPE_WORDS, NULL },
	{ check_at_least,	SHAPE_PLAIN, NULL },
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
	{ check_libpod_mounts,	SHAPE_LIST_OF_TABLES, NULL },
	{ check_libpod_volumes,	SHAPE_LIST_OF_TABLES, NULL },
	{ check_image_volumes,	SHAPE_LIST_OF_TABLES, NULL },
	{ check_port_mappings,	SHAPE_LIST_OF_TABLES, NULL },
	{ check_libpod_networks, SHAPE_MAP_OF_ROW, "own-net" },
	{ check_endpoints,	SHAPE_MAP_OF_ROW, "bridge" },
};

const struct table_row tables[] = {
	{ compat_routes, "", "", true },
	{ libpod_routes, "/v4.3.1/libpod", "face=podman | backend=podman",
	    true },
	{ NULL, NULL, NULL, false }
};

const struct shape_row *
tables_shape(const struct field *row)
{
	static const struct shape_row plain = { NULL, SHAPE_PLAIN, NULL };

	if (row->arg == NULL)
		return &plain;
	for (size_t i = 0; i < sizeof(shape_rows) / sizeof(*shape_rows); i++)
		if (shape_rows[i].check == row->check)
			return &shape_rows[i];
	fprintf(stderr, "%s: its check is not known here; add it to "
	    "shape_rows\n", row->name);
	exit(1);
}

/* ---- the walk ----------------------------------------------------------- */

struct walk {
	void	(*visit)(const struct trail *, const struct field *, void *);
	void	*arg;
};

static void	 walk_table(struct trail, const struct field *,
		    const struct walk *);

static void
add_step(struct trail *t, const char *key)
{
	if (t->count == TRAIL_MAX) {
		fprintf(stderr, "%s: its fields are too deep\n",
		    t->route->path);
		exit(1);
	}
	t->key[t->count++] = key;
}

static void
walk_row(struct trail t, const struct field *row, const struct walk *walk)
{
	const struct shape_row *shape = tables_shape(row);

	walk->visit(&t, row, walk->arg);
	t.is_named = false;
	switch (shape->shape) {
	case SHAPE_PLAIN:
	case SHAPE_WORDS:
		break;
	case SHAPE_TABLE:
		walk_table(t, row->arg, walk);
		break;
	case SHAPE_LIST_OF_TABLES:
		add_step(&t, NULL);
		walk_table(t, row->arg, walk);
		break;
	case SHAPE_MAP_OF_LISTS:
		add_step(&t, shape->key);
		add_step(&t, NULL);
		walk_table(t, row->arg, walk);
		break;
	case SHAPE_LIST_OF_ROW:
		add_step(&t, NULL);
		walk_row(t, row->arg, walk);
		break;
	case SHAPE_MAP_OF_ROW:
		add_step(&t, shape->key);
		walk_row(t, row->arg, walk);
		break;
	}
}

static void
walk_table(struct trail t, const struct field *table, const struct walk *walk)
{
	add_step(&t, NULL);
	t.is_named = true;
	for (; table->name != NULL; table++) {
		/* A key that the "*" row of a body takes. */
		t.key[t.count - 1] = strcmp(table->name, "*") == 0 ?
		    "Memory" : table->name;
		walk_row(t, table, walk);
	}
}

void
tables_each_field(void (*visit)(const struct trail *, const struct field *,
    void *), void *arg)
{
	struct walk walk = { visit, arg };

	for (const struct table_row *t = tables; t->routes != NULL; t++) {
		for (const struct route *r = t->routes; r->path != NULL; r++) {
			struct trail trail = { .table = t, .route = r };

			if (r->fields != NULL)
				walk_table(trail, r->fields, &walk);
		}
	}
}

/* ---- requests ----------------------------------------------------------- */

struct str
trail_text(struct arena *a, const struct trail *t)
{
	const char *api = t->table->routes == libpod_routes ? "/libpod" : "";
	struct str out = arena_printf(a, "%s %s%s", t->route->method, api,
	    t->route->path);

	for (size_t i = 0; i < t->count; i++)
		out = arena_printf(a, "%.*s%s%s", STR_FMT(out), i == 0 ? " " :
		    t->key[i] == NULL ? "" : ".", t->key[i] == NULL ? "[]" :
		    t->key[i]);
	return out;
}

static struct json_object *
build(const struct trail *t, size_t from, struct json_object *value)
{
	struct json_object *inner, *outer;

	if (from == t->count)
		return json_object_get(value);
	inner = build(t, from + 1, value);
	if (t->key[from] == NULL) {
		outer = json_object_new_array();
		json_object_array_add(outer, inner);
	} else {
		outer = json_object_new_object();
		json_object_object_add(outer, t->key[from], inner);
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

void
trail_case(struct arena *a, const struct trail *t, struct json_object *value,
    struct policy_case *c)
{
	struct json_object *body = build(t, 0, value);

	*c = (struct policy_case){ .file = "probe", .name = t->route->path };
	c->request = arena_printf(a, "%s %s%.*s", t->route->method,
	    t->table->prefix, STR_FMT(own_path(a, t->route->path)));
	c->given = str_from(t->table->given);
	c->body = arena_str(a, str_from(json_object_to_json_string(body)));
	json_object_put(body);
}

/* ---- probes ------------------------------------------------------------- */

static bool
is_refused_as(const struct policy_case *c, enum reason reason)
{
	struct case_run run;
	bool is_so;

	cases_run(c, &run);
	is_so = run.verdict->kind == VERDICT_DENY &&
	    run.verdict->deny.reason == reason;
	cases_run_free(&run);
	return is_so;
}

const char *
tables_probe_kinds(struct arena *a, const struct trail *t, unsigned kinds)
{
	static const struct { unsigned kind; const char *text; } samples[] = {
		{ 0, "1.5" }, { K_STRING, "\"x\"" }, { K_BOOL, "true" },
		{ K_INT, "7" }, { K_ARRAY, "[\"x\"]" },
		{ K_OBJECT, "{\"x\":\"x\"}" } };

	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		struct json_object *value;
		struct policy_case c;

		if ((kinds & samples[i].kind) != 0)
			continue;
		value = json_tokener_parse(samples[i].text);
		trail_case(a, t, value, &c);
		json_object_put(value);
		if (!is_refused_as(&c, R_BAD_VALUE))
			return arena_text(a, c.body);
	}
	return NULL;
}

/* ---- odd values ---------------------------------------------------------- */

static const char *const odd_values[] = {
	"null", "true", "0", "-1", "1.5", "9223372036854775807", "\"\"",
	"\"x\"", "\":\"", "\"=\"", "\"/\"", "\",\"", "\"container:\"",
	"\"\\u00e9\"", "[]", "{}", "[null]", "[1]", "[true]", "[\"\"]",
	"[\":\"]", "[\"=\"]", "[[]]", "[{}]", "[[[]]]", "{\"\":null}",
	"{\"x\":null}", "{\"x\":1}", "{\"x\":\"y\"}", "{\"x\":[]}",
	"{\"x\":[1]}", "{\"x\":{}}", "{\"label\":1}", "{\"label\":[1]}",
	"{\"x\":{\"y\":[]}}", "[{\"x\":1}]", "[{\"Name\":1}]",
	"{\"80/tcp\":[1]}", "{\"80/tcp\":[[]]}", "{\"80/tcp\":1}", NULL
};

static bool
is_sound(const struct policy_case *c)
{
	struct case_run run;
	bool is_good;

	cases_run(c, &run);
	is_good = sound_verdict(run.verdict) == NULL;
	cases_run_free(&run);
	return is_good;
}

const char *
tables_try_field(struct arena *a, const struct trail *t, const char *given)
{
	for (size_t i = 0; odd_values[i] != NULL; i++) {
		struct json_object *value = json_tokener_parse(odd_values[i]);
		struct policy_case c;

		trail_case(a, t, value, &c);
		json_object_put(value);
		c.given = str_from(given);
		if (!is_sound(&c))
			return arena_text(a, c.body);
	}
	return NULL;
}

/* As it is in a query. */
static struct str
escape(struct arena *a, const char *text)
{
	struct str out = STR("");

	for (; *text != '\0'; text++)
		out = arena_printf(a, "%.*s%%%02x", STR_FMT(out),
		    (unsigned)(unsigned char)*text);
	return out;
}

const char *
tables_try_param(struct arena *a, const struct table_row *table,
    const struct route *route, const struct param *param, const char *given)
{
	for (size_t i = 0; odd_values[i] != NULL; i++) {
		struct policy_case c = { .file = "probe",
			.name = route->path };

		c.request = arena_printf(a, "%s %s%.*s?%s=%.*s", route->method,
		    table->prefix, STR_FMT(own_path(a, route->path)),
		    param->name, STR_FMT(escape(a, odd_values[i])));
		c.given = str_from(given);
		c.body = STR("-");
		if (!is_sound(&c))
			return arena_text(a, c.request);
	}
	return NULL;
}
