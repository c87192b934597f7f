/*
 * The corpora: hostile requests that were tried on real daemons, and requests
 * that real clients send.  A failing row names itself.
 */
#include <dirent.h>
#include <stdlib.h>

#include <check.h>

#include "test/policy/cases.h"

Suite	*corpus_suite(void);

static struct case_list list;

START_TEST(row_holds)
{
	const struct policy_case *c = &list.row[_i];
	struct case_run run;
	const char *bad;

	cases_run(c, &run);
	bad = cases_judge(c, &run);
	ck_assert_msg(bad == NULL, "%s", bad);
	cases_run_free(&run);
}
END_TEST

static int
is_corpus_file(const struct dirent *entry)
{
	struct str name = str_from(entry->d_name);

	return str_ends(name, ".tsv") && (str_starts(name, "attacks-") ||
	    str_starts(name, "captures")) && !str_is(name,
	    "attacks-skipped.tsv") && !str_is(name, "attacks-http.tsv");
}

Suite *
corpus_suite(void)
{
	Suite *suite = suite_create("corpus");
	TCase *rows = tcase_create("rows");
	struct dirent **files;
	int count = scandir(TEST_SRCDIR "/test/policy", &files,
	    is_corpus_file, alphasort);

	for (int i = 0; i < count; i++) {
		cases_load(&list, files[i]->d_name);
		free(files[i]);
	}
	free(files);
	tcase_set_timeout(rows, 30);
	tcase_add_loop_test(rows, row_holds, 0, (int)list.count);
	suite_add_tcase(suite, rows);
	return suite;
}
