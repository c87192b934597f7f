/*
 * Frames in, decide(), frames out.  Holds what a request has sent and been
 * told so far; judges nothing itself.
 *
 * A request is forgotten as soon as the worker needs nothing more from here:
 * after a refusal, an own answer, or a forward whose answer is not judged.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/log.h"
#include "common/setting.h"
#include "policyd/server.h"

enum { BUCKETS = 256, REQUEST_ARENA_MAX = 48 * 1024 * 1024 };

enum stage { STAGE_BODY, STAGE_FACTS, STAGE_RESPONSE };

struct pending {
	struct pending		*next;
	uint64_t		 id;
	enum stage		 stage;
	struct arena		 keep;		/* request, facts, memo */
	struct msg_request	 request;
	struct buf		 body;
	bool			 has_body;
	uint64_t		 window_at;	/* last WINDOW sent for this */
	struct fact_store	 facts;
	struct msg_need_facts	 asked;
	unsigned		 rounds;
	struct answer_memo	 memo;
	bool			 creates;
	bool			 by_lines;
};

struct worker {
	struct server	*server;
	struct link	 link;
	struct pending	*bucket[BUCKETS];
};

struct server {
	struct worker	*worker[SERVER_WORKERS_MAX];
	struct settings	 settings;
	struct arena	 settings_arena;
	struct arena	 egress_arena;
	struct id_set	*ids;
	uint64_t	 active;
	uint64_t	 total;
	size_t		 held;
};

struct server *
server_new(void)
{
	struct server *s = calloc(1, sizeof(*s));

	if (s == NULL || (s->ids = ids_new(SERVER_IDS)) == NULL)
		log_panic("server", "out of memory");
	arena_init(&s->settings_arena, 1024 * 1024);
	arena_init(&s->egress_arena, 1024 * 1024);
	s->settings.egress.mode = EGRESS_OFF;
	return s;
}

int
server_add_worker(struct server *s, int fd)
{
	for (size_t i = 0; i < SERVER_WORKERS_MAX; i++) {
		struct worker *w;

		if (s->worker[i] != NULL)
			continue;
		w = calloc(1, sizeof(*w));
		if (w == NULL)
			break;
		w->server = s;
		link_open(&w->link, fd, PROTO_POLICYD, PROTO_WORKER);
		s->worker[i] = w;
		return 0;
	}
	close(fd);
	return -R_BUSY;
}

static void
add_path(struct server *s, struct path_list *list, struct str path)
{
	if (list->count == SETTINGS_PATHS_MAX)
		log_fatal("config", "more than %d paths of one kind",
		    SETTINGS_PATHS_MAX);
	list->path[list->count++] = arena_str(&s->settings_arena, path);
}

/* One row a setting that the judge needs. */
static const struct setting_row {
	const char	*name;
	size_t		 offset;	/* of a str or path_list in settings */
	bool		 is_list;
} setting_rows[] = {
	{ SETTING_SLUG,		offsetof(struct settings, slug), false },
	{ SETTING_PROJECT,	offsetof(struct settings, project), false },
	{ SETTING_BIND_ROOT,	offsetof(struct settings, roots), true },
	{ SETTING_EXTRA_ROOT,	offsetof(struct settings, roots), true },
	{ SETTING_RUN_DIR,	offsetof(struct settings, hidden), true },
	{ SETTING_PERSONAL,	offsetof(struct settings, hidden), true },
	{ SETTING_ENGINE_SOCKET, offsetof(struct settings, engine_sockets),
	    true },
};

static void
set_one(struct server *s, const struct pair *pair)
{
	char *base = (char *)&s->settings;

	if (str_is(pair->name, SETTING_IMAGE_LOAD))
		s->settings.image_load = str_is(pair->value, "1");
	for (size_t i = 0; i < sizeof(setting_rows) / sizeof(*setting_rows);
	    i++) {
		const struct setting_row *row = &setting_rows[i];

		if (!str_is(pair->name, row->name))
			continue;
		if (row->is_list)
			add_path(s, (struct path_list *)(void *)(base +
			    row->offset), pair->value);
		else
			*(struct str *)(void *)(base + row->offset) =
			    arena_str(&s->settings_arena, pair->value);
	}
}

/* The bind root comes first among the roots: it is what messages name. */
static void
set_named(struct server *s, const struct msg_config *m, const char *name,
    bool same)
{
	for (uint32_t i = 0; i < m->count; i++)
		if (str_is(m->pair[i].name, name) == same)
			set_one(s, &m->pair[i]);
}

void
server_set_config(struct server *s, const struct msg_config *m)
{
	struct msg_egress egress = s->settings.egress;

	memset(&s->settings, 0, sizeof(s->settings));
	s->settings.egress = egress;
	arena_free(&s->settings_arena);
	set_named(s, m, SETTING_BIND_ROOT, true);
	set_named(s, m, SETTING_BIND_ROOT, false);
	if (s->settings.slug.len == 0 || s->settings.roots.count == 0)
		log_fatal("config", "no project or bind root was given");
}

void
server_set_egress(struct server *s, const struct msg_egress *m)
{
	arena_free(&s->egress_arena);
	s->settings.egress = *m;
	for (int i = 0; i < FACE_COUNT; i++)
		s->settings.egress.url[i] = arena_str(&s->egress_arena,
		    m->url[i]);
}

void
server_count(const struct server *s, struct msg_pong *pong)
{
	pong->active = s->active;
	pong->requests = s->total;
}

static struct pending **
find(struct worker *w, uint64_t id)
{
	struct pending **p = &w->bucket[id % BUCKETS];

	while (*p != NULL && (*p)->id != id)
		p = &(*p)->next;
	return p;
}

static size_t
size_of(const struct pending *p)
{
	return sizeof(*p) + p->keep.used + p->body.cap;
}

static void
forget(struct worker *w, struct pending **p)
{
	struct pending *gone = *p;

	*p = gone->next;
	w->server->active--;
	arena_free(&gone->keep);
	buf_free(&gone->body);
	free(gone);
}

static int
send_frame(struct worker *w, enum proto_type type, uint64_t id,
    struct buf *payload, int error)
{
	if (error == 0)
		error = link_send(&w->link, type, id, buf_str(payload), -1);
	buf_free(payload);
	return error;
}

static int
send_deny(struct worker *w, uint64_t id, const struct msg_deny *deny)
{
	struct buf payload = BUF_INIT(64 * 1024);

	return send_frame(w, PROTO_DENY, id, &payload,
	    msg_put_deny(&payload, deny));
}

/* A refusal of the server's own: bounds, and answers that nobody can judge. */
static int
refuse(struct worker *w, struct pending **p, enum reason reason)
{
	const struct reason_row *row = reason_find((int)reason);
	struct msg_deny deny = { .status = (uint16_t)row->status,
		.reason = (uint16_t)reason };
	char text[256];
	uint64_t id = (*p)->id;

	snprintf(text, sizeof(text), "container-gateway: %s: %s", row->key,
	    row->text);
	deny.text = str_from(text);
	forget(w, p);
	return send_deny(w, id, &deny);
}

static int
ask_body(struct worker *w, struct pending *p, const struct verdict *v)
{
	struct buf payload = BUF_INIT(64);

	p->stage = STAGE_BODY;
	buf_init(&p->body, (size_t)v->need_body.max);
	return send_frame(w, PROTO_NEED_BODY, p->id, &payload,
	    msg_put_need_body(&payload, &v->need_body));
}

static int
ask_facts(struct worker *w, struct pending **p, const struct verdict *v)
{
	struct buf payload = BUF_INIT(1024 * 1024);
	struct pending *r = *p;

	if (++r->rounds > PROTO_ROUNDS_MAX || r->facts.count +
	    v->need_facts.count > JUDGE_FACTS_MAX)
		return refuse(w, p, R_BUDGET);
	r->stage = STAGE_FACTS;
	r->asked.count = v->need_facts.count;
	for (uint32_t i = 0; i < r->asked.count; i++) {
		r->asked.ask[i].kind = v->need_facts.ask[i].kind;
		r->asked.ask[i].text = arena_str(&r->keep,
		    v->need_facts.ask[i].text);
	}
	return send_frame(w, PROTO_NEED_FACTS, r->id, &payload,
	    msg_put_need_facts(&payload, &r->asked));
}

static int
send_forward(struct worker *w, struct pending **p, const struct verdict *v)
{
	struct buf payload = BUF_INIT(8 * 1024 * 1024);
	struct pending *r = *p;
	uint64_t id = r->id;
	int error = msg_put_forward(&payload, &v->forward);

	if (error != 0) {
		buf_free(&payload);
		return refuse(w, p, R_TOO_LARGE);
	}
	if (v->forward.response_mode == FORWARD_JUDGE ||
	    v->forward.response_mode == FORWARD_JUDGE_LINES) {
		r->stage = STAGE_RESPONSE;
		r->memo.route = v->memo.route;
		r->memo.subject = arena_str(&r->keep, v->memo.subject);
		r->memo.object = arena_str(&r->keep, v->memo.object);
		r->creates = (v->forward.flags & FORWARD_CREATES) != 0;
		r->by_lines = v->forward.response_mode == FORWARD_JUDGE_LINES;
	} else
		forget(w, p);
	return send_frame(w, PROTO_FORWARD, id, &payload, 0);
}

static int
send_answer(struct worker *w, uint64_t id, const struct msg_answer *answer)
{
	struct buf payload = BUF_INIT(2 * PROTO_JUDGE_MAX);

	return send_frame(w, PROTO_ANSWER, id, &payload,
	    msg_put_answer(&payload, answer));
}

static int
act(struct worker *w, struct pending **p, const struct verdict *v)
{
	uint64_t id = (*p)->id;

	for (size_t i = 0; i < v->learnt_count; i++)
		ids_add(w->server->ids, v->learnt[i], STR_NONE);
	switch (v->kind) {
	case VERDICT_NEED_BODY:
		return ask_body(w, *p, v);
	case VERDICT_NEED_FACTS:
		return ask_facts(w, p, v);
	case VERDICT_FORWARD:
		return send_forward(w, p, v);
	case VERDICT_ANSWER:
		forget(w, p);
		return send_answer(w, id, &v->answer);
	case VERDICT_DENY:
		break;
	}
	forget(w, p);
	return send_deny(w, id, &v->deny);
}

static struct case_file
file_of(struct worker *w, const struct pending *p)
{
	return (struct case_file){ &w->server->settings, &p->request,
		w->server->ids, &p->facts, p->has_body, buf_str(&p->body) };
}

static int
judge(struct worker *w, struct pending **p)
{
	struct case_file file = file_of(w, *p);
	struct verdict *v;
	struct arena scratch;
	int error;

	arena_init(&scratch, JUDGE_ARENA_MAX);
	v = arena_alloc(&scratch, sizeof(*v));
	decide(&file, &scratch, v);
	error = act(w, p, v);
	arena_free(&scratch);
	return error;
}

/* Bytes that all requests of all workers hold; looked at now and then only. */
static bool
is_over_bound(const struct server *s)
{
	size_t held = 0;

	if (s->active < 64)
		return false;
	for (size_t i = 0; i < SERVER_WORKERS_MAX; i++)
		for (size_t b = 0; s->worker[i] != NULL && b < BUCKETS; b++)
			for (struct pending *p = s->worker[i]->bucket[b];
			    p != NULL; p = p->next)
				held += size_of(p);
	return held > SERVER_HELD_MAX;
}

static int
on_request(struct worker *w, const struct frame *f)
{
	struct pending **p = find(w, f->id);
	struct pending *r;
	struct str copy;

	if (*p != NULL)
		return -R_INTERNAL;
	r = calloc(1, sizeof(*r));
	if (r == NULL)
		log_panic("server", "out of memory");
	*p = r;
	r->id = f->id;
	w->server->active++;
	w->server->total++;
	arena_init(&r->keep, REQUEST_ARENA_MAX);
	copy = arena_str(&r->keep, f->payload);
	if (msg_get_request(copy, &r->request) != 0)
		return -R_INTERNAL;
	if (w->server->total % 16 == 0 && is_over_bound(w->server))
		return refuse(w, p, R_BUSY);
	return judge(w, p);
}

static int
send_window(struct worker *w, struct pending *p)
{
	struct msg_window window = { .taken = p->body.len };
	struct buf payload = BUF_INIT(64);

	p->window_at = p->body.len;
	return send_frame(w, PROTO_WINDOW, p->id, &payload,
	    msg_put_window(&payload, &window));
}

static int
on_body(struct worker *w, const struct frame *f)
{
	struct pending **p = find(w, f->id);
	struct pending *r = *p;
	struct msg_body body;

	/* What was already refused may still be on its way here. */
	if (r == NULL)
		return 0;
	if (r->stage != STAGE_BODY || msg_get_body(f->payload, &body) != 0)
		return -R_INTERNAL;
	buf_put_str(&r->body, body.bytes);
	if (r->body.failed)
		return refuse(w, p, R_TOO_LARGE);
	if (body.last) {
		r->has_body = true;
		return judge(w, p);
	}
	if (r->body.len - r->window_at >= PROTO_BODY_WINDOW / 4)
		return send_window(w, r);
	return 0;
}

static int
on_facts(struct worker *w, const struct frame *f)
{
	struct pending **p = find(w, f->id);
	struct pending *r = *p;
	struct msg_facts *facts;
	int error;

	if (r == NULL)
		return 0;
	if (r->keep.used + f->payload.len > REQUEST_ARENA_MAX / 2)
		return refuse(w, p, R_BUDGET);
	facts = arena_alloc(&r->keep, sizeof(*facts));
	error = msg_get_facts(arena_str(&r->keep, f->payload), facts);
	if (error != 0 || r->stage != STAGE_FACTS ||
	    facts->count != r->asked.count)
		return -R_INTERNAL;
	for (uint32_t i = 0; i < facts->count; i++) {
		if (facts->fact[i].kind != r->asked.ask[i].kind)
			return -R_INTERNAL;
		r->facts.known[r->facts.count++] = (struct known_fact){
			(enum fact_kind)r->asked.ask[i].kind,
			r->asked.ask[i].text, facts->fact[i] };
	}
	return judge(w, p);
}

static int
on_response(struct worker *w, const struct frame *f)
{
	struct pending **p = find(w, f->id);
	struct pending *r = *p;
	struct msg_response response;
	struct msg_answer answer;
	struct case_file file;
	struct arena scratch;
	uint64_t id = f->id;
	int error;

	if (r == NULL)
		return 0;
	if (r->stage != STAGE_RESPONSE || msg_get_response(f->payload,
	    &response) != 0 || response.is_line != r->by_lines)
		return -R_INTERNAL;
	file = file_of(w, r);
	arena_init(&scratch, JUDGE_ARENA_MAX);
	error = decide_answer(&file, &r->memo, &response, &scratch,
	    w->server->ids, &answer);
	if (error != 0)
		error = refuse(w, p, error == -R_CONFLICT ? R_CONFLICT :
		    r->creates && response.status < 300 ?
		    R_NOT_CONFIRMED : R_BACKEND_ANSWER);
	else {
		if (!r->by_lines)
			forget(w, p);
		error = send_answer(w, id, &answer);
	}
	arena_free(&scratch);
	return error;
}

static int
on_cancel(struct worker *w, const struct frame *f)
{
	struct pending **p = find(w, f->id);

	if (*p != NULL)
		forget(w, p);
	return 0;
}

/* One row a frame that a worker sends. */
static const struct frame_row {
	enum proto_type	 type;
	int		(*handle)(struct worker *, const struct frame *);
} frame_rows[] = {
	{ PROTO_REQUEST,	on_request },
	{ PROTO_BODY,		on_body },
	{ PROTO_FACTS,		on_facts },
	{ PROTO_RESPONSE,	on_response },
	{ PROTO_CANCEL,		on_cancel },
};

static int
on_frame(struct link *link, const struct frame *f, void *arg)
{
	(void)link;
	for (size_t i = 0; i < sizeof(frame_rows) / sizeof(*frame_rows); i++)
		if (frame_rows[i].type == f->type)
			return frame_rows[i].handle(arg, f);
	return -R_INTERNAL;
}

static void
drop_worker(struct server *s, size_t at)
{
	struct worker *w = s->worker[at];

	for (size_t b = 0; b < BUCKETS; b++)
		while (w->bucket[b] != NULL)
			forget(w, &w->bucket[b]);
	link_close(&w->link);
	free(w);
	s->worker[at] = NULL;
}

size_t
server_poll_fill(struct server *s, struct pollfd *fds, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < SERVER_WORKERS_MAX && n < max; i++) {
		struct worker *w = s->worker[i];

		if (w == NULL)
			continue;
		fds[n].fd = w->link.fd;
		fds[n].events = (short)(POLLIN | (link_wants_write(&w->link) ?
		    POLLOUT : 0));
		fds[n++].revents = 0;
	}
	return n;
}

/* A worker that broke the contract is cut off: its requests are refused. */
static int
serve(struct worker *w, short revents)
{
	if ((revents & POLLOUT) != 0 && link_flush(&w->link) != 0)
		return -1;
	if ((revents & (POLLIN | POLLHUP | POLLERR)) != 0)
		return link_read(&w->link, on_frame, w);
	return 0;
}

void
server_poll_done(struct server *s, const struct pollfd *fds, size_t count)
{
	for (size_t i = 0; i < SERVER_WORKERS_MAX; i++) {
		struct worker *w = s->worker[i];

		for (size_t k = 0; w != NULL && k < count; k++) {
			int error;

			if (fds[k].fd != w->link.fd || fds[k].revents == 0)
				continue;
			error = serve(w, fds[k].revents);
			if (error < 0)
				log_text(LOG_WARN, "worker-link",
				    "a worker's link failed (%s); cut off",
				    reason_find(-error)->key);
			if (error != 0)
				drop_worker(s, i);
			break;
		}
	}
}
