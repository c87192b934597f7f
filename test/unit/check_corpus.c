/*
 * The corpora: hostile requests that were tried on real daemons, and requests
 * that real clients send.  A failing row names itself.
 */
#include <check.h>

#include "test/policy/files.h"

Suite	*corpus_suite(void);

static struct case_list list, on_podman;

START_TEST(rows_hold)
{
	ck_assert_int_eq(files_run_block(&list, (size_t)_i), 0);
}
END_TEST

START_TEST(rows_hold_on_podman)
{
	ck_assert_int_eq(files_run_block(&on_podman, (size_t)_i), 0);
}
END_TEST

Suite *
corpus_suite(void)
{
	Suite *suite = suite_create("corpus");
	TCase *rows = tcase_create("rows");

	files_load_corpora(&list);
	tcase_set_timeout(rows, 60);
	tcase_add_loop_test(rows, rows_hold, 0,
	    (int)files_count_blocks(&list));
	files_load_on_podman(&on_podman);
	tcase_add_loop_test(rows, rows_hold_on_podman, 0,
	    (int)files_count_blocks(&on_podman));
	suite_add_tcase(suite, rows);
	return suite;
}
