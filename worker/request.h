/*
 * One request under way, from its head to the end of its answer.
 */
#ifndef WORKER_REQUEST_H
#define WORKER_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "common/message.h"
#include "worker/conn.h"
#include "worker/download.h"
#include "worker/upload.h"
#include "worker/upstream.h"

struct facts;

struct request {
	uint64_t	 id;
	struct conn	*conn;
	/* the head as it came; method and target are views into it */
	struct str	 raw;
	struct str	 method;
	struct str	 target;
	bool		 is_head;	/* HEAD: answers have no body */

	/* policyd */
	bool		 at_policy;	/* it waits for something from us */
	bool		 is_stalled;	/* waits for room in the channel */
	uint8_t		 rounds;	/* of facts */
	uint32_t	 epoch;		/* of the cache, when it was asked */
	struct backend	 judged_for;	/* what policyd was told; no path */
	LIST_ENTRY(request) by_id;
	TAILQ_ENTRY(request) stalled;
	struct facts	*facts;

	/* the verdict */
	uint8_t		 body_mode;	/* enum forward_body */
	uint8_t		 response_mode;	/* enum forward_response */
	uint8_t		 flags;

	/* the daemon */
	bool		 looked_for;	/* master was asked for it once */
	uint16_t	 dials;		/* while its backlog was full */
	struct upstream	*up;		/* NULL: no connection */
	struct buf	 again;		/* what was sent: for a second try */
	struct sendq	 up_out;	/* not yet taken by the daemon */
	struct upload	 upload;
	struct download	 download;
	struct flow	 tunnel[2];	/* client to daemon, daemon to client */
};

/* A request of its own for this head; NULL without memory. */
struct request *request_new(struct conn *, const struct http_head *,
	    struct str raw);
/* Gets its verdict: from the cache, or from policyd. */
void	 request_start(struct request *, const struct http_head *);
/* Lets go of everything; the memory stays until the loop's next turn. */
void	 request_free(struct request *);
/* policyd forgets it, look-ups and the daemon connection end. */
void	 request_leave(struct request *);
void	 request_close_daemon(struct request *);
/* Sends head and body to the daemon; the modes are set. */
void	 request_forward(struct request *, struct str head, struct str body);
/*
 * The answer is on its way whole: what is left of the request's body is
 * thrown away, within bounds, and the connection goes on.
 */
void	 request_settle(struct request *);
/* CONN_ANSWER: goes on once answer and body are through. */
void	 request_progress(struct request *);
/* Waits for what is to be waited for on the daemon's connection. */
void	 request_watch_daemon(struct request *);
/*
 * The daemon's connection gave no byte: when it is one that was used before,
 * the request is sent again on a fresh one, and true is returned.
 */
bool	 request_retry(struct request *);
/* The answer came whole and nothing else did: the connection may be kept. */
void	 request_keep_daemon(struct request *);
uint64_t request_next_id(void);
/* The daemon is another one than policyd was told. */
bool	 request_is_outdated(const struct request *);
/* No daemon answers, and looking for one did not help. */
void	 request_refuse_down(struct request *);

#endif
