/*
 * What the workers did, summed; those that are gone are not forgotten.
 */
#ifndef MASTER_COUNTERS_H
#define MASTER_COUNTERS_H

#include <stdint.h>

struct child;
struct master;

struct counters {
	uint64_t	 active;
	uint64_t	 connections;
	uint64_t	 requests;
	uint64_t	 refused[256];		/* by enum reason */
};

void	 counters_sum(const struct master *, struct counters *);
/* Before a child is forgotten: keeps what it has done. */
void	 counters_keep(struct counters *lost, const struct child *);

#endif
