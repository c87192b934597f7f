/*
 * Sums the counters that came with the last PONG of each worker.  policyd's
 * are left out: it counts what a worker counts already.
 */
#include "common/reason.h"
#include "master/master.h"

static_assert(R_COUNT <= 256, "refusals are counted by reason in 256 places");

void
counters_keep(struct counters *lost, const struct child *c)
{
	if (c->role != PROTO_WORKER)
		return;
	lost->requests += c->counters.requests;
	for (uint32_t i = 0; i < c->counters.refused_count; i++)
		lost->refused[i] += c->counters.refused[i];
}

void
counters_sum(const struct master *m, struct counters *sum)
{
	*sum = m->lost;
	for (unsigned i = 1; i < m->child_count; i++) {
		counters_keep(sum, &m->child[i]);
		sum->active += m->child[i].counters.active;
		sum->connections += m->child[i].counters.connections;
	}
}
