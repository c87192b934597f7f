/*
 * How long a dead child stays dead: at once the first time, then longer and
 * longer, until one has lived for a while.  Pure arithmetic.
 */
#ifndef MASTER_THROTTLE_H
#define MASTER_THROTTLE_H

#include <stdint.h>

enum {
	THROTTLE_FIRST_MS = 100,
	THROTTLE_MAX_MS = 30 * 1000,
	THROTTLE_HEALTHY_MS = 60 * 1000
};

struct throttle {
	uint32_t	 next_ms;	/* 0: at once */
};

/* The pause before the next start of a child that lived so long. */
uint32_t throttle_next(struct throttle *, uint64_t lived_ms);

#endif
