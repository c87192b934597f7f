/*
 * Starts a gateway as a daemon, with nothing of a hook's environment.
 */
#ifndef HOOKCTL_LAUNCH_H
#define HOOKCTL_LAUNCH_H

#include "hookctl/trust.h"

enum { LAUNCH_MS = 5000 };

/*
 * Runs the program that trust holds open and waits until it serves.  0, or
 * negative with a fault that says why in the gateway's own words.
 */
int	 launch_gateway(const struct trust *, struct fault *);
/* Where its log goes. */
void	 launch_log_path(const struct trust *, char out[PATH_MAX]);

#endif
