/*
 * Which files of test/policy hold cases, and what kind.
 */
#ifndef TEST_POLICY_FILES_H
#define TEST_POLICY_FILES_H

#include "test/policy/cases.h"

/* Cases by topic: every file that is not of another form, nor a corpus. */
void	 files_load_topics(struct case_list *);
/* attacks-*.tsv and captures*.tsv, as far as they have the form of cases. */
void	 files_load_corpora(struct case_list *);

#endif
