/*
 * What single instructions and flags of a Dockerfile may say: variables as the
 * builders hold them, FROM, ADD, WORKDIR, VOLUME, RUN --mount, COPY --from.
 */
#include <string.h>

#include "policyd/clean_path.h"
#include "policyd/dockerfile_check.h"
#include "policyd/image_ref.h"

enum { SOURCES_MAX = 256, PAIRS_MAX = 64 };

/* ---- variables ---------------------------------------------------------- */

/* Set by the builder itself, for each platform. */
static const char *const builtin[] = {
	"TARGETPLATFORM", "TARGETOS", "TARGETARCH", "TARGETVARIANT",
	"BUILDPLATFORM", "BUILDOS", "BUILDARCH", "BUILDVARIANT",
};

static const struct str any = { "\x02", 1 }, wild = { "\x01", 1 };

static bool
is_builtin(struct str name)
{
	for (size_t i = 0; i < sizeof(builtin) / sizeof(*builtin); i++)
		if (str_is(name, builtin[i]))
			return true;
	return false;
}

static const struct pair *
find_arg(const struct dockerfile_case *c, struct str name)
{
	for (size_t i = 0; i < c->arg_count; i++)
		if (str_equal(c->arg[i].name, name))
			return &c->arg[i];
	return NULL;
}

/* Behind FROM: names without an ARG above it are empty, or the builder's. */
struct str
dockerfile_other_global(struct scope *scope, struct str name)
{
	if (is_builtin(name))
		return find_arg(scope->given, name) != NULL ? any : wild;
	scope->missed = true;
	return STR_NONE;
}

/* In a stage: an image may have brought a variable of any name. */
struct str
dockerfile_other_stage(struct scope *scope, struct str name)
{
	(void)scope;
	(void)name;
	return any;
}

/* The escape that takes part in expansion: podman's knows one only. */
static char
word_escape(const struct reader *r)
{
	return r->engine == ON_PODMAN ? '\\' : r->lex.escape;
}

bool
dockerfile_has(struct str s, char c)
{
	return str_find(s, c) < s.len;
}

/* What an ARG on top comes to; all engines agree that --build-arg wins. */
static struct str
arg_value(struct reader *r, struct str name, struct str word, bool has_value)
{
	const struct pair *given = find_arg(r->given, name);
	const struct variable *before = dockerfile_scope_find(&r->global, name);
	struct str value = STR_NONE;

	if (has_value) {
		r->global.missed = false;
		value = dockerfile_expand(&r->arena, &r->global, word,
		    word_escape(r));
		if (r->global.missed)
			value = any;
	}
	if (given != NULL)
		value = given->value;
	/* The builder's own value wins, or loses, by version. */
	if (is_builtin(name))
		return given != NULL || dockerfile_has(value, ':') ||
		    dockerfile_has(value, LEX_ANY) ? any : wild;
	/* The first ARG of a name wins here, the last one there. */
	if (before != NULL && !str_equal(before->value, value))
		return any;
	return value;
}

static bool
is_plain_variable(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (strchr("$\\`'\"{}", name.data[i]) != NULL)
			return false;
	return name.len > 0;
}

/* An ARG in a stage may shadow, or not, what ENV has set. */
static void
forget_variable(struct reader *r, struct str name)
{
	if (!is_plain_variable(name))
		r->stage.count = 0;
	else if (dockerfile_scope_find(&r->stage, name) != NULL)
		dockerfile_scope_set(&r->stage, &r->arena, name, any);
}

static int
declare(struct reader *r, struct str name, struct str word, bool has_value)
{
	if (r->engine == ON_DOCKER)
		return 0;
	if (!is_plain_variable(name))
		return dockerfile_refuse(r, "ARG %s: write ARG NAME=VALUE",
		    dockerfile_show(r, name));
	if (dockerfile_is_full(r) || !dockerfile_scope_set(&r->global,
	    &r->arena, name, arg_value(r, name, word, has_value)))
		return dockerfile_refuse(r, "there are too many ARGs");
	return 0;
}

int
dockerfile_check_arg(struct reader *r, struct str args)
{
	struct str word;

	while (dockerfile_quoted_word(&args, r->lex.escape, &word)) {
		size_t at = str_find(word, '=');
		struct str name = str_first(word, at);
		int error;

		if (r->in_stage)
			forget_variable(r, name);
		else if ((error = declare(r, name, str_skip(word, at + 1),
		    at < word.len)) != 0)
			return error;
	}
	return 0;
}

/* Both forms of ENV: NAME=VALUE ..., and NAME VALUE. */
static size_t
read_pairs(struct reader *r, struct str args, struct pair *pairs, size_t max)
{
	struct str rest = args, word;
	size_t n = 0;

	if (!dockerfile_quoted_word(&rest, r->lex.escape, &word))
		return 0;
	if (!dockerfile_has(word, '=')) {
		dockerfile_word(&args, &word);
		pairs[0] = (struct pair){ word, dockerfile_trim(args) };
		return 1;
	}
	rest = args;
	while (n < max && dockerfile_quoted_word(&rest, r->lex.escape, &word)) {
		size_t at = str_find(word, '=');

		pairs[n++] = (struct pair){ str_first(word, at),
			str_skip(word, at + 1) };
	}
	return n;
}

int
dockerfile_check_env(struct reader *r, struct str args)
{
	struct pair pairs[PAIRS_MAX];
	size_t n = read_pairs(r, args, pairs, PAIRS_MAX);
	bool known = n < PAIRS_MAX;

	for (size_t i = 0; i < n; i++) {
		known &= is_plain_variable(pairs[i].name);
		pairs[i].value = dockerfile_expand(&r->arena, &r->stage,
		    pairs[i].value, word_escape(r));
	}
	for (size_t i = 0; known && i < n; i++)
		known = dockerfile_scope_set(&r->stage, &r->arena,
		    pairs[i].name, pairs[i].value);
	/* Any name may have been set: none is known any more. */
	if (!known)
		r->stage.count = 0;
	return 0;
}

/* ---- FROM --------------------------------------------------------------- */

static int
judge_image(struct reader *r, const char *where, struct str name)
{
	const char *why = image_ref_check(name);

	if (why == NULL)
		return 0;
	return dockerfile_refuse(r, "%s %s: %s; use an image from a "
	    "registry, by its plain name", where, dockerfile_show(r, name),
	    why);
}

int
dockerfile_check_from(struct reader *r, struct str args)
{
	struct str word, name;

	r->in_stage = true;
	r->stage.count = 0;
	r->workdir = STR_NONE;
	if (r->engine != ON_PODMAN || !dockerfile_word(&args, &word))
		return 0;
	r->global.missed = false;
	name = dockerfile_expand(&r->arena, &r->global, word, word_escape(r));
	if (r->global.missed)
		return dockerfile_refuse(r, "FROM %s uses a variable that no "
		    "ARG above the first FROM declares",
		    dockerfile_show(r, word));
	if (dockerfile_has(name, LEX_ANY))
		return dockerfile_refuse(r, "FROM %s depends on a value that "
		    "is not known before the build; write the image's name",
		    dockerfile_show(r, word));
	return judge_image(r, "FROM", name);
}

/* ---- ADD ---------------------------------------------------------------- */

/* What the builders fetch themselves, on the host's network. */
static const char *const remote[] = {
	"http://", "https://", "git://", "ssh://", "ftp://", "git@",
};

static bool
is_prefix_nocase(struct str s, struct str prefix)
{
	return s.len >= prefix.len && str_equal_nocase(str_first(s,
	    prefix.len), prefix);
}

/* What an expanded text begins with, up to what is not known. */
static size_t
known_length(struct str s)
{
	size_t n = 0;

	while (n < s.len && s.data[n] != LEX_ANY && s.data[n] != LEX_WILD)
		n++;
	return n;
}

/* source is expanded: might it be a URL, whatever the unknown in it is? */
static bool
may_be_remote(struct str source)
{
	size_t known = known_length(source);

	for (size_t i = 0; i < sizeof(remote) / sizeof(*remote); i++) {
		struct str mark = str_from(remote[i]);

		if (is_prefix_nocase(source, mark))
			return true;
		if (known < source.len && known < mark.len &&
		    is_prefix_nocase(mark, str_first(source, known)))
			return true;
	}
	return false;
}

static int
judge_source(struct reader *r, struct str word)
{
	struct scope none = { .other = dockerfile_other_stage };
	struct str source = dockerfile_expand(&r->arena, r->in_trigger ? &none :
	    &r->stage, word, word_escape(r));

	if (!may_be_remote(source))
		return 0;
	if (dockerfile_has(source, LEX_ANY) || dockerfile_has(source, LEX_WILD))
		return dockerfile_refuse(r, "ADD %s might be a URL: what the "
		    "variable holds can come from the base image; write ./ "
		    "in front of it, or use COPY", dockerfile_show(r, word));
	return dockerfile_refuse(r, "ADD %s: the daemon would fetch it from "
	    "the host's network; fetch it in a RUN step, or put it into the "
	    "context",
	    dockerfile_show(r, word));
}

int
dockerfile_check_add(struct reader *r, struct str args)
{
	struct str *words = arena_alloc(&r->arena,
	    SOURCES_MAX * sizeof(*words));
	struct str text = dockerfile_trim(args), word;
	int n = dockerfile_json(&r->arena, text, words, SOURCES_MAX);
	int error;

	/* What is a list for one parser may be words for another: both. */
	for (int i = 0; i + 1 < n; i++)
		if ((error = judge_source(r, words[i])) != 0)
			return error;
	if (n == SOURCES_MAX)
		return dockerfile_refuse(r, "ADD of more than %d sources",
		    SOURCES_MAX);
	for (n = 0; dockerfile_word(&text, &word); n++) {
		if (n == SOURCES_MAX)
			return dockerfile_refuse(r, "ADD of more than %d "
			    "sources", SOURCES_MAX);
		if (dockerfile_trim(text).len > 0 &&
		    (error = judge_source(r, word)) != 0)
			return error;
	}
	return 0;
}

/* ---- WORKDIR ------------------------------------------------------------ */

/* As the builders join and clean it. */
static struct str
join_workdir(struct reader *r, struct str path)
{
	return clean_path(&r->arena, str_starts(path, "/") ? path :
	    arena_printf(&r->arena, "%.*s/%.*s", STR_FMT(r->workdir),
	    STR_FMT(path)));
}

/*
 * As create's WorkingDir.  What the base image has set is not seen: a path
 * that is relative to that is taken as relative to the root.
 */
int
dockerfile_check_workdir(struct reader *r, struct str args)
{
	struct scope none = { .other = dockerfile_other_stage };
	struct str path = dockerfile_expand(&r->arena, r->in_trigger ? &none :
	    &r->stage, dockerfile_trim(args), word_escape(r));
	struct str known = str_first(path, known_length(path));
	struct str clean = STR_NONE;

	if (known.len > 0)
		clean = join_workdir(r, known);
	if (clean_path_is_kernel(clean))
		return dockerfile_refuse(r, "WORKDIR %s: take one that is not "
		    "under /proc, /sys or /dev", dockerfile_show(r, args));
	if (!r->in_trigger)
		r->workdir = known.len == path.len ? clean : STR_NONE;
	return 0;
}

/* ---- VOLUME ------------------------------------------------------------- */

/*
 * podman 4 saves what a volume holds before each RUN behind it, and follows a
 * link that an earlier step put into the path: to the host's directories.
 */
static bool
saves_volumes(const struct reader *r)
{
	return r->engine == ON_PODMAN && r->given->major < 5;
}

int
dockerfile_check_volume(struct reader *r, struct str args)
{
	(void)args;
	if (saves_volumes(r) && r->in_trigger)
		return dockerfile_refuse(r, "ONBUILD VOLUME: RUN behind it "
		    "could read the host by a link in the volume's path; name "
		    "the volume in the image that is built");
	r->has_volume = true;
	return 0;
}

int
dockerfile_check_run(struct reader *r, struct str args)
{
	(void)args;
	if (!saves_volumes(r) || !r->has_volume || r->in_trigger)
		return 0;
	return dockerfile_refuse(r, "RUN behind VOLUME: it could read the host "
	    "by a link in the volume's path; move VOLUME below the last RUN");
}

/* ---- flags -------------------------------------------------------------- */

/* "--mount=VALUE": only tmpfs, and of that what stays inside. */
int
dockerfile_check_mount(struct reader *r, struct str value)
{
	static const char *const allowed[] = {
		"target=", "dst=", "destination=", "size=", "tmpfs-size=",
		"mode=", "tmpfs-mode=", "ro", "rw", "readonly", "readwrite",
		"nosuid", "nodev", "noexec",
	};
	struct str left = value;

	/* Older builders take the first key, newer ones the last type. */
	for (size_t n = 0; left.len > 0; n++) {
		struct str item = str_first(left, str_find(left, ','));
		bool is_known = n == 0 && str_is(item, "type=tmpfs");

		left = str_skip(left, item.len + 1);
		for (size_t i = 0; n > 0 && !is_known &&
		    i < sizeof(allowed) / sizeof(*allowed); i++)
			is_known = str_ends(str_from(allowed[i]), "=") ?
			    str_starts(item, allowed[i]) :
			    str_is(item, allowed[i]);
		if (!is_known)
			return dockerfile_refuse(r, "RUN --mount=%s: a build "
			    "mounts type=tmpfs (named first) and nothing "
			    "else; COPY what it needs",
			    dockerfile_show(r, value));
	}
	return 0;
}

int
dockerfile_check_copy_from(struct reader *r, struct str value)
{
	return judge_image(r, "COPY --from", value);
}

