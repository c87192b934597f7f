/*
 * Tunnels.  Opened by the daemon's word alone, never by the request's: until
 * then the client's bytes wait, since dockerd loses what comes in one read
 * with the head, and what follows a refusal is the next request.
 *
 * `docker run -i` shuts down its writing at the end of stdin and reads on;
 * without -i it does so at once.  So the end of one way is passed on as
 * shutdown(SHUT_WR), after everything before it, and says nothing about the
 * other way.
 */
#include <poll.h>
#include <sys/socket.h>

#include "worker/answer.h"
#include "worker/hijack.h"
#include "worker/request.h"

enum { UP, DOWN };	/* client to daemon, daemon to client */

static bool
is_over(const struct flow *f)
{
	return f->last == FLOW_DONE || f->last == FLOW_SOURCE ||
	    f->last == FLOW_SINK;
}

void
hijack_start(struct request *req, const struct response *r, struct str bytes)
{
	struct buf head = BUF_INIT(4 * PROTO_HEAD_MAX);
	struct response_change change = { 0, RESPONSE_AS_IS, 0, false };
	struct conn *c = req->conn;
	struct str rest = str_skip(bytes, r->size);
	struct iovec iov[2];
	int error;

	response_write(r, bytes, &change, &head);
	iov[0] = str_iov(buf_str(&head));
	iov[1] = str_iov(rest);
	req->download.started = true;
	c->close = true;
	answer_log_allow(req, r->status);
	error = conn_send(c, iov, rest.len > 0 ? 2 : 1);
	buf_free(&head);
	if (error != 0)
		return;
	flow_init(&req->tunnel[UP], FLOW_ENDLESS);
	flow_init(&req->tunnel[DOWN], FLOW_ENDLESS);
	conn_set_state(c, CONN_TUNNEL);
	/* What the client sent early has waited for this moment. */
	if (sendq_put(&req->up_out, buf_str(&c->in)) != 0) {
		conn_kill(c);
		return;
	}
	buf_free(&c->in);
	if (c->eof)
		req->tunnel[UP].ended = true;
	hijack_run(req);
}

/* Runs one way; when it ends, the end is passed on. */
static void
run(struct flow *f, int source, int sink, struct sendq *queue)
{
	if (is_over(f))
		return;
	flow_run(f, source, sink, queue);
	if (f->last == FLOW_DONE)
		shutdown(sink, SHUT_WR);
}

void
hijack_run(struct request *req)
{
	struct conn *c = req->conn;
	struct flow *up = &req->tunnel[UP], *down = &req->tunnel[DOWN];

	run(down, req->up->io.fd, c->io.fd, &c->out);
	run(up, c->io.fd, req->up->io.fd, &req->up_out);
	if (up->last == FLOW_DONE)
		c->eof = true;
	/* The client is gone; or both ways are done. */
	if (up->last == FLOW_SOURCE || down->last == FLOW_SINK)
		conn_kill(c);
	else if ((is_over(up) && is_over(down)) || hijack_is_over(req))
		conn_linger(c);
}

bool
hijack_wants_read(const struct request *req)
{
	return req->tunnel[UP].last == FLOW_READ;
}

bool
hijack_wants_write(const struct request *req)
{
	return req->tunnel[DOWN].last == FLOW_WRITE;
}

short
hijack_wants_daemon(const struct request *req)
{
	short what = 0;

	if (req->tunnel[DOWN].last == FLOW_READ)
		what |= EV_READ;
	if (req->tunnel[UP].last == FLOW_WRITE)
		what |= EV_WRITE;
	return what;
}

bool
hijack_is_deaf(const struct request *req)
{
	return is_over(&req->tunnel[DOWN]);
}

bool
hijack_is_over(const struct request *req)
{
	struct pollfd p = { .fd = req->up->io.fd };

	return hijack_is_deaf(req) && poll(&p, 1, 0) == 1 &&
	    (p.revents & (POLLHUP | POLLERR)) != 0;
}
