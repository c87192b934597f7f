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

START_TEST(row_has_its_verdict)
{
	const struct row *row = &rows[_i];
	bool got = shell_needs_engine((struct str){ row->command, row->len });

	ck_assert_msg(got == row->is_yes, "%s, expected %s: %s",
	    got ? "yes" : "no", row->is_yes ? "yes" : "no", row->text);
}
END_TEST

/* A call before any other text is found, whatever follows. */
START_TEST(row_after_a_call_is_yes)
{
	char text[ROW_MAX + 16];
	int n = snprintf(text, sizeof(text), "docker ps\n");

	memcpy(text + n, rows[_i].command, rows[_i].len);
	ck_assert(shell_needs_engine((struct str){ text,
	    (size_t)n + rows[_i].len }));
}
END_TEST

/* Read to its last byte and not past it: the copy ends where memory does. */
START_TEST(row_is_read_within_bounds)
{
	for (size_t len = 0; len <= rows[_i].len; len++) {
		char *copy = malloc(len > 0 ? len : 1);

		memcpy(copy, rows[_i].command, len);
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
	    "<(", "\"$(", "( ", "case a in a) ", "a=(", "bash -c \"", "{ " };
	enum { SIZE = 64 * 1024 };
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
	tcase_add_loop_test(table, row_has_its_verdict, 0, row_count);
	tcase_add_loop_test(table, row_after_a_call_is_yes, 0, row_count);
	tcase_add_loop_test(table, row_is_read_within_bounds, 0, row_count);
	suite_add_tcase(suite, table);
	tcase_add_test(rest, mention_drops_quotes);
	tcase_add_test(rest, depth_is_bounded);
	suite_add_tcase(suite, rest);
	return suite;
}
