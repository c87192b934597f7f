/*
 * Collects dead children and gives the verdict: a start that failed, a step of
 * the drain, or a loss that is made good.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "common/log.h"
#include "master/master.h"
#include "master/reap.h"

static struct child *
find_child(struct master *m, pid_t pid)
{
	for (unsigned i = 0; i < m->child_count; i++)
		if (m->child[i].pid == pid)
			return &m->child[i];
	return m->embedded.child.pid == pid ? &m->embedded.child : NULL;
}

static void
describe(char *text, size_t size, int status)
{
	if (WIFSIGNALED(status))
		snprintf(text, size, "ended by signal %d (%s)",
		    WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(text, size, "ended with status %d",
		    WEXITSTATUS(status));
}

static void
bury(struct master *m, struct child *c, int status)
{
	char how[128];
	pid_t pid = c->pid;

	describe(how, sizeof(how), status);
	log_text(m->state == MASTER_DRAINING ? LOG_INFO : LOG_ERROR,
	    "child-ended", "%s %u (pid %d) %s", child_name(c), c->number,
	    (int)pid, how);
	counters_keep(&m->lost, c);
	child_forget(c);
	if (c->role == PROTO_EMBEDDED && m->state != MASTER_DRAINING)
		embedded_ended(m);
	else if (m->state == MASTER_STARTING) {
		fault_set(&m->fault, "%s %u %s before it was ready: see the "
		    "log (%s)", child_name(c), c->number, how, m->log.at.shown);
		serve_fail(m);
	} else if (m->state == MASTER_DRAINING)
		drain_step(m);
	else
		child_schedule(c);
}

void
reap_children(struct master *m)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		struct child *c = find_child(m, pid);

		if (c != NULL)
			bury(m, c, status);
	}
}
