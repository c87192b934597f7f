/*
 * stop: a session ends.  Its record goes first, and nothing is waited for.
 * The gateway ends with the project's last session; the harness's "clear" and
 * "resume" end a session only to begin another at once.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/log.h"
#include "hookctl/cli.h"
#include "hookctl/hook.h"
#include "hookctl/input.h"
#include "hookctl/person.h"
#include "hookctl/service.h"
#include "hookctl/session.h"
#include "hookctl/state.h"

enum { STOP_LOCK_MS = 200, STOP_WAIT_MS = 15000 };

/* Signals the gateway of a place that was found; its pid, or 0. */
static pid_t
signal_gateway(const struct trust *t, int sig)
{
	struct gateway_target target;
	struct gateway g;
	pid_t pid = 0;

	service_target(t, &target);
	gateway_probe(&g, &target, false);
	if (gateway_is_ours(&g) && g.state != GATEWAY_OTHER &&
	    gateway_signal(&g, sig) == 0)
		pid = g.pid;
	gateway_close(&g);
	return pid;
}

static void
end_last_session(struct home *home, const struct session *s)
{
	static struct subject subject;
	struct fault fault = { 0 };
	static struct state state;
	static struct trust t;

	memcpy(subject.project, s->project, sizeof(subject.project));
	memcpy(subject.start_dir, s->start_dir, sizeof(subject.start_dir));
	state_open(&state, home, s->project);
	/* Whoever holds the lock starts a gateway, and wants it. */
	if (state_lock(&state, STOP_LOCK_MS) != 0)
		return;
	if (session_count_others(home, s, NULL) == 0) {
		if (trust_find(&t, &subject, &fault) == 0)
			signal_gateway(&t, SIGTERM);
		trust_free(&t);
	}
	state_close(&state);
}

static void
stop_session(const struct payload *p, struct home *home)
{
	static struct session s;
	bool had = session_read(home, p->session_id, &s) == 0;

	session_remove(home, p->session_id);
	if (!had || (p->reason != NULL && (strcmp(p->reason, "clear") == 0 ||
	    strcmp(p->reason, "resume") == 0)))
		return;
	end_last_session(home, &s);
}

static int
stop_hook(void)
{
	struct fault ignored;
	struct payload p;
	static struct home home;
	struct str text;

	hook_begin(HOOK_STOP_SECONDS);
	if (input_read(&text) != 0 ||
	    payload_read(&p, text, "SessionEnd") != 0)
		return CLI_OK;
	if (home_find(&home, &ignored) == 0 &&
	    home_open(&home, false, &ignored) == 0) {
		message_open_log(&home);
		stop_session(&p, &home);
		home_close(&home);
	}
	payload_free(&p);
	return CLI_OK;
}

/* Ends *g for a person: first as it is meant to end, then, forced, at once. */
static int
end_for_person(struct gateway *g, const char *project, bool force)
{
	bool ended;

	if (!gateway_is_ours(g)) {
		cli_complain("%s: %s", project, g->state == GATEWAY_ABSENT ?
		    "not running" : gateway_describe(g->state));
		return g->state == GATEWAY_ABSENT ? CLI_OK : CLI_FAILED;
	}
	gateway_signal(g, SIGTERM);
	ended = gateway_wait_end(g, force ? 2000 : STOP_WAIT_MS);
	if (!ended && force) {
		gateway_signal(g, SIGKILL);
		ended = gateway_wait_end(g, 2000);
	}
	if (ended)
		printf("stopped the gateway of %s (pid %d)\n", project,
		    (int)g->pid);
	else
		cli_complain("the gateway of %s (pid %d) is still busy; it ends "
		    "when its streams do, or with --force", project,
		    (int)g->pid);
	return ended ? CLI_OK : CLI_FAILED;
}

/* Sessions that would miss the gateway. */
static unsigned
count_sessions(struct trust *t)
{
	static struct session none;
	struct fault ignored;

	if (home_open(&t->home, false, &ignored) != 0)
		return 0;
	session_make(&none, "none", &t->subject, t->rundir.path);
	return session_count_others(&t->home, &none, NULL);
}

static int
stop_person(const struct cli *cli)
{
	struct gateway_target target;
	static struct subject subject;
	struct gateway g;
	static struct trust t;
	unsigned count;
	int status = person_find(cli, &t, &subject);

	if (status != CLI_OK)
		return status;
	count = cli->force ? 0 : count_sessions(&t);
	if (count > 0) {
		cli_complain("%u session%s of %s still use%s it; --force stops "
		    "it all the same", count, count == 1 ? "" : "s",
		    subject.project, count == 1 ? "s" : "");
		status = CLI_FAILED;
	} else {
		service_target(&t, &target);
		gateway_probe(&g, &target, false);
		status = end_for_person(&g, subject.project, cli->force);
		gateway_close(&g);
	}
	trust_free(&t);
	return status;
}

struct stopping {
	struct install	 install;
	bool		 force;
	unsigned	 count;
	int		 status;
};

/* A remembered project: its gateway by its sockets, or by its process. */
static void
stop_remembered(struct state *s, void *arg)
{
	struct stopping *all = arg;
	struct gateway_target target = { s->run_dir,
		all->install.gateway_real, "" };
	struct gateway g;

	gateway_probe(&g, &target, false);
	if (!gateway_is_ours(&g)) {
		gateway_close(&g);
		if (!gateway_find_process(&g, target.program, s->pid,
		    s->pid_start))
			return;
	}
	all->count++;
	if (end_for_person(&g, s->project, all->force) != CLI_OK)
		all->status = CLI_FAILED;
	gateway_close(&g);
}

static int
stop_all(const struct cli *cli)
{
	struct stopping all = { .force = cli->force, .status = CLI_OK };
	struct fault fault = { 0 };
	static struct home home;

	if (install_find(&all.install, &fault) != 0 ||
	    home_find(&home, &fault) != 0) {
		cli_complain("%s", fault.text);
		return CLI_FAILED;
	}
	/* Without the tree nothing was ever started. */
	if (home_open(&home, false, &fault) == 0) {
		state_each(&home, stop_remembered, &all);
		home_close(&home);
	}
	if (all.count == 0)
		printf("no gateway that hookctl started is running\n");
	return all.status;
}

int
stop_run(const struct cli *cli)
{
	if (cli->all)
		return stop_all(cli);
	return cli_is_person(cli) || cli->force ? stop_person(cli) :
	    stop_hook();
}
