/*
 * Answers the judge's questions for explain, from outside of the gateway:
 * look-ups only.  What would change something is said to have been done.
 */
#ifndef HOOKCTL_EXPLAIN_LOOKUP_H
#define HOOKCTL_EXPLAIN_LOOKUP_H

#include "common/arena.h"
#include "policyd/judge.h"

/*
 * Fills *fact.  backend is the socket of the daemon behind the face, or NULL:
 * then HTTP look-ups cannot be answered, which is false.
 */
bool	 lookup_answer(const struct fact_ask *, const char *backend,
	    struct arena *, struct fact *);

#endif
