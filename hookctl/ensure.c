/*
 * ensure: before each shell command of the agent.  Ends at once for nearly
 * all of them: nothing is opened, asked or allocated before the payload was
 * found to name docker or podman.  early/early.c has ended most of them already,
 * by the same question; it is asked here for the command lines that it leaves
 * alone, and for platforms without it.
 */
#include <string.h>

#include "hookctl/cli.h"
#include "hookctl/hook.h"
#include "hookctl/input.h"
#include "hookctl/person.h"
#include "hookctl/prefilter.h"
#include "hookctl/service.h"
#include "hookctl/session.h"
#include "hookctl/shell.h"

/*
 * The recorded project, whatever the directory of this command; that one only
 * counts as writable as well.
 */
static void
subject_from(struct subject *subject, const struct session *s,
    const struct payload *p)
{
	memset(subject, 0, sizeof(*subject));
	memcpy(subject->project, s->project, sizeof(subject->project));
	memcpy(subject->start_dir, s->start_dir, sizeof(subject->start_dir));
	subject_extend(subject, p->cwd, p->scratchpad);
}

/* What start decided for this session must be what the checks find now. */
static int
check_unmoved(struct trust *t, const struct session *s, struct fault *fault)
{
	if (strcmp(t->project.path, s->project) == 0 &&
	    strcmp(t->rundir.path, s->run_dir) == 0)
		return 0;
	t->check = "moved";
	return fault_set(fault, "the gateway's run directory was %s when the "
	    "session started and would be %s now: restart the session",
	    s->run_dir, t->rundir.path);
}

static void
ensure_service(struct trust *t, const struct session *s, struct message *m)
{
	struct fault fault = { 0 };
	struct gateway g;
	enum service how = service_ensure(t, true, &g, &fault);

	if (how == SERVICE_RUNNING || how == SERVICE_STARTED) {
		session_touch(&t->home, s->id);
		gateway_close(&g);
	} else
		/* Each way of failing is a reason of its own. */
		message_add(m, fault.text, "%s", fault.text);
}

static void
ensure_session(const struct payload *p, struct home *home)
{
	struct message m = { .event = "PreToolUse", .home = home,
		.session = p->session_id };
	struct fault fault = { 0 };
	static struct subject subject;
	static struct session s;
	static struct trust t;
	int error;

	/* A session that is older than the hook has no record: start first. */
	if (session_read(home, p->session_id, &s) != 0)
		return;
	subject_from(&subject, &s, p);
	message_open_log(home);
	error = trust_check(&t, &subject, &fault);
	if (error == 0)
		error = check_unmoved(&t, &s, &fault);
	if (error == 0)
		ensure_service(&t, &s, &m);
	else
		hook_refuse(&m, &t, &fault);
	message_send(&m);
	trust_free(&t);
}

/* The command, if that is what this payload is about, calls an engine. */
static bool
is_concerned(const struct payload *p)
{
	return p->tool_name != NULL && strcmp(p->tool_name, "Bash") == 0 &&
	    shell_needs_engine(p->command);
}

static int
ensure_hook(void)
{
	struct fault ignored;
	struct payload p;
	static struct home home;
	struct str text;

	if (input_read(&text) != 0 || !prefilter_mentions_engine(text))
		return CLI_OK;
	hook_begin(HOOK_SECONDS);
	if (payload_read(&p, text, "PreToolUse") != 0)
		return CLI_OK;
	if (is_concerned(&p) && home_find(&home, &ignored) == 0 &&
	    home_open(&home, false, &ignored) == 0) {
		ensure_session(&p, &home);
		home_close(&home);
	}
	payload_free(&p);
	return CLI_OK;
}

int
ensure_run(const struct cli *cli)
{
	return cli_is_person(cli) ? person_ensure(cli) : ensure_hook();
}
