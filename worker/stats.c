/*
 * Counters.  Whoever begins or ends something counts it here.
 */
#include <assert.h>
#include <string.h>

#include "worker/stats.h"

struct stats stats;

static_assert(R_COUNT <= sizeof(((struct msg_pong *)0)->refused) /
    sizeof(uint64_t), "every reason has a counter in PONG");

void
stats_refused(int reason)
{
	if (reason <= 0 || reason >= R_COUNT)
		reason = R_INTERNAL;
	stats.refused[reason]++;
}

void
stats_fill(struct msg_pong *m)
{
	m->active = stats.active;
	m->requests = stats.requests;
	m->connections = stats.connections;
	m->refused_count = R_COUNT;
	memcpy(m->refused, stats.refused, sizeof(stats.refused));
}
