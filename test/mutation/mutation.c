/*
 * Changes the rule tables row by row, each change in a child of its own, and
 * counts how many of the mutants a policy case tells from the original.
 *
 *	mutation [-v] [TEXT]	all, or those whose place holds TEXT; -v: every
 *				mutant with the case that killed it
 *
 * A mutant that means the same as the original stands in equivalent.tsv, with
 * the reason.  Fails below the goal, and for a row there that is not needed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/mutation/touch.h"
#include "test/policy/files.h"

enum { GOAL = 98, SECONDS_MAX = 60, EQUIVALENT_MAX = 512 };
enum { STATUS_KILLED = 0, STATUS_SURVIVED = 7 };

static struct case_list cases;
static bool is_verbose;

/* ---- mutants that change nothing ---------------------------------------- */

static struct {
	struct str	 where, what;
	bool		 is_used;
} equivalents[EQUIVALENT_MAX];
static size_t equivalent_count;
static char equivalent_text[64 * 1024];

static void
read_equivalents(void)
{
	FILE *file = fopen(TEST_SRCDIR "/test/mutation/equivalent.tsv", "r");
	struct str left = STR("");

	if (file == NULL) {
		perror("equivalent.tsv");
		exit(1);
	}
	left = (struct str){ equivalent_text, fread(equivalent_text, 1,
	    sizeof(equivalent_text), file) };
	fclose(file);
	while (left.len > 0 && equivalent_count < EQUIVALENT_MAX) {
		struct str row = str_first(left, str_find(left, '\n'));
		struct str where = str_first(row, str_find(row, '\t'));
		struct str what = str_skip(row, where.len + 1);

		left = str_skip(left, row.len + 1);
		if (row.len == 0 || row.data[0] == '#')
			continue;
		equivalents[equivalent_count].where = where;
		equivalents[equivalent_count++].what = str_first(what,
		    str_find(what, '\t'));
	}
}

static bool
is_equivalent(const struct mutant *m)
{
	bool is_so = false;

	for (size_t i = 0; i < equivalent_count; i++) {
		if (!str_is(equivalents[i].where, m->where) ||
		    !str_is(equivalents[i].what, m->what))
			continue;
		equivalents[i].is_used = is_so = true;
	}
	return is_so;
}

static int
complain_of_idle(void)
{
	int idle = 0;

	for (size_t i = 0; i < equivalent_count; i++) {
		if (equivalents[i].is_used)
			continue;
		printf("equivalent.tsv: no surviving mutant %.*s %.*s\n",
		    STR_FMT(equivalents[i].where),
		    STR_FMT(equivalents[i].what));
		idle++;
	}
	return idle;
}

/* ---- one mutant ---------------------------------------------------------- */

static bool
is_killed_by(size_t i)
{
	struct case_run run;
	const char *bad;

	cases_run(&cases.row[i], &run);
	bad = cases_judge(&cases.row[i], &run);
	if (bad != NULL && is_verbose)
		printf("  %s\n", bad);
	cases_run_free(&run);
	return bad != NULL;
}

static bool
is_killed(const struct touch *touch, const void *row)
{
	for (int noted = 1; noted >= 0; noted--)
		for (size_t i = 0; i < cases.count; i++)
			if (touch_is_noted(touch, row, i) == noted &&
			    is_killed_by(i))
				return true;
	return false;
}

/* A crash or an endless loop is seen too. */
static bool
survives(const struct mutant *m, const struct touch *touch)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		alarm(SECONDS_MAX);
		/* What it says when it dies of the mutant. */
		if (!is_verbose && freopen("/dev/null", "w", stderr) == NULL)
			_exit(1);
		m->apply(m);
		status = is_killed(touch, m->row) ? STATUS_KILLED :
		    STATUS_SURVIVED;
		fflush(stdout);
		_exit(status);
	}
	if (child < 0 || waitpid(child, &status, 0) != child) {
		perror("fork");
		exit(1);
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == STATUS_SURVIVED;
}

/* ---- the count ----------------------------------------------------------- */

struct count {
	size_t	 all;
	size_t	 killed;
	size_t	 equivalent;
};

static void
try_one(const struct mutant *m, const struct touch *touch,
    struct count *count)
{
	count->all++;
	if (is_verbose)
		printf("%s: %s\n", m->where, m->what);
	if (!survives(m, touch))
		count->killed++;
	else if (is_equivalent(m))
		count->equivalent++;
	else
		printf("survives: %s: %s\n", m->where, m->what);
}

static int
sum(const char *what, const struct count *c)
{
	size_t real = c->all - c->equivalent;
	size_t share = real == 0 ? 1000 : c->killed * 1000 / real;

	printf("%s: %zu mutants, %zu equivalent, %zu of %zu killed: "
	    "%zu.%zu %%\n", what, c->all, c->equivalent, c->killed, real,
	    share / 10, share % 10);
	return share < GOAL * 10;
}

static void
check_cases(void)
{
	for (size_t i = 0; i < cases.count; i++) {
		is_verbose = true;
		if (is_killed_by(i)) {
			printf("the case fails without any mutant\n");
			exit(1);
		}
	}
}

int
main(int argc, char **argv)
{
	bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
	const char *text = argc > 1 + verbose ? argv[1 + verbose] : "";
	struct mutant_list list;
	struct count docker = { 0 }, podman = { 0 };
	struct touch *touch;
	struct arena a;
	int bad;

	arena_init(&a, 16 * 1024 * 1024);
	files_load_topics(&cases);
	files_load_corpora(&cases);
	read_equivalents();
	check_cases();
	is_verbose = verbose;
	mutants_list(&a, &list);
	touch = touch_record(&list, &cases);
	for (size_t i = 0; i < list.count; i++)
		if (strstr(list.mutant[i].where, text) != NULL)
			try_one(&list.mutant[i], touch,
			    list.mutant[i].table->routes == compat_routes ?
			    &docker : &podman);
	printf("%zu cases\n", cases.count);
	bad = sum("docker API", &docker);
	bad |= sum("libpod API", &podman);
	if (*text == '\0')
		bad |= complain_of_idle() > 0;
	return bad;
}
