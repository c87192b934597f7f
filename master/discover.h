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

struct event_base;
struct probe;
struct discovery;

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
	discover_found		 found;
	void			*arg;
};

/* candidates are filled in by the caller before the first search. */
void	 discover_init(struct discovery *, struct event_base *, discover_found,
	    void *arg);
void	 discover_stop(struct discovery *);
/* Starts a search, unless one is under way: that one's end answers both. */
void	 discover_search(struct discovery *);
void	 discover_fill(const struct discovery *, struct msg_backends *);
/* What the head of a _ping answer tells: 0, or negative: not a daemon. */
int	 discover_parse(struct str head, struct backend *);

#endif
