/*
 * Finds case files by name, so that a new one needs no list to be in.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test/policy/files.h"

/* Files of other forms: their own suites read them. */
static const char *const others[] = { "classifier.tsv", "topics.tsv",
	"dockerfiles.tsv", "attacks-skipped.tsv", "attacks-http.tsv",
	"attacks-on-podman.tsv" };

static bool
is_case_file(struct str name)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (str_is(name, others[i]))
			return false;
	return str_ends(name, ".tsv");
}

static bool
is_corpus_file(struct str name)
{
	return str_starts(name, "attacks-") || str_starts(name, "captures");
}

static int
is_topic(const struct dirent *entry)
{
	struct str name = str_from(entry->d_name);

	return is_case_file(name) && !is_corpus_file(name);
}

static int
is_corpus(const struct dirent *entry)
{
	struct str name = str_from(entry->d_name);

	return is_case_file(name) && is_corpus_file(name);
}

static int
is_attack(const struct dirent *entry)
{
	return is_corpus(entry) && str_starts(str_from(entry->d_name),
	    "attacks-");
}

static void
load(struct case_list *list, int (*filter)(const struct dirent *))
{
	struct dirent **files;
	int count = scandir(TEST_SRCDIR "/test/policy", &files, filter,
	    alphasort);

	for (int i = 0; i < count; i++) {
		cases_load(list, files[i]->d_name);
		free(files[i]);
	}
	free(files);
}

void
files_load_topics(struct case_list *list)
{
	load(list, is_topic);
}

void
files_load_corpora(struct case_list *list)
{
	load(list, is_corpus);
}

static bool
names_backend(const struct policy_case *c)
{
	struct str given = c->given, item;

	while (cases_next(&given, &item))
		if (str_starts(item, "backend="))
			return true;
	return false;
}

static void
put_behind_podman(struct policy_case *c)
{
	char *text;

	if (asprintf(&text, "%.*s%sbackend=podman", STR_FMT(c->given),
	    c->given.len > 0 ? " | " : "") < 0)
		abort();
	c->given = str_from(text);
}

/* What comes out otherwise takes the verdict that is listed for it. */
static void
differ(struct case_list *list, const struct policy_case *other)
{
	size_t found = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->row[i].name, other->name) != 0)
			continue;
		list->row[i].verdict = other->verdict;
		list->row[i].detail = other->detail;
		found++;
	}
	if (found == 1)
		return;
	fprintf(stderr, "%s:%d %s: the name of %zu rows\n", other->file,
	    other->line, other->name, found);
	exit(1);
}

static void
swap(struct policy_case *a, struct policy_case *b)
{
	struct policy_case was = *a;

	*a = *b;
	*b = was;
}

void
files_load_on_podman(struct case_list *list)
{
	/* Rows own their text and live as long as the process. */
	static struct case_list different;
	struct case_list all = { 0, NULL };

	load(&all, is_attack);
	for (size_t i = 0; i < all.count; i++) {
		if (names_backend(&all.row[i]))
			continue;
		put_behind_podman(&all.row[i]);
		swap(&all.row[i], &all.row[list->count++]);
	}
	list->row = all.row;
	cases_load(&different, "attacks-on-podman.tsv");
	for (size_t i = 0; i < different.count; i++)
		differ(list, &different.row[i]);
}

size_t
files_count_blocks(const struct case_list *list)
{
	return (list->count + FILES_BLOCK - 1) / FILES_BLOCK;
}

/* The row that is being run, for who dies in it. */
static const struct policy_case *current;

static void
name_row(int sig)
{
	static const char at[] = "died in row ";

	if (write(STDERR_FILENO, at, sizeof(at) - 1) < 0 ||
	    write(STDERR_FILENO, current->name, strlen(current->name)) < 0 ||
	    write(STDERR_FILENO, "\n", 1) < 0)
		_exit(1);
	signal(sig, SIG_DFL);
	raise(sig);
}

int
files_run_block(const struct case_list *list, size_t block)
{
	int failed = 0;

	signal(SIGSEGV, name_row);
	signal(SIGABRT, name_row);
	for (size_t i = block * FILES_BLOCK; i < list->count &&
	    i < (block + 1) * FILES_BLOCK; i++) {
		struct case_run run;
		const char *bad;

		current = &list->row[i];
		cases_run(current, &run);
		bad = cases_judge(current, &run);
		if (bad != NULL) {
			fprintf(stderr, "%s\n", bad);
			failed++;
		}
		cases_run_free(&run);
	}
	return failed;
}
