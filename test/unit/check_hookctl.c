/*
 * hookctl's pure parts, by tables: prefilter, payloads, the harness' options,
 * log lines.  What touches the file system is in check_grants.c; what needs a
 * gateway in test/system.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <check.h>

#include "hookctl/harness.h"
#include "hookctl/json.h"
#include "hookctl/logline.h"
#include "hookctl/payload.h"
#include "hookctl/prefilter.h"
#include "hookctl/record.h"
#include "hookctl/shell.h"

Suite	*hookctl_suite(void);

/* clang-format off */
static const struct {
	const char	*payload;
	bool		 mentions;
} prefilter_rows[] = {
	{ "{\"command\":\"ls\"}",			false },
	{ "{\"command\":\"docker ps\"}",		true },
	{ "{\"command\":\"podman\"}",			true },
	{ "{\"command\":\"do\\\\cker\"}",		true },
	{ "{\"command\":\"d\\\"ock\\\"er\"}",		true },
	{ "{\"command\":\"d'ock'er\"}",			true },
	{ "{\"command\":\"doc\\\\\\nker\"}",		true },
	{ "{\"command\":\"doc\\nker\"}",		false },
	{ "{\"command\":\"doc\\tker\"}",		false },
	{ "{\"command\":\"\\u0064ocker\"}",		true },
	{ "{\"command\":\"\\u0044ocker\"}",		false },
	{ "{\"command\":\"doc\\u005cker\"}",		true },
	{ "{\"command\":\"doc\\u005c\\u000aker\"}",	true },
	{ "{\"command\":\"dock\\u00e9r\"}",		false },
	{ "{\"command\":\"pod\\u006dan\"}",		true },
	{ "{\"command\":\"pod\\u006D\\u0061n\"}",	true },
	{ "{\"a\":\"doc\",\"b\":\"ker\"}",		false },
	{ "docke",					false },
	{ "dock\\",					false },
	{ "dock\\u",					false },
	{ "dock\\u006",					false },
	{ "",						false }
};
/* clang-format on */

START_TEST(prefilter_sees_through_escapes)
{
	struct str text = str_from(prefilter_rows[_i].payload);

	ck_assert_msg(prefilter_mentions_engine(text) ==
	    prefilter_rows[_i].mentions, "%s", prefilter_rows[_i].payload);
}
END_TEST

/* Whatever the encoding: what the classifier would see, the prefilter sees. */
START_TEST(prefilter_never_hides_a_mention)
{
	static const char *const pieces[] = { "d", "o", "ck", "er", "\\\\",
		"\\\"", "'", "\\n", "\\u0064", "\\u005c", "\\u000a", "p",
		"odman", " ", "\\t", "docker" };
	unsigned seed = (unsigned)_i;

	for (int n = 0; n < 2000; n++) {
		char text[512] = "{\"c\":\"";
		struct json_object *json;
		const char *command;

		for (int k = 0; k < 12; k++) {
			seed = seed * 1103515245 + 12345;
			snprintf(text + strlen(text), sizeof(text) -
			    strlen(text), "%s", pieces[(seed >> 16) % 16]);
		}
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
		    "\"}");
		json = json_read(str_from(text), JSON_DEPTH);
		ck_assert_ptr_nonnull(json);
		command = json_get_text(json, "c");
		if (shell_mentions_engine(str_from(command)))
			ck_assert_msg(prefilter_mentions_engine(
			    str_from(text)), "%s", text);
		json_object_put(json);
	}
}
END_TEST

/* clang-format off */
static const struct {
	const char	*id;
	bool		 is_good;
} id_rows[] = {
	{ "3f2a7a54-1b2c-4d5e-8f90-aabbccddeeff", true },
	{ "a", true }, { "A_b-9", true }, { "0", true },
	{ "", false }, { ".", false }, { "..", false }, { "../x", false },
	{ "a/b", false }, { "a.b", false }, { "-a", false }, { "_a", false },
	{ "a b", false }, { "a\n", false }, { "\xc3\xa9", false }
};
/* clang-format on */

START_TEST(id_has_no_path_in_it)
{
	ck_assert_msg(!!payload_is_id(id_rows[_i].id) == id_rows[_i].is_good,
	    "%s", id_rows[_i].id);
}
END_TEST

START_TEST(id_is_bounded)
{
	char id[PAYLOAD_ID_MAX + 2];

	memset(id, 'a', sizeof(id));
	id[PAYLOAD_ID_MAX] = '\0';
	ck_assert(payload_is_id(id));
	id[PAYLOAD_ID_MAX] = 'a';
	id[PAYLOAD_ID_MAX + 1] = '\0';
	ck_assert(!payload_is_id(id));
}
END_TEST

#define HEAD	"{\"session_id\":\"s\",\"hook_event_name\":\"PreToolUse\""

/* clang-format off */
static const struct {
	const char	*text;
	bool		 is_good;
	const char	*command;	/* where it is good */
} payload_rows[] = {
	{ HEAD "}",						true,	"" },
	{ HEAD "} \n",						true,	"" },
	{ HEAD ",\"tool_input\":{\"command\":\"a b\"}}",	true,	"a b" },
	{ HEAD ",\"tool_input\":{\"command\":\"a\",\"command\":\"b\"}}", true, "b" },
	{ HEAD ",\"tool_input\":{\"command\":7}}",		true,	"" },
	{ HEAD ",\"tool_input\":7}",				true,	"" },
	{ HEAD ",\"new_field\":[{}]}",				true,	"" },
	{ HEAD ",\"cwd\":\"relative\"}",			true,	"" },
	{ HEAD "",						false,	NULL },
	{ HEAD "} x",						false,	NULL },
	{ HEAD "}{}",						false,	NULL },
	{ "[" HEAD "}]",					false,	NULL },
	{ "{'session_id':'s','hook_event_name':'PreToolUse'}",	false,	NULL },
	{ HEAD ",\"a\\u0000b\":1}",				false,	NULL },
	{ HEAD ",\"a\":\"\xff\"}",				false,	NULL },
	{ "{\"session_id\":\"../s\",\"hook_event_name\":\"PreToolUse\"}", false, NULL },
	{ "{\"session_id\":7,\"hook_event_name\":\"PreToolUse\"}", false, NULL },
	{ "{\"session_id\":\"s\",\"hook_event_name\":\"SessionEnd\"}", false, NULL },
	{ "{\"session_id\":\"s\"}",				false,	NULL },
	{ "",							false,	NULL },
	{ "null",						false,	NULL }
};
/* clang-format on */

START_TEST(payload_is_strict)
{
	struct payload p;
	bool good = payload_read(&p, str_from(payload_rows[_i].text),
	    "PreToolUse") == 0;

	ck_assert_msg(good == payload_rows[_i].is_good, "%s",
	    payload_rows[_i].text);
	if (!good)
		return;
	ck_assert(str_is(p.command, payload_rows[_i].command));
	ck_assert_ptr_null(p.cwd);
	payload_free(&p);
}
END_TEST

START_TEST(payload_depth_is_bounded)
{
	char text[512] = HEAD ",\"a\":";
	struct payload p;

	memset(text + strlen(text), '[', 64);
	ck_assert_int_ne(payload_read(&p, str_from(text), "PreToolUse"), 0);
}
END_TEST

struct option_row {
	const char	*cmdline;	/* words end in NUL */
	size_t		 len;
	const char	*expected;	/* "kind:value " ... */
};
#define CMD(text)	text, sizeof(text) - 1

/* clang-format off */
static const struct option_row option_rows[] = {
	{ CMD("claude\0"),					"" },
	{ CMD("claude\0--add-dir\0/a\0/b\0-p\0/c\0"),		"1:/a 1:/b " },
	{ CMD("claude\0--add-dir=/a\0/b\0"),			"1:/a " },
	{ CMD("claude\0--settings\0/s\0/x\0"),			"0:/s " },
	{ CMD("claude\0--settings={\"a\":1}\0"),		"0:{\"a\":1} " },
	{ CMD("claude\0--allowedTools\0Edit(/a b),Read\0Bash\0"), "2:Edit(/a b) 2:Read 2:Bash " },
	{ CMD("claude\0--allowed-tools=Bash(x:*) Edit(//y/**)\0"), "2:Bash(x:*) 2:Edit(//y/**) " },
	{ CMD("claude\0--add-directory\0/a\0"),			"" },
	{ CMD("claude\0--allowedTools\0((((\0"),			"2:(((( " }
};
/* clang-format on */

static int
append_option(const struct harness_option *o, void *arg, struct fault *fault)
{
	char *text = arg;

	(void)fault;
	snprintf(text + strlen(text), 256 - strlen(text), "%d:%s ",
	    (int)o->kind, o->value);
	return 0;
}

START_TEST(harness_options_are_read)
{
	const struct option_row *row = &option_rows[_i];
	char got[256] = "";
	struct fault fault = { 0 };

	ck_assert_int_eq(harness_read_options(row->cmdline, row->len,
	    append_option, got, &fault), 0);
	ck_assert_str_eq(got, row->expected);
}
END_TEST

START_TEST(harness_knows_start_times)
{
	uint64_t own = harness_start_time(getpid());

	ck_assert_uint_gt(own, 0);
	ck_assert_uint_ge(own, harness_start_time(getppid()));
	ck_assert_uint_eq(harness_start_time(0), 0);
	ck_assert_uint_eq(harness_start_time(-1), 0);
}
END_TEST

#define LINE	"2026-12-01T03:46:50.123Z worker[17] info event=deny"

/* clang-format off */
static const struct {
	const char	*line;
	bool		 is_good;
	const char	*path;
} line_rows[] = {
	{ LINE,						true,	"" },
	{ LINE " path=/a method=POST",			true,	"/a" },
	{ LINE " field=\"a b\" path=/a",		true,	"/a" },
	{ LINE " field=\"a\\x22 path=/b\" path=/a",	true,	"/a" },
	{ LINE " path=\"\"",				true,	"" },
	{ LINE " path",					false,	NULL },
	{ LINE " path=\"x",				false,	NULL },
	{ LINE " path=\"x\"y",				false,	NULL },
	{ LINE " \033[31m",				false,	NULL },
	{ "event=deny path=/a",				false,	NULL },
	{ "",						false,	NULL }
};
/* clang-format on */

START_TEST(log_lines_are_taken_apart)
{
	struct logline l;
	bool good = logline_read(&l, str_from(line_rows[_i].line));

	ck_assert_msg(good == line_rows[_i].is_good, "%s", line_rows[_i].line);
	if (!good)
		return;
	ck_assert(str_is(l.event, "deny"));
	ck_assert(str_is(logline_get(&l, "path"), line_rows[_i].path));
}
END_TEST

START_TEST(log_values_are_unescaped)
{
	char out[16];

	ck_assert_uint_eq(logline_unescape(out, sizeof(out),
	    STR("a\\x20b\\x")), 5);
	ck_assert_str_eq(out, "a b\\x");
	ck_assert_uint_eq(logline_unescape(out, 3, STR("abcdef")), 2);
	ck_assert_str_eq(out, "ab");
}
END_TEST

START_TEST(paths_survive_a_record)
{
	static const char *const paths[] = { "/a", "/\xc3\xa9", "/\xff\xfe",
		"/\xc3", "/a \"b\"\\\n" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct json_object *json = json_object_new_object(), *back;
		char got[PATH_MAX];

		record_put_path(json, "p", paths[i]);
		back = json_read(str_from(json_line(json)), JSON_DEPTH);
		ck_assert_ptr_nonnull(back);
		ck_assert(record_get_path(back, "p", got));
		ck_assert_str_eq(got, paths[i]);
		json_object_put(back);
		json_object_put(json);
	}
}
END_TEST

#define COUNT(table)	((int)(sizeof(table) / sizeof(*(table))))

Suite *
hookctl_suite(void)
{
	Suite *suite = suite_create("hookctl");
	TCase *tcase = tcase_create("pure");

	tcase_add_loop_test(tcase, prefilter_sees_through_escapes,
	    0, COUNT(prefilter_rows));
	tcase_add_loop_test(tcase, prefilter_never_hides_a_mention, 0, 4);
	tcase_add_loop_test(tcase, id_has_no_path_in_it, 0, COUNT(id_rows));
	tcase_add_test(tcase, id_is_bounded);
	tcase_add_loop_test(tcase, payload_is_strict, 0, COUNT(payload_rows));
	tcase_add_test(tcase, payload_depth_is_bounded);
	tcase_add_loop_test(tcase, harness_options_are_read,
	    0, COUNT(option_rows));
	tcase_add_test(tcase, harness_knows_start_times);
	tcase_add_loop_test(tcase, log_lines_are_taken_apart,
	    0, COUNT(line_rows));
	tcase_add_test(tcase, log_values_are_unescaped);
	tcase_add_test(tcase, paths_survive_a_record);
	suite_add_tcase(suite, tcase);
	return suite;
}
