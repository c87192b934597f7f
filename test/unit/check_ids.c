/*
 * The set of known own ids: what goes in comes out, with its parent; what is
 * no full id never does; a full set forgets, and never invents.
 */
#include <stdio.h>

#include <check.h>

#include "policyd/judge.h"

Suite	*ids_suite(void);

enum { ID = 64, MANY = 20000 };

/* A full id made of a number, spread over all digits. */
static struct str
make_id(char *text, unsigned long long n)
{
	unsigned long long mixed = n * 0x9e3779b97f4a7c15u;

	for (int i = 0; i < ID / 16; i++) {
		snprintf(text + i * 16, 17, "%016llx", mixed ^ (n << i));
		mixed = mixed * 6364136223846793005u + 1442695040888963407u;
	}
	return (struct str){ text, ID };
}

START_TEST(found_after_add)
{
	struct id_set *set = ids_new(16);
	char a[ID + 1], b[ID + 1], p[ID + 1];
	struct str parent;

	ck_assert(!ids_find(set, make_id(a, 1), &parent));
	ids_add(set, make_id(a, 1), STR_NONE);
	ids_add(set, make_id(b, 2), make_id(p, 3));
	ck_assert(ids_find(set, make_id(a, 1), &parent));
	ck_assert_uint_eq(parent.len, 0);
	ck_assert(ids_find(set, make_id(b, 2), &parent));
	ck_assert(str_equal(parent, make_id(p, 3)));
	/* A parent is no entry of its own. */
	ck_assert(!ids_find(set, make_id(p, 3), &parent));
	ids_free(set);
}
END_TEST

START_TEST(first_parent_stands)
{
	struct id_set *set = ids_new(16);
	char a[ID + 1], p[ID + 1], q[ID + 1];
	struct str parent;

	ids_add(set, make_id(a, 1), make_id(p, 2));
	ids_add(set, make_id(a, 1), make_id(q, 3));
	ck_assert(ids_find(set, make_id(a, 1), &parent));
	ck_assert(str_equal(parent, make_id(p, 2)));
	ids_free(set);
}
END_TEST

START_TEST(only_full_ids)
{
	static const char *const odd[] = { "", "a", "own",
		"1a2b3c4100000000000000000000000000000000000000000000000000000"
		"00", /* 63 */
		"1a2b3c4100000000000000000000000000000000000000000000000000000"
		"0000", /* 65 */
		"1A2B3C4100000000000000000000000000000000000000000000000000000"
		"000",
		"sha256:c41000000000000000000000000000000000000000000000000000"
		"000",
		"1a2b3c41000000000000000000000000000000000000000000000000000/0"
		"00" };
	struct id_set *set = ids_new(16);
	struct str parent;

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		ids_add(set, str_from(odd[i]), STR_NONE);
		ck_assert(!ids_find(set, str_from(odd[i]), &parent));
	}
	ids_free(set);
}
END_TEST

/* NUL is in no id, whatever strchr() finds it in. */
START_TEST(nul_is_no_digit)
{
	struct id_set *set = ids_new(16);
	char text[ID + 1];
	struct str id = make_id(text, 1), parent;

	text[40] = '\0';
	ids_add(set, id, STR_NONE);
	ck_assert(!ids_find(set, id, &parent));
	ids_free(set);
}
END_TEST

START_TEST(full_set_forgets)
{
	struct id_set *set = ids_new(1024);
	char text[ID + 1];
	struct str parent;
	unsigned known = 0;

	for (unsigned i = 0; i < MANY; i++)
		ids_add(set, make_id(text, i), STR_NONE);
	for (unsigned i = 0; i < MANY; i++)
		known += ids_find(set, make_id(text, i), &parent);
	ck_assert_uint_le(known, 1024);
	ck_assert_uint_gt(known, 512);
	/* The newest is always there. */
	ck_assert(ids_find(set, make_id(text, MANY - 1), &parent));
	for (unsigned i = MANY; i < 2 * MANY; i++)
		ck_assert(!ids_find(set, make_id(text, i), &parent));
	ids_free(set);
}
END_TEST

START_TEST(none_is_empty)
{
	char text[ID + 1];
	struct str parent;

	ids_add(NULL, make_id(text, 1), STR_NONE);
	ck_assert(!ids_find(NULL, make_id(text, 1), &parent));
	ids_free(NULL);
}
END_TEST

Suite *
ids_suite(void)
{
	Suite *suite = suite_create("ids");
	TCase *tc = tcase_create("set");

	tcase_add_test(tc, found_after_add);
	tcase_add_test(tc, first_parent_stands);
	tcase_add_test(tc, only_full_ids);
	tcase_add_test(tc, nul_is_no_digit);
	tcase_add_test(tc, full_set_forgets);
	tcase_add_test(tc, none_is_empty);
	suite_add_tcase(suite, tc);
	return suite;
}
