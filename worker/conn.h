/*
 * A client's connection: what it waits for, and its one end.
 *
 * conn_kill() may be called from anywhere; the memory stays until the loop's
 * next turn, so that a caller further up can still see CONN_DEAD.
 */
#ifndef WORKER_CONN_H
#define WORKER_CONN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "common/buf.h"
#include "common/message.h"
#include "worker/http_head.h"
#include "worker/loop.h"
#include "worker/sendq.h"

struct request;

/* In the order in which a request passes them; conn.c has the table. */
enum conn_state {
	CONN_IDLE,	/* between requests; nothing of the next has come */
	CONN_HEAD,	/* part of a head has come */
	CONN_WAIT,	/* for a policy channel or a daemon to ask about */
	CONN_JUDGE,	/* policyd has the request */
	CONN_BODY,	/* policyd is sent the request's body */
	CONN_FACTS,	/* facts are looked up for policyd */
	CONN_FORWARD,	/* the daemon has, or is about to get, the request */
	CONN_CONFIRM,	/* policyd has the daemon's whole answer */
	CONN_ANSWER,	/* the answer is decided; the request's body and
			 * the client's reading may lag behind */
	CONN_TUNNEL,	/* bytes both ways */
	CONN_LINGER,	/* answered for good; what comes is thrown away */
	CONN_DEAD,
	CONN_STATES
};

enum {
	CONN_AHEAD_MAX = 64 * 1024,	/* bytes read ahead of their turn */
	CONN_IN_MAX = 256 * 1024,	/* a head, and one read behind it */
	CONN_OUT_MAX = 32 * 1024 * 1024	/* a judged answer and its head */
};

struct conn {
	struct io	 io;
	uint8_t		 state;		/* enum conn_state */
	uint8_t		 face;
	bool		 eof;		/* the client sends no more */
	bool		 close;		/* after this answer */
	bool		 watched;	/* in the watch list */
	uid_t		 peer;
	struct buf	 in;		/* read, not yet used */
	struct sendq	 out;		/* not yet taken by the client */
	uint64_t	 thrown;	/* LINGER: bytes thrown away */
	struct http_head *head;		/* HEAD: the parser's progress */
	struct request	*request;	/* from WAIT to TUNNEL */
	struct deadline	 deadline;
	LIST_ENTRY(conn) all;
	TAILQ_ENTRY(conn) watch;
};

void	 conn_init(void);
/* Takes over fd; NULL without memory. */
struct conn *conn_new(int fd, enum face, uid_t peer);
/* Begins to serve it. */
void	 conn_start(struct conn *);
void	 conn_kill(struct conn *);
/* Frees memory in the next turn of the loop. */
void	 conn_bury(void *);
void	 conn_set_state(struct conn *, enum conn_state);
/* To be called at the end of every callback: what is waited for now. */
void	 conn_update(struct conn *);
/*
 * Sends, keeping what the client does not take.  0, or -1: the client is gone
 * (and the connection dead).
 */
int	 conn_send(struct conn *, const struct iovec *, int count);
int	 conn_send_str(struct conn *, struct str);
/*
 * Reads once: bytes, 0 when none are there, -1 when the client sends no more
 * (the connection is dead when it is gone altogether).
 */
ssize_t	 conn_receive(struct conn *, char *, size_t);
/* The request and its answer are through: the next one, or the end. */
void	 conn_next(struct conn *);
/* The answer is through and the last: ends the connection politely. */
void	 conn_linger(struct conn *);
/* Calls fn when the bound on throwing bytes away is met. */
void	 conn_limit(struct conn *, deadline_fn);
/* No more requests are accepted; ends the loop when all are served. */
void	 conn_drain(void);
bool	 conn_is_draining(void);
/* Room for one read, shared by all; valid until the next read. */
char	*conn_scratch(void);
enum { CONN_SCRATCH = 64 * 1024 };

#endif
