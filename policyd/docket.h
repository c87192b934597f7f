/*
 * The requests of one worker that are under judgement, and what all workers'
 * requests share.  Frames in, decide(), frames out.  Between server.c, which
 * knows workers and settings, and the judge.
 */
#ifndef POLICYD_DOCKET_H
#define POLICYD_DOCKET_H

#include <sys/queue.h>

#include "common/link.h"
#include "policyd/judge.h"
#include "policyd/scan.h"

enum { DOCKET_BUCKETS = 256 };

enum stage {
	STAGE_BODY,		/* its body is awaited */
	STAGE_FACTS,		/* answers to questions are */
	STAGE_SCAN,		/* its body streams past */
	STAGE_RESPONSE		/* the daemon's answer is awaited */
};

struct docket;
struct pending {
	struct pending		*next;
	struct docket		*docket;
	uint64_t		 id;
	enum stage		 stage;
	uint8_t			 shape;		/* enum deny_shape */
	struct arena		 keep;		/* request, facts, memo */
	struct msg_request	 request;
	struct buf		 body;
	bool			 has_body;
	uint64_t		 window_at;	/* last WINDOW sent for this */
	struct fact_store	 facts;
	struct msg_need_facts	 asked;
	unsigned		 rounds;
	size_t			 held;		/* its part of court.held */
	/* STAGE_RESPONSE, and what STAGE_SCAN leads to */
	bool			 judges_answer;
	struct answer_memo	 memo;
	bool			 creates;
	bool			 by_lines;
	/* STAGE_SCAN; body holds what waits for its turn */
	struct scan		*scan;
	uint64_t		 taken;
	bool			 is_busy;
	TAILQ_ENTRY(pending)	 busy;
};

/* What the requests of all workers have in common. */
struct court {
	struct settings	 settings;
	struct id_set	*ids;
	uint64_t	 active;
	uint64_t	 total;
	size_t		 held;			/* bytes of all requests */
	TAILQ_HEAD(, pending) busy;		/* scans that want a turn */
};

struct docket {
	struct court	*court;
	struct link	 link;
	struct pending	*bucket[DOCKET_BUCKETS];
};

void		 court_init(struct court *);
/* Takes over a worker's link. */
struct docket	*docket_new(struct court *, int fd);
/* Forgets its requests and closes the link. */
void		 docket_free(struct docket *);
/* 0, or negative: the worker broke the contract, or its link did. */
int		 docket_frame(struct link *, const struct frame *, void *);

/* Somebody's scan goes on when it is given a turn. */
bool		 court_is_busy(const struct court *);
/* One turn for one scan: the docket whose link broke by it, or NULL. */
struct docket	*court_work(struct court *);

/* ---- between docket.c and docket_scan.c --------------------------------- */

struct pending	**docket_find(struct docket *, uint64_t id);
void		 docket_forget(struct docket *, struct pending **);
/* Sends and frees the payload, unless there is an error already. */
int		 docket_send(struct docket *, enum proto_type, uint64_t id,
		    struct buf *payload, int error);
/* Each ends the request. */
int		 docket_deny(struct docket *, struct pending **,
		    const struct msg_deny *);
int		 docket_refuse(struct docket *, struct pending **, enum reason);
int		 docket_window(struct docket *, struct pending *,
		    const struct msg_window *);

void		 docket_scan_start(struct pending *,
		    const struct scan_options *);
int		 docket_scan_body(struct docket *, struct pending **,
		    const struct msg_body *);
void		 docket_scan_stop(struct pending *);

#endif
