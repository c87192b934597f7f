/*
 * Drains.  The sockets and the lock are given back first, so that a gateway
 * started meanwhile serves at once, beside this one that finishes.
 */
#include <signal.h>

#include <event2/event.h>

#include "common/log.h"
#include "master/clock.h"
#include "master/master.h"
#include "master/notify.h"

enum { STAGE_FINISH, STAGE_TERM, STAGE_KILL };

static bool
has_worker(const struct master *m)
{
	for (unsigned i = 1; i < m->child_count; i++)
		if (m->child[i].pid != 0)
			return true;
	return false;
}

static void
signal_all(struct master *m, int sig)
{
	for (unsigned i = 0; i < m->child_count; i++)
		child_signal(&m->child[i], sig);
	child_signal(&m->embedded.child, sig);
}

static void
wait_for(struct master *m, uint64_t ms)
{
	struct timeval wait = clock_interval(ms);

	event_add(m->drain.timer, &wait);
}

static void
go_to(struct master *m, int stage)
{
	m->drain.stage = stage;
	signal_all(m, stage == STAGE_TERM ? SIGTERM : SIGKILL);
	wait_for(m, 1000);
}

static void
on_time(evutil_socket_t fd, short what, void *arg)
{
	struct master *m = arg;

	(void)fd;
	(void)what;
	go_to(m, m->drain.stage == STAGE_FINISH ? STAGE_TERM : STAGE_KILL);
}

/* The judge, and podman's service, are needed until the last worker is gone. */
void
drain_step(struct master *m)
{
	if (has_worker(m))
		return;
	if (master_policyd(m)->pid == 0 && m->embedded.child.pid == 0)
		event_base_loopbreak(m->base);
	else if (m->drain.stage == STAGE_FINISH)
		go_to(m, STAGE_TERM);
}

void
drain_begin(struct master *m, const char *why)
{
	if (m->state == MASTER_DRAINING) {
		go_to(m, m->drain.stage == STAGE_FINISH ? STAGE_TERM :
		    STAGE_KILL);
		return;
	}
	log_text(LOG_INFO, "drain", "%s", why);
	m->state = MASTER_DRAINING;
	notify_send("STOPPING=1");
	control_close(&m->control);
	listen_close(&m->listeners);
	pidfile_release(&m->pidfile);
	m->drain.timer = evtimer_new(m->base, on_time, m);
	if (m->drain.timer == NULL)
		log_panic("drain", "no memory for a timer");
	for (unsigned i = 1; i < m->child_count; i++)
		child_send(&m->child[i], PROTO_DRAIN, STR_NONE);
	wait_for(m, DRAIN_SECONDS * 1000);
	drain_step(m);
}
