/*
 * exec: a gateway, then a command with the environment for it.  For wrappers
 * of harnesses that have no hooks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hookctl/env.h"
#include "hookctl/person.h"

static void
set_variable(const char *name, const char *value, void *arg)
{
	(void)arg;
	setenv(name, value, 1);
}

int
exec_run(const struct cli *cli)
{
	static struct trust t;
	int status;

	if (cli->rest[0] == NULL) {
		cli_complain("exec: a command is missing (hookctl exec -- "
		    "docker ps)");
		return CLI_USAGE;
	}
	status = person_serve(cli, &t);
	if (status != CLI_OK)
		return status;
	env_each(t.rundir.path, set_variable, NULL);
	trust_free(&t);
	execvp(cli->rest[0], cli->rest);
	cli_complain("cannot run %s: %s", cli->rest[0], strerror(errno));
	/* As shells say it: not found, or found and not to be run. */
	return errno == ENOENT ? 127 : 126;
}
