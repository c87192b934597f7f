/*
 * Respawn pauses and the idle timer: arithmetic on time.
 */
#include <check.h>

#include "master/clock.h"
#include "master/idle.h"
#include "master/throttle.h"

START_TEST(doubles_up_to_a_bound)
{
	static const uint32_t wanted[] = { 0, 100, 200, 400, 800, 1600, 3200,
		6400, 12800, 25600, 30000, 30000, 30000 };
	struct throttle t = { 0 };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		ck_assert_uint_eq(throttle_next(&t, 10), wanted[i]);
}
END_TEST

START_TEST(a_minute_of_health_resets_it)
{
	struct throttle t = { 0 };

	for (int i = 0; i < 5; i++)
		throttle_next(&t, 0);
	ck_assert_uint_eq(throttle_next(&t, 59999), 1600);
	ck_assert_uint_eq(throttle_next(&t, 60000), 0);
	ck_assert_uint_eq(throttle_next(&t, 0), 100);
}
END_TEST

static uint64_t
left_after(const struct msg_pong *was, const struct msg_pong *now,
    bool is_worker)
{
	struct idle idle = { 10000, clock_ms() - 9000 };

	idle_note(&idle, was, now, is_worker);
	return idle_left(&idle);
}

START_TEST(what_counts_as_use)
{
	struct msg_pong none = { 0 }, active = { .active = 1 };
	struct msg_pong begun = { .requests = 1 };
	struct msg_pong open = { .connections = 5 };

	/* A stream that runs, and a request that came and went. */
	ck_assert_uint_gt(left_after(&active, &active, true), 9000);
	ck_assert_uint_gt(left_after(&none, &begun, true), 9000);
	/* Nothing new, and connections that are merely kept open. */
	ck_assert_uint_le(left_after(&begun, &begun, true), 1000);
	ck_assert_uint_le(left_after(&none, &open, true), 1000);
	/* policyd counts what workers count already. */
	ck_assert_uint_le(left_after(&none, &begun, false), 1000);
}
END_TEST

START_TEST(idle_ends)
{
	struct idle idle = { 1000, clock_ms() - 1000 };

	ck_assert_uint_eq(idle_left(&idle), 0);
	idle.last_use_ms -= 1000;
	ck_assert_uint_eq(idle_left(&idle), 0);
	idle_touch(&idle);
	ck_assert_uint_gt(idle_left(&idle), 500);
	idle.timeout_ms = 0;
	ck_assert_uint_eq(idle_left(&idle), UINT64_MAX);
}
END_TEST

Suite *throttle_suite(void);

Suite *
throttle_suite(void)
{
	Suite *s = suite_create("throttle");
	TCase *c = tcase_create("throttle");

	tcase_add_test(c, doubles_up_to_a_bound);
	tcase_add_test(c, a_minute_of_health_resets_it);
	tcase_add_test(c, what_counts_as_use);
	tcase_add_test(c, idle_ends);
	suite_add_tcase(s, c);
	return s;
}
