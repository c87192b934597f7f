/*
 * Parses flags and their environment twins from the table below.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/setting.h"
#include "master/option.h"

#define TWIN_PREFIX	"CONTAINER_GATEWAY_"

enum option_kind {
	KIND_TEXT,		/* const char * */
	KIND_LIST,		/* struct option_list */
	KIND_CHOICE,		/* unsigned, index into choices */
	KIND_NUMBER,		/* unsigned, min to max */
	KIND_DURATION,		/* uint64_t, seconds */
	KIND_SWITCH		/* unsigned, no value */
};

struct option_row {
	const char		*name;
	const char		*twin;		/* after TWIN_PREFIX; or NULL */
	enum option_kind	 kind;
	size_t			 offset;	/* into struct options */
	const char		*value;		/* what --help calls it */
	const char		*fallback;	/* parsed when nothing is given */
	const char		*shown;		/* the default in words */
	const char *const	*choices;
	unsigned		 min;
	unsigned		 max;
	const char		*help;
};

/* In the order of enum egress_mode and enum log_level. */
static const char *const egress_names[] = { "inject-if-available", "require",
	"off", NULL };
static const char *const level_names[] = { "error", "warn", "info", "debug",
	NULL };

#define AT(field)	offsetof(struct options, field)

/* clang-format off */
static const struct option_row rows[] = {
	{ "project", "PROJECT", KIND_TEXT, AT(project), "DIR", ".", NULL, NULL, 0, 0,
	  "the project (of a git work tree: its top)" },
	{ "run-dir", "RUN_DIR", KIND_TEXT, AT(run_dir), "DIR", NULL, "in .git, or in .apache-magpie-local", NULL, 0, 0,
	  "where sockets, pid file and log are" },
	{ "pid-file", "PID_FILE", KIND_TEXT, AT(pid_file), "FILE", NULL, "RUN-DIR/gateway.pid", NULL, 0, 0,
	  "locked while the gateway runs" },
	{ "bind-root", "BIND_ROOT", KIND_TEXT, AT(bind_root), "DIR", NULL, "the directory given as --project", NULL, 0, 0,
	  "what containers may mount; inside the project" },
	{ "backend", "BACKEND", KIND_LIST, AT(backend), "KIND[=SOCKET]", NULL, "auto", NULL, 0, 0,
	  "auto, docker or podman; repeatable" },
	{ "extra-bind-root", "EXTRA_BIND_ROOT", KIND_LIST, AT(extra_root), "DIR", NULL, NULL, NULL, 0, 0,
	  "a further directory to mount from; repeatable" },
	{ "allow-image-load", "ALLOW_IMAGE_LOAD", KIND_SWITCH, AT(image_load), NULL, NULL, NULL, NULL, 0, 0,
	  "let images be loaded and imported" },
	{ "egress", "EGRESS", KIND_CHOICE, AT(egress), "MODE", "inject-if-available", NULL, egress_names, 0, 0,
	  "inject-if-available, require or off" },
	{ "egress-port", "EGRESS_PORT", KIND_NUMBER, AT(egress_port), "N", EGRESS_PORT_DEFAULT, NULL, NULL, 1, 65535,
	  "port of the egress proxy" },
	{ "idle-timeout", "IDLE_TIMEOUT", KIND_DURATION, AT(idle_seconds), "DURATION", "4h", NULL, NULL, 0, 0,
	  "end when unused for so long (s m h d; 0: never)" },
	{ "log-file", "LOG_FILE", KIND_TEXT, AT(log_file), "FILE", NULL, "RUN-DIR/gateway.log", NULL, 0, 0,
	  "where the log goes; - is standard error" },
	{ "workers", "WORKERS", KIND_NUMBER, AT(workers), "N", "2", NULL, NULL, 1, 64,
	  "worker processes" },
	{ "log-level", "LOG_LEVEL", KIND_CHOICE, AT(log_level), "LEVEL", "info", NULL, level_names, 0, 0,
	  "error, warn, info or debug" },
	{ "daemon", "DAEMON", KIND_SWITCH, AT(daemon), NULL, NULL, NULL, NULL, 0, 0,
	  "run in the background; return when it serves" },
	{ "help", NULL, KIND_SWITCH, AT(help), NULL, NULL, NULL, NULL, 0, 0,
	  "print this" },
	{ "version", NULL, KIND_SWITCH, AT(version), NULL, NULL, NULL, NULL, 0, 0,
	  "print the version" },
};
/* clang-format on */

enum { ROW_COUNT = sizeof(rows) / sizeof(*rows) };

/* What is being set, for the refusal: "--workers" or its twin. */
struct source {
	const struct option_row	*row;
	bool			 is_twin;
	struct fault		*fault;
};

static int
refuse(const struct source *from, const char *value, const char *wanted)
{
	char shown[128];

	log_escape(shown, sizeof(shown), str_from(value));
	return fault_usage(from->fault, "%s%s: %s is not %s",
	    from->is_twin ? TWIN_PREFIX : "--",
	    from->is_twin ? from->row->twin : from->row->name, shown, wanted);
}

static int
set_number(const struct source *from, unsigned *out, const char *value)
{
	char wanted[64], *end;
	unsigned long n;

	errno = 0;
	n = strtoul(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 ||
	    n < from->row->min || n > from->row->max) {
		snprintf(wanted, sizeof(wanted), "a number from %u to %u",
		    from->row->min, from->row->max);
		return refuse(from, value, wanted);
	}
	*out = (unsigned)n;
	return 0;
}

static int
set_choice(const struct source *from, unsigned *out, const char *value)
{
	char wanted[128] = "one of";
	size_t n;

	for (unsigned i = 0; from->row->choices[i] != NULL; i++) {
		if (strcmp(from->row->choices[i], value) == 0) {
			*out = i;
			return 0;
		}
		n = strlen(wanted);
		snprintf(wanted + n, sizeof(wanted) - n, "%s %s",
		    i > 0 ? "," : "", from->row->choices[i]);
	}
	return refuse(from, value, wanted);
}

static int
set_switch(const struct source *from, unsigned *out, const char *value)
{
	static const char *const words[2][4] = {
		{ "0", "no", "false", "off" }, { "1", "yes", "true", "on" }
	};

	for (unsigned is = 0; is < 2; is++)
		for (size_t i = 0; i < 4; i++)
			if (strcmp(words[is][i], value) == 0) {
				*out = is;
				return 0;
			}
	return refuse(from, value, "1 or 0");
}

static int
add_item(const struct source *from, struct option_list *list,
    const char *value)
{
	if (value[0] == '\0')
		return refuse(from, value, "a value");
	if (list->count == OPTION_LIST_MAX)
		return fault_usage(from->fault,
		    "--%s: more than %d of them", from->row->name,
		    OPTION_LIST_MAX);
	list->text[list->count++] = value;
	return 0;
}

/* A twin holds the whole list, with colons between, as PATH does. */
static int
set_list(const struct source *from, struct option_list *list,
    const char *value)
{
	char *rest, *item;
	int error;

	if (!from->is_twin)
		return add_item(from, list, value);
	rest = list->copy = strdup(value);
	if (rest == NULL)
		return fault_set(from->fault, "out of memory");
	while ((item = strsep(&rest, ":")) != NULL)
		if ((error = add_item(from, list, item)) != 0)
			return error;
	return 0;
}

static int
set_value(const struct source *from, struct options *o, const char *value)
{
	void *out = (char *)o + from->row->offset;

	switch (from->row->kind) {
	case KIND_TEXT:
		if (value[0] == '\0')
			return refuse(from, value, "a path");
		*(const char **)out = value;
		return 0;
	case KIND_LIST:
		return set_list(from, out, value);
	case KIND_CHOICE:
		return set_choice(from, out, value);
	case KIND_NUMBER:
		return set_number(from, out, value);
	case KIND_DURATION:
		if (option_parse_duration(value, out) != 0)
			return refuse(from, value,
			    "a duration such as 90s, 30m, 4h, 1d or 0");
		return 0;
	case KIND_SWITCH:
		return set_switch(from, out, value);
	}
	return 0;
}

int
option_parse_duration(const char *text, uint64_t *seconds)
{
	static const struct { char unit; uint32_t seconds; } units[] = {
		{ 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }
	};
	const uint64_t max = UINT64_C(86400) * 3650;
	uint64_t sum = 0;

	do {
		uint64_t n = 0;
		uint32_t unit = 0;

		if (*text < '0' || *text > '9')
			return -1;
		for (; *text >= '0' && *text <= '9'; text++)
			if ((n = n * 10 + (uint64_t)(*text - '0')) > max)
				return -1;
		for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
			if (units[i].unit == *text)
				unit = units[i].seconds;
		if (unit == 0 && *text != '\0')
			return -1;
		sum += n * (unit != 0 ? unit : 1);
		if (sum > max)
			return -1;
		text += unit != 0;
	} while (*text != '\0');
	*seconds = sum;
	return 0;
}

static const struct option_row *
find_row(struct str name)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (str_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

/* One flag at argv[*at], and its value where that is the next word. */
static int
parse_flag(struct options *o, char **argv, int *at, bool *given,
    struct fault *fault)
{
	struct str word = str_from(argv[*at] + 2);
	struct str name = str_first(word, str_find(word, '='));
	bool attached = name.len < word.len;
	struct source from = { find_row(name), false, fault };
	const char *value = name.data + name.len + 1;

	if (from.row == NULL)
		return fault_usage(fault, "--%.*s is not a flag (see --help)",
		    STR_FMT(name));
	if (from.row->kind == KIND_SWITCH) {
		if (attached)
			return fault_usage(fault, "--%s takes no value",
			    from.row->name);
		value = "1";
	} else if (!attached) {
		value = argv[*at + 1];
		if (value == NULL)
			return fault_usage(fault, "--%s needs a value (%s)",
			    from.row->name, from.row->value);
		*at += 1;
	}
	given[from.row - rows] = true;
	return set_value(&from, o, value);
}

static int
parse_arguments(struct options *o, int argc, char **argv, bool *given,
    struct fault *fault)
{
	bool served = false;
	int error;

	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "--", 2) == 0 && argv[i][2] != '\0') {
			error = parse_flag(o, argv, &i, given, fault);
			if (error != 0)
				return error;
		} else if (strcmp(argv[i], "serve") == 0 && !served)
			served = true;
		else
			return fault_usage(fault, "\"%s\" is neither a flag "
			    "nor the command serve (see --help)", argv[i]);
	}
	return 0;
}

/* The value of a row's twin, or NULL; an empty one counts as not set. */
static const char *
find_twin(const struct option_row *row, char **envp)
{
	for (; row->twin != NULL && *envp != NULL; envp++) {
		struct str entry = str_from(*envp);
		struct str name = str_first(entry, str_find(entry, '='));

		if (str_starts(name, TWIN_PREFIX) && str_is(str_skip(name,
		    sizeof(TWIN_PREFIX) - 1), row->twin) &&
		    entry.len > name.len + 1)
			return entry.data + name.len + 1;
	}
	return NULL;
}

int
option_parse(struct options *o, int argc, char **argv, char **envp,
    struct fault *fault)
{
	bool given[ROW_COUNT] = { false };
	int error;

	memset(o, 0, sizeof(*o));
	error = parse_arguments(o, argc, argv, given, fault);
	for (size_t i = 0; i < ROW_COUNT && error == 0; i++) {
		struct source from = { &rows[i], true, fault };
		const char *value = find_twin(&rows[i], envp);

		if (given[i])
			continue;
		if (value == NULL) {
			from.is_twin = false;
			value = rows[i].fallback;
		}
		if (value != NULL)
			error = set_value(&from, o, value);
	}
	if (error != 0)
		option_free(o);
	return error;
}

void
option_free(struct options *o)
{
	free(o->backend.copy);
	free(o->extra_root.copy);
	o->backend.copy = o->extra_root.copy = NULL;
}

void
option_print_help(FILE *to)
{
	fputs("usage: container-gateway [serve] [flags]\n\n"
	    "Serves docker.sock and podman.sock for one project, and passes on "
	    "only\nwhat stays inside it.\n\n", to);
	for (size_t i = 0; i < ROW_COUNT; i++) {
		const struct option_row *row = &rows[i];
		const char *shown = row->shown != NULL ? row->shown :
		    row->fallback;
		int width = fprintf(to, "  --%s%s%s", row->name,
		    row->value != NULL ? " " : "",
		    row->value != NULL ? row->value : "");

		fprintf(to, "%*s%s", width < 28 ? 28 - width : 1, "",
		    row->help);
		if (shown != NULL)
			fprintf(to, "\n%28s(default: %s)", "", shown);
		fputc('\n', to);
	}
	fputs("\nEach flag but help and version has a twin in the environment: "
	    "--egress-port is\n" TWIN_PREFIX "EGRESS_PORT. A flag wins over "
	    "its twin. The twin of a\nrepeatable flag holds the whole list, "
	    "with colons between.\n", to);
}

const char *
option_egress_name(unsigned mode)
{
	return egress_names[mode];
}

const char *
option_level_name(unsigned level)
{
	return level_names[level];
}
