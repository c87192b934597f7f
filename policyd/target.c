/*
 * Takes a request target apart so that only one reading of it is left.
 * Daemons decode, clean and redirect; whatever would come out of that
 * differently than it went in is refused here, before any route is looked at.
 */
#include "policyd/context.h"
#include "policyd/percent.h"

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int
bad(struct judge *j, const char *what)
{
	return judge_refuse(j, R_BAD_TARGET, STR("path"),
	    "%s; send the path in its plain form", what);
}

static int
check_bytes(struct judge *j, struct str target)
{
	for (size_t i = 0; i < target.len; i++) {
		unsigned char c = (unsigned char)target.data[i];

		if (c <= 0x20 || c >= 0x7f)
			return bad(j, "the target holds a control, blank or "
			    "non-ASCII byte");
		if (strchr("\\;#\"<>^`{|}", c) != NULL &&
		    !(strchr("\"<>^`{|}", c) != NULL &&
		    i > str_find(target, '?')))
			return bad(j, "the target holds a character that "
			    "must not stand there");
	}
	return 0;
}

/* "v1.41", "v4.3.1": digits without leading zeroes. */
static int
parse_number(struct str *s, unsigned *out)
{
	size_t n = 0;

	*out = 0;
	while (n < s->len && is_digit(s->data[n]) && n < 6)
		*out = *out * 10 + (unsigned)(s->data[n++] - '0');
	if (n == 0 || n == 6 || (n > 1 && s->data[0] == '0'))
		return -1;
	*s = str_skip(*s, n);
	return 0;
}

static int
parse_version(struct judge *j, struct str segment)
{
	struct target *t = &j->target;
	struct str s = str_skip(segment, 1);

	if (segment.data[0] != 'v' || parse_number(&s, &t->major) != 0 ||
	    !str_starts(s, ".") ||
	    (s = str_skip(s, 1), parse_number(&s, &t->minor)) != 0)
		goto bad;
	if (str_starts(s, ".")) {
		s = str_skip(s, 1);
		if (parse_number(&s, &t->patch) != 0)
			goto bad;
		t->has_patch = true;
	}
	if (s.len > 0)
		goto bad;
	t->has_version = true;
	return 0;
bad:
	return judge_refuse(j, R_BAD_VERSION, STR("version"),
	    "%s is not a version; write v1.N", judge_show(j, segment));
}

/* v, V and then no letter: meant as a version, whatever follows. */
static bool
looks_like_version(struct str segment)
{
	if (segment.len == 0 || (segment.data[0] | 0x20) != 'v')
		return false;
	return segment.len == 1 || !((segment.data[1] | 0x20) >= 'a' &&
	    (segment.data[1] | 0x20) <= 'z');
}

static int
split(struct judge *j, struct str path)
{
	struct target *t = &j->target;

	path = str_skip(path, 1);
	if (path.len == 0)
		return bad(j, "the path is empty");
	for (;;) {
		struct str segment = str_first(path, str_find(path, '/'));

		if (segment.len == 0)
			return bad(j, "the path has an empty segment");
		if (str_is(segment, ".") || str_is(segment, ".."))
			return bad(j, "the path has a dot segment");
		if (t->count == TARGET_SEGMENTS_MAX)
			return bad(j, "the path has too many segments");
		t->segment[t->count++] = segment;
		if (segment.len == path.len)
			return 0;
		path = str_skip(path, segment.len + 1);
	}
}

static void
shift(struct target *t)
{
	t->count--;
	memmove(&t->segment[0], &t->segment[1],
	    t->count * sizeof(t->segment[0]));
}

int
target_parse(struct judge *j)
{
	struct target *t = &j->target;
	struct str target = j->request->target;
	size_t mark = str_find(target, '?');
	int error;

	if (!str_starts(target, "/"))
		return bad(j, "the target is not in origin form");
	if ((error = check_bytes(j, target)) != 0)
		return error;
	t->query = str_skip(target, mark < target.len ? mark + 1 : mark);
	if ((error = split(j, str_first(target, mark))) != 0)
		return error;
	if (looks_like_version(t->segment[0])) {
		if ((error = parse_version(j, t->segment[0])) != 0)
			return error;
		shift(t);
	}
	if (t->count > 0 && str_is(t->segment[0], "libpod")) {
		t->is_libpod = true;
		shift(t);
	}
	return t->count > 0 ? 0 : bad(j, "the path ends after its version");
}

static int
check_compat(struct judge *j)
{
	const struct target *t = &j->target;
	const struct backend *b = &j->request->backend;

	if (t->has_patch || t->major != 1)
		return judge_refuse(j, R_BAD_VERSION, STR("version"),
		    "v%u.%u is not a version of this API; write v1.N",
		    t->major, t->minor);
	/* Below 1.24 a start takes a HostConfig that replaces the judged one. */
	if (t->minor < 24)
		return judge_refuse(j, R_BAD_VERSION, STR("version"),
		    "v1.%u is too old; the gateway serves v1.24 and newer",
		    t->minor);
	if (t->minor > b->api_minor)
		return judge_refuse_raw(j, R_BAD_VERSION, arena_printf(
		    j->arena, "client version 1.%u is too new. Maximum "
		    "supported API version is %u.%u", t->minor, b->api_major,
		    b->api_minor));
	return 0;
}

/* Routes of podman 2 and older meant other things by the same paths. */
static int
check_libpod(struct judge *j)
{
	const struct target *t = &j->target;
	unsigned max = j->request->backend.libpod[0];

	if (t->major >= 3 && (max == 0 || t->major <= max))
		return 0;
	return judge_refuse(j, R_BAD_VERSION, STR("version"),
	    "v%u.%u is not a version of libpod that this service and the "
	    "gateway both serve", t->major, t->minor);
}

struct str
target_emit_prefix(struct judge *j)
{
	const struct target *t = &j->target;

	if (!t->is_libpod)
		return judge_version_prefix(j);
	return arena_printf(j->arena, "/v%u.%u.%u/libpod", t->major, t->minor,
	    t->patch);
}

int
target_check_version(struct judge *j)
{
	const struct target *t = &j->target;

	if (t->is_libpod && !t->has_version)
		return judge_refuse(j, R_BAD_VERSION, STR("version"),
		    "libpod routes carry a version; write /v4.0.0/libpod/...");
	if (t->is_libpod)
		return check_libpod(j);
	return t->has_version ? check_compat(j) : 0;
}

int
target_decode(struct judge *j, struct str raw, bool slashes, struct str *out)
{
	char *text = arena_alloc(j->arena, raw.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < raw.len; i++) {
		unsigned char c = (unsigned char)raw.data[i];

		if (c == '%') {
			int byte = percent_decode_one(str_skip(raw, i));

			if (byte < 0)
				return bad(j, "the path has a broken escape");
			c = (unsigned char)byte;
			i += 2;
			if (percent_is_unreserved(c) || c == '%' || c <= 0x20 ||
			    c >= 0x7f || (c == '/' && !slashes))
				return bad(j, "the path escapes a character "
				    "that must not be escaped");
		}
		text[n++] = (char)c;
	}
	*out = (struct str){ text, n };
	return 0;
}

struct str
target_encode(struct judge *j, struct str s, bool keep_slashes)
{
	static const char hex[] = "0123456789ABCDEF";
	char *text = arena_alloc(j->arena, s.len * 3 + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.data[i];

		if (percent_is_unreserved(c) || (keep_slashes && (c == '/' ||
		    c == ':' || c == '@'))) {
			text[n++] = (char)c;
			continue;
		}
		text[n++] = '%';
		text[n++] = hex[c >> 4];
		text[n++] = hex[c & 15];
	}
	return (struct str){ text, n };
}
