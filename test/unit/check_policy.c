/*
 * The policy, case by case.  A failing row names itself.
 */
#include <check.h>

#include "test/policy/files.h"

Suite	*policy_suite(void);

static struct case_list list;

START_TEST(rows_hold)
{
	ck_assert_int_eq(files_run_block(&list, (size_t)_i), 0);
}
END_TEST

Suite *
policy_suite(void)
{
	Suite *suite = suite_create("policy");
	TCase *rows = tcase_create("rows");

	files_load_topics(&list);
	tcase_set_timeout(rows, 60);
	tcase_add_loop_test(rows, rows_hold, 0,
	    (int)files_count_blocks(&list));
	suite_add_tcase(suite, rows);
	return suite;
}
