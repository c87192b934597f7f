/*
 * start: a session begins.  Records it, so that ensure knows which project it
 * may serve, and starts the gateway.  A start that is refused leaves nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/log.h"
#include "hookctl/cli.h"
#include "hookctl/hook.h"
#include "hookctl/input.h"
#include "hookctl/json.h"
#include "hookctl/person.h"
#include "hookctl/service.h"
#include "hookctl/session.h"

/* Where the session started: what the harness says, else where it is. */
static const char *
start_directory(const struct payload *p)
{
	const char *env = getenv("CLAUDE_PROJECT_DIR");
	struct stat st;

	if (env != NULL && env[0] == '/' && stat(env, &st) == 0)
		return env;
	return p->cwd;
}

/* The record is there, or nothing is started: ensure would not keep it. */
static int
record_session(const struct trust *t, const char *id, struct fault *fault)
{
	static struct session s;

	session_prune(&t->home);
	message_prune(&t->home);
	session_make(&s, id, &t->subject, t->rundir.path);
	if (session_write(&t->home, &s) == 0)
		return 0;
	return fault_set(fault, "the session cannot be recorded in %s/.claude/"
	    "magpie-gateway/sessions: is the disk full?", t->home.path);
}

static void
start_service(const struct trust *t, struct message *m)
{
	struct fault fault = { 0 };
	struct gateway g;

	switch (service_ensure(t, true, &g, &fault)) {
	case SERVICE_RUNNING:
	case SERVICE_STARTED:
		hook_note_gateway(m, t, g.status);
		gateway_close(&g);
		break;
	case SERVICE_BACKOFF:
	case SERVICE_FAILED:
		/* Each way of failing is a reason of its own. */
		message_add(m, fault.text, "%s", fault.text);
		break;
	}
}

/* An older record of a session that is now refused would still be served. */
static void
forget_session(struct trust *t, const char *id)
{
	struct fault ignored;

	if (t->home.fd[HOME_SESSIONS] < 0 && (t->home.path[0] == '\0' ||
	    home_open(&t->home, false, &ignored) != 0))
		return;
	session_remove(&t->home, id);
}

static void
start_session(const struct payload *p)
{
	struct message m = { .event = "SessionStart", .session = p->session_id };
	const char *dir = start_directory(p);
	static struct subject subject;
	struct fault fault = { 0 };
	static struct trust t;
	int error;

	if (dir == NULL || subject_begin(&subject, dir, &fault) != 0)
		return;
	subject_extend(&subject, p->cwd, p->scratchpad);
	error = trust_check(&t, &subject, &fault);
	if (error == 0) {
		message_open_log(&t.home);
		error = record_session(&t, p->session_id, &fault);
	} else
		forget_session(&t, p->session_id);
	m.home = &t.home;
	if (error == 0)
		start_service(&t, &m);
	else
		hook_refuse(&m, &t, &fault);
	message_send(&m);
	trust_free(&t);
}

static int
start_hook(void)
{
	struct payload p;
	struct str text;

	hook_begin(HOOK_SECONDS);
	if (input_read(&text) != 0 ||
	    payload_read(&p, text, "SessionStart") != 0)
		return CLI_OK;
	start_session(&p);
	payload_free(&p);
	return CLI_OK;
}

int
start_run(const struct cli *cli)
{
	return cli_is_person(cli) ? person_ensure(cli) : start_hook();
}
