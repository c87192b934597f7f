/*
 * Where this installation is: hookctl itself, the gateway beside it, and the
 * programs that the gateway starts.  Found from our own executable; never by
 * PATH, an environment variable or the working directory.
 */
#ifndef HOOKCTL_INSTALL_H
#define HOOKCTL_INSTALL_H

#include <limits.h>
#include <stdbool.h>

#include "master/fault.h"

struct install {
	char	 hookctl[PATH_MAX];
	char	 gateway[PATH_MAX];	/* beside hookctl; may be a link */
	char	 gateway_real[PATH_MAX];
	char	 worker[PATH_MAX];
	char	 policyd[PATH_MAX];
	char	 embedded[PATH_MAX];	/* the gateway does without it too */
	char	 explain[PATH_MAX];	/* beside policyd; not started by hooks */
	bool	 has_embedded;
	bool	 is_static;	/* no loader: LD_* has no effect on us */
};

int	 install_find(struct install *, struct fault *);

#endif
