/*
 * Where daemons are looked for, and what --backend makes of it.
 */
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "common/log.h"
#include "master/candidate.h"
#include "test/unit/tree.h"

static struct candidates list;
static struct fault fault;

static void
set_up(void)
{
	tree_make();
	setenv("HOME", tree_path(""), 1);
	setenv("XDG_RUNTIME_DIR", tree_path("run"), 1);
	log_init("unit", LOG_ERROR);
}

static void
candidates(const char *one, const char *two)
{
	struct option_list backend = { .count = two != NULL ? 2 : one != NULL,
		.text = { one, two } };

	ck_assert_int_eq(candidate_list(&list, &backend, &fault), 0);
}

static bool
lists(const char *path, uint8_t kind, uint8_t place)
{
	for (unsigned i = 0; i < list.count; i++) {
		const struct candidate *c = &list.at[i];

		if (strcmp(c->path, path) == 0 && c->kind == kind &&
		    c->place == place)
			return true;
	}
	return false;
}

START_TEST(known_places)
{
	candidates(NULL, NULL);
	ck_assert(lists("/var/run/docker.sock", BACKEND_DOCKER,
	    CANDIDATE_NATIVE));
	ck_assert(lists(tree_path("run/docker.sock"), BACKEND_DOCKER,
	    CANDIDATE_ROOTLESS));
	ck_assert(lists(tree_path(".docker/desktop/docker.sock"),
	    BACKEND_DOCKER, CANDIDATE_MACHINE));
	ck_assert(lists(tree_path(".colima/default/docker.sock"),
	    BACKEND_DOCKER, CANDIDATE_MACHINE));
	ck_assert(lists(tree_path(".orbstack/run/docker.sock"),
	    BACKEND_DOCKER, CANDIDATE_MACHINE));
	ck_assert(lists(tree_path(".rd/docker.sock"), BACKEND_DOCKER,
	    CANDIDATE_MACHINE));
	ck_assert(lists(tree_path("run/podman/podman.sock"), BACKEND_PODMAN,
	    CANDIDATE_ROOTLESS));
	ck_assert(lists("/run/podman/podman.sock", BACKEND_PODMAN,
	    CANDIDATE_NATIVE));
	ck_assert(lists(tree_path(".local/share/containers/podman/machine/"
	    "podman.sock"), BACKEND_PODMAN, CANDIDATE_MACHINE));
	/* The user's own before the system's. */
	ck_assert_str_eq(list.at[0].path,
	    tree_path("run/docker.sock"));
}
END_TEST

START_TEST(environment_that_names_our_own_sockets)
{
	setenv("DOCKER_HOST", "unix:///gateway/docker.sock", 1);
	setenv("CONTAINER_HOST", "unix:///gateway/podman.sock", 1);
	candidates(NULL, NULL);
	for (unsigned i = 0; i < list.count; i++)
		ck_assert_ptr_null(strstr(list.at[i].path,
		    "gateway"));
}
END_TEST

START_TEST(kinds_and_sockets)
{
	candidates("docker", NULL);
	for (unsigned i = 0; i < list.count; i++)
		ck_assert_uint_eq(list.at[i].kind,
		    BACKEND_DOCKER);
	candidates("docker=/x/d.sock", "podman=unix:///y/p.sock");
	ck_assert_uint_eq(list.count, 2);
	ck_assert(lists("/x/d.sock", BACKEND_DOCKER, CANDIDATE_NATIVE));
	ck_assert(lists("/y/p.sock", BACKEND_PODMAN, CANDIDATE_NATIVE));
	candidates("podman=/run/podman/podman.sock", NULL);
	ck_assert(lists("/run/podman/podman.sock", BACKEND_PODMAN,
	    CANDIDATE_NATIVE));
}
END_TEST

START_TEST(bad_backends)
{
	static const char *const bad[] = { "dockr", "auto=/x", "docker=",
		"docker=x.sock", "podman=tcp://1.2.3.4", "=/x", "DOCKER" };
	struct option_list backend = { .count = 1 };
	char path[160] = "docker=/";

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		backend.text[0] = bad[i];
		ck_assert_int_lt(candidate_list(&list, &backend,
		    &fault), 0);
		ck_assert_int_eq(fault.code, FAULT_USAGE);
	}
	memset(path + 8, 'x', 107);
	backend.text[0] = path;
	ck_assert_int_lt(candidate_list(&list, &backend, &fault),
	    0);
	path[8 + 106] = '\0';
	ck_assert_int_eq(candidate_list(&list, &backend, &fault),
	    0);
}
END_TEST

static const struct {
	const char	*one, *two;	/* --backend */
	bool		 permits;
} wishes[] = {
	{ NULL, NULL, true },
	{ "auto", NULL, true },
	{ "podman", NULL, true },
	{ "docker=/x/d.sock", "podman", true },
	{ "podman", "docker=/x/d.sock", true },
	{ "docker", NULL, false },
	{ "docker=/x/d.sock", "podman=/x/p.sock", false },
};

START_TEST(who_permits_the_service)
{
	const struct candidates *c = &list;
	unsigned count = 0;

	candidates(wishes[_i].one, wishes[_i].two);
	for (unsigned i = 0; i < c->count; i++)
		count += c->at[i].is_embedded;
	ck_assert_uint_eq(count, wishes[_i].permits);
	ck_assert(c->at[c->count - 1].is_embedded == wishes[_i].permits);
}
END_TEST

Suite *candidate_suite(void);

Suite *
candidate_suite(void)
{
	Suite *s = suite_create("candidate");
	TCase *c = tcase_create("candidate");

	tcase_add_checked_fixture(c, set_up, tree_remove);
	tcase_add_test(c, known_places);
	tcase_add_test(c, environment_that_names_our_own_sockets);
	tcase_add_test(c, kinds_and_sockets);
	tcase_add_test(c, bad_backends);
	tcase_add_loop_test(c, who_permits_the_service, 0, sizeof(wishes) /
	    sizeof(*wishes));
	suite_add_tcase(s, c);
	return s;
}
