/*
 * --daemon: the process that the user started stays until the gateway serves,
 * or says why it cannot, and ends with that.
 */
#ifndef MASTER_DAEMON_H
#define MASTER_DAEMON_H

#include "master/fault.h"

/*
 * Forks.  In the gateway: 0, with a session of its own; *report is for
 * daemon_report().  In the process that was started this does not return.
 */
int	 daemon_start(int *report, struct fault *);
/* Exit status and line (may be "") for the waiting process; closes *report. */
void	 daemon_report(int *report, int code, const char *line);

#endif
