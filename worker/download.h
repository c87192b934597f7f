/*
 * The daemon's answer: its head, and the way of its body to the client or to
 * policyd.
 */
#ifndef WORKER_DOWNLOAD_H
#define WORKER_DOWNLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"
#include "worker/http_body.h"
#include "worker/relay.h"
#include "worker/response.h"

struct request;

enum download_phase {
	DOWNLOAD_HEAD,		/* the head is awaited */
	DOWNLOAD_FLOW,		/* body by length, or up to the end */
	DOWNLOAD_CHUNKS,	/* chunked body, its framing followed */
	DOWNLOAD_GATHER,	/* JUDGE: kept until it is whole */
	DOWNLOAD_LINES,		/* JUDGE_LINES */
	DOWNLOAD_DONE
};

struct download {
	uint8_t		 phase;		/* enum download_phase */
	bool		 started;	/* the client has the head */
	bool		 close;		/* the daemon's connection is used up */
	uint16_t	 status;	/* the daemon's; 0 before its head */
	struct response	*partial;	/* HEAD: the parser's progress */
	struct buf	 in;		/* part of a head, then the whole one
					 * of an answer that is judged */
	struct http_body body;
	struct flow	 flow;
	struct buf	 kept;		/* GATHER: body.  LINES: what is not
					 * yet passed on */
	uint32_t	 lines;		/* LINES: at policyd */
	size_t		 judged;	/* LINES: bytes of kept at policyd */
	bool		 end;		/* LINES: the daemon has ended */
};

void	 download_init(struct download *);
void	 download_free(struct download *);
/* Moves what can be moved now. */
void	 download_run(struct request *);
bool	 download_wants_daemon(const struct request *);
bool	 download_wants_client(const struct request *);
/* The answer has passed whole. */
void	 download_end(struct request *);
/* The daemon broke off, or its answer cannot be used. */
void	 download_fail(struct request *, const char *why);

#endif
