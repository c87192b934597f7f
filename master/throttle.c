/*
 * 0, 100 ms, 200 ms, ... 30 s; back to 0 after a minute of health.
 */
#include "master/throttle.h"

uint32_t
throttle_next(struct throttle *t, uint64_t lived_ms)
{
	uint32_t pause;

	if (lived_ms >= THROTTLE_HEALTHY_MS)
		t->next_ms = 0;
	pause = t->next_ms;
	t->next_ms = pause == 0 ? THROTTLE_FIRST_MS : pause * 2;
	if (t->next_ms > THROTTLE_MAX_MS)
		t->next_ms = THROTTLE_MAX_MS;
	return pause;
}
