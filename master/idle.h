/*
 * Whether the gateway is used, and for how long it has not been.
 */
#ifndef MASTER_IDLE_H
#define MASTER_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/message.h"

struct idle {
	uint64_t	 timeout_ms;	/* 0: never */
	uint64_t	 last_use_ms;
};

void	 idle_touch(struct idle *);
/* A worker's counters, before and now: requests and streams are use, open
 * connections are not. */
void	 idle_note(struct idle *, const struct msg_pong *was,
	    const struct msg_pong *now, bool is_worker);
/* Milliseconds left; UINT64_MAX without a timeout. */
uint64_t idle_left(const struct idle *);

#endif
