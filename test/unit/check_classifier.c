/*
 * The shell classifier, over test/policy/classifier.tsv: a failing row names
 * itself.  Besides, what must hold for any text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "hookctl/shell.h"

Suite	*classifier_suite(void);

enum { ROWS_MAX = 1024, ROW_MAX = 4096 };

struct row {
	char	*text;		/* as in the file, for messages */
	char	*command;
	size_t	 len;
	bool	 is_yes;
};

static struct row rows[ROWS_MAX];
static int row_count;

/* \n, \t, \\ in place; the length of what is left. */
static size_t
unescape(char *s)
{
	char *out = s, *start = s;

	for (; *s != '\0'; s++) {
		if (*s == '\\' && s[1] != '\0') {
			s++;
			*out++ = *s == 'n' ? '\n' : *s == 't' ? '\t' : *s;
		} else
			*out++ = *s;
	}
	return (size_t)(out - start);
}

static void
row_add(char *line)
{
	char *tab = strchr(line, '\t');
	struct row *row = &rows[row_count];

	if (line[0] == '#' || line[0] == '\0')
		return;
	if (tab == NULL || row_count == ROWS_MAX) {
		fprintf(stderr, "classifier.tsv: bad row: %s\n", line);
		exit(1);
	}
	*tab = '\0';
	row->is_yes = strcmp(line, "yes") == 0;
	row->text = strdup(tab + 1);
	row->command = strdup(tab + 1);
	row->len = unescape(row->command);
	row_count++;
}

static void
rows_read(void)
{
	char line[ROW_MAX];
	FILE *f;

	f = fopen(TEST_SRCDIR "/test/policy/classifier.tsv", "r");
	if (f == NULL) {
		perror("classifier.tsv");
		exit(1);
	}
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		row_add(line);
	}
	fclose(f);
}

/* All rows in one test: a fork for each would take most of the time. */
START_TEST(rows_have_their_verdicts)
{
	int wrong = 0;

	for (int i = 0; i < row_count; i++) {
		const struct row *row = &rows[i];

		if (shell_needs_engine((struct str){ row->command, row->len })
		    == row->is_yes)
			continue;
		fprintf(stderr, "classifier.tsv: expected %s: %s\n",
		    row->is_yes ? "yes" : "no", row->text);
		wrong++;
	}
	ck_assert_int_eq(wrong, 0);
	ck_assert_int_gt(row_count, 300);
}
END_TEST

/* A call before any other text is found, whatever follows. */
START_TEST(rows_after_a_call_are_yes)
{
	char text[ROW_MAX + 16];
	int n = snprintf(text, sizeof(text), "docker ps\n");

	for (int i = 0; i < row_count; i++) {
		memcpy(text + n, rows[i].command, rows[i].len);
		ck_assert_msg(shell_needs_engine((struct str){ text,
		    (size_t)n + rows[i].len }), "%s", rows[i].text);
	}
}
END_TEST

/* Read to its last byte and not past it: the copy ends where memory does. */
START_TEST(rows_are_read_within_bounds)
{
	for (int i = 0; i < row_count; i++)
		for (size_t len = 0; len <= rows[i].len; len++) {
			char *copy = malloc(len > 0 ? len : 1);

			memcpy(copy, rows[i].command, len);
			shell_needs_engine((struct str){ copy, len });
			free(copy);
		}
}
END_TEST

START_TEST(mention_drops_quotes)
{
	ck_assert(shell_mentions_engine(STR("d\"ock\"'e'r")));
	ck_assert(shell_mentions_engine(STR("po\\\ndman")));
	ck_assert(shell_mentions_engine(STR("ddocker")));
	ck_assert(shell_mentions_engine(STR("dodocker")));
	ck_assert(shell_mentions_engine(STR("popodman")));
	ck_assert(shell_mentions_engine(STR("\\d\\o\\c\\k\\e\\r")));
	ck_assert(!shell_mentions_engine(STR("do cker po dman")));
	ck_assert(!shell_mentions_engine(STR("dock")));
	ck_assert(!shell_mentions_engine(STR_NONE));
}
END_TEST

/* What nests or repeats without end costs a bounded time and says yes. */
START_TEST(depth_is_bounded)
{
	static const char *const opens[] = { "$(", "((", "$((", "`", "${x:-",
	    "<(", "\"$(", "( ", "case a in a) ", "a=(", "bash -c \"", "{ ",
	    "${a[", "${x/", "\"${", "$[", "sudo ", ": ;" };
	enum { SIZE = 1024 * 1024 };
	char *text = malloc(SIZE + 32);

	for (size_t k = 0; k < sizeof(opens) / sizeof(*opens); k++) {
		size_t n = strlen(opens[k]), len = 0;

		while (len + n < SIZE) {
			memcpy(text + len, opens[k], n);
			len += n;
		}
		memcpy(text + len, " docker ps", 10);
		ck_assert_msg(shell_needs_engine((struct str){ text,
		    len + 10 }), "%s", opens[k]);
	}
	free(text);
}
END_TEST

Suite *
classifier_suite(void)
{
	Suite *suite = suite_create("classifier");
	TCase *table = tcase_create("table"), *rest = tcase_create("rest");

	rows_read();
	tcase_set_timeout(table, 60);
	tcase_add_test(table, rows_have_their_verdicts);
	tcase_add_test(table, rows_after_a_call_are_yes);
	tcase_add_test(table, rows_are_read_within_bounds);
	suite_add_tcase(suite, table);
	tcase_set_timeout(rest, 60);
	tcase_add_test(rest, mention_drops_quotes);
	tcase_add_test(rest, depth_is_bounded);
	suite_add_tcase(suite, rest);
	return suite;
}
