/*
 * Finds the programs.  The gateway looks for its own in the same way
 * (master/spawn.c): what is checked here is what it will start.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "common/platform.h"
#include "hookctl/install.h"

#ifndef LIBEXEC_FROM_BIN
#define LIBEXEC_FROM_BIN	"../libexec/container-gateway"
#endif

static bool
find_beside(char out[PATH_MAX], const char *dir, const char *name)
{
	int n = snprintf(out, PATH_MAX, "%s/%s", dir, name);

	return n > 0 && n < PATH_MAX && access(out, F_OK) == 0;
}

static bool
find_programs(struct install *in, const char *dir)
{
	(void)!find_beside(in->explain, dir, "explain");
	in->has_embedded = find_beside(in->embedded, dir, "embedded");
	return find_beside(in->worker, dir, "worker") &&
	    find_beside(in->policyd, dir, "policyd");
}

int
install_find(struct install *in, struct fault *fault)
{
	char own[PATH_MAX], libexec[PATH_MAX + sizeof(LIBEXEC_FROM_BIN) + 1];

	memset(in, 0, sizeof(*in));
	in->is_static = getauxval(AT_BASE) == 0;
	if (platform_executable(0, in->hookctl, sizeof(in->hookctl)) != 0)
		return fault_set(fault, "cannot tell where hookctl is "
		    "installed (/proc/self/exe)");
	snprintf(own, sizeof(own), "%s", in->hookctl);
	*strrchr(own, '/') = '\0';
	if (!find_beside(in->gateway, own, "container-gateway") ||
	    realpath(in->gateway, in->gateway_real) == NULL)
		return fault_set(fault, "there is no container-gateway in %s: "
		    "install the gateway whole", own);
	snprintf(own, sizeof(own), "%s", in->gateway_real);
	*strrchr(own, '/') = '\0';
	snprintf(libexec, sizeof(libexec), "%s/" LIBEXEC_FROM_BIN, own);
	if (find_programs(in, libexec) || find_programs(in, own))
		return 0;
	return fault_set(fault, "the gateway's programs worker and policyd are "
	    "neither in %s nor in %s: install the gateway whole", libexec, own);
}
