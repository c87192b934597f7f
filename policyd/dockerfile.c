/*
 * What of a Dockerfile reaches the host: one row an instruction, one row a
 * flag, each for the engines that it holds for.  On podman whatever has no row
 * is refused; on docker's classic builder only what a row refuses is.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "policyd/dockerfile_check.h"

enum { ARENA_MAX = 32 * 1024 * 1024, ARENA_FULL = ARENA_MAX / 2 };

/* ---- refusing ----------------------------------------------------------- */

int
dockerfile_refuse_line(struct reader *r, size_t line, const char *fmt, ...)
{
	struct dockerfile_refusal *out = r->out;
	struct str name = r->given->name[r->file];
	char what[384];
	const char *shown = dockerfile_show(r, name);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	out->reason = R_BUILD_CONTEXT;
	snprintf(out->field, sizeof(out->field), "%s:%zu", shown, line);
	snprintf(out->text, sizeof(out->text), "%s line %zu: %s", shown, line,
	    what);
	return -R_BUILD_CONTEXT;
}

/* A piece of the client's text for a message. */
const char *
dockerfile_show(struct reader *r, struct str s)
{
	static const size_t max = 100;
	char *out = arena_alloc(&r->arena, max + 4);
	size_t n = 0;

	for (; n < s.len && n < max; n++)
		out[n] = s.data[n] >= ' ' && s.data[n] <= '~' ?
		    s.data[n] : '?';
	memcpy(out + n, "...", s.len > max ? 3 : 0);
	return out;
}

bool
dockerfile_is_full(const struct reader *r)
{
	return r->arena.used > ARENA_FULL;
}

/* ---- flags -------------------------------------------------------------- */

/* clang-format off */
/* One row a flag; the first that fits holds. */
static const struct flag_row {
	unsigned	 engines;
	const char	*command;
	const char	*flag;		/* "--name"; "--name=": with a value */
	int		(*judge)(struct reader *, struct str value);
	const char	*refused;	/* why, or NULL */
} flag_rows[] = {
	{ ON_PODMAN, "FROM", "--platform=",	NULL, NULL },
	{ ON_PODMAN, "RUN",  "--mount=",		dockerfile_check_mount, NULL },
	{ ON_PODMAN, "RUN",  "--network",		NULL, "the network of the build is the gateway's to choose" },
	{ ON_BOTH,   "RUN",  "--security",		NULL, "a build step is not privileged" },
	{ ON_PODMAN, "RUN",  "--device",		NULL, "host devices do not reach a build" },
	{ ON_PODMAN, "COPY", "--from=",		dockerfile_check_copy_from, NULL },
	{ ON_PODMAN, "COPY", "--chown=",		NULL, NULL },
	{ ON_PODMAN, "COPY", "--chmod=",		NULL, NULL },
	{ ON_PODMAN, "COPY", "--link",		NULL, NULL },
	{ ON_PODMAN, "COPY", "--parents",		NULL, NULL },
	{ ON_PODMAN, "COPY", "--exclude=",		NULL, NULL },
	{ ON_PODMAN, "ADD",  "--chown=",		NULL, NULL },
	{ ON_PODMAN, "ADD",  "--chmod=",		NULL, NULL },
	{ ON_PODMAN, "ADD",  "--link",		NULL, NULL },
	{ ON_PODMAN, "ADD",  "--exclude=",		NULL, NULL },
	{ ON_PODMAN, "ADD",  "--checksum=",	NULL, NULL },
	{ ON_PODMAN, "ADD",  "--unpack",		NULL, NULL },
};
/* clang-format on */

/* The builder expands a flag before it looks at its name. */
static bool
is_literal(struct str s)
{
	return !dockerfile_has(s, '$') && !dockerfile_has(s, '\\') &&
	    !dockerfile_has(s, '"') && !dockerfile_has(s, '\'');
}

static bool
fits(const struct flag_row *row, struct str flag, struct str *value)
{
	struct str name = str_from(row->flag);

	if (!str_starts(flag, row->flag))
		return false;
	*value = str_skip(flag, name.len);
	if (name.data[name.len - 1] == '=' || value->len == 0)
		return true;
	if (value->data[0] != '=')
		return false;
	*value = str_skip(*value, 1);
	return true;
}

static int
judge_flag(struct reader *r, const char *command, struct str flag, bool odd)
{
	struct str value;

	for (size_t i = 0; i < sizeof(flag_rows) / sizeof(*flag_rows); i++) {
		const struct flag_row *row = &flag_rows[i];

		if ((row->engines & r->engine) == 0 || strcmp(row->command,
		    command) != 0 || !fits(row, flag, &value))
			continue;
		if (row->refused != NULL)
			return dockerfile_refuse(r, "%s %s: %s", command,
			    dockerfile_show(r, flag), row->refused);
		if (row->judge == NULL)
			return 0;
		if (odd)
			break;
		return row->judge(r, value);
	}
	if (r->engine == ON_DOCKER)
		return 0;
	return dockerfile_refuse(r, "%s %s: the flag is unknown, or not in "
	    "plain letters", command, dockerfile_show(r, flag));
}

/* Takes the flags off; those of commands without rows mean nothing. */
static int
judge_flags(struct reader *r, const char *command, struct str *args)
{
	bool has_rows = false, odd;
	struct str flag;
	int error;

	for (size_t i = 0; i < sizeof(flag_rows) / sizeof(*flag_rows); i++)
		has_rows |= strcmp(flag_rows[i].command, command) == 0;
	while (dockerfile_flag(args, &flag, &odd)) {
		struct str name = str_first(flag, str_find(flag, '='));

		if (!has_rows)
			continue;
		if (r->engine == ON_PODMAN && !is_literal(name))
			return dockerfile_refuse(r, "%s %s: a flag's name is "
			    "written plainly", command,
			    dockerfile_show(r, flag));
		if ((error = judge_flag(r, command, flag, odd)) != 0)
			return error;
	}
	return 0;
}

/* ---- instructions ------------------------------------------------------- */

static int	 judge_instruction(struct reader *, struct str);

/* The image that is built runs it in the next build. */
static int
judge_onbuild(struct reader *r, struct str args)
{
	int error;

	if (r->in_trigger)
		return r->engine == ON_DOCKER ? 0 :
		    dockerfile_refuse(r, "ONBUILD inside ONBUILD");
	r->in_trigger = true;
	error = judge_instruction(r, dockerfile_trim(args));
	r->in_trigger = false;
	return error;
}

/* clang-format off */
static const struct instruction {
	const char	*name;
	int		(*judge)(struct reader *, struct str args);
} instructions[] = {
	{ "ADD",		dockerfile_check_add },
	{ "ARG",		dockerfile_check_arg },
	{ "CMD",		NULL },
	{ "COPY",		NULL },
	{ "ENTRYPOINT",		NULL },
	{ "ENV",		dockerfile_check_env },
	{ "EXPOSE",		NULL },
	{ "FROM",		dockerfile_check_from },
	{ "HEALTHCHECK",	NULL },
	{ "LABEL",		NULL },
	{ "MAINTAINER",		NULL },
	{ "ONBUILD",		judge_onbuild },
	{ "RUN",		dockerfile_check_run },
	{ "SHELL",		NULL },
	{ "STOPSIGNAL",		NULL },
	{ "USER",		NULL },
	{ "VOLUME",		dockerfile_check_volume },
	{ "WORKDIR",		dockerfile_check_workdir },
};
/* clang-format on */

static const struct instruction *
find_instruction(struct str name)
{
	for (size_t i = 0; i < sizeof(instructions) / sizeof(*instructions);
	    i++)
		if (str_equal_nocase(name, str_from(instructions[i].name)))
			return &instructions[i];
	return NULL;
}

static int
judge_instruction(struct reader *r, struct str text)
{
	struct str command = dockerfile_command(&text);
	const struct instruction *row = find_instruction(command);
	bool is_strict = r->engine == ON_PODMAN && !r->lenient;
	int error;

	if (row == NULL)
		return !is_strict ? 0 : dockerfile_refuse(r, "%s is no known "
		    "instruction", dockerfile_show(r, command));
	if (is_strict && !r->in_stage && row->judge != dockerfile_check_from &&
	    row->judge != dockerfile_check_arg)
		return dockerfile_refuse(r, "only ARG stands before the first "
		    "FROM");
	if ((error = judge_flags(r, row->name, &text)) != 0)
		return error;
	/* A trigger's ARG and ENV act in another build. */
	if (row->judge == NULL || (r->in_trigger && (row->judge ==
	    dockerfile_check_arg || row->judge == dockerfile_check_env)))
		return 0;
	return row->judge(r, text);
}

/* ---- readings ----------------------------------------------------------- */

/* Bytes that no Dockerfile needs and that messages and parsers stumble over. */
static int
check_bytes(struct reader *r, struct str text)
{
	size_t line = 1;

	for (size_t i = 0; r->engine == ON_PODMAN && i < text.len; i++) {
		unsigned char c = (unsigned char)text.data[i];

		line += c == '\n';
		if ((c < ' ' && strchr("\t\n\v\f\r", c) == NULL) || c == 0)
			return dockerfile_refuse_line(r, line, "it holds the "
			    "control byte 0x%02x", c);
	}
	return 0;
}

static int
read_file(struct reader *r, unsigned reading)
{
	struct str text = r->given->text[r->file], instruction;
	int error = check_bytes(r, text);

	dockerfile_lex_init(&r->lex, text, reading);
	while (error == 0 && dockerfile_lex_next(&r->lex, &instruction)) {
		if (dockerfile_is_full(r))
			error = dockerfile_refuse(r, "it is too complex to be "
			    "read");
		else
			error = judge_instruction(r, instruction);
	}
	if (error == 0 && r->engine == ON_PODMAN && r->lex.doubtful != NULL)
		error = dockerfile_refuse_line(r, r->lex.doubtful_line,
		    "it %s: parsers differ there", r->lex.doubtful);
	dockerfile_lex_free(&r->lex);
	return error;
}

static unsigned
engine_of(const struct dockerfile_case *c)
{
	return c->engine == BACKEND_PODMAN ? ON_PODMAN : ON_DOCKER;
}

static int
read_all(const struct dockerfile_case *c, struct dockerfile_refusal *out,
    unsigned reading, bool lenient)
{
	struct reader *r = calloc(1, sizeof(*r));
	int error = 0;

	if (r == NULL)
		log_panic("dockerfile", "out of memory");
	r->given = c;
	r->out = out;
	r->engine = engine_of(c);
	r->lenient = lenient;
	r->global.other = dockerfile_other_global;
	r->global.given = c;
	r->stage.other = dockerfile_other_stage;
	arena_init(&r->arena, ARENA_MAX);
	for (; error == 0 && r->file < c->count; r->file++) {
		error = read_file(r, reading);
		if (error != 0)
			break;
	}
	arena_free(&r->arena);
	free(r);
	return error;
}

/* One row a way to read, and which engine reads so. */
static const struct reading_row {
	unsigned	 engines;
	unsigned	 bits;
	uint16_t	 below_major;	/* engines older than that; 0: all */
	bool		 lenient;
} reading_rows[] = {
	{ ON_BOTH,		LEX_HEREDOC,			0, false },
	{ ON_PODMAN,	0,				5, true },
	{ ON_DOCKER,	0,				0, true },
	{ ON_DOCKER,	LEX_TWO_ESCAPES,		0, true },
	{ ON_DOCKER,	LEX_TWO_ESCAPES | LEX_HEREDOC,	0, true },
};

int
dockerfile_judge(const struct dockerfile_case *c,
    struct dockerfile_refusal *out)
{
	unsigned engine = engine_of(c);

	for (size_t i = 0; i < sizeof(reading_rows) / sizeof(*reading_rows);
	    i++) {
		const struct reading_row *row = &reading_rows[i];
		int error;

		if ((row->engines & engine) == 0 || (row->below_major != 0 &&
		    c->major >= row->below_major))
			continue;
		error = read_all(c, out, row->bits, row->lenient);
		if (error != 0)
			return error;
	}
	return 0;
}
