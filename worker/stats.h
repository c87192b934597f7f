/*
 * Counters for PONG, since this process started.
 */
#ifndef WORKER_STATS_H
#define WORKER_STATS_H

#include <stdint.h>

#include "common/message.h"
#include "common/reason.h"

struct stats {
	uint64_t	 active;	/* requests and streams under way */
	uint64_t	 requests;
	uint64_t	 connections;
	uint64_t	 refused[R_COUNT];
};

extern struct stats stats;

void	 stats_refused(int reason);
void	 stats_fill(struct msg_pong *);

#endif
