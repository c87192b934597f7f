/*
 * start and ensure, spoken to by a person.  The checks are the hooks' own.
 */
#include <stdio.h>
#include <unistd.h>

#include "hookctl/json.h"
#include "hookctl/message.h"
#include "hookctl/person.h"
#include "hookctl/service.h"

/* 0 with *g serving; else an exit status after a complaint. */
static int
serve(const struct cli *cli, struct trust *t, struct gateway *g,
    enum service *how)
{
	struct fault fault = { 0 };
	static struct subject subject;

	if (subject_begin(&subject, cli_project(cli), &fault) != 0) {
		cli_complain("%s", fault.text);
		return CLI_USAGE;
	}
	subject_extend(&subject, NULL, NULL);
	if (trust_check(t, &subject, &fault) != 0) {
		cli_complain("not started: %s", fault.text);
		trust_free(t);
		return CLI_FAILED;
	}
	*how = service_ensure(t, false, g, &fault);
	if (*how == SERVICE_RUNNING || *how == SERVICE_STARTED)
		return CLI_OK;
	cli_complain("%s", fault.text);
	trust_free(t);
	return CLI_FAILED;
}

int
person_serve(const struct cli *cli, struct trust *t)
{
	struct gateway g;
	enum service how;
	int status = serve(cli, t, &g, &how);

	if (status == CLI_OK)
		gateway_close(&g);
	return status;
}

int
person_ensure(const struct cli *cli)
{
	struct gateway g;
	enum service how;
	static struct trust t;
	const char *root;
	int status = serve(cli, &t, &g, &how);

	if (status != CLI_OK)
		return status;
	root = json_get_text(g.status, "bind_root");
	printf("%s for %s (pid %d)\n", how == SERVICE_RUNNING ?
	    "already serving" : "serving", t.subject.project, (int)g.pid);
	if (root != NULL)
		printf("directories below %s can be mounted\n", root);
	printf("hookctl env prints what docker and podman need to find it\n");
	gateway_close(&g);
	trust_free(&t);
	return CLI_OK;
}

int
person_find(const struct cli *cli, struct trust *t, struct subject *subject)
{
	struct fault fault = { 0 };

	if (subject_begin(subject, cli_project(cli), &fault) != 0) {
		cli_complain("%s", fault.text);
		return CLI_USAGE;
	}
	if (trust_find(t, subject, &fault) == 0)
		return CLI_OK;
	cli_complain("%s", fault.text);
	trust_free(t);
	return CLI_FAILED;
}
