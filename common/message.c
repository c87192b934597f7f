/*
 * Writes and reads the messages of message.h.  Each pair of functions names
 * the fields in one order; enums and counts are checked on reading, since the
 * other end may be a process that was taken over.
 */
#include "common/message.h"
#include "common/reason.h"
#include "common/wire.h"

static int
finish_put(const struct buf *b)
{
	return b->failed ? -R_INTERNAL : 0;
}

static int
finish_get(const struct wire *w)
{
	return wire_is_done(w) ? 0 : -R_INTERNAL;
}

/* A byte that must be one of 0..last. */
static uint8_t
get_enum(struct wire *w, uint8_t last)
{
	uint8_t v = wire_get_u8(w);

	if (v > last)
		w->failed = true;
	return v;
}

/* A count that must not exceed max. */
static uint32_t
get_count(struct wire *w, uint32_t max)
{
	uint32_t v = wire_get_u32(w);

	if (v > max) {
		w->failed = true;
		return 0;
	}
	return w->failed ? 0 : v;
}

static void
put_backend(struct buf *b, const struct backend *v)
{
	wire_put_u8(b, v->kind);
	wire_put_u16(b, v->api_major);
	wire_put_u16(b, v->api_minor);
	for (int i = 0; i < 3; i++)
		wire_put_u16(b, v->libpod[i]);
	wire_put_str(b, v->path);
}

static void
get_backend(struct wire *w, struct backend *v)
{
	v->kind = get_enum(w, BACKEND_PODMAN);
	v->api_major = wire_get_u16(w);
	v->api_minor = wire_get_u16(w);
	for (int i = 0; i < 3; i++)
		v->libpod[i] = wire_get_u16(w);
	v->path = wire_get_str(w);
}

static void
put_pairs(struct buf *b, const struct pair *pair, uint32_t count)
{
	wire_put_u32(b, count);
	for (uint32_t i = 0; i < count; i++) {
		wire_put_str(b, pair[i].name);
		wire_put_str(b, pair[i].value);
	}
}

static uint32_t
get_pairs(struct wire *w, struct pair *pair, uint32_t max)
{
	uint32_t count = get_count(w, max);

	for (uint32_t i = 0; i < count; i++) {
		pair[i].name = wire_get_str(w);
		pair[i].value = wire_get_str(w);
	}
	return count;
}

int
msg_put_backends(struct buf *b, const struct msg_backends *m)
{
	wire_put_u32(b, m->generation);
	for (int i = 0; i < FACE_COUNT; i++)
		put_backend(b, &m->face[i]);
	wire_put_str(b, m->note);
	return finish_put(b);
}

int
msg_get_backends(struct str payload, struct msg_backends *m)
{
	struct wire w = wire_open(payload);

	m->generation = wire_get_u32(&w);
	for (int i = 0; i < FACE_COUNT; i++)
		get_backend(&w, &m->face[i]);
	m->note = wire_get_str(&w);
	return finish_get(&w);
}

int
msg_put_rediscover(struct buf *b, const struct msg_rediscover *m)
{
	wire_put_u8(b, m->face);
	return finish_put(b);
}

int
msg_get_rediscover(struct str payload, struct msg_rediscover *m)
{
	struct wire w = wire_open(payload);

	m->face = get_enum(&w, FACE_COUNT - 1);
	return finish_get(&w);
}

int
msg_put_serve(struct buf *b, const struct msg_serve *m)
{
	wire_put_u32(b, m->serial);
	return finish_put(b);
}

int
msg_get_serve(struct str payload, struct msg_serve *m)
{
	struct wire w = wire_open(payload);

	m->serial = wire_get_u32(&w);
	return finish_get(&w);
}

int
msg_put_service(struct buf *b, const struct msg_service *m)
{
	wire_put_u32(b, m->serial);
	wire_put_u32(b, m->pid);
	wire_put_str(b, m->head);
	wire_put_str(b, m->note);
	return finish_put(b);
}

int
msg_get_service(struct str payload, struct msg_service *m)
{
	struct wire w = wire_open(payload);

	m->serial = wire_get_u32(&w);
	m->pid = wire_get_u32(&w);
	m->head = wire_get_str(&w);
	m->note = wire_get_str(&w);
	return finish_get(&w);
}

int
msg_put_config(struct buf *b, const struct msg_config *m)
{
	put_pairs(b, m->pair, m->count);
	return finish_put(b);
}

int
msg_get_config(struct str payload, struct msg_config *m)
{
	struct wire w = wire_open(payload);

	m->count = get_pairs(&w, m->pair, MSG_CONFIG_MAX);
	return finish_get(&w);
}

int
msg_put_egress(struct buf *b, const struct msg_egress *m)
{
	wire_put_u8(b, m->mode);
	for (int i = 0; i < FACE_COUNT; i++) {
		wire_put_u8(b, m->answers[i]);
		wire_put_str(b, m->url[i]);
	}
	return finish_put(b);
}

int
msg_get_egress(struct str payload, struct msg_egress *m)
{
	struct wire w = wire_open(payload);

	m->mode = get_enum(&w, EGRESS_OFF);
	for (int i = 0; i < FACE_COUNT; i++) {
		m->answers[i] = get_enum(&w, 1);
		m->url[i] = wire_get_str(&w);
	}
	return finish_get(&w);
}

int
msg_put_request(struct buf *b, const struct msg_request *m)
{
	wire_put_u8(b, m->face);
	put_backend(b, &m->backend);
	wire_put_u32(b, m->peer_uid);
	wire_put_u8(b, m->body_kind);
	wire_put_u64(b, m->body_length);
	wire_put_str(b, m->method);
	wire_put_str(b, m->target);
	put_pairs(b, m->header, m->header_count);
	return finish_put(b);
}

int
msg_get_request(struct str payload, struct msg_request *m)
{
	struct wire w = wire_open(payload);

	m->face = get_enum(&w, FACE_COUNT - 1);
	get_backend(&w, &m->backend);
	m->peer_uid = wire_get_u32(&w);
	m->body_kind = get_enum(&w, BODY_CHUNKED);
	m->body_length = wire_get_u64(&w);
	m->method = wire_get_str(&w);
	m->target = wire_get_str(&w);
	m->header_count = get_pairs(&w, m->header, PROTO_HEADERS_MAX);
	return finish_get(&w);
}

int
msg_put_body(struct buf *b, const struct msg_body *m)
{
	wire_put_u8(b, m->last);
	wire_put_str(b, m->bytes);
	return finish_put(b);
}

int
msg_get_body(struct str payload, struct msg_body *m)
{
	struct wire w = wire_open(payload);

	m->last = get_enum(&w, 1);
	m->bytes = wire_get_str(&w);
	return finish_get(&w);
}

int
msg_put_window(struct buf *b, const struct msg_window *m)
{
	wire_put_u64(b, m->taken);
	wire_put_u64(b, m->released);
	wire_put_u8(b, m->done);
	return finish_put(b);
}

int
msg_get_window(struct str payload, struct msg_window *m)
{
	struct wire w = wire_open(payload);

	m->taken = wire_get_u64(&w);
	m->released = wire_get_u64(&w);
	m->done = get_enum(&w, 1);
	return finish_get(&w);
}

int
msg_put_deny(struct buf *b, const struct msg_deny *m)
{
	wire_put_u16(b, m->status);
	wire_put_u16(b, m->reason);
	wire_put_u8(b, m->shape);
	wire_put_str(b, m->text);
	wire_put_str(b, m->field);
	return finish_put(b);
}

int
msg_get_deny(struct str payload, struct msg_deny *m)
{
	struct wire w = wire_open(payload);

	m->status = wire_get_u16(&w);
	m->reason = wire_get_u16(&w);
	m->shape = get_enum(&w, DENY_REPORT);
	m->text = wire_get_str(&w);
	m->field = wire_get_str(&w);
	if (m->status < 400 || m->status > 599 || m->reason >= R_COUNT)
		w.failed = true;
	return finish_get(&w);
}

int
msg_put_need_body(struct buf *b, const struct msg_need_body *m)
{
	wire_put_u64(b, m->max);
	return finish_put(b);
}

int
msg_get_need_body(struct str payload, struct msg_need_body *m)
{
	struct wire w = wire_open(payload);

	m->max = wire_get_u64(&w);
	return finish_get(&w);
}

int
msg_put_need_facts(struct buf *b, const struct msg_need_facts *m)
{
	wire_put_u32(b, m->count);
	for (uint32_t i = 0; i < m->count; i++) {
		wire_put_u8(b, m->ask[i].kind);
		wire_put_str(b, m->ask[i].text);
	}
	return finish_put(b);
}

int
msg_get_need_facts(struct str payload, struct msg_need_facts *m)
{
	struct wire w = wire_open(payload);

	m->count = get_count(&w, PROTO_FACTS_MAX);
	for (uint32_t i = 0; i < m->count; i++) {
		m->ask[i].kind = get_enum(&w, FACT_KIND_LAST);
		m->ask[i].text = wire_get_str(&w);
	}
	return finish_get(&w);
}

int
msg_put_facts(struct buf *b, const struct msg_facts *m)
{
	wire_put_u32(b, m->count);
	for (uint32_t i = 0; i < m->count; i++) {
		const struct fact *f = &m->fact[i];

		wire_put_u8(b, f->kind);
		wire_put_u16(b, f->status);
		wire_put_u8(b, f->path_kind);
		wire_put_u64(b, f->device);
		wire_put_u64(b, f->inode);
		wire_put_str(b, f->text);
	}
	return finish_put(b);
}

int
msg_get_facts(struct str payload, struct msg_facts *m)
{
	struct wire w = wire_open(payload);

	m->count = get_count(&w, PROTO_FACTS_MAX);
	for (uint32_t i = 0; i < m->count; i++) {
		struct fact *f = &m->fact[i];

		f->kind = get_enum(&w, FACT_KIND_LAST);
		f->status = wire_get_u16(&w);
		f->path_kind = get_enum(&w, PATH_ERROR);
		f->device = wire_get_u64(&w);
		f->inode = wire_get_u64(&w);
		f->text = wire_get_str(&w);
	}
	return finish_get(&w);
}

int
msg_put_forward(struct buf *b, const struct msg_forward *m)
{
	wire_put_u8(b, m->body_mode);
	wire_put_u8(b, m->response_mode);
	wire_put_u8(b, m->flags);
	wire_put_str(b, m->head);
	wire_put_str(b, m->body);
	return finish_put(b);
}

int
msg_get_forward(struct str payload, struct msg_forward *m)
{
	struct wire w = wire_open(payload);

	m->body_mode = get_enum(&w, FORWARD_BODY_SCAN);
	m->response_mode = get_enum(&w, FORWARD_JUDGE_LINES);
	m->flags = get_enum(&w, FORWARD_REUSABLE | FORWARD_CREATES);
	m->head = wire_get_str(&w);
	m->body = wire_get_str(&w);
	return finish_get(&w);
}

int
msg_put_response(struct buf *b, const struct msg_response *m)
{
	wire_put_u16(b, m->status);
	wire_put_u8(b, m->is_line);
	wire_put_str(b, m->body);
	return finish_put(b);
}

int
msg_get_response(struct str payload, struct msg_response *m)
{
	struct wire w = wire_open(payload);

	m->status = wire_get_u16(&w);
	m->is_line = get_enum(&w, 1);
	m->body = wire_get_str(&w);
	return finish_get(&w);
}

int
msg_put_answer(struct buf *b, const struct msg_answer *m)
{
	wire_put_u16(b, m->status);
	wire_put_u8(b, m->flags);
	wire_put_str(b, m->body);
	return finish_put(b);
}

int
msg_get_answer(struct str payload, struct msg_answer *m)
{
	struct wire w = wire_open(payload);

	m->status = wire_get_u16(&w);
	m->flags = get_enum(&w, ANSWER_UNCHANGED | ANSWER_DROP | ANSWER_OWN);
	m->body = wire_get_str(&w);
	return finish_get(&w);
}

int
msg_put_pong(struct buf *b, const struct msg_pong *m)
{
	wire_put_u64(b, m->active);
	wire_put_u64(b, m->requests);
	wire_put_u64(b, m->connections);
	wire_put_u32(b, m->refused_count);
	for (uint32_t i = 0; i < m->refused_count; i++)
		wire_put_u64(b, m->refused[i]);
	return finish_put(b);
}

int
msg_get_pong(struct str payload, struct msg_pong *m)
{
	struct wire w = wire_open(payload);

	m->active = wire_get_u64(&w);
	m->requests = wire_get_u64(&w);
	m->connections = wire_get_u64(&w);
	m->refused_count = get_count(&w, 256);
	for (uint32_t i = 0; i < m->refused_count; i++)
		m->refused[i] = wire_get_u64(&w);
	return finish_get(&w);
}
