/*
 * Serves.  Each callback says which step is next; the modules do the work.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <event2/event.h>

#include "common/log.h"
#include "master/channel.h"
#include "master/clock.h"
#include "master/config.h"
#include "master/daemon.h"
#include "master/master.h"
#include "master/notify.h"
#include "master/reap.h"

static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGCHLD };
static_assert(sizeof(signals) / sizeof(*signals) == MASTER_SIGNALS,
    "one event a signal");

void
serve_fail(struct master *m)
{
	log_text(LOG_ERROR, "start-failed", "%s", m->fault.text);
	event_base_loopbreak(m->base);
}

/* ---- becoming ready ------------------------------------------------------- */

static void
announce(struct master *m)
{
	char line[1024];

	snprintf(line, sizeof(line), "serving %.300s (%s); "
	    "docker: unix://%.150s podman: unix://%.150s", m->project.path,
	    m->project.slug, m->listeners.face[FACE_DOCKER].path,
	    m->listeners.face[FACE_PODMAN].path);
	log_text(LOG_INFO, "serving", "%s", line);
	notify_send("READY=1");
	if (m->options.daemon)
		daemon_report(&m->report, 0, line);
	else
		fprintf(stderr, "container-gateway: %s\n", line);
}

void
serve_child_ready(struct master *m)
{
	if (m->state != MASTER_STARTING || !m->is_informed)
		return;
	for (unsigned i = 0; i < m->child_count; i++)
		if (m->child[i].state != CHILD_READY)
			return;
	m->state = MASTER_SERVING;
	idle_touch(&m->idle);
	announce(m);
}

/* The first search and the first probe are both over. */
static void
tell_all(struct master *m)
{
	m->is_informed = true;
	for (unsigned i = 0; i < m->child_count; i++) {
		child_tell_backends(&m->child[i]);
		child_tell_egress(&m->child[i]);
	}
	channel_open_all(m);
	serve_child_ready(m);
}

/* Where containers look for the proxy depends on the daemon: the egress probe
 * follows each change. */
static void
on_backends(void *arg, bool changed)
{
	struct master *m = arg;

	for (unsigned i = 0; i < m->child_count && m->is_informed; i++)
		if (changed || m->child[i].wants_backends)
			child_tell_backends(&m->child[i]);
	if (changed || !m->is_informed)
		egress_renew(&m->egress);
}

static void
on_egress(void *arg, bool changed)
{
	struct master *m = arg;

	if (!m->is_informed)
		tell_all(m);
	else if (changed)
		for (unsigned i = 0; i < m->child_count; i++)
			child_tell_egress(&m->child[i]);
}

/* ---- seconds and signals -------------------------------------------------- */

/* Opens the log anew and hands it to the children. */
static void
renew_log(struct master *m)
{
	if (!logfile_renew(&m->log))
		return;
	if (m->options.daemon)
		dup2(m->log.fd, STDERR_FILENO);
	for (unsigned i = 0; i < m->child_count; i++)
		child_give(&m->child[i], PROTO_LOG_FD, 0, m->log.fd);
	child_give(&m->embedded.child, PROTO_LOG_FD, 0, m->log.fd);
}

/* What runs is use also when the timeout is shorter than the time from one
 * report of it to the next. */
static bool
is_unused(const struct master *m)
{
	struct counters sum;

	if (idle_left(&m->idle) > 0)
		return false;
	counters_sum(m, &sum);
	return sum.active == 0;
}

static void
on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct master *m = arg;

	(void)fd;
	(void)what;
	for (unsigned i = 0; i < m->child_count; i++)
		child_tick(&m->child[i]);
	child_tick(&m->embedded.child);
	if (logfile_is_due(&m->log))
		renew_log(m);
	if (m->state != MASTER_SERVING)
		return;
	/* Unreachable, and in the way of the one that could be reached. */
	if (!listen_is_intact(&m->listeners))
		drain_begin(m, "a socket was removed from the run directory");
	else if (is_unused(m))
		drain_begin(m, "idle for the whole --idle-timeout");
}

static void
on_signal(evutil_socket_t sig, short what, void *arg)
{
	struct master *m = arg;

	(void)what;
	if (sig == SIGCHLD)
		reap_children(m);
	else if (sig == SIGHUP)
		renew_log(m);
	else if (m->state != MASTER_STARTING)
		drain_begin(m, sig == SIGTERM ? "SIGTERM" : "SIGINT");
	else {
		fault_set(&m->fault, "stopped by a signal before it served");
		serve_fail(m);
	}
}

/* ---- the loop ------------------------------------------------------------- */

static int
watch_signals(struct master *m)
{
	sigset_t none;

	/* Whatever the starter had blocked. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < MASTER_SIGNALS; i++) {
		m->signals[i] = evsignal_new(m->base, signals[i], on_signal,
		    m);
		if (m->signals[i] == NULL ||
		    event_add(m->signals[i], NULL) != 0)
			return -1;
	}
	return 0;
}

static int
make_loop(struct master *m)
{
	struct timeval second = { 1, 0 };
	struct event_config *config = event_config_new();

	if (config == NULL || event_config_set_flag(config,
	    EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_IGNORE_ENV) != 0)
		return -1;
	m->base = event_base_new_with_config(config);
	event_config_free(config);
	if (m->base == NULL || watch_signals(m) != 0)
		return -1;
	m->tick = event_new(m->base, -1, EV_PERSIST, on_tick, m);
	return m->tick == NULL ? -1 : event_add(m->tick, &second);
}

static int
start_children(struct master *m)
{
	m->child_count = 1 + m->options.workers;
	for (unsigned i = 0; i < m->child_count; i++) {
		struct child *c = &m->child[i];

		c->master = m;
		c->role = i == 0 ? PROTO_POLICYD : PROTO_WORKER;
		c->number = i == 0 ? 0 : i - 1;
		c->link.fd = -1;
	}
	for (unsigned i = 0; i < m->child_count; i++)
		if (child_start(&m->child[i]) != 0)
			return fault_set(&m->fault, "cannot start %s: %s",
			    child_name(&m->child[i]), strerror(errno));
	return 0;
}

int
serve_open(struct master *m)
{
	int error = listen_open(&m->listeners, &m->activation, &m->rundir,
	    &m->fault);

	if (error != 0)
		return error;
	m->idle.timeout_ms = m->options.idle_seconds * 1000;
	m->egress.mode = m->options.egress;
	m->egress.port = m->options.egress_port;
	m->egress.backends = &m->discovery;
	if (chdir("/") != 0 || make_loop(m) != 0 ||
	    egress_init(&m->egress, m->base, on_egress, m) != 0 ||
	    control_open(m) != 0 || config_write(m, &m->config) != 0)
		return fault_set(&m->fault, "cannot set up the event loop: %s",
		    strerror(errno));
	discover_init(&m->discovery, m->base, on_backends, m);
	embedded_init(m);
	return start_children(m);
}

void
serve_run(struct master *m)
{
	discover_search(&m->discovery);
	event_base_dispatch(m->base);
}

static void
end_child(struct child *c, int sig)
{
	child_signal(c, sig);
	if (c->pid > 0)
		waitpid(c->pid, NULL, 0);
	child_forget(c);
	if (c->respawn != NULL)
		event_free(c->respawn);
}

/* embedded ends podman first, within a second. */
static void
end_children(struct master *m)
{
	for (unsigned i = 0; i < m->child_count; i++)
		end_child(&m->child[i], SIGKILL);
	if (m->embedded.child.pid > 0)
		end_child(&m->embedded.child, SIGTERM);
	embedded_close(m);
}

void
serve_close(struct master *m)
{
	end_children(m);
	control_close(&m->control);
	discover_stop(&m->discovery);
	egress_stop(&m->egress);
	for (size_t i = 0; i < MASTER_SIGNALS; i++)
		if (m->signals[i] != NULL)
			event_free(m->signals[i]);
	if (m->tick != NULL)
		event_free(m->tick);
	if (m->drain.timer != NULL)
		event_free(m->drain.timer);
	if (m->base != NULL)
		event_base_free(m->base);
	listen_close(&m->listeners);
}
