/*
 * The judge's side of the links: requests under judgement, worker by worker.
 */
#ifndef POLICYD_SERVER_H
#define POLICYD_SERVER_H

#include "common/link.h"
#include "policyd/judge.h"

enum {
	SERVER_WORKERS_MAX = 64,
	SERVER_HELD_MAX = 64 * 1024 * 1024,	/* bytes of all requests */
	SERVER_IDS = 4096			/* full ids remembered */
};

struct server;

struct server	*server_new(void);
/* Takes over a worker's link; 0 or negative (too many; fd closed). */
int	 server_add_worker(struct server *, int fd);
void	 server_set_config(struct server *, const struct msg_config *);
void	 server_set_egress(struct server *, const struct msg_egress *);
/* Requests that are under judgement now, and all there ever were. */
void	 server_count(const struct server *, struct msg_pong *);

/*
 * For poll(2): one entry a worker; then what poll said about them.  While it
 * is busy there is work to do, whatever poll says: poll does not wait then.
 */
struct pollfd;
bool	 server_is_busy(const struct server *);
size_t	 server_poll_fill(struct server *, struct pollfd *, size_t max);
void	 server_poll_done(struct server *, const struct pollfd *, size_t);

#endif
