/*
 * Drives decide() as policyd/server.c does: body and facts are added, and it
 * is asked again from the start.
 */
#include <stdio.h>
#include <stdlib.h>

#include "test/policy/world.h"
#include "test/policy/world_object.h"

static void
add(struct path_list *list, const char *path)
{
	list->path[list->count++] = str_from(path);
}

void
world_init(struct world *w)
{
	struct settings *s = &w->settings;

	memset(w, 0, sizeof(*w));
	arena_init(&w->keep, JUDGE_ARENA_MAX);
	arena_init(&w->scratch, JUDGE_ARENA_MAX);
	s->slug = STR(WORLD_SLUG);
	s->project = STR(WORLD_PROJECT);
	add(&s->roots, WORLD_PROJECT);
	add(&s->roots, WORLD_EXTRA);
	add(&s->hidden, WORLD_RUN_DIR);
	add(&s->hidden, WORLD_PERSONAL);
	add(&s->engine_sockets, "/run/docker.sock");
	s->egress_port = STR("8899");
	s->egress.mode = EGRESS_OFF;
	s->egress.url[FACE_DOCKER] = STR("http://172.17.0.1:8899");
	s->egress.url[FACE_PODMAN] = STR("http://10.88.0.1:8899");
	w->face = FACE_DOCKER;
	w->backend.kind = BACKEND_DOCKER;
	w->backend.api_major = 1;
	w->backend.api_minor = 41;
}

void
world_free(struct world *w)
{
	arena_free(&w->keep);
	arena_free(&w->scratch);
	free(w->body);
	ids_free(w->ids);
}

static void
answer(struct world *w, const struct fact_ask *ask, struct fact *fact)
{
	memset(fact, 0, sizeof(*fact));
	fact->kind = ask->kind;
	switch (ask->kind) {
	case FACT_PATH:
		world_answer_path(w, &w->keep, ask->text, fact);
		break;
	case FACT_ROUTES:
		world_answer_routes(w, fact);
		break;
	case EFFECT_MKDIR:
		world_answer_mkdir(w, ask->text, fact);
		break;
	default:
		world_answer_http(w, &w->keep, ask->text, fact);
		break;
	}
	if (w->twist != NULL)
		w->twist(w, ask, fact);
}

static void
refuse(struct world *w, struct verdict *v, enum reason reason)
{
	const struct reason_row *row = reason_find((int)reason);

	memset(v, 0, sizeof(*v));
	v->kind = VERDICT_DENY;
	v->deny.reason = (uint16_t)reason;
	v->deny.status = (uint16_t)row->status;
	v->deny.text = arena_printf(&w->keep, "container-gateway: %s: %s",
	    row->key, row->text);
}

/* 0, or -1 when the budget is spent. */
static int
add_facts(struct world *w, const struct msg_need_facts *need)
{
	if (++w->rounds > PROTO_ROUNDS_MAX || w->facts.count + need->count >
	    JUDGE_FACTS_MAX)
		return -1;
	for (uint32_t i = 0; i < need->count; i++) {
		struct known_fact *known = &w->facts.known[w->facts.count++];
		struct fact_ask ask = need->ask[i];

		known->kind = (enum fact_kind)ask.kind;
		known->text = ask.text = arena_str(&w->keep, ask.text);
		answer(w, &ask, &known->fact);
	}
	return 0;
}

/* The body behind the head: what is read of it ends where it ends. */
static void
add_body(struct world *w, struct case_file *file, struct str body)
{
	free(w->body);
	w->body = malloc(body.len > 0 ? body.len : 1);
	if (body.len > 0)
		memcpy(w->body, body.data, body.len);
	file->has_body = true;
	file->body = (struct str){ w->body, body.len };
}

const struct verdict *
world_decide(struct world *w, const struct msg_request *request,
    struct str body)
{
	struct case_file file = { .settings = &w->settings,
		.request = request, .ids = w->ids, .facts = &w->facts };

	arena_free(&w->keep);
	w->facts.count = w->rounds = 0;
	for (;;) {
		struct verdict *v;

		arena_free(&w->scratch);
		v = arena_alloc(&w->scratch, sizeof(*v));
		decide(&file, &w->scratch, v);
		if (v->kind == VERDICT_NEED_BODY) {
			if (file.has_body)
				refuse(w, v, R_INTERNAL);
			else if (body.len > v->need_body.max)
				refuse(w, v, R_TOO_LARGE);
			else {
				add_body(w, &file, body);
				continue;
			}
		} else if (v->kind == VERDICT_NEED_FACTS) {
			if (v->need_facts.count == 0)
				refuse(w, v, R_INTERNAL);
			else if (add_facts(w, &v->need_facts) != 0)
				refuse(w, v, R_BUDGET);
			else
				continue;
		}
		return v;
	}
}

struct str
world_expand(struct arena *a, struct str text)
{
	struct str out = STR("");

	while (text.len > 0) {
		struct str plain = str_first(text, str_find(text, '{'));
		struct str name = str_skip(text, plain.len + 1);
		const char *value;

		name = str_first(name, str_find(name, '}'));
		value = world_object_placeholder(name);
		text = str_skip(text, plain.len);
		if (value == NULL) {
			/* A brace of JSON. */
			plain.len += text.len > 0;
			out = arena_printf(a, "%.*s%.*s", STR_FMT(out),
			    STR_FMT(plain));
			text = str_skip(text, 1);
			continue;
		}
		out = arena_printf(a, "%.*s%.*s%s", STR_FMT(out),
		    STR_FMT(plain), value);
		text = str_skip(text, name.len + 2);
	}
	return out;
}
