/*
 * Finds the project of a directory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hookctl/subject.h"
#include "master/worktree.h"

int
subject_begin(struct subject *s, const char *dir, struct fault *fault)
{
	struct stat st;

	memset(s, 0, sizeof(*s));
	if (realpath(dir, s->start_dir) == NULL || stat(s->start_dir, &st) != 0)
		return fault_set(fault, "project directory %s: %s", dir,
		    strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fault_set(fault, "project directory %s: not a "
		    "directory", dir);
	if (worktree_find_top(s->start_dir, s->project) != 0)
		memcpy(s->project, s->start_dir, sizeof(s->project));
	return 0;
}

static void
take(char out[PATH_MAX], const char *path)
{
	if (path != NULL && path[0] == '/' && strlen(path) < PATH_MAX)
		snprintf(out, PATH_MAX, "%s", path);
}

void
subject_extend(struct subject *s, const char *cwd, const char *scratchpad)
{
	take(s->claude_dir, getenv("CLAUDE_PROJECT_DIR"));
	take(s->cwd, cwd);
	take(s->scratchpad, scratchpad);
}
