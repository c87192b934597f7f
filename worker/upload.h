/*
 * The body of a request: read from the client, decoded, and brought to where
 * the verdict wants it.
 */
#ifndef WORKER_UPLOAD_H
#define WORKER_UPLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"
#include "common/message.h"
#include "worker/http_body.h"
#include "worker/relay.h"

struct http_head;
struct request;

enum upload_sink {
	UPLOAD_HOLD,		/* not read yet: the verdict is awaited */
	UPLOAD_POLICY,		/* to policyd, whole */
	UPLOAD_DAEMON,		/* to the daemon, framed anew */
	UPLOAD_SCAN,		/* to policyd, and what it releases on */
	UPLOAD_DISCARD		/* thrown away, so that the client can end */
};

struct upload {
	struct http_body body;
	uint8_t		 sink;		/* enum upload_sink */
	bool		 expect;	/* the client waits for 100 Continue */
	bool		 begun;		/* some of it was read */
	bool		 broken;	/* where it ends is not known */
	uint64_t	 max;		/* POLICY, DISCARD: bytes, no more */
	uint64_t	 decoded;	/* bytes of body so far */
	/* POLICY, SCAN */
	uint64_t	 sent;
	uint64_t	 taken;
	uint64_t	 released;
	bool		 whole;		/* its last byte was sent to policyd */
	bool		 good;		/* SCAN: policyd let the end go */
	bool		 ended;		/* SCAN: and the daemon has it */
	/* SCAN: bytes that are not released; the first has offset passed */
	struct buf	 hold;
	uint64_t	 passed;
	struct flow	 flow;		/* DAEMON, when its length is known */
};

void	 upload_init(struct upload *, const struct http_head *);
void	 upload_free(struct upload *);
/* Where the body goes from now on, and how much of it may. */
void	 upload_start(struct request *, enum upload_sink, uint64_t max);
/* Moves what can be moved now. */
void	 upload_run(struct request *);
bool	 upload_is_done(const struct request *);
bool	 upload_wants_read(const struct request *);
bool	 upload_wants_daemon(const struct request *);
/* The daemon takes no more; the rest is thrown away. */
void	 upload_abandon(struct request *);
/* policyd took, released, or let the end go. */
int	 upload_window(struct request *, const struct msg_window *);
/* The framing header that a daemon is sent for this body. */
void	 upload_put_framing(const struct request *, struct buf *);

#endif
