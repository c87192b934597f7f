/*
 * The cache of verdicts: the identical head on the same face, nothing else,
 * and nothing from before a change.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "worker/cache.h"

Suite	*cache_suite(void);

static void
store(enum face face, const char *raw, const char *head)
{
	cache_store(face, str_from(raw), str_from(head), cache_epoch());
}

static bool
is_found(enum face face, const char *raw, const char *head)
{
	struct str found = cache_find(face, str_from(raw));

	return found.data != NULL && str_is(found, head);
}

START_TEST(identical_only)
{
	store(FACE_DOCKER, "GET /a", "get a");
	ck_assert(is_found(FACE_DOCKER, "GET /a", "get a"));
	ck_assert(cache_find(FACE_PODMAN, STR("GET /a")).data == NULL);
	ck_assert(cache_find(FACE_DOCKER, STR("GET /b")).data == NULL);
	ck_assert(cache_find(FACE_DOCKER, STR("GET /a ")).data == NULL);
	ck_assert(cache_find(FACE_DOCKER, STR("GET /")).data == NULL);
	/* The first word stays. */
	store(FACE_DOCKER, "GET /a", "another");
	ck_assert(is_found(FACE_DOCKER, "GET /a", "get a"));
}
END_TEST

START_TEST(bounded)
{
	static char large[8 * 1024 + 1];
	char raw[32], head[32];
	unsigned found = 0;

	for (int i = 0; i < 1000; i++) {
		snprintf(raw, sizeof(raw), "GET /%d", i);
		snprintf(head, sizeof(head), "head %d", i);
		store(FACE_DOCKER, raw, head);
		ck_assert(is_found(FACE_DOCKER, raw, head));
		/* What is used stays. */
		ck_assert(i < 1 || is_found(FACE_DOCKER, "GET /0", "head 0"));
	}
	for (int i = 0; i < 1000; i++) {
		snprintf(raw, sizeof(raw), "GET /%d", i);
		found += cache_find(FACE_DOCKER, str_from(raw)).data != NULL;
	}
	ck_assert_uint_eq(found, 64);
	memset(large, 'a', sizeof(large) - 1);
	store(FACE_DOCKER, large, "x");
	ck_assert(cache_find(FACE_DOCKER, str_from(large)).data == NULL);
}
END_TEST

START_TEST(changes)
{
	uint32_t before = cache_epoch();

	store(FACE_DOCKER, "GET /a", "get a");
	cache_clear();
	ck_assert(cache_find(FACE_DOCKER, STR("GET /a")).data == NULL);
	/* Asked before the change; and right after it. */
	cache_store(FACE_DOCKER, STR("GET /a"), STR("get a"), before);
	store(FACE_DOCKER, "GET /b", "get b");
	ck_assert(cache_find(FACE_DOCKER, STR("GET /a")).data == NULL);
	ck_assert(cache_find(FACE_DOCKER, STR("GET /b")).data == NULL);
	sleep(3);
	cache_store(FACE_DOCKER, STR("GET /a"), STR("get a"), before);
	store(FACE_DOCKER, "GET /b", "get b");
	ck_assert(cache_find(FACE_DOCKER, STR("GET /a")).data == NULL);
	ck_assert(is_found(FACE_DOCKER, "GET /b", "get b"));
}
END_TEST

Suite *
cache_suite(void)
{
	Suite *suite = suite_create("cache");
	TCase *tc = tcase_create("cache");

	tcase_set_timeout(tc, 30);
	tcase_add_test(tc, identical_only);
	tcase_add_test(tc, bounded);
	tcase_add_test(tc, changes);
	suite_add_tcase(suite, tc);
	return suite;
}
