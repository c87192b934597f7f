/*
 * container-gateway: main() as a recipe, and the steps between the modules.
 *
 * This process reads no client byte.  It stays inspectable and may gain
 * privileges by exec, since it may have to start podman, whose newuidmap is
 * setuid; the children give both up.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <event2/event.h>

#include "common/log.h"
#include "common/reason.h"
#include "common/xfd.h"
#include "master/channel.h"
#include "master/clock.h"
#include "master/config.h"
#include "master/daemon.h"
#include "master/identity.h"
#include "master/master.h"
#include "master/notify.h"
#include "master/reap.h"

enum { TAKE_MS = 5000, TAKE_STEP_MS = 20 };

static struct master master;

void
master_fail(struct master *m)
{
	log_text(LOG_ERROR, "start-failed", "%s", m->fault.text);
	event_base_loopbreak(m->base);
}

void
master_count(const struct master *m, struct counters *sum)
{
	*sum = m->lost;
	for (unsigned i = 1; i < m->child_count; i++) {
		const struct msg_pong *c = &m->child[i].counters;

		sum->active += c->active;
		sum->connections += c->connections;
		sum->requests += c->requests;
		for (uint32_t k = 0; k < c->refused_count; k++)
			sum->refused[k] += c->refused[k];
	}
}

void
master_renew_log(struct master *m)
{
	if (!logfile_renew(&m->log))
		return;
	if (m->options.daemon)
		dup2(m->log.fd, STDERR_FILENO);
	for (unsigned i = 0; i < m->child_count; i++)
		child_give(&m->child[i], PROTO_LOG_FD, 0, m->log.fd);
}

/* ---- serving -------------------------------------------------------------- */

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
master_child_ready(struct master *m)
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
on_informed(struct master *m)
{
	m->is_informed = true;
	for (unsigned i = 0; i < m->child_count; i++) {
		child_tell_backends(&m->child[i]);
		child_tell_egress(&m->child[i]);
	}
	channel_open_all(m);
	master_child_ready(m);
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
		on_informed(m);
	else if (changed)
		for (unsigned i = 0; i < m->child_count; i++)
			child_tell_egress(&m->child[i]);
}

/* What runs is use also when the timeout is shorter than the time from one
 * report of it to the next. */
static bool
is_unused(const struct master *m)
{
	struct counters sum;

	if (idle_left(&m->idle) > 0)
		return false;
	master_count(m, &sum);
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
	if (logfile_is_due(&m->log))
		master_renew_log(m);
	if (m->state == MASTER_SERVING && is_unused(m))
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
		master_renew_log(m);
	else if (m->state != MASTER_STARTING)
		drain_begin(m, sig == SIGTERM ? "SIGTERM" : "SIGINT");
	else {
		fault_set(&m->fault, "stopped by a signal before it served");
		master_fail(m);
	}
}

/* ---- the recipe ----------------------------------------------------------- */

/* Standard descriptors that are closed would be taken by the next open(). */
static void
hold_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* A path from the command line that is still good after chdir("/"). */
static int
make_absolute(const char **path, char *space, size_t size,
    struct fault *fault)
{
	char cwd[PATH_MAX];
	int n;

	if (*path == NULL || **path == '/' || strcmp(*path, "-") == 0)
		return 0;
	if (getcwd(cwd, sizeof(cwd)) == NULL)
		return fault_set(fault, "cannot tell the current directory: "
		    "%s", strerror(errno));
	n = snprintf(space, size, "%s/%s", cwd, *path);
	if (n < 0 || n >= (int)size)
		return fault_usage(fault, "%s: the path is too long", *path);
	*path = space;
	return 0;
}

/* A run directory that is a daemon's own would lose that daemon's socket. */
static int
refuse_daemon_dir(const struct rundir *r, struct fault *fault)
{
	struct candidates known;

	candidate_list_known(&known);
	for (unsigned i = 0; i < known.count; i++) {
		struct str path = str_from(known.at[i].path);
		size_t n = strlen(r->path);

		if (str_starts(path, r->path) && path.data[n] == '/' &&
		    (str_is(str_skip(path, n + 1), RUNDIR_DOCKER) ||
		    str_is(str_skip(path, n + 1), RUNDIR_PODMAN)))
			return fault_usage(fault, "--run-dir %s: a daemon's "
			    "own socket has its place there (%s)", r->path,
			    known.at[i].path);
	}
	return 0;
}

/* Everything that is decided before anything is made. */
static int
decide(struct master *m)
{
	static char pid_path[2 * PATH_MAX], log_path[2 * PATH_MAX];
	struct options *o = &m->options;
	int error;

	error = project_find(&m->project, o, &m->fault);
	if (error == 0)
		error = rundir_place(&m->rundir, o->run_dir, &m->project,
		    &m->fault);
	if (error == 0)
		error = refuse_daemon_dir(&m->rundir, &m->fault);
	if (error == 0)
		error = candidate_list(&m->discovery.candidates, &o->backend,
		    &m->fault);
	if (error == 0)
		error = make_absolute(&o->pid_file, pid_path,
		    sizeof(pid_path), &m->fault);
	if (error == 0)
		error = make_absolute(&o->log_file, log_path,
		    sizeof(log_path), &m->fault);
	if (error == 0)
		error = listen_check(&m->fault);
	if (error == 0)
		error = activate_take(&m->activation, &m->fault);
	return error;
}

/* In the background: nothing of the starter's is kept but what was handed
 * over, and the way to report to it. */
static int
go_to_background(struct master *m)
{
	int last = ACTIVATE_FIRST + (int)m->activation.count;
	int error = daemon_start(&m->report, &m->fault);

	if (error != 0)
		return error;
	if (m->report != last) {
		dup3(m->report, last, O_CLOEXEC);
		m->report = last;
	}
	xfd_close_from(last + 1);
	return 0;
}

static int
open_log(struct master *m)
{
	bool is_given = m->options.log_file != NULL;
	int error = logfile_open(&m->log, is_given ? AT_FDCWD : m->rundir.fd,
	    is_given ? m->options.log_file : RUNDIR_LOG, &m->fault);

	if (error != 0)
		return error;
	if (is_given)
		snprintf(m->log_path, sizeof(m->log_path), "%s",
		    m->log.name != NULL ? m->log.name : "standard error");
	else
		snprintf(m->log_path, sizeof(m->log_path), "%s/" RUNDIR_LOG,
		    m->rundir.path);
	log_init("master", (enum log_level)m->options.log_level);
	log_set_fd(m->log.fd);
	if (m->options.daemon) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(m->log.name != NULL ? m->log.fd : null, STDERR_FILENO);
		close(null);
	}
	return 0;
}

/* 0: the run directory is ours now; 1: *pid serves it already; negative. */
static int
take_over(struct master *m, pid_t *pid)
{
	bool is_given = m->options.pid_file != NULL;
	uint64_t end = clock_ms() + TAKE_MS;
	int got = PIDFILE_HELD;

	while (clock_ms() < end) {
		switch (identity_ask(m->project.slug, pid)) {
		case IDENTITY_SERVING:
			return 1;
		case IDENTITY_OTHER:
			return fault_set(&m->fault, "the run directory %s is "
			    "that of another project's gateway (pid %d): give "
			    "--run-dir", m->rundir.path, (int)*pid);
		case IDENTITY_STARTING:
			break;
		case IDENTITY_NONE:
			got = pidfile_take(&m->pidfile, is_given ? AT_FDCWD :
			    m->rundir.fd, is_given ? m->options.pid_file :
			    RUNDIR_PID, identity_is_gateway, pid, &m->fault);
			if (got != PIDFILE_HELD)
				return got;
		}
		usleep(TAKE_STEP_MS * 1000);
	}
	return fault_set(&m->fault, "another gateway (pid %d) holds %s but does "
	    "not serve it: end that process", (int)*pid, m->rundir.path);
}

static int
make_loop(struct master *m)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGCHLD };
	struct timeval second = { 1, 0 };
	struct event_config *config = event_config_new();

	if (config == NULL || event_config_set_flag(config,
	    EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_IGNORE_ENV) != 0)
		return -1;
	m->base = event_base_new_with_config(config);
	event_config_free(config);
	if (m->base == NULL)
		return -1;
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		m->signals[i] = evsignal_new(m->base, signals[i], on_signal,
		    m);
		if (m->signals[i] == NULL ||
		    event_add(m->signals[i], NULL) != 0)
			return -1;
	}
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

/* From the lock to the loop. */
static int
start(struct master *m)
{
	int error;

	m->started_ms = clock_ms();
	m->idle.timeout_ms = m->options.idle_seconds * 1000;
	m->egress.mode = m->options.egress;
	m->egress.port = m->options.egress_port;
	m->egress.backends = &m->discovery;
	buf_init(&m->config, CONFIG_MAX);
	log_text(LOG_INFO, "start", "container-gateway %s for %s (%s)",
	    VERSION, m->project.path, m->project.slug);
	error = listen_open(&m->listeners, &m->activation, &m->rundir,
	    &m->fault);
	if (error != 0)
		return error;
	if (chdir("/") != 0 || make_loop(m) != 0 ||
	    egress_init(&m->egress, m->base, on_egress, m) != 0 ||
	    control_open(m) != 0 || config_write(m, &m->config) != 0)
		return fault_set(&m->fault, "cannot set up the event loop: %s",
		    strerror(errno));
	discover_init(&m->discovery, m->base, on_backends, m);
	error = start_children(m);
	if (error == 0)
		discover_search(&m->discovery);
	return error;
}

/* Whatever was made is unmade, however far it came. */
static void
clean_up(struct master *m)
{
	for (unsigned i = 0; i < m->child_count; i++) {
		struct child *c = &m->child[i];

		child_signal(c, SIGKILL);
		if (c->pid > 0)
			waitpid(c->pid, NULL, 0);
		child_forget(c);
		if (c->respawn != NULL)
			event_free(c->respawn);
	}
	control_close(&m->control);
	if (m->base != NULL)
		discover_stop(&m->discovery);
	egress_stop(&m->egress);
	for (size_t i = 0; i < 4; i++)
		if (m->signals[i] != NULL)
			event_free(m->signals[i]);
	if (m->tick != NULL)
		event_free(m->tick);
	if (m->drain.timer != NULL)
		event_free(m->drain.timer);
	if (m->base != NULL)
		event_base_free(m->base);
	listen_close(&m->listeners);
	pidfile_release(&m->pidfile);
	spawn_forget(&m->programs);
	buf_free(&m->config);
	rundir_close(&m->rundir);
	project_free(&m->project);
	option_free(&m->options);
	logfile_close(&m->log);
}

/* From the background on: 0 after a whole life, 1 when one serves already. */
static int
serve(struct master *m)
{
	pid_t pid = 0;
	int error;

	error = rundir_open(&m->rundir, &m->fault);
	if (error == 0 && fchdir(m->rundir.fd) != 0)
		error = fault_set(&m->fault, "%s: %s", m->rundir.path,
		    strerror(errno));
	if (error == 0)
		error = spawn_find(&m->programs, &m->fault);
	if (error == 0)
		error = take_over(m, &pid);
	if (error == 1) {
		snprintf(m->fault.text, sizeof(m->fault.text), "already "
		    "serving %.400s (pid %d)", m->project.path, (int)pid);
		return error;
	}
	if (error == 0)
		error = open_log(m);
	if (error == 0)
		error = start(m);
	if (error == 0)
		event_base_dispatch(m->base);
	return error;
}

/* The last word, on the terminal or to whoever started the daemon. */
static int
tell(struct master *m, int outcome)
{
	int code = m->fault.code;

	if (code == 0 && outcome == 0) {
		log_text(LOG_INFO, "stop", "ended");
		return 0;
	}
	if (m->report >= 0)
		daemon_report(&m->report, code, m->fault.text);
	else if (code != 0)
		fault_print(&m->fault);
	else
		printf("container-gateway: %s\n", m->fault.text);
	return code;
}

int
main(int argc, char **argv, char **envp)
{
	struct master *m = &master;
	int outcome;

	hold_standard_fds();
	m->report = m->log.fd = m->pidfile.fd = m->rundir.fd = -1;
	m->programs.worker.fd = m->programs.policyd.fd = -1;
	m->listeners.control.fd = -1;
	m->listeners.face[0].fd = m->listeners.face[1].fd = -1;
	outcome = option_parse(&m->options, argc, argv, envp, &m->fault);
	if (outcome == 0 && m->options.help) {
		option_print_help(stdout);
		return 0;
	}
	if (outcome == 0 && m->options.version) {
		puts("container-gateway " VERSION);
		return 0;
	}
	if (outcome == 0)
		outcome = decide(m);
	if (outcome == 0 && m->options.daemon)
		outcome = go_to_background(m);
	if (outcome == 0)
		outcome = serve(m);
	outcome = tell(m, outcome);
	clean_up(m);
	return outcome;
}
