/*
 * Hook manners.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "hookctl/hook.h"
#include "hookctl/json.h"

static void
on_alarm(int sig)
{
	(void)sig;
	_exit(0);
}

void
hook_begin(unsigned seconds)
{
	struct sigaction alarmed = { .sa_handler = on_alarm };

	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGALRM, &alarmed, NULL);
	alarm(seconds);
}

void
hook_refuse(struct message *m, const struct trust *t,
    const struct fault *fault)
{
	message_add(m, t->check, "not started: %s", fault->text);
}

static void
note_egress(struct message *m, struct json_object *status)
{
	static const char *const faces[] = { "docker", "podman" };
	struct json_object *egress = json_get(status, "egress");
	const char *mode = json_get_text(egress, "mode");

	if (mode == NULL || strcmp(mode, "off") == 0)
		return;
	for (size_t i = 0; i < 2; i++) {
		struct json_object *face = json_get(egress, faces[i]);
		const char *url = json_get_text(face, "url");

		if (json_is_true(json_get(face, "answers")) || url == NULL ||
		    url[0] == '\0')
			continue;
		if (json_is_true(json_get(face, "only_loopback")))
			message_add(m, "egress-loopback", "the egress proxy "
			    "listens on loopback only, which containers do not "
			    "reach: let it listen on %s", url);
		else
			message_add(m, "egress", "no egress proxy answers at "
			    "%s: %s", url, strcmp(mode, "require") == 0 ?
			    "containers cannot be created until it does" :
			    "containers get no proxy variables");
		return;
	}
}

void
hook_note_gateway(struct message *m, const struct trust *t,
    struct json_object *status)
{
	const char *root = json_get_text(status, "bind_root");

	if (!t->grants.sandbox_on)
		message_add(m, "no-sandbox", "no settings file turns the "
		    "harness's sandbox on (sandbox.enabled): without it the "
		    "gateway is no boundary");
	if (root != NULL && strcmp(root, t->subject.start_dir) != 0)
		message_add(m, "bind-root", "the gateway of this project was "
		    "started for %s: only directories in there can be mounted "
		    "(hookctl stop --force --project %s, then start again, "
		    "changes that)", root, t->subject.project);
	note_egress(m, status);
}
