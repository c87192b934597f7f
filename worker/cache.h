/*
 * Verdicts that depend on nothing but the head's bytes, kept for the identical
 * head on the same face.  A pure function's value: no facts, no bodies, no
 * ids ever get here.
 */
#ifndef WORKER_CACHE_H
#define WORKER_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/message.h"

/* The head to send to the daemon, or a view without data. */
struct str cache_find(enum face, struct str raw);
/* epoch: cache_epoch() of when policyd was asked. */
void	 cache_store(enum face, struct str raw, struct str head,
	    uint32_t epoch);
/* Something that a verdict may depend on has changed. */
void	 cache_clear(void);
uint32_t cache_epoch(void);

#endif
