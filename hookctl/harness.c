/*
 * Reads /proc about our own ancestors.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/str.h"
#include "hookctl/harness.h"

enum { PARENTS = 8, CMDLINE_MAX = 256 * 1024, STAT_MAX = 1024 };

struct option_row {
	const char		*name;
	enum harness_kind	 kind;
	bool			 is_list;	/* all words up to an option */
};

static const struct option_row rows[] = {
	{ "--settings", HARNESS_SETTINGS, false },
	{ "--add-dir", HARNESS_ADD_DIR, true },
	{ "--allowedTools", HARNESS_RULE, true },
	{ "--allowed-tools", HARNESS_RULE, true }
};

/* The fields of /proc/PID/stat after the name, which may hold anything. */
static bool
read_stat(pid_t pid, char stat[STAT_MAX], char **fields)
{
	char path[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, stat, STAT_MAX - 1);
	close(fd);
	if (n <= 0)
		return false;
	stat[n] = '\0';
	*fields = strrchr(stat, ')');
	return *fields != NULL && (*fields)[1] == ' ';
}

/* Field n of proc(5)'s numbering, which starts at the pid. */
static uint64_t
stat_field(pid_t pid, int n)
{
	char stat[STAT_MAX], *at;

	if (pid <= 0 || !read_stat(pid, stat, &at))
		return 0;
	/* The name was the second field. */
	for (int i = 2; i < n; i++) {
		at = strchr(at + 1, ' ');
		if (at == NULL)
			return 0;
	}
	return strtoull(at + 1, NULL, 10);
}

static pid_t
parent_of(pid_t pid)
{
	return (pid_t)stat_field(pid, 4);
}

uint64_t
harness_start_time(pid_t pid)
{
	return stat_field(pid, 22);
}

pid_t
harness_pid(void)
{
	pid_t leader = getsid(0);

	return leader > 0 ? parent_of(leader) : 0;
}

/* A list option's word may itself be a list: "Edit(/a) Edit(/b)". */
static int
show_rules(const struct option_row *row, const char *text,
    harness_visit visit, void *arg, struct fault *fault)
{
	int error = 0;

	while (*text != '\0' && error == 0) {
		const char *close = strchr(text, ')');
		size_t n = close != NULL ? (size_t)(close - text) + 1 :
		    strlen(text);
		char *rule;

		if (strspn(text, " ,") > 0) {
			text += strspn(text, " ,");
			continue;
		}
		/* A rule without parentheses may stand before this one. */
		if (strcspn(text, " ,") < strcspn(text, "("))
			n = strcspn(text, " ,");
		rule = strndup(text, n);
		if (rule == NULL)
			return fault_set(fault, "out of memory");
		error = visit(&(struct harness_option){ row->kind, row->name,
			rule }, arg, fault);
		free(rule);
		text += n;
	}
	return error;
}

static int
show_value(const struct option_row *row, const char *value,
    harness_visit visit, void *arg, struct fault *fault)
{
	if (row->kind == HARNESS_RULE)
		return show_rules(row, value, visit, arg, fault);
	return visit(&(struct harness_option){ row->kind, row->name, value },
	    arg, fault);
}

/* The row of a word that is an option; *value after "=" or NULL. */
static const struct option_row *
find_row(const char *word, const char **value)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t n = strlen(rows[i].name);

		if (strncmp(word, rows[i].name, n) != 0 ||
		    (word[n] != '\0' && word[n] != '='))
			continue;
		*value = word[n] == '=' ? word + n + 1 : NULL;
		return &rows[i];
	}
	return NULL;
}

int
harness_read_options(const char *cmdline, size_t len, harness_visit visit,
    void *arg, struct fault *fault)
{
	const struct option_row *row = NULL;
	const char *end = cmdline + len;
	int error = 0;

	for (const char *word = cmdline; word < end && error == 0;
	    word += strlen(word) + 1) {
		const char *value = NULL;

		if (word[0] == '-') {
			row = find_row(word, &value);
			if (row != NULL && value != NULL) {
				error = show_value(row, value, visit, arg,
				    fault);
				row = NULL;
			}
		} else if (row != NULL) {
			error = show_value(row, word, visit, arg, fault);
			if (!row->is_list)
				row = NULL;
		}
	}
	return error;
}

static int
read_process(pid_t pid, harness_visit visit, void *arg, struct fault *fault)
{
	char path[32], *text;
	size_t len = 0;
	ssize_t got;
	int fd, error;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	text = malloc(CMDLINE_MAX + 1);
	while (text != NULL && len < CMDLINE_MAX && (got = read(fd, text + len,
	    CMDLINE_MAX - len)) > 0)
		len += (size_t)got;
	close(fd);
	if (text == NULL)
		return 0;
	text[len] = '\0';
	error = harness_read_options(text, len, visit, arg, fault);
	free(text);
	return error;
}

int
harness_each_option(harness_visit visit, void *arg, struct fault *fault)
{
	pid_t pid = getppid();
	int error = 0;

	for (int i = 0; i < PARENTS && pid > 1 && error == 0; i++) {
		error = read_process(pid, visit, arg, fault);
		pid = parent_of(pid);
	}
	return error;
}
