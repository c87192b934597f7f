/*
 * The settings to paste: hooks, environment, sandbox.
 */
#ifndef HOOKCTL_REGISTRATION_H
#define HOOKCTL_REGISTRATION_H

#include <stdbool.h>

#include "hookctl/trust.h"

/* For people in the parts in which they are pasted; else one object. */
void	 registration_print(const struct trust *, bool as_json);

/* A hook that has to be there. */
struct registration_hook {
	const char	*event;
	const char	*verb;		/* hookctl's command */
	const char	*matcher;	/* or NULL */
	int		 seconds;	/* timeout */
};
enum { REGISTRATION_HOOKS = 3 };
extern const struct registration_hook registration_hooks[REGISTRATION_HOOKS];

/*
 * Sockets and socket directories of real daemons that exist here and that a
 * sandbox can mask: its tool fails on what lies below a directory that the
 * user cannot enter.
 */
typedef void (*registration_visit)(const char *path, void *);
void	 registration_each_daemon(const char *home, registration_visit, void *);

#endif
