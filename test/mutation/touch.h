/*
 * Which cases come by which row: they are tried first at its mutants.
 */
#ifndef TEST_MUTATION_TOUCH_H
#define TEST_MUTATION_TOUCH_H

#include "test/mutation/mutants.h"

/*
 * Runs every case with checks that note who calls them, and then do what they
 * do.  In a child of its own: the tables of the caller stay as they are.
 */
struct touch;
struct touch *touch_record(const struct mutant_list *,
	    const struct case_list *);
bool	 touch_is_noted(const struct touch *, const void *row, size_t one_case);

#endif
