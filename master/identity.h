/*
 * Whether a process is a gateway of this user, of this installation, and of
 * this side of the sandbox; and what the one behind control.sock serves.
 * Believes the kernel about a process, and files about nothing.
 */
#ifndef MASTER_IDENTITY_H
#define MASTER_IDENTITY_H

#include <stdbool.h>
#include <sys/types.h>

enum identity {
	IDENTITY_NONE,		/* nothing there, or not a gateway of ours */
	IDENTITY_STARTING,	/* a gateway that does not serve yet */
	IDENTITY_SERVING,	/* it serves this slug */
	IDENTITY_OTHER		/* it serves another project */
};

/* The process is ours, runs our executable, in our namespaces. */
bool	 identity_is_gateway(pid_t);
/*
 * Asks control.sock in the current directory, when its listener is a gateway.
 * *pid is then that gateway's.
 */
enum identity identity_ask(const char *slug, pid_t *pid);

#endif
