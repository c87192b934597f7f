/*
 * Whether a gateway may be started, or believed, for a subject: every check
 * that start and ensure make, in one table, and what they found on the way.
 */
#ifndef HOOKCTL_TRUST_H
#define HOOKCTL_TRUST_H

#include "hookctl/argvet.h"
#include "hookctl/grants.h"
#include "hookctl/home.h"
#include "hookctl/install.h"
#include "hookctl/settings.h"
#include "hookctl/subject.h"
#include "master/project.h"
#include "master/rundir.h"

struct trust {
	struct subject		 subject;
	struct home		 home;		/* opened */
	struct install		 install;
	struct pathwalk		 gateway;	/* the checked program, held open */
	struct settings_places	 places;
	struct grants		 grants;
	struct project		 project;
	struct rundir		 rundir;	/* opened */
	struct argvet		 args;
	const char		*check;		/* the row that refused */
};

/*
 * All checks in order, up to the first that refuses.  0, or negative with a
 * fault.  trust_free() in either case.
 */
int	 trust_check(struct trust *, const struct subject *, struct fault *);
void	 trust_free(struct trust *);

/*
 * For commands that only look: what can be found without believing anything.
 * The run directory is placed, not opened or made.
 */
int	 trust_find(struct trust *, const struct subject *, struct fault *);
/* The same without the installation. */
int	 trust_place(struct trust *, const struct subject *, struct fault *);

#endif
