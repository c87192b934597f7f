/*
 * Takes over a run directory.  A gateway that is starting at the same moment
 * is waited for; what merely looks like one is not.
 */
#include <unistd.h>

#include "master/clock.h"
#include "master/identity.h"
#include "master/master.h"
#include "master/takeover.h"

enum { PATIENCE_MS = 5000, STEP_MS = 20 };

int
takeover_run(struct master *m, pid_t *pid)
{
	uint64_t end = clock_ms() + PATIENCE_MS;
	int got;

	rundir_file(&m->rundir, m->options.pid_file, RUNDIR_PID,
	    &m->pidfile.at);
	while (clock_ms() < end) {
		switch (identity_ask(m->project.slug, pid)) {
		case IDENTITY_SERVING:
			return TAKEOVER_SERVED;
		case IDENTITY_OTHER:
			return fault_set(&m->fault, "the run directory %s is "
			    "that of another project's gateway (pid %d): give "
			    "--run-dir", m->rundir.path, (int)*pid);
		case IDENTITY_STARTING:
			break;
		case IDENTITY_NONE:
			got = pidfile_take(&m->pidfile, identity_is_gateway,
			    pid, &m->fault);
			if (got != PIDFILE_HELD)
				return got;
		}
		usleep(STEP_MS * 1000);
	}
	return fault_set(&m->fault, "another gateway (pid %d) holds %s but does "
	    "not serve in %s: end that process", (int)*pid,
	    m->pidfile.at.shown, m->rundir.path);
}
