/*
 * Milliseconds that only grow, whatever is done to the wall clock.
 */
#ifndef MASTER_CLOCK_H
#define MASTER_CLOCK_H

#include <stdint.h>
#include <sys/time.h>
#include <time.h>

static inline uint64_t
clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* For libevent's timers. */
static inline struct timeval
clock_interval(uint64_t ms)
{
	return (struct timeval){ (time_t)(ms / 1000),
		(suseconds_t)(ms % 1000 * 1000) };
}

#endif
