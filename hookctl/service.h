/*
 * Makes sure that a gateway serves a project: looks, and starts what is
 * missing, one caller at a time.  The one way in which hooks, people and exec
 * get a gateway.
 */
#ifndef HOOKCTL_SERVICE_H
#define HOOKCTL_SERVICE_H

#include <stdbool.h>

#include "hookctl/gateway.h"
#include "hookctl/trust.h"

enum service {
	SERVICE_RUNNING,	/* it served before */
	SERVICE_STARTED,
	SERVICE_BACKOFF,	/* failed a moment ago: not tried again yet */
	SERVICE_FAILED		/* see the fault */
};

enum { SERVICE_LOCK_MS = 5000, SERVICE_END_MS = 2000 };

/*
 * trust has passed.  *g is the serving gateway after the first two, for the
 * caller to close.  A person may not want to be held up by the back-off.
 */
enum service service_ensure(const struct trust *, bool is_hook,
	    struct gateway *g, struct fault *);
void	 service_target(const struct trust *, struct gateway_target *);

#endif
