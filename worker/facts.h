/*
 * Look-ups for policyd: paths on the host, requests to the daemon, and the
 * effects that it asks for when everything else was found good.
 */
#ifndef WORKER_FACTS_H
#define WORKER_FACTS_H

#include "common/str.h"

struct request;

/* payload: NEED_FACTS.  0, or negative: it cannot be read. */
int	 facts_start(struct request *, struct str payload);
/* Ends what is running; safe when nothing is. */
void	 facts_free(struct request *);

#endif
