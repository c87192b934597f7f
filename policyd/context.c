/*
 * Refusing, asking for facts, and naming the place in a body.  Knows no rule.
 */
#include <stdarg.h>
#include <stdio.h>

#include "policyd/route.h"

enum { SHOW_MAX = 160 };

uint8_t
judge_deny_shape(const struct judge *j)
{
	if (j->route != NULL && (j->route->flags & ROUTE_REPORTS) != 0)
		return DENY_REPORT;
	return j->target.is_libpod ? DENY_LIBPOD : DENY_DOCKER;
}

static int
refuse_text(struct judge *j, enum reason reason, struct str field,
    struct str text)
{
	struct msg_deny *deny = &j->out->deny;

	if (j->refused)
		return -(int)deny->reason;
	j->refused = true;
	j->out->kind = VERDICT_DENY;
	deny->status = (uint16_t)reason_find((int)reason)->status;
	deny->reason = (uint16_t)reason;
	deny->shape = judge_deny_shape(j);
	deny->text = text;
	deny->field = field;
	return -(int)reason;
}

static struct str __attribute__((format(printf, 3, 0)))
format(struct judge *j, enum reason reason, const char *fmt, va_list ap)
{
	char what[1024];

	vsnprintf(what, sizeof(what), fmt, ap);
	return arena_printf(j->arena, "container-gateway: %s: %s",
	    reason_find((int)reason)->key, what);
}

int
judge_refuse(struct judge *j, enum reason reason, struct str field,
    const char *fmt, ...)
{
	struct str text;
	va_list ap;

	va_start(ap, fmt);
	text = format(j, reason, fmt, ap);
	va_end(ap);
	return refuse_text(j, reason, field, text);
}

int
judge_refuse_at(struct judge *j, enum reason reason, const struct at *at,
    const char *fmt, ...)
{
	struct str field = judge_path(j, at), text;
	va_list ap;

	va_start(ap, fmt);
	text = format(j, reason, fmt, ap);
	va_end(ap);
	return refuse_text(j, reason, field, text);
}

int
judge_refuse_raw(struct judge *j, enum reason reason, struct str text)
{
	return refuse_text(j, reason, j->subject, text);
}

const char *
judge_show(struct judge *j, struct str s)
{
	static const char hex[] = "0123456789abcdef";
	char *out = arena_alloc(j->arena, SHOW_MAX * 4 + 4);
	size_t n = 0;

	for (size_t i = 0; i < s.len && i < SHOW_MAX; i++) {
		unsigned char c = (unsigned char)s.data[i];

		if (c >= 0x20 && c < 0x7f && c != '\\') {
			out[n++] = (char)c;
			continue;
		}
		out[n++] = '\\';
		out[n++] = 'x';
		out[n++] = hex[c >> 4];
		out[n++] = hex[c & 15];
	}
	if (s.len > SHOW_MAX) {
		memcpy(out + n, "...", 3);
		n += 3;
	}
	out[n] = '\0';
	return out;
}

struct str
judge_path(struct judge *j, const struct at *at)
{
	const struct at *chain[64];
	size_t depth = 0;
	struct str path = STR_NONE;

	for (; at != NULL && depth < 64; at = at->up)
		chain[depth++] = at;
	while (depth-- > 0) {
		const struct at *step = chain[depth];

		if (step->key == NULL)
			path = arena_printf(j->arena, "%.*s[%zu]",
			    STR_FMT(path), step->index);
		else
			path = arena_printf(j->arena, "%.*s%s%s",
			    STR_FMT(path), path.len > 0 ? "." : "",
			    judge_show(j, str_from(step->key)));
	}
	return path;
}

static const struct fact *
find_fact(const struct fact_store *store, enum fact_kind kind, struct str text)
{
	for (size_t i = 0; i < store->count; i++)
		if (store->known[i].kind == kind &&
		    str_equal(store->known[i].text, text))
			return &store->known[i].fact;
	return NULL;
}

static void
add_ask(struct judge *j, struct fact_ask *list, size_t *count,
    enum fact_kind kind, struct str text)
{
	for (size_t i = 0; i < *count; i++)
		if (list[i].kind == kind && str_equal(list[i].text, text))
			return;
	if (*count == PROTO_FACTS_MAX) {
		judge_refuse(j, R_BUDGET, STR_NONE,
		    "more than %d look-ups in one request; split it",
		    PROTO_FACTS_MAX);
		return;
	}
	list[(*count)++] = (struct fact_ask){ (uint8_t)kind, text };
}

const struct fact *
judge_ask(struct judge *j, enum fact_kind kind, struct str text)
{
	const struct fact *fact = find_fact(j->file->facts, kind, text);

	j->used_facts = true;
	if (fact != NULL)
		return fact;
	if (kind == EFFECT_MKDIR || kind == EFFECT_HTTP)
		add_ask(j, j->effects, &j->effect_count, kind, text);
	else
		add_ask(j, j->facts, &j->fact_count, kind, text);
	return NULL;
}

const struct fact *
judge_get(struct judge *j, struct str path)
{
	struct str prefix = judge_backend_prefix(j);

	return judge_ask(j, FACT_HTTP, arena_printf(j->arena,
	    "GET %.*s%.*s HTTP/1.1\r\nHost: docker\r\n\r\n", STR_FMT(prefix),
	    STR_FMT(path)));
}

bool
judge_is_pending(const struct judge *j)
{
	return j->fact_count > 0 || j->effect_count > 0;
}

struct str
judge_backend_prefix(struct judge *j)
{
	const struct backend *b = &j->request->backend;

	return arena_printf(j->arena, "/v%u.%u", b->api_major, b->api_minor);
}

struct str
judge_version_prefix(struct judge *j)
{
	if (j->target.has_version && !j->target.is_libpod)
		return arena_printf(j->arena, "/v%u.%u", j->target.major,
		    j->target.minor);
	return judge_backend_prefix(j);
}

void
judge_replace(const struct at *at, struct json_object *value)
{
	if (at->key != NULL)
		json_object_object_add(at->parent, at->key, value);
	else
		json_object_array_put_idx(at->parent, at->index, value);
}

struct str
judge_str(struct json_object *value)
{
	if (!json_object_is_type(value, json_type_string))
		return STR_NONE;
	return (struct str){ json_object_get_string(value),
		(size_t)json_object_get_string_len(value) };
}

struct json_object *
judge_new_str(struct str s)
{
	return json_object_new_string_len(s.len > 0 ? s.data : "", (int)s.len);
}
