/*
 * Runs the Check suites.  The list of suites is made from the file names:
 * check_NAME.c holds `Suite *NAME_suite(void)`.  Knows nothing of what they
 * test.
 *
 *	unit [NAME ...]		all suites, or those named
 *	unit -l			names only
 *
 * CK_FORK=no (debugger, valgrind), CK_VERBOSITY, CK_RUN_CASE and
 * CK_TAP_LOG_FILE_NAME do what Check's manual says.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#define SUITE(name) Suite *name##_suite(void);
#include "suites.h"
#undef SUITE

struct row {
	const char	*name;
	Suite		*(*make)(void);
};

static const struct row rows[] = {
#define SUITE(name) { #name, name##_suite },
#include "suites.h"
#undef SUITE
	{ NULL, NULL }
};

static bool
is_wanted(const char *name, int argc, char **argv)
{
	if (argc < 2)
		return true;
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return false;
}

static bool
is_known(const char *name)
{
	for (const struct row *row = rows; row->name != NULL; row++)
		if (strcmp(row->name, name) == 0)
			return true;
	return false;
}

static int
list_names(void)
{
	for (const struct row *row = rows; row->name != NULL; row++)
		puts(row->name);
	return EXIT_SUCCESS;
}

int
main(int argc, char **argv)
{
	SRunner *runner = srunner_create(NULL);
	int failed;

	if (argc == 2 && strcmp(argv[1], "-l") == 0)
		return list_names();
	for (int i = 1; i < argc; i++) {
		if (is_known(argv[i]))
			continue;
		fprintf(stderr, "unit: no suite %s; -l lists them\n", argv[i]);
		return 2;
	}
	for (const struct row *row = rows; row->name != NULL; row++)
		if (is_wanted(row->name, argc, argv))
			srunner_add_suite(runner, row->make());
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
