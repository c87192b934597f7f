/*
 * Which daemon stands behind which face: asks the candidates, chooses, and
 * keeps the choice.  Knows two headers of an answer, no API.
 */
#ifndef MASTER_DISCOVER_H
#define MASTER_DISCOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/message.h"
#include "master/candidate.h"

enum { DISCOVER_NOTE = 320 };

struct event_base;
struct probe;
struct discovery;

/* The gateway's own service is needed: discover_served() says what became of
 * that, from within this call or later. */
typedef void (*discover_serve)(void *arg);

/* A search is over; what a worker asked for is answered now. */
typedef void (*discover_found)(void *arg, bool changed);

/* What one candidate answered. */
struct discover_answer {
	struct discovery	*owner;
	struct probe	*probe;		/* under way */
	int		 error;		/* errno; 0: it is a daemon */
	struct backend	 is;
};

struct discover_face {
	struct backend	 is;		/* kind NONE: never found; path is then
					 * the one to name */
	int		 at;		/* index of its candidate, or -1 */
	bool		 is_reachable;	/* at the last search */
};

struct discovery {
	struct event_base	*base;
	struct candidates	 candidates;
	struct discover_answer	 answer[CANDIDATE_MAX];
	unsigned		 pending;	/* probes under way */
	unsigned		 searches;	/* finished */
	uint32_t		 generation;
	struct discover_face	 face[FACE_COUNT];
	unsigned		 needed;	/* faces that somebody waits
						 * for, a bit each */
	bool			 is_serving;	/* serve() is not answered */
	bool			 is_served;	/* it was, in this search */
	char			 note[DISCOVER_NOTE]; /* why the gateway's own
						 * service does not run */
	discover_serve		 serve;		/* NULL: there is none */
	discover_found		 found;
	void			*arg;
};

/* candidates are filled in by the caller before the first search. */
void	 discover_init(struct discovery *, struct event_base *, discover_found,
	    void *arg);
void	 discover_stop(struct discovery *);
/* Starts a search, unless one is under way: that one's end answers both. */
void	 discover_search(struct discovery *);
/* The same for a face that has no daemon, or lost it: its own is started. */
void	 discover_need(struct discovery *, enum face);
/*
 * The gateway's own service answered with that head, or (errno) does not run;
 * note says why.  is_answer: to serve(); else it is news, and searched for.
 */
void	 discover_served(struct discovery *, bool is_answer, int error,
	    struct str head, struct str note);
void	 discover_fill(const struct discovery *, struct msg_backends *);
/* What the head of a _ping answer tells: 0, or negative: not a daemon. */
int	 discover_parse(struct str head, struct backend *);

#endif
