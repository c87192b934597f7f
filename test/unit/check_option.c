/*
 * Flags, twins and defaults, and each way in which a value can be bad.
 */
#include <string.h>

#include <check.h>

#include "common/log.h"
#include "common/message.h"
#include "master/option.h"

static struct options options;
static struct fault fault;
static char *no_env[] = { NULL };

static char *
word(const char *text)
{
	static char words[16][128];
	static int next;
	char *out = words[next++ % 16];

	strncpy(out, text, sizeof(words[0]) - 1);
	return out;
}

static int
parse(const char *one, const char *two, char **env)
{
	char *argv[] = { word("container-gateway"),
		one != NULL ? word(one) : NULL,
		two != NULL ? word(two) : NULL, NULL };
	int argc = 1 + (one != NULL) + (two != NULL);

	memset(&fault, 0, sizeof(fault));
	return option_parse(&options, argc, argv, env, &fault);
}

START_TEST(defaults)
{
	ck_assert_int_eq(parse(NULL, NULL, no_env), 0);
	ck_assert_str_eq(options.project, ".");
	ck_assert_ptr_null(options.run_dir);
	ck_assert_uint_eq(options.egress, EGRESS_INJECT);
	ck_assert_uint_eq(options.egress_port, 8899);
	ck_assert_uint_eq(options.workers, 2);
	ck_assert_uint_eq(options.log_level, LOG_INFO);
	ck_assert_uint_eq(options.idle_seconds, 4 * 3600);
	ck_assert_uint_eq(options.daemon, 0);
	ck_assert_uint_eq(options.image_load, 0);
	ck_assert_uint_eq(options.backend.count, 0);
}
END_TEST

START_TEST(flag_before_twin_before_default)
{
	char *env[] = { word("CONTAINER_GATEWAY_WORKERS=7"),
		word("CONTAINER_GATEWAY_EGRESS_PORT=1234"),
		word("CONTAINER_GATEWAY_RUN_DIR="), NULL };

	ck_assert_int_eq(parse("--workers", "5", env), 0);
	ck_assert_uint_eq(options.workers, 5);
	ck_assert_uint_eq(options.egress_port, 1234);
	/* An empty variable is one that is not set. */
	ck_assert_ptr_null(options.run_dir);
}
END_TEST

START_TEST(both_spellings_of_a_value)
{
	ck_assert_int_eq(parse("--egress=off", "serve", no_env), 0);
	ck_assert_uint_eq(options.egress, EGRESS_OFF);
	ck_assert_int_eq(parse("--egress", "require", no_env), 0);
	ck_assert_uint_eq(options.egress, EGRESS_REQUIRE);
	ck_assert_int_eq(parse("--log-level=debug", "--daemon", no_env), 0);
	ck_assert_uint_eq(options.log_level, LOG_DEBUG);
	ck_assert_uint_eq(options.daemon, 1);
}
END_TEST

START_TEST(lists)
{
	char *env[] = { word("CONTAINER_GATEWAY_BACKEND=docker=/a:podman=/b"),
		word("CONTAINER_GATEWAY_EXTRA_BIND_ROOT=/x"), NULL };

	ck_assert_int_eq(parse(NULL, NULL, env), 0);
	ck_assert_uint_eq(options.backend.count, 2);
	ck_assert_str_eq(options.backend.text[0], "docker=/a");
	ck_assert_str_eq(options.backend.text[1], "podman=/b");
	ck_assert_uint_eq(options.extra_root.count, 1);
	option_free(&options);

	/* A flag replaces the twin's whole list. */
	ck_assert_int_eq(parse("--backend=podman", "--backend=docker", env),
	    0);
	ck_assert_uint_eq(options.backend.count, 2);
	ck_assert_str_eq(options.backend.text[0], "podman");
	option_free(&options);
}
END_TEST

START_TEST(too_many_in_a_list)
{
	char flag[] = "--backend=docker", name[] = "x";
	char *argv[OPTION_LIST_MAX + 3];

	argv[0] = name;
	for (int i = 1; i <= OPTION_LIST_MAX + 1; i++)
		argv[i] = flag;
	argv[OPTION_LIST_MAX + 2] = NULL;
	ck_assert_int_eq(option_parse(&options, OPTION_LIST_MAX + 1, argv,
	    no_env, &fault), 0);
	ck_assert_int_ne(option_parse(&options, OPTION_LIST_MAX + 2, argv,
	    no_env, &fault), 0);
	ck_assert_int_eq(fault.code, FAULT_USAGE);
}
END_TEST

static const struct {
	const char *one, *two, *env, *says;
} bad[] = {
	{ "--workers", "0", NULL, "--workers: 0 is not a number from 1 to 64" },
	{ "--workers", "65", NULL, "from 1 to 64" },
	{ "--workers", "2x", NULL, "--workers: 2x is not" },
	{ "--workers", "-1", NULL, "from 1 to 64" },
	{ "--workers", "+1", NULL, "from 1 to 64" },
	{ "--workers", " 1", NULL, "from 1 to 64" },
	{ "--workers", "99999999999999999999", NULL, "from 1 to 64" },
	{ "--workers", NULL, NULL, "--workers needs a value (N)" },
	{ "--workers=", NULL, NULL, "--workers: \"\" is not" },
	{ "--egress-port", "0", NULL, "from 1 to 65535" },
	{ "--egress-port", "65536", NULL, "from 1 to 65535" },
	{ "--egress", "on", NULL,
	  "--egress: on is not one of inject-if-available, require, off" },
	{ "--log-level", "loud", NULL,
	  "loud is not one of error, warn, info, debug" },
	{ "--idle-timeout", "soon", NULL, "--idle-timeout: soon is not a dura" },
	{ "--idle-timeout", "4hours", NULL, "not a duration" },
	{ "--idle-timeout", "", NULL, "not a duration" },
	{ "--idle-timeout", "-1h", NULL, "not a duration" },
	{ "--idle-timeout", "99999999999999999999h", NULL, "not a duration" },
	{ "--project", "", NULL, "--project: \"\" is not a path" },
	{ "--backend", "", NULL, "--backend: \"\" is not a value" },
	{ "--daemon=yes", NULL, NULL, "--daemon takes no value" },
	{ "--protect", "x", NULL, "--protect is not a flag" },
	{ "--socket-bind=deny", NULL, NULL, "--socket-bind is not a flag" },
	{ "--buildkit=refuse", NULL, NULL, "--buildkit is not a flag" },
	{ "--work", "2", NULL, "--work is not a flag" },
	{ "-h", NULL, NULL, "\"-h\" is neither a flag nor" },
	{ "--", NULL, NULL, "\"--\" is neither a flag nor" },
	{ "stop", NULL, NULL, "\"stop\" is neither a flag nor" },
	{ "serve", "serve", NULL, "\"serve\" is neither a flag nor" },
	{ "--egress", "a\nb", NULL, "--egress: a\\x0ab is not" },
	{ NULL, NULL, "CONTAINER_GATEWAY_WORKERS=many",
	  "CONTAINER_GATEWAY_WORKERS: many is not a number" },
	{ NULL, NULL, "CONTAINER_GATEWAY_DAEMON=perhaps",
	  "CONTAINER_GATEWAY_DAEMON: perhaps is not 1 or 0" },
	{ NULL, NULL, "CONTAINER_GATEWAY_BACKEND=docker::podman",
	  "CONTAINER_GATEWAY_BACKEND: \"\" is not a value" },
};

START_TEST(bad_values)
{
	char *env[] = { bad[_i].env != NULL ? word(bad[_i].env) : NULL, NULL };

	ck_assert_int_lt(parse(bad[_i].one, bad[_i].two, env), 0);
	ck_assert_int_eq(fault.code, FAULT_USAGE);
	ck_assert_msg(strstr(fault.text, bad[_i].says) != NULL, "\"%s\"",
	    fault.text);
	ck_assert_ptr_null(strchr(fault.text, '\n'));
}
END_TEST

START_TEST(switches_by_twin)
{
	char *on[] = { word("CONTAINER_GATEWAY_ALLOW_IMAGE_LOAD=true"), NULL };
	char *off[] = { word("CONTAINER_GATEWAY_ALLOW_IMAGE_LOAD=0"), NULL };

	ck_assert_int_eq(parse(NULL, NULL, on), 0);
	ck_assert_uint_eq(options.image_load, 1);
	ck_assert_int_eq(parse(NULL, NULL, off), 0);
	ck_assert_uint_eq(options.image_load, 0);
}
END_TEST

START_TEST(durations)
{
	static const struct {
		const char *text;
		uint64_t seconds;
	} good[] = {
		{ "0", 0 }, { "1", 1 }, { "90s", 90 }, { "30m", 1800 },
		{ "4h", 14400 }, { "1d", 86400 }, { "1h30m", 5400 },
		{ "0s", 0 }, { "3650d", UINT64_C(315360000) }
	};
	uint64_t seconds;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		ck_assert_int_eq(option_parse_duration(good[i].text, &seconds),
		    0);
		ck_assert_uint_eq(seconds, good[i].seconds);
	}
	ck_assert_int_ne(option_parse_duration("3651d", &seconds), 0);
	ck_assert_int_ne(option_parse_duration("1h x", &seconds), 0);
}
END_TEST

START_TEST(help_names_each_flag)
{
	static const char *const flags[] = { "--project DIR", "--run-dir DIR",
		"--pid-file FILE", "--bind-root DIR", "--backend KIND[=SOCKET]",
		"--extra-bind-root DIR", "--allow-image-load", "--egress MODE",
		"--egress-port N", "--idle-timeout DURATION",
		"--log-file FILE", "--workers N", "--log-level LEVEL",
		"--daemon", "--help", "--version", "(default: 8899)",
		"(default: 4h)" };
	char text[8192] = "";
	FILE *to = fmemopen(text, sizeof(text), "w");

	option_print_help(to);
	fclose(to);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		ck_assert_msg(strstr(text, flags[i]) != NULL, "%s", flags[i]);
	ck_assert_ptr_null(strstr(text, "--protect"));
}
END_TEST

Suite *option_suite(void);

Suite *
option_suite(void)
{
	Suite *s = suite_create("option");
	TCase *c = tcase_create("option");

	tcase_add_test(c, defaults);
	tcase_add_test(c, flag_before_twin_before_default);
	tcase_add_test(c, both_spellings_of_a_value);
	tcase_add_test(c, lists);
	tcase_add_test(c, too_many_in_a_list);
	tcase_add_loop_test(c, bad_values, 0, sizeof(bad) / sizeof(*bad));
	tcase_add_test(c, switches_by_twin);
	tcase_add_test(c, durations);
	tcase_add_test(c, help_names_each_flag);
	suite_add_tcase(s, c);
	return s;
}
