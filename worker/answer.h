/*
 * The gateway's own answers, and the log line that every answer leaves.
 */
#ifndef WORKER_ANSWER_H
#define WORKER_ANSWER_H

#include "common/message.h"
#include "common/reason.h"
#include "worker/conn.h"
#include "worker/http_head.h"

struct request;

enum { ANSWER_DRAIN_MAX = 64 * 1024 * 1024 };	/* of a refused upload */

/*
 * Refuses the request, whatever it is doing: policyd forgets it, its daemon
 * connection closes, the client reads "container-gateway: REASON: text".  If
 * the client has part of another answer already, the connection just ends.
 */
void	 answer_refuse(struct request *, int reason, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));
/* The same in policyd's words. */
void	 answer_deny(struct request *, const struct msg_deny *);
/* policyd's answer in place of the daemon's. */
void	 answer_own(struct request *, uint16_t status, struct str body);
/* There is no request: its head cannot be read. */
void	 answer_bad_head(struct conn *, const struct http_head *,
	    struct str bytes, int reason);
/* Nor any reading: the peer is a stranger. */
void	 answer_bad_peer(struct conn *);
/* The log line of a request that was answered, or is being so. */
void	 answer_log_allow(const struct request *, uint16_t status);

#endif
