/*
 * The gateway that runs for a project, if one does: recognised by the process
 * at the other end of control.sock, which the kernel names, and by nothing
 * that the run directory holds.
 */
#ifndef HOOKCTL_GATEWAY_H
#define HOOKCTL_GATEWAY_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "master/fault.h"

enum gateway_state {
	GATEWAY_ABSENT,		/* no socket, or nobody behind it */
	GATEWAY_SERVING,
	GATEWAY_STARTING,	/* ours, not serving yet */
	GATEWAY_DRAINING,	/* ours, on its way out */
	GATEWAY_BROKEN,		/* ours, but its client sockets are gone */
	GATEWAY_OLD,		/* ours, of a build that was replaced */
	GATEWAY_MUTE,		/* ours, does not answer */
	GATEWAY_OTHER,		/* ours, for another project */
	GATEWAY_IMPOSTOR,	/* somebody else listens there */
	GATEWAY_ELSEWHERE,	/* somebody in another namespace does */
	GATEWAY_FORBIDDEN	/* sockets cannot be used here */
};

/* What is looked for. */
struct gateway_target {
	const char	*run_dir;
	const char	*program;	/* canonical path of the gateway */
	const char	*slug;
};

struct json_object;
struct gateway {
	enum gateway_state	 state;
	pid_t			 pid;		/* of a gateway of ours, or 0 */
	int			 pidfd;		/* that process, or -1 */
	struct json_object	*status;	/* its answer, or NULL */
};

/* `touch` says that the gateway is still wanted. */
void	 gateway_probe(struct gateway *, const struct gateway_target *,
	    bool touch);
void	 gateway_close(struct gateway *);
/* Whether the state names a process of ours that may be signalled. */
bool	 gateway_is_ours(const struct gateway *);
/* A line for people: what the state is and, where it is trouble, the way out. */
const char *gateway_describe(enum gateway_state);
/* A word for programs. */
const char *gateway_state_name(enum gateway_state);
/* SIGTERM or SIGKILL through the pidfd: 0 or -1. */
int	 gateway_signal(const struct gateway *, int sig);
/* True when the process has ended before ms are over. */
bool	 gateway_wait_end(const struct gateway *, int ms);
/*
 * The process of that pid and start time, where it is a gateway of ours that
 * is not reached by its socket: for gateways whose sockets were removed.
 */
bool	 gateway_find_process(struct gateway *, const char *program, pid_t,
	    unsigned long long start);

#endif
