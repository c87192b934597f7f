/*
 * From settings to the directories that they let a sandboxed command write.
 * An entry that can mean several places counts as all of them; what denies
 * writing is never subtracted.
 */
#ifndef HOOKCTL_GRANTS_H
#define HOOKCTL_GRANTS_H

#include <stdbool.h>

#include "hookctl/home.h"
#include "hookctl/roots.h"
#include "hookctl/settings.h"
#include "hookctl/subject.h"

#define GRANTS_ARGS	"MAGPIE_CONTAINER_GATEWAY_ARGS"

struct grants {
	struct roots	 roots;
	bool		 sandbox_on;	/* some file turns the sandbox on */
	char		 args_file[PATH_MAX]; /* a project's file that sets
					 * GRANTS_ARGS, or "" */
};

/* 0, or negative with a fault; grants_free() in either case. */
int	 grants_collect(struct grants *, const struct home *,
	    const struct subject *, const struct settings_places *,
	    struct fault *);
void	 grants_free(struct grants *);

/* What one settings file adds; for tests. */
int	 grants_add_file(struct grants *, const struct home *,
	    const struct settings_places *, const struct settings_file *,
	    struct fault *);

#endif
