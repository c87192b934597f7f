/*
 * Reads case files, makes requests of rows, and compares what came of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "policyd/lexer.h"
#include "test/policy/cases.h"
#include "test/policy/sound.h"

enum { COLUMNS = 6 };

static void
die(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	exit(1);
}

static void
add_row(struct case_list *list, const char *file, int line, struct str text)
{
	struct str column[COLUMNS];
	struct policy_case *row;
	size_t n = 0;

	while (n < COLUMNS) {
		column[n] = str_first(text, str_find(text, '\t'));
		text = str_skip(text, column[n++].len + 1);
	}
	if (column[4].len == 0 || text.len > 0)
		die(file, line, "a row has five or six columns");
	list->row = realloc(list->row, (list->count + 1) *
	    sizeof(*list->row));
	row = &list->row[list->count++];
	*row = (struct policy_case){ file, line, strndup(column[0].data,
	    column[0].len), column[1], column[2], column[3], column[4],
	    column[5] };
}

void
cases_load(struct case_list *list, const char *name)
{
	struct str left;
	struct stat st;
	char path[1024];
	char *text;
	FILE *file;
	int line = 0;

	snprintf(path, sizeof(path), TEST_SRCDIR "/test/policy/%s", name);
	file = fopen(path, "r");
	if (file == NULL || fstat(fileno(file), &st) != 0)
		die(path, 0, "cannot be opened");
	text = malloc((size_t)st.st_size + 1);
	left = (struct str){ text, fread(text, 1, (size_t)st.st_size, file) };
	fclose(file);
	/* The rows are views into it: it stays. */
	while (left.len > 0) {
		struct str row = str_first(left, str_find(left, '\n'));

		left = str_skip(left, row.len + 1);
		line++;
		if (row.len > 0 && row.data[0] != '#')
			add_row(list, strdup(name), line, row);
	}
}

bool
cases_next(struct str *list, struct str *item)
{
	size_t n = 0;

	if (list->len == 0)
		return false;
	while (n < list->len && !str_starts(str_skip(*list, n), " | "))
		n++;
	*item = str_first(*list, n);
	*list = str_skip(*list, n + 3);
	return true;
}

/* <<N*TEXT>> */
static struct str
repeat(struct arena *a, struct str text)
{
	struct buf out = BUF_INIT(64 * 1024 * 1024);
	struct str copy;

	while (text.len > 0) {
		size_t count = 0;
		struct str again;

		if (!str_starts(text, "<<")) {
			buf_put_char(&out, text.data[0]);
			text = str_skip(text, 1);
			continue;
		}
		text = str_skip(text, 2);
		again = str_first(text, str_find(text, '>'));
		text = str_skip(text, again.len + 2);
		for (; again.len > 0 && again.data[0] != '*';
		    again = str_skip(again, 1))
			count = count * 10 + (size_t)(again.data[0] - '0');
		again = str_skip(again, 1);
		while (count-- > 0)
			buf_put_str(&out, again);
	}
	copy = arena_str(a, buf_str(&out));
	buf_free(&out);
	return copy;
}

static struct str
unescape(struct arena *a, struct str text)
{
	char *out = arena_alloc(a, text.len + 1);
	char hex[3] = "";
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (c == '\\' && i + 1 < text.len) {
			c = text.data[++i];
			if (c == 'x' && i + 2 < text.len) {
				memcpy(hex, text.data + i + 1, 2);
				c = (char)strtoul(hex, NULL, 16);
				i += 2;
			} else
				c = c == 'n' ? '\n' : c == 't' ? '\t' :
				    c == 'r' ? '\r' : c;
		}
		out[n++] = c;
	}
	return (struct str){ out, n };
}

struct str
cases_text(struct arena *a, struct str text)
{
	bool raw = str_starts(text, "raw:");

	text = repeat(a, world_expand(a, str_skip(text, raw ? 4 : 0)));
	return raw ? unescape(a, text) : text;
}

static void
remember_own(struct world *w, struct arena *a)
{
	struct str own = world_expand(a, STR("{OWN_ID}"));

	w->ids = ids_new(64);
	ids_add(w->ids, own, STR_NONE);
	ids_add(w->ids, world_expand(a, STR("{OWN_EXEC}")), own);
}

static void
give_header(struct case_run *run, struct str item, size_t colon)
{
	struct pair *header =
	    &run->request.header[run->request.header_count++];

	header->name = str_first(item, colon);
	header->value = world_expand(&run->arena, str_skip(item, colon + 2));
}

static void
give_egress(struct settings *s, struct str value)
{
	bool answers = str_is(value, "on");

	s->egress.mode = str_is(value, "off") ? EGRESS_OFF :
	    str_is(value, "require") ? EGRESS_REQUIRE : EGRESS_INJECT;
	s->egress.answers[FACE_DOCKER] = answers;
	s->egress.answers[FACE_PODMAN] = answers;
}

static void
give_podman(struct world *w)
{
	w->backend.kind = BACKEND_PODMAN;
	w->backend.libpod[0] = 4;
	w->backend.libpod[1] = 3;
	w->backend.libpod[2] = 1;
}

/* "5.4.2" */
static void
give_libpod(struct world *w, struct str version)
{
	for (size_t i = 0; i < 3; i++) {
		w->backend.libpod[i] = (uint16_t)strtoul(version.data, NULL,
		    10);
		version = str_skip(version, str_find(version, '.') + 1);
	}
}

static void
give(const struct policy_case *c, struct case_run *run, struct str item)
{
	struct world *w = &run->world;
	size_t eq = str_find(item, '='), colon = str_find(item, ':');
	struct str name = str_first(item, eq), value = str_skip(item, eq + 1);

	if (colon + 1 < item.len && item.data[colon + 1] == ' ')
		give_header(run, item, colon);
	else if (str_is(name, "api"))
		w->backend.api_minor = (uint16_t)strtoul(value.data, NULL, 10);
	else if (str_is(item, "face=podman"))
		w->face = FACE_PODMAN;
	else if (str_is(item, "backend=podman"))
		give_podman(w);
	else if (str_is(name, "libpod"))
		give_libpod(w, value);
	else if (str_is(name, "egress"))
		give_egress(&w->settings, value);
	else if (str_is(item, "load=1"))
		w->settings.image_load = true;
	else if (str_is(item, "known=1"))
		remember_own(w, &run->arena);
	else if (str_is(item, "chunked=1"))
		run->request.body_kind = BODY_CHUNKED;
	else if (str_is(item, "generous=1"))
		w->generous = true;
	else if (str_is(name, "root"))
		w->settings.roots.path[0] = world_expand(&run->arena, value);
	else if (str_is(item, "routes=none"))
		w->routeless = true;
	else
		die(c->file, c->line, "unknown word in the last column");
}

/* What is to be looked at by has: and lacks:. */
static struct str
text_of(struct arena *a, const struct verdict *v)
{
	struct buf out = BUF_INIT(64 * 1024 * 1024);
	struct str copy;

	if (v->kind == VERDICT_DENY)
		return v->deny.text;
	if (v->kind == VERDICT_ANSWER)
		return v->answer.body;
	buf_put_str(&out, v->forward.head);
	buf_put_str(&out, v->forward.body);
	copy = arena_str(a, buf_str(&out));
	buf_free(&out);
	return copy;
}

void
cases_run(const struct policy_case *c, struct case_run *run)
{
	struct msg_request *r = &run->request;
	struct str request, given = c->given, item;

	memset(run, 0, sizeof(*run));
	arena_init(&run->arena, JUDGE_ARENA_MAX);
	world_init(&run->world);
	request = cases_text(&run->arena, c->request);
	r->method = str_first(request, str_find(request, ' '));
	r->target = str_skip(request, r->method.len + 1);
	r->body_kind = BODY_NONE;
	if (!str_is(c->body, "-")) {
		run->body = cases_text(&run->arena, c->body);
		r->body_kind = BODY_LENGTH;
		r->body_length = run->body.len;
	}
	while (cases_next(&given, &item))
		give(c, run, item);
	r->face = run->world.face;
	r->backend = run->world.backend;
	run->verdict = world_decide(&run->world, r, run->body);
	run->out = text_of(&run->arena, run->verdict);
}

void
cases_run_free(struct case_run *run)
{
	world_free(&run->world);
	arena_free(&run->arena);
}

/* ---- conditions --------------------------------------------------------- */

static bool
contains(struct str text, struct str part)
{
	return part.len == 0 || memmem(text.data, text.len, part.data,
	    part.len) != NULL;
}

static bool
holds_has(struct case_run *run, struct str arg)
{
	return contains(run->out, arg);
}

static bool
holds_lacks(struct case_run *run, struct str arg)
{
	return !contains(run->out, arg);
}

static bool
holds_head(struct case_run *run, struct str arg)
{
	struct str line = str_first(run->verdict->forward.head,
	    str_find(run->verdict->forward.head, '\r'));

	return line.len == arg.len + strlen(" HTTP/1.1") && str_equal(
	    str_first(line, arg.len), arg) && str_ends(line, " HTTP/1.1");
}

static bool
holds_body(struct case_run *run, struct str arg)
{
	struct str body = run->verdict->kind == VERDICT_ANSWER ?
	    run->verdict->answer.body : run->verdict->forward.body;
	struct json_object *want = json_tokener_parse(arena_text(&run->arena,
	    arg));
	struct json_object *got = json_tokener_parse(arena_text(&run->arena,
	    body));
	bool same = want != NULL && json_object_equal(want, got);

	json_object_put(want);
	json_object_put(got);
	return same;
}

static bool
is_effect(const struct known_fact *known)
{
	return known->kind == EFFECT_MKDIR || known->kind == EFFECT_HTTP;
}

static bool
asked_for(const struct case_run *run, struct str arg, bool effects)
{
	const struct fact_store *facts = &run->world.facts;

	for (size_t i = 0; i < facts->count; i++)
		if (is_effect(&facts->known[i]) == effects &&
		    contains(facts->known[i].text, arg))
			return true;
	return false;
}

static bool
holds_asks(struct case_run *run, struct str arg)
{
	return asked_for(run, arg, false);
}

static bool
holds_effect(struct case_run *run, struct str arg)
{
	if (str_is(arg, "none"))
		return !asked_for(run, STR(""), true);
	return asked_for(run, arg, true);
}

static bool
holds_lookups(struct case_run *run, struct str arg)
{
	return strtoul(arena_text(&run->arena, arg), NULL, 10) ==
	    run->world.facts.count;
}

static bool
holds_status(struct case_run *run, struct str arg)
{
	unsigned status = run->verdict->kind == VERDICT_DENY ?
	    run->verdict->deny.status : run->verdict->answer.status;

	return strtoul(arena_text(&run->arena, arg), NULL, 10) == status;
}

static bool
holds_mode(struct case_run *run, struct str arg)
{
	static const char *const answers[] = { "relay", "hijack", "judge",
		"lines" };
	static const char *const bodies[] = { "none", "bytes", "stream",
		"scan" };
	const struct msg_forward *f = &run->verdict->forward;

	return str_is(arg, answers[f->response_mode & 3]) ||
	    str_is(arg, bodies[f->body_mode & 3]) || (str_is(arg, "creates") &&
	    (f->flags & FORWARD_CREATES) != 0);
}

static bool
holds_subject(struct case_run *run, struct str arg)
{
	return str_equal(run->verdict->memo.subject, arg);
}

static const struct condition {
	const char	*name;
	bool		(*holds)(struct case_run *, struct str arg);
} conditions[] = {
	{ "has:",	holds_has },
	{ "lacks:",	holds_lacks },
	{ "head:",	holds_head },
	{ "body:",	holds_body },
	{ "asks:",	holds_asks },
	{ "effect:",	holds_effect },
	{ "lookups:",	holds_lookups },
	{ "status:",	holds_status },
	{ "mode:",	holds_mode },
	{ "subject:",	holds_subject },
};

static const struct condition *
find_condition(struct str item)
{
	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++)
		if (str_starts(item, conditions[i].name))
			return &conditions[i];
	return NULL;
}

/* ---- comparing ---------------------------------------------------------- */

/* Rows of topics.tsv: a word, and the keys that answer it. */
static bool
topic_allows(struct str word, const char *key)
{
	static char text[16 * 1024];
	static size_t len;
	struct str left;

	if (len == 0) {
		FILE *file = fopen(TEST_SRCDIR "/test/policy/topics.tsv", "r");

		if (file == NULL)
			die("topics.tsv", 0, "cannot be opened");
		len = fread(text, 1, sizeof(text), file);
		fclose(file);
	}
	left = (struct str){ text, len };
	while (left.len > 0) {
		struct str row = str_first(left, str_find(left, '\n'));
		struct str keys = str_skip(row, str_find(row, '\t') + 1);

		left = str_skip(left, row.len + 1);
		if (!str_equal(str_first(row, str_find(row, '\t')), word))
			continue;
		while (keys.len > 0) {
			struct str one = str_first(keys, str_find(keys, ','));

			if (str_is(one, key))
				return true;
			keys = str_skip(keys, one.len + 1);
		}
	}
	return false;
}

/* "key", "key@field", "topic:word" */
static bool
is_refused_as(const struct case_run *run, struct str want)
{
	const struct msg_deny *deny = &run->verdict->deny;
	const char *key = reason_find(deny->reason)->key;
	struct str expected = str_first(want, str_find(want, '@'));

	if (str_starts(want, "topic:"))
		return topic_allows(str_skip(want, strlen("topic:")), key);
	return str_is(expected, key) && (expected.len == want.len ||
	    str_equal(str_skip(want, expected.len + 1), deny->field));
}

/* What came of it, in one line. */
static const char *
describe(struct case_run *run)
{
	const struct verdict *v = run->verdict;
	struct str text = str_first(run->out, 1500);

	if (v->kind == VERDICT_DENY)
		return arena_printf(&run->arena, "deny %s@%.*s: %.*s",
		    reason_find(v->deny.reason)->key, STR_FMT(v->deny.field),
		    STR_FMT(v->deny.text)).data;
	return arena_printf(&run->arena, "%s after %zu look-ups %.*s",
	    v->kind == VERDICT_FORWARD ? "forward" : "answer",
	    run->world.facts.count, STR_FMT(text)).data;
}

static bool
is_verdict(struct str word, enum verdict_kind kind)
{
	return str_is(word, kind == VERDICT_DENY ? "deny" :
	    kind == VERDICT_FORWARD ? "forward" : "answer");
}

const char *
cases_judge(const struct policy_case *c, struct case_run *run)
{
	struct str detail = world_expand(&run->arena, c->detail), item;
	bool is_first = true;
	const char *unsound;

	if (!is_verdict(c->verdict, run->verdict->kind))
		return arena_printf(&run->arena, "%s:%d %s: not %.*s, but %s",
		    c->file, c->line, c->name, STR_FMT(c->verdict),
		    describe(run)).data;
	while (cases_next(&detail, &item)) {
		const struct condition *condition = find_condition(item);
		bool good;

		if (condition != NULL)
			good = condition->holds(run, str_skip(item,
			    strlen(condition->name)));
		else if (is_first && str_is(c->verdict, "deny"))
			good = is_refused_as(run, item);
		else if (str_is(item, "-"))
			good = true;
		else
			return arena_printf(&run->arena, "%s:%d %s: no such "
			    "condition: %.*s", c->file, c->line, c->name,
			    STR_FMT(item)).data;
		is_first = false;
		if (!good)
			return arena_printf(&run->arena, "%s:%d %s: not %.*s, "
			    "but %s", c->file, c->line, c->name, STR_FMT(item),
			    describe(run)).data;
	}
	unsound = sound_check(run);
	if (unsound == NULL)
		return NULL;
	return arena_printf(&run->arena, "%s:%d %s: %s: %s", c->file, c->line,
	    c->name, unsound, describe(run)).data;
}
