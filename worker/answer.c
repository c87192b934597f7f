/*
 * Own answers: JSON in the shape that the client of that API prints.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/log.h"
#include "worker/answer.h"
#include "worker/request.h"
#include "worker/response.h"
#include "worker/stats.h"

enum { TEXT_MAX = 4096, PATH_SHOWN = 512 };

static const char *const face_names[] = { "docker", "podman" };

/* What a refusal says; text is whole, as the client reads it. */
struct refusal {
	uint16_t	 status;
	int		 reason;
	uint8_t		 shape;		/* enum deny_shape */
	struct str	 text;
	struct str	 field;
};

/* ---- the log ------------------------------------------------------------ */

static struct str
shown_path(struct str target)
{
	return str_first(str_first(target, str_find(target, '?')), PATH_SHOWN);
}

static void
log_answer(const struct conn *c, uint64_t id, struct str method,
    struct str target, const struct refusal *r, uint16_t status)
{
	char req[24], peer[24], code[8];
	struct log_pair pairs[8];
	size_t n = 0;

	snprintf(req, sizeof(req), "%" PRIx64, id);
	snprintf(peer, sizeof(peer), "%u", (unsigned)c->peer);
	snprintf(code, sizeof(code), "%u", (unsigned)status);
	pairs[n++] = LOG_TEXT("req", req);
	pairs[n++] = LOG_TEXT("peer", peer);
	pairs[n++] = LOG_TEXT("face", face_names[c->face]);
	pairs[n++] = LOG_STR("method", method);
	pairs[n++] = LOG_STR("path", shown_path(target));
	if (r != NULL) {
		pairs[n++] = LOG_STR("field", r->field);
		pairs[n++] = LOG_TEXT("reason", reason_find(r->reason)->key);
	}
	pairs[n++] = LOG_TEXT("status", code);
	log_event(LOG_INFO, r != NULL ? "deny" : "allow", pairs, n);
}

void
answer_log_allow(const struct request *req, uint16_t status)
{
	log_answer(req->conn, req->id, req->method, req->target, NULL, status);
}

/* ---- JSON --------------------------------------------------------------- */

/* Control bytes are escaped; bytes above ASCII pass as the UTF-8 they are. */
static void
put_json_string(struct buf *out, struct str s)
{
	buf_put_char(out, '"');
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.data[i];

		if (c == '"' || c == '\\')
			buf_put_char(out, '\\');
		if (c < 0x20 || c == 0x7f)
			buf_printf(out, "\\u%04x", (unsigned)c);
		else
			buf_put_char(out, (char)c);
	}
	buf_put_char(out, '"');
}

static void
put_refusal(struct buf *out, const struct refusal *r)
{
	if (r->shape == DENY_REPORT) {
		buf_put_text(out, "{\"Errors\":[");
		put_json_string(out, r->text);
		buf_put_text(out, "],\"ExitCode\":125}\n");
		return;
	}
	buf_put_char(out, '{');
	if (r->shape == DENY_LIBPOD) {
		buf_put_text(out, "\"cause\":");
		put_json_string(out, str_from(reason_find(r->reason)->key));
		buf_put_char(out, ',');
	}
	buf_put_text(out, "\"message\":");
	put_json_string(out, r->text);
	if (r->shape == DENY_LIBPOD)
		buf_printf(out, ",\"response\":%u", (unsigned)r->status);
	buf_put_text(out, "}\n");
}

/* ---- sending ------------------------------------------------------------ */

static int
send_answer(struct conn *c, uint16_t status, struct str body, bool is_head)
{
	struct buf head = BUF_INIT(1024);
	bool has_body = status != 204 && status != 304;
	struct iovec iov[2];
	int error;

	c->close |= conn_is_draining();
	buf_printf(&head, "HTTP/1.1 %u %s\r\n", (unsigned)status,
	    response_phrase(status));
	if (has_body)
		buf_printf(&head, "Content-Type: application/json\r\n"
		    "Content-Length: %zu\r\n", body.len);
	if (c->close)
		buf_put_text(&head, "Connection: close\r\n");
	buf_put_text(&head, "\r\n");
	iov[0] = str_iov(buf_str(&head));
	iov[1] = str_iov(body);
	error = conn_send(c, iov, has_body && !is_head && body.len > 0 ? 2 : 1);
	buf_free(&head);
	return error;
}

/* `/libpod/...` or `/vX/libpod/...`: their clients print another shape. */
static uint8_t
shape_of(struct str target)
{
	struct str rest = str_skip(target, 1);
	struct str part = str_first(rest, str_find(rest, '/'));

	if (str_starts(part, "v")) {
		rest = str_skip(rest, part.len + 1);
		part = str_first(rest, str_find(rest, '/'));
	}
	return str_is(part, "libpod") ? DENY_LIBPOD : DENY_DOCKER;
}

static void
refuse(struct request *req, const struct refusal *r)
{
	struct conn *c = req->conn;
	struct buf body = BUF_INIT(64 * 1024);
	bool started = req->download.started;
	int error;

	if (c->state == CONN_DEAD)
		return;
	stats_refused(r->reason);
	log_answer(c, req->id, req->method, req->target, r, r->status);
	request_leave(req);
	if (started) {
		conn_kill(c);
		return;
	}
	/* A client that was not told to go on sends no body to wait for. */
	if (req->upload.expect && !req->upload.begun && c->in.len == 0)
		c->close = req->upload.broken = true;
	put_refusal(&body, r);
	error = send_answer(c, r->shape == DENY_REPORT ? 200 : r->status,
	    buf_str(&body), req->is_head);
	buf_free(&body);
	if (error == 0)
		request_settle(req);
}

void
answer_refuse(struct request *req, int reason, const char *fmt, ...)
{
	const struct reason_row *row = reason_find(reason);
	char text[TEXT_MAX];
	struct refusal r = { (uint16_t)row->status, reason,
		shape_of(req->target), STR_NONE, STR_NONE };
	va_list ap;
	int n;

	n = snprintf(text, sizeof(text), "container-gateway: %s: ", row->key);
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
	va_end(ap);
	r.text = str_from(text);
	refuse(req, &r);
}

void
answer_deny(struct request *req, const struct msg_deny *m)
{
	struct refusal r = { m->status, m->reason, m->shape,
		m->text, m->field };

	refuse(req, &r);
}

void
answer_own(struct request *req, uint16_t status, struct str body)
{
	answer_log_allow(req, status);
	request_leave(req);
	if (send_answer(req->conn, status, body, req->is_head) == 0)
		request_settle(req);
}

/* Without a request there is no body either whose end could be found. */
static void
refuse_conn(struct conn *c, struct str method, struct str target, int reason,
    const char *what)
{
	const struct reason_row *row = reason_find(reason);
	char text[TEXT_MAX];
	struct refusal r = { (uint16_t)row->status, reason,
		shape_of(target), STR_NONE, STR_NONE };
	struct buf body = BUF_INIT(64 * 1024);
	int error;

	stats_refused(reason);
	log_answer(c, request_next_id(), method, target, &r, r.status);
	snprintf(text, sizeof(text), "container-gateway: %s: %s", row->key,
	    what);
	r.text = str_from(text);
	put_refusal(&body, &r);
	c->close = true;
	error = send_answer(c, r.status, buf_str(&body),
	    str_is(method, "HEAD"));
	buf_free(&body);
	if (error == 0)
		conn_linger(c);
}

void
answer_bad_head(struct conn *c, const struct http_head *head,
    struct str bytes, int reason)
{
	struct str method = STR_NONE, target = STR_NONE;

	if (head != NULL && bytes.len > 0) {
		method = http_span_str(bytes.data, head->method);
		target = http_span_str(bytes.data, head->target);
	}
	stats.requests++;
	refuse_conn(c, method, target, reason, reason_find(reason)->text);
}

void
answer_bad_peer(struct conn *c)
{
	refuse_conn(c, STR_NONE, STR_NONE, R_UNAUTHORIZED,
	    reason_find(R_UNAUTHORIZED)->text);
}
