/*
 * A temporary directory for tests that need files; made and removed by the
 * fixtures of a case.
 */
#ifndef TEST_UNIT_TREE_H
#define TEST_UNIT_TREE_H

#include <sys/types.h>

void		 tree_make(void);	/* a new one, canonical, mode 0700 */
void		 tree_remove(void);
/* The path of a name in it; good until the eighth call from now. */
const char	*tree_path(const char *name);
/* Directories on the way are made too. */
void		 tree_dir(const char *name);
void		 tree_file(const char *name, const char *text);
void		 tree_link(const char *name, const char *to);
void		 tree_mode(const char *name, mode_t);
/* Gives a name to another user; false where that is not granted. */
int		 tree_give(const char *name);
const char	*tree_read(const char *name);	/* up to 4 KiB; "" when absent */

#endif
