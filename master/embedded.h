/*
 * The program embedded as master sees it: started when discovery finds nothing
 * else, asked for podman's service, and connected with the workers.  Master
 * passes ends of channels on; the way to the service it never has.
 */
#ifndef MASTER_EMBEDDED_H
#define MASTER_EMBEDDED_H

#include "common/link.h"
#include "master/child.h"

struct embedded {
	struct child	 child;
	struct buf	 config;	/* payload of its PROTO_CONFIG */
	uint32_t	 serial;	/* of the last SERVE */
	bool		 is_asked;	/* that one is not answered yet */
	uint32_t	 podman_pid;	/* 0: podman's service does not run */
	uint64_t	 not_before_ms;	/* the program's next start */
};

/* Starts nothing.  Says early what would be missing. */
void	 embedded_init(struct master *);
void	 embedded_close(struct master *);
/* Discovery needs the service (discover_serve). */
void	 embedded_serve(void *master);
/* What the new process has to know. */
void	 embedded_introduce(struct master *);
/* A SERVICE frame: 0, or negative when it breaks the contract. */
int	 embedded_take(struct master *, struct str payload);
/* A worker's channel, when both ends are alive. */
void	 embedded_connect(struct master *, struct child *worker);
/* The process is gone and forgotten. */
void	 embedded_ended(struct master *);

#endif
