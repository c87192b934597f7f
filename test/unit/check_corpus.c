/*
 * The corpora: hostile requests that were tried on real daemons, and requests
 * that real clients send. A failing row names itself.
 */
#include <check.h>

#include "test/policy/files.h"

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

Suite *
corpus_suite(void)
{
	Suite *suite = suite_create("corpus");
	TCase *rows = tcase_create("rows");

	files_load_corpora(&list);
	tcase_set_timeout(rows, 30);
	tcase_add_loop_test(rows, row_holds, 0, (int)list.count);
	suite_add_tcase(suite, rows);
	return suite;
}
