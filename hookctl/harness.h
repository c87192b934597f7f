/*
 * The harness as a process: which one started this hook, since when, and with
 * which options.  What cannot be read is left out.
 */
#ifndef HOOKCTL_HARNESS_H
#define HOOKCTL_HARNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "master/fault.h"

enum harness_kind { HARNESS_SETTINGS, HARNESS_ADD_DIR, HARNESS_RULE };

struct harness_option {
	enum harness_kind	 kind;
	const char		*name;	/* as given */
	const char		*value;
};

typedef int (*harness_visit)(const struct harness_option *, void *,
	    struct fault *);

/* The options of the nearest parents, however many of them are harnesses. */
int	 harness_each_option(harness_visit, void *, struct fault *);
/* The same over one command line, as /proc has it; for tests. */
int	 harness_read_options(const char *cmdline, size_t len, harness_visit,
	    void *, struct fault *);
/* The process that runs the hooks: the parent of our session's leader. */
pid_t	 harness_pid(void);
/* When a process started, in the kernel's ticks; 0 when it is gone. */
uint64_t harness_start_time(pid_t);

#endif
