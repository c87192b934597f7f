/*
 * seccomp from a list of allowed calls.  0 loaded; 1 built without libseccomp
 * (said at every start); negative: should have worked and did not.
 */
#ifndef COMMON_SANDBOX_H
#define COMMON_SANDBOX_H

#include <stddef.h>

enum sandbox_action {
	SANDBOX_KILL,	/* any call off the list ends the process (SIGSYS) */
	SANDBOX_DENY	/* calls ON the list fail with EPERM, others pass;
			 * socket(2) passes for AF_UNIX only */
};

struct sandbox_call {
	const char	*name;	/* as libseccomp names it; unknown: skipped */
};

int	 sandbox_load(enum sandbox_action, const struct sandbox_call *,
	    size_t count);

#endif
