/*
 * Puts a recorder in the place of every check, keeps the check for its row, and
 * notes the case that is being run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/mutation/touch.h"

struct touch {
	size_t		 rows;
	size_t		 cases;
	const void	**row;		/* sorted */
	unsigned char	*bits;		/* rows * cases, shared with the child */
};

static struct touch *current;
static size_t current_case;
/* The checks that recorders stand in for, in the order of current->row. */
static int	(**field_checks)(struct judge *, const struct at *,
		    const struct field *, struct json_object *);
static int	(**param_checks)(struct judge *, const struct param *,
		    struct str, struct str *);
static int	(**filter_checks)(struct judge *, const struct filter *,
		    struct str *);

static int
compare(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;

	return x < y ? -1 : x > y;
}

/* Where the row is, or -1. */
static long
find(const struct touch *t, const void *row)
{
	const void **found = bsearch(&row, t->row, t->rows, sizeof(row),
	    compare);

	return found == NULL ? -1 : found - t->row;
}

static size_t
note(const void *row)
{
	size_t at = (size_t)find(current, row);

	current->bits[at * current->cases + current_case] = 1;
	return at;
}

static int
record_field(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	return field_checks[note(row)](j, at, row, value);
}

static int
record_param(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	return param_checks[note(row)](j, row, value, out);
}

static int
record_filter(struct judge *j, const struct filter *row, struct str *value)
{
	return filter_checks[note(row)](j, row, value);
}

/* ---- putting them in place ---------------------------------------------- */

/* The walk reads the checks: they are kept first, and replaced afterwards. */
static void
keep_field(const struct trail *t, const struct field *row, void *arg)
{
	(void)t;
	(void)arg;
	field_checks[find(current, row)] = row->check;
}

static void
wrap_fields(void)
{
	for (size_t i = 0; i < current->rows; i++) {
		const struct field *row = current->row[i];

		if (field_checks[i] != NULL)
			mutants_poke(&row->check, &(struct field){ .check =
			    record_field }.check, sizeof(row->check));
	}
}

static void
wrap_filters(const struct filter_set *set)
{
	for (const struct filter *f = set->filters; f->name != NULL; f++) {
		if (f->check == record_filter)
			continue;
		filter_checks[find(current, f)] = f->check;
		mutants_poke(&f->check, &(struct filter){ .check =
		    record_filter }.check, sizeof(f->check));
	}
}

static void
wrap_params(const struct route *r)
{
	for (const struct param *p = r->params; p != NULL && p->name != NULL;
	    p++) {
		if (p->check == record_param)
			continue;
		if (p->check == param_filters)
			wrap_filters(p->arg);
		param_checks[find(current, p)] = p->check;
		mutants_poke(&p->check, &(struct param){ .check =
		    record_param }.check, sizeof(p->check));
	}
}

/* Rows that share a path, for a refusal names no more. */
static void
note_routes(const struct case_run *run)
{
	for (const struct table_row *t = tables; t->routes != NULL; t++)
		for (const struct route *r = t->routes; r->path != NULL; r++)
			if (run->verdict->row != NULL && strcmp(r->path,
			    run->verdict->row) == 0)
				note(r);
}

static void
record(const struct case_list *cases)
{
	tables_each_field(keep_field, NULL);
	wrap_fields();
	for (const struct table_row *t = tables; t->routes != NULL; t++)
		for (const struct route *r = t->routes; r->path != NULL; r++)
			wrap_params(r);
	for (size_t i = 0; i < cases->count; i++) {
		struct case_run run;

		current_case = i;
		cases_run(&cases->row[i], &run);
		note_routes(&run);
		cases_run_free(&run);
	}
}

static void
list_rows(struct touch *t, const struct mutant_list *list)
{
	size_t n = 0;

	t->row = calloc(list->count, sizeof(*t->row));
	for (size_t i = 0; i < list->count; i++)
		t->row[i] = list->mutant[i].row;
	qsort(t->row, list->count, sizeof(*t->row), compare);
	for (size_t i = 0; i < list->count; i++)
		if (n == 0 || t->row[n - 1] != t->row[i])
			t->row[n++] = t->row[i];
	t->rows = n;
}

struct touch *
touch_record(const struct mutant_list *list, const struct case_list *cases)
{
	struct touch *t = calloc(1, sizeof(*t));
	int status = 1;
	pid_t child;

	list_rows(t, list);
	t->cases = cases->count;
	t->bits = mmap(NULL, t->rows * t->cases, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	current = t;
	child = fork();
	if (child == 0) {
		field_checks = calloc(t->rows, sizeof(*field_checks));
		param_checks = calloc(t->rows, sizeof(*param_checks));
		filter_checks = calloc(t->rows, sizeof(*filter_checks));
		record(cases);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
		fprintf(stderr, "cases cannot be recorded\n");
		exit(1);
	}
	return t;
}

bool
touch_is_noted(const struct touch *t, const void *row, size_t one_case)
{
	long at = find(t, row);

	return at >= 0 && t->bits[(size_t)at * t->cases + one_case] != 0;
}
