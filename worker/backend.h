/*
 * The daemon behind each face, as master last said, and dialling it.
 */
#ifndef WORKER_BACKEND_H
#define WORKER_BACKEND_H

#include <stdbool.h>

#include "common/message.h"
#include "worker/loop.h"

void	 backend_init(void);
/* Wakes who waits; true when something is different now. */
bool	 backend_update(const struct msg_backends *);
/* kind is BACKEND_NONE when there is none. */
const struct backend *backend_get(enum face);
/* The same daemon as far as a verdict can depend on it. */
bool	 backend_is_alike(const struct backend *, const struct backend *);
/*
 * A connected, non-blocking socket, or -errno.  -EAGAIN: its backlog is full,
 * try again soon (backend_retry); -EMFILE: we are at a bound.
 */
int	 backend_dial(enum face);
void	 backend_retry(struct deadline *, deadline_fn, void *arg);
/* Asks master to look again; woken by the answer, or expired. */
void	 backend_wait(enum face, struct deadline *, deadline_fn woken,
	    deadline_fn expired, void *arg);
/* One line for the client: which socket was dialled and what to start. */
void	 backend_describe(enum face, struct buf *);

#endif
