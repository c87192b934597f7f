/*
 * env: what to export.  Socket paths are absolute: docker reads "unix://./x"
 * as /.//x.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hookctl/env.h"
#include "hookctl/json.h"
#include "hookctl/person.h"
#include "hookctl/registration.h"

static const struct {
	const char	*name;
	const char	*before;	/* the value, or what stands before ... */
	const char	*socket;	/* ... this socket's path, if any */
} variables[] = {
	{ "DOCKER_HOST",	"unix://",	RUNDIR_DOCKER },
	{ "CONTAINER_HOST",	"unix://",	RUNDIR_PODMAN },
	/* BuildKit's session is a tunnel that cannot be judged. */
	{ "DOCKER_BUILDKIT",	"0",		NULL },
	/* Ryuk wants the daemon's socket; labels clean up as well. */
	{ "TESTCONTAINERS_RYUK_DISABLED", "true", NULL }
};

void
env_each(const char *run_dir, env_visit visit, void *arg)
{
	char value[PATH_MAX + 64];

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		if (variables[i].socket != NULL)
			snprintf(value, sizeof(value), "%s%s/%s",
			    variables[i].before, run_dir, variables[i].socket);
		else
			snprintf(value, sizeof(value), "%s",
			    variables[i].before);
		visit(variables[i].name, value, arg);
	}
}

/* In single quotes, where a shell reads everything else as itself. */
static void
print_export(const char *name, const char *value, void *arg)
{
	(void)arg;
	printf("export %s='", name);
	for (; *value != '\0'; value++)
		if (*value == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*value);
	puts("'");
}

static void
put_variable(const char *name, const char *value, void *arg)
{
	json_put_text(arg, name, value);
}

static void
print_json(const char *run_dir)
{
	struct json_object *json = json_object_new_object();

	env_each(run_dir, put_variable, json);
	puts(json_line(json));
	json_object_put(json);
}

int
env_run(const struct cli *cli)
{
	static struct subject subject;
	static struct trust t;
	int status = person_find(cli, &t, &subject);

	if (status != CLI_OK)
		return status;
	if (cli->settings)
		registration_print(&t, cli->json);
	else if (cli->json)
		print_json(t.rundir.path);
	else
		env_each(t.rundir.path, print_export, NULL);
	trust_free(&t);
	return CLI_OK;
}
