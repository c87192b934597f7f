/*
 * explain: hands the request to the program that holds the judge, which stands
 * with the gateway's others.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "hookctl/cli.h"
#include "hookctl/install.h"

int
explain_run(const struct cli *cli)
{
	const char *face = cli->face != NULL ? cli->face : "docker";
	struct install in;
	struct fault fault = { 0 };
	const char *argv[7];

	if (strcmp(face, "docker") != 0 && strcmp(face, "podman") != 0) {
		cli_complain("explain: --socket is docker or podman");
		return CLI_USAGE;
	}
	if (install_find(&in, &fault) != 0) {
		cli_complain("%s", fault.text);
		return CLI_FAILED;
	}
	argv[0] = in.explain;
	argv[1] = in.gateway_real;
	argv[2] = cli_project(cli);
	argv[3] = face;
	argv[4] = cli->json ? "json" : "text";
	argv[5] = cli->rest[0];
	argv[6] = NULL;
	execv(in.explain, (char *const *)(uintptr_t)argv);
	cli_complain("cannot run %s: %s", in.explain, strerror(errno));
	return CLI_FAILED;
}
