/*
 * container-gateway: main() as a recipe, and what is decided before anything
 * is made.
 *
 * This process reads no client byte.  It stays inspectable and may gain
 * privileges by exec, since embedded starts podman, whose newuidmap is
 * setuid; the other children give both up.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/log.h"
#include "common/xfd.h"
#include "master/clock.h"
#include "master/config.h"
#include "master/daemon.h"
#include "master/master.h"
#include "master/takeover.h"

static struct master master;

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
	int error, null;

	rundir_file(&m->rundir, m->options.log_file, RUNDIR_LOG, &m->log.at);
	error = logfile_open(&m->log, &m->fault);
	if (error != 0)
		return error;
	log_init("master", (enum log_level)m->options.log_level);
	log_set_fd(m->log.fd);
	if (!m->options.daemon)
		return 0;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(m->log.is_file ? m->log.fd : null, STDERR_FILENO);
	close(null);
	return 0;
}

/* From the background on: 0 after a whole life, 1 when one serves already. */
static int
live(struct master *m)
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
		error = takeover_run(m, &pid);
	if (error == TAKEOVER_SERVED) {
		snprintf(m->fault.text, sizeof(m->fault.text), "already "
		    "serving %.400s (pid %d)", m->project.path, (int)pid);
		return error;
	}
	if (error == 0)
		error = open_log(m);
	if (error != 0)
		return error;
	log_text(LOG_INFO, "start", "container-gateway %s for %s (%s)",
	    VERSION, m->project.path, m->project.slug);
	error = serve_open(m);
	if (error == 0)
		serve_run(m);
	return error;
}

/* The last word, on the terminal or to whoever started the daemon. */
static int
tell(struct master *m, int outcome)
{
	int code = m->fault.code;

	if (code == 0 && outcome == 0)
		log_text(LOG_INFO, "stop", "ended");
	else if (m->report >= 0)
		daemon_report(&m->report, code, m->fault.text);
	else if (code != 0)
		fault_print(&m->fault);
	else
		printf("container-gateway: %s\n", m->fault.text);
	return code;
}

/* Whatever was made is unmade, however far it came. */
static void
clean_up(struct master *m)
{
	serve_close(m);
	pidfile_release(&m->pidfile);
	spawn_forget(&m->programs);
	buf_free(&m->config);
	rundir_close(&m->rundir);
	project_free(&m->project);
	option_free(&m->options);
	logfile_close(&m->log);
}

static void
init(struct master *m)
{
	hold_standard_fds();
	umask(077);
	m->started_ms = clock_ms();
	m->report = m->log.fd = m->pidfile.fd = m->rundir.fd = -1;
	m->programs.worker.fd = m->programs.policyd.fd = -1;
	m->programs.embedded.fd = -1;
	m->listeners.control.fd = -1;
	m->listeners.face[FACE_DOCKER].fd = -1;
	m->listeners.face[FACE_PODMAN].fd = -1;
	buf_init(&m->config, CONFIG_MAX);
}

int
main(int argc, char **argv, char **envp)
{
	struct master *m = &master;
	int outcome;

	init(m);
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
		outcome = live(m);
	outcome = tell(m, outcome);
	clean_up(m);
	return outcome;
}
