/*
 * The idle timer, moved on by the counters that come with each PONG.
 */
#include "master/clock.h"
#include "master/idle.h"

void
idle_touch(struct idle *i)
{
	i->last_use_ms = clock_ms();
}

void
idle_note(struct idle *i, const struct msg_pong *was,
    const struct msg_pong *now, bool is_worker)
{
	if (is_worker && (now->active > 0 || now->requests != was->requests))
		idle_touch(i);
}

uint64_t
idle_left(const struct idle *i)
{
	uint64_t unused = clock_ms() - i->last_use_ms;

	if (i->timeout_ms == 0)
		return UINT64_MAX;
	return unused < i->timeout_ms ? i->timeout_ms - unused : 0;
}
