/*
 * Which files of test/policy hold cases, and what kind.
 */
#ifndef TEST_POLICY_FILES_H
#define TEST_POLICY_FILES_H

#include "test/policy/cases.h"

/* Rows are run in blocks: a process of their own for each would be slow. */
enum { FILES_BLOCK = 64 };

/* Cases by topic: every file that is not of another form, nor a corpus. */
void	 files_load_topics(struct case_list *);
/* attacks-*.tsv and captures*.tsv, as far as they have the form of cases. */
void	 files_load_corpora(struct case_list *);
/*
 * The attacks that name no backend, with podman in docker's place; what comes
 * out otherwise there is in attacks-on-podman.tsv.
 */
void	 files_load_on_podman(struct case_list *);

size_t	 files_count_blocks(const struct case_list *);
/* Runs one block; failing rows go to stderr.  How many failed. */
int	 files_run_block(const struct case_list *, size_t block);

#endif
