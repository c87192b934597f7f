/*
 * Connections to the daemon.  Each carries one request and is closed, but for
 * those whose every byte was policyd's (a GET without a body): when its answer
 * has come whole, such a connection is kept for a moment and may carry another
 * of the kind.  Nothing that a client frames ever gets onto a kept one, so
 * there is nothing on it that a client could shift.
 */
#ifndef WORKER_UPSTREAM_H
#define WORKER_UPSTREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "common/message.h"
#include "worker/loop.h"

struct upstream {
	struct io	 io;
	uint8_t		 face;
	bool		 reused;	/* it has carried a request before */
	struct deadline	 idle;
	TAILQ_ENTRY(upstream) kept;
};

void	 upstream_init(void);
/*
 * A connection, kept or fresh.  0, or -errno as backend_dial() gives it.
 * Events on it go to fn(arg).
 */
int	 upstream_open(enum face, bool may_reuse, io_fn, void *arg,
	    struct upstream **);
void	 upstream_close(struct upstream *);
/* Its answer was read to the end and nothing behind it. */
void	 upstream_keep(struct upstream *);
/* The daemons have changed: nothing is kept. */
void	 upstream_forget(void);

#endif
