/*
 * Dockerfiles: test/policy/dockerfiles.tsv, a failing row names itself; and
 * what must hold for any text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "policyd/dockerfile.h"
#include "policyd/image_ref.h"

Suite	*dockerfile_suite(void);

enum { ROWS_MAX = 512, ROW_MAX = 4096, ARGS_MAX = 4 };

struct row {
	char	 line[ROW_MAX];		/* for messages */
	char	*engine, *verdict;
	char	*text;
	size_t	 len;
	size_t	 arg_count;
	struct pair arg[ARGS_MAX];
};

static struct row *rows[ROWS_MAX];
static int row_count;

/* One engine of a row's first column. */
static const struct engine {
	const char	*names;		/* columns that mean it, too */
	uint8_t		 kind;
	uint16_t	 major;
} engines[] = {
	{ "docker any", BACKEND_DOCKER, 0 },
	{ "podman podmans any", BACKEND_PODMAN, 5 },
	{ "podman4 podmans any", BACKEND_PODMAN, 4 },
	{ "podmans any", BACKEND_PODMAN, 0 },
};

static size_t
unescape(char *s)
{
	char *out = s, *start = s, hex[3] = "";

	for (; *s != '\0'; s++) {
		if (*s != '\\' || s[1] == '\0') {
			*out++ = *s;
			continue;
		}
		s++;
		if (*s == 'x' && s[1] != '\0' && s[2] != '\0') {
			memcpy(hex, s + 1, 2);
			*out++ = (char)strtoul(hex, NULL, 16);
			s += 2;
		} else
			*out++ = *s == 'n' ? '\n' : *s == 't' ? '\t' :
			    *s == 'r' ? '\r' : *s;
	}
	return (size_t)(out - start);
}

static char *
column(char **left)
{
	char *start = *left, *tab = start != NULL ? strchr(start, '\t') : NULL;

	if (tab != NULL)
		*tab++ = '\0';
	*left = tab;
	return start;
}

static void
read_args(struct row *row, char *text)
{
	while (text != NULL && strcmp(text, "-") != 0 &&
	    row->arg_count < ARGS_MAX) {
		char *space = strchr(text, ' '), *equals;

		if (space != NULL)
			*space++ = '\0';
		equals = strchr(text, '=');
		*equals = '\0';
		row->arg[row->arg_count++] = (struct pair){ str_from(text),
			str_from(equals + 1) };
		text = space;
	}
}

static void
row_add(const char *line)
{
	struct row *row = calloc(1, sizeof(*row));
	char *copy = strdup(line), *args;

	snprintf(row->line, sizeof(row->line), "%s", line);
	row->engine = column(&copy);
	row->verdict = column(&copy);
	args = column(&copy);
	row->text = copy;
	if (row->text == NULL || row_count == ROWS_MAX) {
		fprintf(stderr, "dockerfiles.tsv: bad row: %s\n", line);
		exit(1);
	}
	read_args(row, args);
	row->len = unescape(row->text);
	rows[row_count++] = row;
}

static void
rows_read(void)
{
	char line[ROW_MAX];
	FILE *f = fopen(TEST_SRCDIR "/test/policy/dockerfiles.tsv", "r");

	if (f == NULL) {
		perror("dockerfiles.tsv");
		exit(1);
	}
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] != '#' && line[0] != '\0')
			row_add(line);
	}
	fclose(f);
}

static int
judge_text(const struct engine *engine, struct str text, const struct row *row,
    struct dockerfile_refusal *out)
{
	struct str name = STR("Dockerfile");
	struct dockerfile_case c = { engine->kind, engine->major, 1, &name,
		&text, row->arg_count, row->arg };

	memset(out, 0, sizeof(*out));
	return dockerfile_judge(&c, out);
}

/* The column is one of the words. */
static bool
is_for(const struct engine *engine, const char *column_text)
{
	const char *at = strstr(engine->names, column_text);
	size_t n = strlen(column_text);

	while (at != NULL && ((at > engine->names && at[-1] != ' ') ||
	    (at[n] != ' ' && at[n] != '\0')))
		at = strstr(at + 1, column_text);
	return at != NULL;
}

START_TEST(row_has_its_verdict)
{
	const struct row *row = rows[_i];
	struct dockerfile_refusal out;
	int seen = 0;

	for (size_t i = 0; i < sizeof(engines) / sizeof(*engines); i++) {
		int got;

		if (!is_for(&engines[i], row->engine))
			continue;
		seen++;
		got = judge_text(&engines[i], (struct str){ row->text,
		    row->len }, row, &out);
		if (strcmp(row->verdict, "ok") == 0)
			ck_assert_msg(got == 0, "%s\n(engine %u %u): %s",
			    row->line, engines[i].kind, engines[i].major,
			    out.text);
		else
			ck_assert_msg(got == -R_BUILD_CONTEXT &&
			    strstr(out.text, row->verdict) != NULL,
			    "%s\n(engine %u %u): %d %s", row->line,
			    engines[i].kind, engines[i].major, got, out.text);
	}
	ck_assert_msg(seen > 0, "no such engine: %s", row->line);
}
END_TEST

/* Lines before it that mean nothing do not hide a refusal. */
START_TEST(row_behind_noise)
{
	static const char noise[] = "# noise\n\n  \n#x\n";
	const struct row *row = rows[_i];
	struct dockerfile_refusal out;
	char text[ROW_MAX * 2];
	size_t n = sizeof(noise) - 1;

	/* A directive, or a mark of the first line, is one no more. */
	if (strcmp(row->verdict, "ok") == 0 || row->text[0] == '#')
		return;
	memcpy(text, noise, n);
	memcpy(text + n, row->text, row->len);
	for (size_t i = 0; i < sizeof(engines) / sizeof(*engines); i++)
		if (is_for(&engines[i], row->engine))
			ck_assert_msg(judge_text(&engines[i], (struct str){
			    text, n + row->len }, row, &out) != 0, "%s",
			    row->line);
}
END_TEST

/* Read to its last byte and not past it: the copy ends where memory does. */
START_TEST(row_is_read_within_bounds)
{
	const struct row *row = rows[_i];
	struct dockerfile_refusal out;

	for (size_t len = 0; len <= row->len; len++) {
		char *copy = malloc(len > 0 ? len : 1);

		memcpy(copy, row->text, len);
		for (size_t i = 0; i < sizeof(engines) / sizeof(*engines);
		    i++)
			judge_text(&engines[i], (struct str){ copy, len },
			    row, &out);
		free(copy);
	}
}
END_TEST

START_TEST(several_files_are_one)
{
	struct str name[] = { STR("a"), STR("b") };
	struct str text[] = { STR("ARG T=dir\nFROM busybox\n"),
		STR("FROM ${T}:/x\n") };
	struct dockerfile_case c = { BACKEND_PODMAN, 5, 2, name, text, 0,
		NULL };
	struct dockerfile_refusal out;

	ck_assert_int_eq(dockerfile_judge(&c, &out), -R_BUILD_CONTEXT);
	ck_assert_str_eq(out.field, "b:1");
	text[0] = STR("ARG T=app\nFROM busybox\n");
	text[1] = STR("FROM ${T}:1\n");
	ck_assert_int_eq(dockerfile_judge(&c, &out), 0);
}
END_TEST

START_TEST(refusal_names_the_line)
{
	struct row none = { .arg_count = 0 };
	struct dockerfile_refusal out;

	judge_text(&engines[1], STR("FROM a\n\n# x\nRUN a \\\n b\n"
	    "RUN \\\n --network=host x\n"), &none, &out);
	ck_assert_str_eq(out.field, "Dockerfile:6");
	ck_assert_msg(strstr(out.text, "Dockerfile line 6: RUN --network=host")
	    != NULL, "%s", out.text);
}
END_TEST

/* Values that double with each line, lines without end, one of a MiB. */
START_TEST(growth_is_bounded)
{
	static const struct {
		const char	*head, *line;
		int		 expected;
	} cases[] = {
		{ "ARG A=xxxxxxxxxxxxxxxx\n", "ARG A=$A$A\n", 0 },
		{ "FROM a\nENV A=xxxxxxxxxxxxxxxx\n", "ENV A=$A$A\n", 0 },
		{ "FROM a\nENV A=xxxxxxxxxxxxxxxx\nADD ", "$A$A$A$A ", 1 },
		{ "FROM a\nADD ", "x ", 1 },
		{ "FROM a\nADD [\"x\"", ",\"y\"", 0 },
		{ "ARG ", "A=${B:-${B:-${B:-${B:-x}}}} ", 0 },
		{ "FROM ", "${B:-", 1 },
		{ "FROM a\n", "ONBUILD ", 1 },
		{ "FROM a\nRUN ", "<<E ", 1 },
		{ "FROM a\nRUN ", "--mount=type=tmpfs ", 0 },
		{ "FROM a\n", "RUN x\n", 0 },
		{ "FROM a\nENV ", "A=b ", 0 },
	};
	struct row none = { .arg_count = 0 };
	struct dockerfile_refusal out;
	char *text = malloc(DOCKERFILE_MAX);

	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		size_t len = strlen(cases[k].head), n = strlen(cases[k].line);

		memcpy(text, cases[k].head, len);
		for (; len + n <= DOCKERFILE_MAX; len += n)
			memcpy(text + len, cases[k].line, n);
		for (size_t i = 0; i < 2; i++) {
			int got = judge_text(&engines[i], (struct str){ text,
			    len }, &none, &out);

			if (cases[k].expected != 0 && i == 1)
				ck_assert_msg(got != 0, "%s", cases[k].line);
		}
	}
	free(text);
}
END_TEST

START_TEST(wild_names_are_matched)
{
	ck_assert_ptr_null(image_ref_check(STR("my\x01:1")));
	ck_assert_ptr_null(image_ref_check(STR("\x01/dir")));
	ck_assert_ptr_nonnull(image_ref_check(STR("\x01:1")));
	ck_assert_ptr_nonnull(image_ref_check(STR("d\x01r:1")));
	ck_assert_ptr_nonnull(image_ref_check(STR("di\x01:1")));
	ck_assert_ptr_nonnull(image_ref_check(STR("\x01r:1")));
	ck_assert_ptr_nonnull(image_ref_check(STR("dir\x01:1")));
	ck_assert_ptr_nonnull(image_ref_check(STR("\x01\x01\x01\x01\x01\x01")));
	ck_assert_ptr_nonnull(image_ref_check(STR("a\0b")));
	ck_assert_ptr_nonnull(image_ref_check(STR("DIR:x")));
}
END_TEST

Suite *
dockerfile_suite(void)
{
	Suite *suite = suite_create("dockerfile");
	TCase *table = tcase_create("table"), *rest = tcase_create("rest");

	rows_read();
	tcase_add_loop_test(table, row_has_its_verdict, 0, row_count);
	tcase_add_loop_test(table, row_behind_noise, 0, row_count);
	tcase_add_loop_test(table, row_is_read_within_bounds, 0, row_count);
	suite_add_tcase(suite, table);
	tcase_add_test(rest, several_files_are_one);
	tcase_add_test(rest, refusal_names_the_line);
	tcase_add_test(rest, growth_is_bounded);
	tcase_add_test(rest, wild_names_are_matched);
	tcase_set_timeout(rest, 60);
	suite_add_tcase(suite, rest);
	return suite;
}
