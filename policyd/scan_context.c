/*
 * Watched paths: the Dockerfiles by name, the directories above them, and the
 * ignore files.  Whatever the archive makes of a watched path is noted or
 * refused; what would write to one by another way (through a link) is refused,
 * too.  In the end each Dockerfile must be a file that was read here.
 *
 * Entries replace what stands under their name, so the last one holds; each
 * is judged when it is complete.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/log.h"
#include "policyd/dockerfile.h"
#include "policyd/path_set.h"
#include "policyd/scan_context.h"

enum {
	WATCHES_MAX = 256,
	FOLLOW_MAX = 8,			/* links from a Dockerfile on */
	ARENA_MAX = 8 * 1024 * 1024
};

enum watch_role { WATCH_DOCKERFILE, WATCH_PARENT, WATCH_IGNORE };
enum watch_state { WATCH_NONE, WATCH_READ, WATCH_LINK };

struct watch {
	struct str	 path;
	enum watch_role	 role;
	enum watch_state state;
	size_t		 target;	/* WATCH_LINK: another watch */
	struct buf	 text;
};

struct context {
	struct scan_refusal *refusal;
	struct arena	 arena;
	uint8_t		 engine;
	uint16_t	 major;
	size_t		 arg_count;
	struct pair	*arg;
	size_t		 wanted;	/* the first so many watches */
	bool		 any;		/* one of them is enough */
	size_t		 count;
	struct watch	 watch[WATCHES_MAX];
	size_t		 followed;
	struct path_set	 links;		/* symbolic and hard ones */
	struct buf	 name, short_name;
	struct watch	*reading;	/* whose data comes */
};

/* ---- refusing ----------------------------------------------------------- */

static int __attribute__((format(printf, 4, 5)))
refuse_as(struct context *c, enum reason reason, struct str path,
    const char *fmt, ...)
{
	struct scan_refusal *r = c->refusal;
	char shown[100];
	int n;
	va_list ap;

	if (r->reason != R_NONE)
		return -(int)r->reason;
	log_escape(shown, sizeof(shown), str_first(path, 90));
	r->reason = reason;
	snprintf(r->field, sizeof(r->field), "%s", shown);
	n = snprintf(r->text, sizeof(r->text), "%s in the build context: ",
	    shown);
	va_start(ap, fmt);
	vsnprintf(r->text + n, sizeof(r->text) - (size_t)n, fmt, ap);
	va_end(ap);
	return -(int)reason;
}

#define refuse(c, path, ...) \
	refuse_as((c), R_BUILD_CONTEXT, (path), __VA_ARGS__)

/* ---- paths -------------------------------------------------------------- */

/* One step up from what was cleaned so far. */
static void
drop_last(struct buf *out, size_t start)
{
	while (out->len > start && out->data[out->len - 1] != '/')
		out->len--;
	if (out->len > start)
		out->len--;
}

int
context_clean(struct buf *out, struct str path, bool clamp)
{
	size_t start = out->len;

	while (path.len > 0) {
		struct str part = str_first(path, str_find(path, '/'));

		path = str_skip(path, part.len + 1);
		if (part.len == 0 || str_is(part, "."))
			continue;
		if (str_is(part, "..")) {
			if (!clamp)
				return -R_BUILD_CONTEXT;
			drop_last(out, start);
			continue;
		}
		if (out->len > start)
			buf_put_char(out, '/');
		buf_put_str(out, part);
	}
	return out->failed ? -R_TOO_LARGE : 0;
}

static struct str
parent_of(struct str path)
{
	while (path.len > 0 && path.data[path.len - 1] != '/')
		path.len--;
	if (path.len > 0)
		path.len--;
	return path;
}

/* ---- the list ----------------------------------------------------------- */

static struct watch *
find_watch(struct context *c, struct str path)
{
	for (size_t i = 0; i < c->count; i++)
		if (str_equal(c->watch[i].path, path))
			return &c->watch[i];
	return NULL;
}

/* A file that is watched stands above the path. */
static const struct watch *
find_file_above(struct context *c, struct str path)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct watch *w = &c->watch[i];

		if (w->role != WATCH_PARENT && path.len > w->path.len &&
		    path.data[w->path.len] == '/' && str_equal(w->path,
		    str_first(path, w->path.len)))
			return w;
	}
	return NULL;
}

static struct watch *
add_watch(struct context *c, struct str path, enum watch_role role)
{
	struct watch *w = find_watch(c, path);

	if (w != NULL) {
		if (w->role != role)
			refuse(c, path, "it would have to be a file and a "
			    "directory");
		return w;
	}
	if (c->count == WATCHES_MAX) {
		refuse(c, path, "it lies too deep");
		return NULL;
	}
	w = &c->watch[c->count++];
	w->path = arena_str(&c->arena, path);
	w->role = role;
	buf_init(&w->text, DOCKERFILE_MAX);
	return w;
}

/* The directories above it, and the ignore files beside it. */
static void
add_company(struct context *c, struct str path)
{
	static const char *const suffixes[] = { ".dockerignore",
		".containerignore" };

	for (struct str up = parent_of(path); up.len > 0; up = parent_of(up))
		add_watch(c, up, WATCH_PARENT);
	for (size_t i = 0; i < 2; i++)
		add_watch(c, arena_printf(&c->arena, "%.*s%s", STR_FMT(path),
		    suffixes[i]), WATCH_IGNORE);
}

static bool
is_podman(const struct context *c)
{
	return c->engine == BACKEND_PODMAN;
}

static void
add_name(struct context *c, struct str name)
{
	struct buf clean = BUF_INIT(TAR_PAX_MAX);

	if (context_clean(&clean, name, false) != 0 || clean.len == 0 ||
	    name.data[0] == '/' || str_starts(name, "http:") ||
	    str_starts(name, "https:"))
		refuse(c, name, "a Dockerfile is named by its path inside "
		    "the context");
	/* The builder gives such a file to the host's C preprocessor. */
	else if (is_podman(c) && str_ends(buf_str(&clean), ".in"))
		refuse(c, name, "names that end in .in are read by cpp, which "
		    "includes files of the host; name it otherwise");
	else
		add_watch(c, buf_str(&clean), WATCH_DOCKERFILE);
	buf_free(&clean);
}

/* What the daemons look for when nothing, or only the default, is named. */
static void
add_usual_names(struct context *c, const struct scan_options *o)
{
	bool is_default = o->dockerfile_count == 0 ||
	    (o->dockerfile_count == 1 && str_is(o->dockerfile[0],
	    "Dockerfile"));

	if (is_podman(c) && o->dockerfile_count == 0) {
		add_name(c, STR("Containerfile"));
		add_name(c, STR("Dockerfile"));
	} else if (!is_podman(c) && is_default) {
		add_name(c, STR("Dockerfile"));
		add_name(c, STR("dockerfile"));
	}
	c->any = c->count > 0;
}

static void
copy_args(struct context *c, const struct scan_options *o)
{
	c->arg_count = o->arg_count;
	c->arg = arena_alloc(&c->arena, o->arg_count * sizeof(*c->arg));
	for (size_t i = 0; i < o->arg_count; i++) {
		c->arg[i].name = arena_str(&c->arena, o->arg[i].name);
		c->arg[i].value = arena_str(&c->arena, o->arg[i].value);
	}
}

struct context *
context_new(const struct scan_options *o, struct scan_refusal *refusal)
{
	struct context *c = calloc(1, sizeof(*c));

	if (c == NULL)
		log_panic("scan", "out of memory");
	c->refusal = refusal;
	c->engine = o->engine;
	c->major = o->major;
	arena_init(&c->arena, ARENA_MAX);
	buf_init(&c->name, TAR_PAX_MAX);
	buf_init(&c->short_name, TAR_PAX_MAX);
	copy_args(c, o);
	add_usual_names(c, o);
	for (size_t i = 0; !c->any && i < o->dockerfile_count; i++)
		add_name(c, o->dockerfile[i]);
	c->wanted = c->count;
	for (size_t i = 0; i < c->wanted; i++)
		add_company(c, c->watch[i].path);
	add_watch(c, STR(".dockerignore"), WATCH_IGNORE);
	add_watch(c, STR(".containerignore"), WATCH_IGNORE);
	return c;
}

void
context_free(struct context *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->count; i++)
		buf_free(&c->watch[i].text);
	buf_free(&c->name);
	buf_free(&c->short_name);
	path_set_free(&c->links);
	arena_free(&c->arena);
	free(c);
}

size_t
context_held(const struct context *c)
{
	size_t held = sizeof(*c) + c->arena.used + c->name.cap +
	    c->short_name.cap + c->links.size * sizeof(*c->links.slot);

	for (size_t i = 0; i < c->count; i++)
		held += c->watch[i].text.cap;
	return held;
}

/* ---- Dockerfiles -------------------------------------------------------- */

/* Judges the texts of n watches as one Dockerfile after the other. */
static int
judge(struct context *c, const struct watch *watch, size_t n)
{
	struct str name[DOCKERFILE_COUNT_MAX], text[DOCKERFILE_COUNT_MAX];
	struct dockerfile_case given = { c->engine, c->major, n, name, text,
		c->arg_count, c->arg };
	struct dockerfile_refusal out;
	int error;

	for (size_t i = 0; i < n; i++) {
		name[i] = watch[i].path;
		text[i] = buf_str(&watch[i].text);
	}
	error = dockerfile_judge(&given, &out);
	if (error != 0 && c->refusal->reason == R_NONE) {
		c->refusal->reason = out.reason;
		snprintf(c->refusal->field, sizeof(c->refusal->field), "%s",
		    out.field);
		snprintf(c->refusal->text, sizeof(c->refusal->text), "%s",
		    out.text);
	}
	return error;
}

/* Several are one text in the end: then only the whole can be judged. */
static bool
is_single(const struct context *c)
{
	return c->any || c->wanted == 1;
}

int
context_data(struct context *c, struct str bytes)
{
	struct watch *w = c->reading;
	int error;

	if (bytes.len > 0) {
		buf_put_str(&w->text, bytes);
		return w->text.failed ? refuse_as(c, R_TOO_LARGE, w->path,
		    "it is larger than %d bytes", DOCKERFILE_MAX) : 0;
	}
	w->state = WATCH_READ;
	c->reading = NULL;
	if (!is_single(c))
		return 0;
	error = judge(c, w, 1);
	buf_free(&w->text);
	return error;
}

/* Where the link leads is watched from now on; docker resolves it inside. */
static int
follow(struct context *c, struct watch *w, const struct tar_entry *e)
{
	struct buf path = BUF_INIT(2 * TAR_PAX_MAX);
	struct buf clean = BUF_INIT(2 * TAR_PAX_MAX);
	struct watch *target = NULL;

	if (e->link.data[0] != '/')
		buf_put_str(&path, parent_of(w->path));
	buf_put_char(&path, '/');
	buf_put_str(&path, e->link);
	if (context_clean(&clean, buf_str(&path), true) != 0 ||
	    clean.len == 0 || c->followed++ == FOLLOW_MAX ||
	    path_set_has(&c->links, buf_str(&clean)) ||
	    path_set_has_above(&c->links, buf_str(&clean)))
		refuse(c, w->path, "it is a link that leads through others; "
		    "name the file itself");
	else if ((target = add_watch(c, buf_str(&clean),
	    WATCH_DOCKERFILE)) != NULL)
		add_company(c, target->path);
	buf_free(&path);
	buf_free(&clean);
	if (c->refusal->reason != R_NONE)
		return -(int)c->refusal->reason;
	w->state = WATCH_LINK;
	w->target = (size_t)(target - c->watch);
	return 0;
}

static int
on_dockerfile(struct context *c, struct watch *w, const struct tar_entry *e)
{
	w->state = WATCH_NONE;
	buf_free(&w->text);
	if (e->type == '2' && !is_podman(c))
		return follow(c, w, e);
	if (e->type != '0')
		return refuse(c, w->path, "the Dockerfile is a link or a "
		    "directory; it has to be a file");
	if (e->size > DOCKERFILE_MAX)
		return refuse_as(c, R_TOO_LARGE, w->path, "it is larger than "
		    "%d bytes", DOCKERFILE_MAX);
	c->reading = w;
	return 1;
}

/* ---- entries ------------------------------------------------------------ */

/* The header's own name where an extended one overrides it. */
static bool
fits_header(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.data[i] < ' ' || name.data[i] > '~')
			return false;
	return name.len <= 100;
}

/* A reader that misses the extended name must not find another Dockerfile. */
static int
check_names(struct context *c, const struct tar_entry *e)
{
	bool is_watched, was_watched;

	if (e->name.data == e->short_name.data)
		return 0;
	buf_clear(&c->short_name);
	was_watched = context_clean(&c->short_name, e->short_name,
	    false) != 0 || find_watch(c, buf_str(&c->short_name)) != NULL;
	if (str_equal(buf_str(&c->name), buf_str(&c->short_name)))
		return 0;
	is_watched = find_watch(c, buf_str(&c->name)) != NULL;
	if (was_watched || (is_watched && fits_header(e->name)))
		return refuse(c, e->name, "its headers give it two names");
	return 0;
}

static int
on_watched(struct context *c, struct watch *w, const struct tar_entry *e)
{
	switch (w->role) {
	case WATCH_DOCKERFILE:
		return on_dockerfile(c, w, e);
	case WATCH_PARENT:
		return e->type == '5' ? 0 : refuse(c, w->path, "the "
		    "Dockerfile lies behind it, so it has to be a directory");
	case WATCH_IGNORE:
		/* podman would follow it on the host. */
		return e->type == '0' || !is_podman(c) ? 0 :
		    refuse(c, w->path, "an ignore file has to be a file");
	}
	return 0;
}

int
context_entry(struct context *c, const struct tar_entry *e)
{
	const struct watch *above;
	struct watch *w;
	struct str path;
	int error;

	if (c->refusal->reason != R_NONE)
		return -(int)c->refusal->reason;
	if (!scan_type_is_plain(e->type))
		return refuse(c, e->name, "device nodes and fifos do not "
		    "belong there; list it in .dockerignore");
	buf_clear(&c->name);
	if (context_clean(&c->name, e->name, false) != 0)
		return refuse(c, e->name, "its name leads out of the "
		    "context");
	path = buf_str(&c->name);
	if (path.len == 0)
		return e->type == '5' ? 0 : refuse(c, e->name, "the context "
		    "itself has to be a directory");
	if (path_set_has_above(&c->links, path))
		return refuse(c, path, "it lies behind a link of the context");
	if ((above = find_file_above(c, path)) != NULL)
		return refuse(c, above->path, "something lies below it, but "
		    "it has to be a file");
	if ((error = check_names(c, e)) != 0)
		return error;
	w = find_watch(c, path);
	error = w != NULL ? on_watched(c, w, e) : 0;
	if (e->type == '1' || e->type == '2')
		path_set_add(&c->links, path);
	return error;
}

/* ---- the end ------------------------------------------------------------ */

static const struct watch *
resolve(const struct context *c, const struct watch *w)
{
	for (size_t i = 0; w->state == WATCH_LINK && i < FOLLOW_MAX; i++)
		w = &c->watch[w->target];
	return w;
}

static int
refuse_missing(struct context *c, const struct watch *w)
{
	if (w->state == WATCH_LINK)
		return refuse(c, w->path, "it is a link to what does not "
		    "follow it in the archive; name the file itself");
	return refuse(c, w->path, "there is no such file; name the "
	    "Dockerfile with -f");
}

int
context_finish(struct context *c)
{
	if (c->refusal->reason != R_NONE)
		return -(int)c->refusal->reason;
	for (size_t i = 0; i < c->wanted; i++) {
		const struct watch *w = &c->watch[i];

		if (resolve(c, w)->state == WATCH_READ) {
			if (c->any)
				return 0;
		} else if (!c->any || w->state == WATCH_LINK)
			return refuse_missing(c, w);
	}
	if (c->any)
		return refuse_missing(c, &c->watch[0]);
	return is_single(c) ? 0 : judge(c, c->watch, c->wanted);
}
