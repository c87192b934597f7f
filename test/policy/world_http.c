/*
 * The world's daemon: what dockerd 20.10 says to the look-ups and effects of
 * the judge.  References resolve as there: full id, then name, then a
 * beginning of the id that is the only one.
 */
#include <json-c/json.h>

#include "common/setting.h"
#include "policyd/percent.h"
#include "test/policy/world.h"
#include "test/policy/world_object.h"

#define OURS	"{\"" PROJECT_LABEL "\":\"" WORLD_SLUG "\"}"
#define OTHERS	"{\"" PROJECT_LABEL "\":\"otherproj\"}"

static const char *const label_texts[] = {
	[WORLD_OURS] = OURS, [WORLD_FOREIGN] = OTHERS, [WORLD_NOBODYS] = "{}",
};

static void
say(struct fact *fact, unsigned status, struct str body)
{
	fact->status = (uint16_t)status;
	fact->text = body;
}

/* An own object for any name, with an id made of it. */
static struct world_object
invent(struct arena *a, const struct world_kind *kind, struct str ref)
{
	struct world_object object = { kind->kind, NULL, NULL, WORLD_OURS,
		NULL };
	char *id = arena_alloc(a, WORLD_ID_LEN + 1);

	for (size_t i = 0; i < WORLD_ID_LEN; i++)
		id[i] = "0123456789abcdef"[((unsigned char)ref.data[i %
		    ref.len] + i) & 15];
	if (ref.len == WORLD_ID_LEN)
		memcpy(id, ref.data, WORLD_ID_LEN);
	object.id = id;
	object.name = arena_text(a, ref);
	return object;
}

/* $i id, $n name, $l labels, $x what is particular. */
static struct str
fill(struct arena *a, const char *pattern, const struct world_kind *kind,
    const struct world_object *o)
{
	struct str text = str_from(pattern), out = STR_NONE;

	while (text.len > 0) {
		struct str plain = str_first(text, str_find(text, '$'));
		const char *value = "";

		text = str_skip(text, plain.len);
		if (text.len > 1)
			value = text.data[1] == 'i' ? o->id :
			    text.data[1] == 'n' ? o->name :
			    text.data[1] == 'l' ? label_texts[o->owner] :
			    o->extra != NULL ? o->extra : kind->extra;
		text = str_skip(text, 2);
		out = arena_printf(a, "%.*s%.*s%s", STR_FMT(out),
		    STR_FMT(plain), value);
	}
	return out;
}

/* Names that stand for a daemon in trouble. */
static bool
answer_trouble(struct str ref, struct fact *fact)
{
	if (str_is(ref, "broken"))
		say(fact, 500, STR("{\"message\":\"server error\"}\n"));
	else if (str_is(ref, "silent"))
		say(fact, FAULT_NONE, STR_NONE);
	else if (str_is(ref, "late"))
		say(fact, FAULT_LATE, STR_NONE);
	else if (str_is(ref, "cut-off"))
		say(fact, FAULT_BROKEN, STR_NONE);
	else if (str_is(ref, "too-large"))
		say(fact, FAULT_LARGE, STR_NONE);
	else if (str_is(ref, "garbage"))
		say(fact, 200, STR("<html>"));
	else if (str_is(ref, "listing"))
		say(fact, 200, STR("[]"));
	else if (str_is(ref, "redirected"))
		say(fact, 301, STR(""));
	else if (str_is(ref, "short-id"))
		say(fact, 200, STR("{\"Id\":\"abc\",\"Name\":\"short-id\","
		    "\"Labels\":" OURS ",\"Config\":{\"Labels\":" OURS "}}"));
	else
		return false;
	return true;
}

static void
answer_look_up(const struct world *w, struct arena *a,
    const struct world_kind *kind, struct str ref, struct fact *fact)
{
	const struct world_object *object = world_object_find(kind, ref);
	struct world_object other = { .name = arena_text(a, ref) };

	if (answer_trouble(ref, fact))
		return;
	if (object == NULL && w->generous && ref.len > 0) {
		other = invent(a, kind, ref);
		object = &other;
	}
	if (object != NULL)
		say(fact, 200, fill(a, kind->json, kind, object));
	else
		say(fact, 404, fill(a, kind->absent, kind, &other));
}

/* POST /volumes/create: 201 with what is there, made now or before. */
static void
answer_volume(struct arena *a, struct str body, struct fact *fact)
{
	const struct world_kind *kind = world_object_kind("volumes");
	struct json_tokener *t = json_tokener_new();
	struct json_object *in = json_tokener_parse_ex(t, body.data,
	    (int)body.len);
	struct json_object *name = NULL, *labels = NULL;
	const struct world_object *object;

	json_tokener_free(t);
	json_object_object_get_ex(in, "Name", &name);
	json_object_object_get_ex(in, "Labels", &labels);
	object = world_object_find(kind, str_from(json_object_get_string(
	    name)));
	if (object != NULL)
		say(fact, 201, fill(a, kind->json, kind, object));
	else if (name == NULL || strcmp(json_object_get_string(name),
	    "no-space") == 0)
		say(fact, 500, STR("{\"message\":\"no space left\"}\n"));
	else if (strcmp(json_object_get_string(name), "raced") == 0)
		say(fact, 201, STR("{\"Name\":\"raced\",\"Driver\":\"local\","
		    "\"Labels\":" OTHERS "}"));
	else
		say(fact, 201, arena_printf(a, "{\"Name\":\"%s\",\"Driver\":"
		    "\"local\",\"Labels\":%s}", json_object_get_string(name),
		    json_object_to_json_string(labels)));
	json_object_put(in);
}

/* The first word behind "METHOD /vN.N/": the collection. */
static struct str
skip_prefix(struct str *path)
{
	struct str rest = str_skip(*path, 1), collection;

	if (str_starts(rest, "v"))
		rest = str_skip(rest, str_find(rest, '/') + 1);
	if (str_starts(rest, "libpod/"))
		rest = str_skip(rest, strlen("libpod/"));
	collection = str_first(rest, str_find(rest, '/'));
	*path = str_skip(rest, collection.len + 1);
	return collection;
}

static struct str
decode(struct arena *a, struct str s)
{
	char *out = arena_alloc(a, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		int c = s.data[i] == '%' ? percent_decode_one(str_skip(s,
		    i)) : -1;

		out[n++] = c < 0 ? s.data[i] : (char)c;
		i += c < 0 ? 0 : 2;
	}
	return (struct str){ out, n };
}

void
world_answer_http(const struct world *w, struct arena *a, struct str request,
    struct fact *fact)
{
	struct str method = str_first(request, str_find(request, ' '));
	struct str path = str_skip(request, method.len + 1), body = request;
	const struct world_kind *kind;
	struct str collection;

	path = str_first(path, str_find(path, ' '));
	while (body.len > 0 && !str_starts(body, "\r\n\r\n"))
		body = str_skip(body, 1);
	collection = skip_prefix(&path);
	kind = world_object_kind(arena_text(a, collection));
	if (str_is(method, "GET") && str_is(collection, "volumes") &&
	    str_is(path, "json"))
		say(fact, 200, STR("[{\"Name\":\"own-vol\",\"Labels\":" OURS
		    "},{\"Name\":\"own-vol-2\",\"Labels\":" OURS
		    "},{\"Name\":\"own-volume\",\"Labels\":" OURS
		    "},{\"Name\":\"foreign-vol\",\"Labels\":" OTHERS "}]"));
	else if (str_is(method, "GET") && (str_is(path, "json") || str_starts(
	    path, "json?")))
		say(fact, 200, STR("[]"));
	else if (str_is(method, "POST") && str_is(collection, "volumes") &&
	    str_is(path, "create"))
		answer_volume(a, str_skip(body, 4), fact);
	else if (str_is(method, "GET") && kind != NULL &&
	    str_ends(path, kind->tail)) {
		path.len -= strlen(kind->tail);
		/* libpod inspects every kind at /json. */
		if (kind->tail[0] == '\0' && str_ends(path, "/json"))
			path.len -= strlen("/json");
		answer_look_up(w, a, kind, decode(a, path), fact);
	} else
		say(fact, 404, STR("{\"message\":\"page not found\"}\n"));
}
