/*
 * One function a change, and one pass over the tables that lists who can be
 * changed how.  Left out is what changes nothing: accepting all where the check
 * looks at nothing, refusing all where it does so anyway.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "policyd/query.h"
#include "test/mutation/mutants.h"

enum { MUTANTS_MAX = 16384 };

void
mutants_poke(const void *at, const void *bytes, size_t len)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = (uintptr_t)at & ~(page - 1);
	uintptr_t to = ((uintptr_t)at + len + page - 1) & ~(page - 1);

	if (mprotect((void *)from, to - from, PROT_READ | PROT_WRITE) != 0) {
		perror("mprotect");
		exit(1);
	}
	memcpy((void *)(uintptr_t)at, bytes, len);
}

/* ---- what stands in a predicate's place --------------------------------- */

static int
accept_field(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	(void)j;
	(void)at;
	(void)row;
	(void)value;
	return 0;
}

static int
refuse_field(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	(void)value;
	return judge_refuse_at(j, row->reason, at, "a mutant");
}

static int
accept_param(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	(void)j;
	(void)row;
	*out = value;
	return 0;
}

static int
refuse_param(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	(void)value;
	(void)out;
	return judge_refuse(j, row->reason, str_from(row->name), "a mutant");
}

static int
refuse_filter(struct judge *j, const struct filter *row, struct str *value)
{
	(void)value;
	return judge_refuse(j, row->reason, STR("filters"), "a mutant");
}

/* ---- changes ------------------------------------------------------------ */

static const char nobody[] = "\001";

static void
field_accepts(const struct mutant *m)
{
	const struct field *row = m->row;

	mutants_poke(&row->check, &(struct field){ .check =
	    accept_field }.check, sizeof(row->check));
}

static void
field_refuses(const struct mutant *m)
{
	const struct field *row = m->row;

	mutants_poke(&row->check, &(struct field){ .check =
	    refuse_field }.check, sizeof(row->check));
}

static void
field_is_absent(const struct mutant *m)
{
	const struct field *row = m->row;

	MUTANTS_POKE(row->name, const char *, nobody);
}

static void
field_takes_kinds(const struct mutant *m)
{
	const struct field *row = m->row;

	MUTANTS_POKE(row->kinds, unsigned, K_ANY);
}

/* The list again, without one word. */
static const void *
without(const void *arg, size_t number)
{
	const char *const *list = arg;
	const char **copy;
	size_t n = 0;

	while (list[n] != NULL)
		n++;
	copy = calloc(n + 1, sizeof(*copy));
	for (size_t i = 0, k = 0; i < n; i++)
		if (i != number)
			copy[k++] = list[i];
	return copy;
}

static void
field_lacks_word(const struct mutant *m)
{
	const struct field *row = m->row;

	MUTANTS_POKE(row->arg, const void *, without(row->arg, m->number));
}

static void
field_has_bound(const struct mutant *m)
{
	const struct field *row = m->row;
	int64_t *bound = malloc(sizeof(*bound));

	*bound = *(const int64_t *)row->arg + (m->number == 0 ? -1 : 1);
	MUTANTS_POKE(row->arg, const void *, bound);
}

static void
param_accepts(const struct mutant *m)
{
	const struct param *row = m->row;

	mutants_poke(&row->check, &(struct param){ .check =
	    accept_param }.check, sizeof(row->check));
}

static void
param_refuses(const struct mutant *m)
{
	const struct param *row = m->row;

	mutants_poke(&row->check, &(struct param){ .check =
	    refuse_param }.check, sizeof(row->check));
}

static void
param_is_absent(const struct mutant *m)
{
	const struct param *row = m->row;

	MUTANTS_POKE(row->name, const char *, nobody);
}

static void
param_lacks_word(const struct mutant *m)
{
	const struct param *row = m->row;

	MUTANTS_POKE(row->arg, const void *, without(row->arg, m->number));
}

static void
param_turns_flag(const struct mutant *m)
{
	const struct param *row = m->row;

	MUTANTS_POKE(row->flags, unsigned, row->flags ^ (unsigned)m->number);
}

static void
filter_accepts(const struct mutant *m)
{
	const struct filter *row = m->row;

	mutants_poke(&row->check, &(struct filter){ .check =
	    filter_any }.check, sizeof(row->check));
}

static void
filter_refuses(const struct mutant *m)
{
	const struct filter *row = m->row;

	mutants_poke(&row->check, &(struct filter){ .check =
	    refuse_filter }.check, sizeof(row->check));
}

static void
filter_is_absent(const struct mutant *m)
{
	const struct filter *row = m->row;

	MUTANTS_POKE(row->name, const char *, nobody);
}

static void
set_turns_label(const struct mutant *m)
{
	const struct filter_set *set = m->param->arg;

	MUTANTS_POKE(set->force_label, bool, !set->force_label);
}

static void
set_is_on_podman(const struct mutant *m)
{
	const struct filter_set *set = m->param->arg;

	MUTANTS_POKE(set->on_podman, enum podman_filters,
	    (enum podman_filters)m->number);
}

static void
route_is_refused(const struct mutant *m)
{
	MUTANTS_POKE(m->route->refused, enum reason, (enum reason)m->number);
}

static void
route_is_absent(const struct mutant *m)
{
	MUTANTS_POKE(m->route->path, const char *, "/\001");
}

static void
route_turns_flag(const struct mutant *m)
{
	MUTANTS_POKE(m->route->flags, unsigned, m->route->flags ^
	    (unsigned)m->number);
}

static void
route_takes_body(const struct mutant *m)
{
	MUTANTS_POKE(m->route->body, enum body_rule,
	    (enum body_rule)m->number);
}

static void
route_judges_no_field(const struct mutant *m)
{
	MUTANTS_POKE(m->route->fields, const struct field *, NULL);
}

static void
route_does_not_prepare(const struct mutant *m)
{
	mutants_poke(&m->route->prepare, &(struct route){ 0 }.prepare,
	    sizeof(m->route->prepare));
}

static void
route_relays_answer(const struct mutant *m)
{
	MUTANTS_POKE(m->route->response, enum forward_response,
	    FORWARD_RELAY);
}

/* ---- the list ----------------------------------------------------------- */

struct listing {
	struct arena	*arena;
	struct mutant_list *list;
	struct mutant	 base;		/* the row at hand */
};

static void
add(struct listing *l, void (*apply)(const struct mutant *), size_t number,
    const char *what)
{
	struct mutant *m;

	if (l->list->count == MUTANTS_MAX) {
		fprintf(stderr, "too many mutants\n");
		exit(1);
	}
	m = &l->list->mutant[l->list->count++];
	*m = l->base;
	m->apply = apply;
	m->number = number;
	m->what = what;
}

/* Tables stand at several routes; a row is changed once. */
static bool
is_listed(const struct listing *l, const void *row)
{
	for (size_t i = 0; i < l->list->count; i++)
		if (l->list->mutant[i].row == row)
			return true;
	return false;
}

static void
add_words(struct listing *l, void (*apply)(const struct mutant *),
    const void *arg)
{
	const char *const *list = arg;

	/* An empty parameter is dropped whatever the list says. */
	for (size_t i = 0; list[i] != NULL; i++)
		if (list[i][0] != '\0' || apply == field_lacks_word)
			add(l, apply, i, arena_printf(l->arena,
			    "lacks \"%s\"", list[i]).data);
}

static void
add_field(const struct trail *t, const struct field *row, void *arg)
{
	struct listing *l = arg;
	bool is_blind = row->check == check_any && (row->kinds & K_ARRAY) == 0;

	if (is_listed(l, row))
		return;
	l->base = (struct mutant){ .where = trail_text(l->arena, t).data,
		.table = t->table, .row = row, .route = t->route };
	if (!is_blind)
		add(l, field_accepts, 0, "accepts all");
	if (row->check != check_null)
		add(l, field_refuses, 0, "refuses all");
	if (t->is_named)
		add(l, field_is_absent, 0, "is absent");
	if (row->kinds != K_ANY)
		add(l, field_takes_kinds, 0, "takes any kind");
	if (tables_shape(row)->shape == SHAPE_WORDS)
		add_words(l, field_lacks_word, row->arg);
	if (row->check == check_at_least) {
		add(l, field_has_bound, 0, "has a lower bound");
		add(l, field_has_bound, 1, "has a higher bound");
	}
}

static void
add_filters(struct listing *l, const struct param *p)
{
	static const char *const on_podman[] = { "narrows as docker",
		"is filtered by its answer", "takes our label alone" };
	const struct filter_set *set = p->arg;
	struct mutant base = l->base;

	if (is_listed(l, set))
		return;
	l->base.row = set;
	add(l, set_turns_label, 0, set->force_label ? "forces no label" :
	    "forces a label");
	/* A label that is forced nowhere stays out anyway. */
	for (size_t i = 0; i < 3; i++)
		if (i != set->on_podman && (set->force_label ||
		    i == PODMAN_LABEL_ONLY))
			add(l, set_is_on_podman, i, on_podman[i]);
	for (const struct filter *f = set->filters; f->name != NULL; f++) {
		if (is_listed(l, f))
			continue;
		l->base.row = f;
		l->base.where = arena_printf(l->arena, "%s.%s", base.where,
		    f->name).data;
		if (f->check != filter_any)
			add(l, filter_accepts, 0, "accepts all");
		if (f->check != filter_refuse)
			add(l, filter_refuses, 0, "refuses all");
		add(l, filter_is_absent, 0, "is absent");
	}
	l->base = base;
}

static void
add_params(struct listing *l, const struct table_row *t,
    const struct route *r, const char *where)
{
	for (const struct param *p = r->params; p != NULL && p->name != NULL;
	    p++) {
		if (is_listed(l, p))
			continue;
		l->base = (struct mutant){ .where = arena_printf(l->arena,
		    "%s ?%s", where, p->name).data, .table = t, .row = p,
		    .route = r, .param = p };
		add(l, param_accepts, 0, "accepts all");
		if (p->check != param_refuse)
			add(l, param_refuses, 0, "refuses all");
		add(l, param_is_absent, 0, "is absent");
		add(l, param_turns_flag, PARAM_LIST, (p->flags & PARAM_LIST) !=
		    0 ? "is no list" : "is a list");
		if ((p->flags & PARAM_ALWAYS) != 0)
			add(l, param_turns_flag, PARAM_ALWAYS,
			    "goes out only when it came");
		if (p->check == param_one_of)
			add_words(l, param_lacks_word, p->arg);
		if (p->check == param_filters)
			add_filters(l, p);
	}
}

/* Flags that mean something on this route. */
static void
add_flags(struct listing *l, const struct route *r)
{
	enum object_kind kind = route_object(r);
	static const struct {
		unsigned	 flag;
		enum object_kind on;	/* else only turned off */
		const char	*name;
	} flags[] = {
		{ ROUTE_DROP_UNKNOWN, OBJECT_NONE, "drops what it knows not" },
		{ ROUTE_HIJACK, OBJECT_NONE, "opens tunnels" },
		{ ROUTE_CREATES, OBJECT_NONE, "creates" },
		{ ROUTE_UNVERSIONED, OBJECT_NONE, "goes out as it came" },
		{ ROUTE_ANY_OWNER, OBJECT_IMAGE, "serves any owner" },
		{ ROUTE_PREDEFINED, OBJECT_NETWORK, "takes predefined ones" },
		{ ROUTE_BRIDGE, OBJECT_NETWORK, "takes the bridge" },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		bool is_on = (r->flags & flags[i].flag) != 0;
		bool can_be = flags[i].flag == ROUTE_DROP_UNKNOWN ||
		    (flags[i].on != OBJECT_NONE && flags[i].on == kind);

		/* It is one of the predefined. */
		if (flags[i].flag == ROUTE_BRIDGE && (r->flags &
		    ROUTE_PREDEFINED) != 0)
			can_be = false;

		if (is_on || can_be)
			add(l, route_turns_flag, flags[i].flag, arena_printf(
			    l->arena, "%s %s", is_on ? "no longer" : "now",
			    flags[i].name).data);
	}
}

static void
add_route(struct listing *l, const struct table_row *t, const struct route *r)
{
	const char *where = arena_printf(l->arena, "%s %s%s", r->method,
	    t->routes == libpod_routes ? "/libpod" : "", r->path).data;

	l->base = (struct mutant){ .where = where, .table = t, .row = r,
		.route = r };
	add(l, route_is_absent, 0, "is absent");
	if (r->refused != R_NONE) {
		add(l, route_is_refused, R_NONE, "is served");
		return;
	}
	add(l, route_is_refused, R_ROUTE, "is refused");
	add_flags(l, r);
	if (r->body != BODY_RULE_NONE)
		add(l, route_takes_body, BODY_RULE_NONE, "takes no body");
	if (r->body != BODY_RULE_STREAM)
		add(l, route_takes_body, BODY_RULE_STREAM, "relays its body");
	if (r->body == BODY_RULE_OPTIONAL)
		add(l, route_takes_body, BODY_RULE_JSON, "needs its body");
	if (r->body == BODY_RULE_JSON)
		add(l, route_takes_body, BODY_RULE_OPTIONAL,
		    "does not need its body");
	if (r->fields != NULL)
		add(l, route_judges_no_field, 0, "judges no field");
	if (r->prepare != NULL)
		add(l, route_does_not_prepare, 0, "does nothing particular");
	if (r->response != FORWARD_RELAY)
		add(l, route_relays_answer, 0, "relays its answer");
	add_params(l, t, r, where);
}

void
mutants_list(struct arena *a, struct mutant_list *list)
{
	struct listing l = { .arena = a, .list = list };

	list->count = 0;
	list->mutant = calloc(MUTANTS_MAX, sizeof(*list->mutant));
	for (const struct table_row *t = tables; t->routes != NULL; t++)
		for (const struct route *r = t->routes; r->path != NULL; r++)
			add_route(&l, t, r);
	tables_each_field(add_field, &l);
}
