/*
 * Matches a path against the route table.  Literals are compared with the
 * bytes as sent: a literal in escapes is no literal.  {image} takes several
 * segments; the literals behind it are matched from the right.
 */
#include "policyd/route.h"

struct object_row {
	const char	*name;
	enum object_kind kind;
	bool		 spans;		/* takes several segments */
};

static const struct object_row object_rows[] = {
	{ "{container}",	OBJECT_CONTAINER,	false },
	{ "{exec}",		OBJECT_EXEC,		false },
	{ "{network}",		OBJECT_NETWORK,		false },
	{ "{volume}",		OBJECT_VOLUME,		false },
	{ "{image}",		OBJECT_IMAGE,		true },
	{ "{pod}",		OBJECT_POD,		false },
	{ "{name}",		OBJECT_ANY,		false },
};

static const struct object_row *
find_object(struct str segment)
{
	for (size_t i = 0; i < sizeof(object_rows) / sizeof(*object_rows); i++)
		if (str_is(segment, object_rows[i].name))
			return &object_rows[i];
	return NULL;
}

/* Splits a pattern into its segments. */
static size_t
split_pattern(const char *path, struct str *segments)
{
	struct str left = str_skip(str_from(path), 1);
	size_t n = 0;

	while (left.len > 0 && n < TARGET_SEGMENTS_MAX) {
		segments[n] = str_first(left, str_find(left, '/'));
		left = str_skip(left, segments[n].len + 1);
		n++;
	}
	return n;
}

static bool
match_run(const struct str *pattern, const struct str *segment, size_t n,
    const struct str **variable)
{
	for (size_t i = 0; i < n; i++) {
		if (find_object(pattern[i]) != NULL)
			*variable = &segment[i];
		else if (!str_equal(pattern[i], segment[i]))
			return false;
	}
	return true;
}

/* The bytes from the first to the last of n segments, slashes included. */
static struct str
join(const struct str *segment, size_t n)
{
	const char *end = segment[n - 1].data + segment[n - 1].len;

	return (struct str){ segment[0].data,
		(size_t)(end - segment[0].data) };
}

static bool
match_path(const struct route *route, const struct target *t,
    struct str *variable)
{
	struct str pattern[TARGET_SEGMENTS_MAX];
	const struct str *single = NULL;
	size_t n = split_pattern(route->path, pattern);
	size_t span = n;

	*variable = STR_NONE;
	if (n > 0 && str_is(pattern[n - 1], "*"))
		return t->count + 1 >= n && match_run(pattern, t->segment,
		    n - 1, &single);
	for (size_t i = 0; i < n; i++) {
		const struct object_row *row = find_object(pattern[i]);

		if (row != NULL && row->spans)
			span = i;
	}
	if (span == n) {
		if (t->count != n || !match_run(pattern, t->segment, n,
		    &single))
			return false;
		if (single != NULL)
			*variable = *single;
		return true;
	}
	if (t->count < n || !match_run(pattern, t->segment, span, &single) ||
	    !match_run(pattern + span + 1, t->segment + t->count - (n - span -
	    1), n - span - 1, &single))
		return false;
	*variable = join(t->segment + span, t->count - n + 1);
	return true;
}

static bool
match_method(const struct route *route, struct str method)
{
	return strcmp(route->method, "*") == 0 || str_is(method,
	    route->method);
}

enum object_kind
route_object(const struct route *route)
{
	struct str pattern[TARGET_SEGMENTS_MAX];
	size_t n = split_pattern(route->path, pattern);

	for (size_t i = 0; i < n; i++) {
		const struct object_row *row = find_object(pattern[i]);

		if (row != NULL)
			return row->kind;
	}
	return OBJECT_NONE;
}

static int
take(struct judge *j, const struct route *route, struct str variable)
{
	j->route = route;
	j->out->row = route->path;
	if (variable.len == 0)
		return 0;
	return target_decode(j, variable, route_object(route) == OBJECT_IMAGE,
	    &j->subject);
}

int
route_match(struct judge *j)
{
	const struct route *table = j->target.is_libpod ? libpod_routes :
	    compat_routes;
	bool path_known = false;
	struct str variable;

	if (j->target.is_libpod && (j->request->face != FACE_PODMAN ||
	    j->request->backend.kind != BACKEND_PODMAN))
		return judge_refuse(j, R_ROUTE, STR("path"),
		    "libpod routes are served on podman.sock only");
	for (; table->path != NULL; table++) {
		if (!match_path(table, &j->target, &variable))
			continue;
		if (match_method(table, j->request->method))
			return take(j, table, variable);
		path_known = true;
	}
	if (path_known)
		return judge_refuse(j, R_METHOD, STR("method"),
		    "%s is not allowed on this path",
		    judge_show(j, j->request->method));
	return judge_refuse(j, R_ROUTE, STR("path"),
	    "no rule allows /%s; the gateway serves containers, execs, "
	    "images, networks, volumes and builds",
	    judge_show(j, j->target.segment[0]));
}

struct str
route_emit_path(struct judge *j)
{
	struct str pattern[TARGET_SEGMENTS_MAX];
	size_t n = split_pattern(j->route->path, pattern);
	struct str path = STR_NONE;

	for (size_t i = 0; i < n; i++) {
		const struct object_row *row = find_object(pattern[i]);
		struct str segment = row == NULL ? pattern[i] :
		    target_encode(j, j->object, row->spans);

		path = arena_printf(j->arena, "%.*s/%.*s", STR_FMT(path),
		    STR_FMT(segment));
	}
	return path;
}
