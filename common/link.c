/*
 * Framed links.  One read, many frames; one queue, one write.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/link.h"
#include "common/reason.h"
#include "common/xfd.h"

enum {
	LINK_FRAME_MAX = (int)sizeof(struct proto_head) + 32 * 1024 * 1024,
	LINK_READ = 64 * 1024,		/* bytes taken by one read */
	LINK_KEEP = 256 * 1024		/* buffers above this are given back */
};

void
link_open(struct link *l, int fd, enum proto_role self, enum proto_role peer)
{
	memset(l, 0, sizeof(*l));
	l->fd = fd;
	l->self = self;
	l->peer = peer;
	l->fd_in = l->fd_out = -1;
	buf_init(&l->in, LINK_FRAME_MAX + LINK_READ);
	buf_init(&l->out, LINK_QUEUE_MAX);
	xfd_set_nonblock(fd);
}

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void
link_close(struct link *l)
{
	close_fd(&l->fd);
	close_fd(&l->fd_in);
	close_fd(&l->fd_out);
	buf_free(&l->in);
	buf_free(&l->out);
	l->out_done = 0;
}

bool
link_is_open(const struct link *l)
{
	return l->fd >= 0;
}

/* Takes the descriptor that came along; a second one before it was used: -1. */
static int
take_fd(struct link *l, int fd)
{
	if (fd < 0)
		return 0;
	if (l->fd_in >= 0) {
		close(fd);
		return -R_INTERNAL;
	}
	l->fd_in = fd;
	return 0;
}

static int
deliver(struct link *l, const struct proto_head *head, struct str payload,
    link_handler handler, void *arg)
{
	const struct proto_row *row = proto_find(head->type);
	struct frame frame = { (enum proto_type)head->type, head->id, payload,
		-1 };

	if (row->carries_fd) {
		if (l->fd_in < 0)
			return -R_INTERNAL;
		frame.fd = l->fd_in;
		l->fd_in = -1;
	}
	return handler(l, &frame, arg);
}

/* Hands on every complete frame in the input buffer. */
static int
dispatch(struct link *l, link_handler handler, void *arg)
{
	struct proto_head head;
	size_t at = 0;
	int error;

	while (l->in.len - at >= sizeof(head)) {
		memcpy(&head, l->in.data + at, sizeof(head));
		if ((error = proto_check(&head, l->peer, l->self)) != 0)
			return error;
		if (l->in.len - at - sizeof(head) < head.length)
			break;
		at += sizeof(head);
		error = deliver(l, &head, (struct str){ l->in.data + at,
		    head.length }, handler, arg);
		if (error != 0)
			return error;
		at += head.length;
	}
	buf_drop(&l->in, at);
	if (l->in.len == 0 && l->in.cap > LINK_KEEP)
		buf_free(&l->in);
	return 0;
}

int
link_dispatch(const struct link_row *rows, size_t count, const struct frame *f)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].type == f->type)
			return rows[i].handle(f);
	return -R_INTERNAL;
}

int
link_read(struct link *l, link_handler handler, void *arg)
{
	ssize_t got;
	int fd;

	if (!buf_reserve(&l->in, LINK_READ))
		return -R_INTERNAL;
	got = xfd_receive(l->fd, l->in.data + l->in.len, LINK_READ, &fd);
	/* A peer that died with frames unread resets the connection. */
	if (got < 0 && errno == ECONNRESET)
		return 1;
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -R_INTERNAL;
	if (got == 0)
		return 1;
	l->in.len += (size_t)got;
	if (take_fd(l, fd) != 0)
		return -R_INTERNAL;
	return dispatch(l, handler, arg);
}

/* What was written is dropped once it outweighs the cost of moving the rest. */
static void
compact(struct link *l)
{
	if (l->out_done < LINK_READ || l->out_done < l->out.len / 2)
		return;
	if (l->fd_out >= 0)
		l->fd_out_at -= l->out_done;
	buf_drop(&l->out, l->out_done);
	l->out_done = 0;
}

int
link_send(struct link *l, enum proto_type type, uint64_t id,
    struct str payload, int fd)
{
	struct proto_head head = { (uint32_t)payload.len, (uint16_t)type,
		PROTO_VERSION, 0, id };

	if (l->fd < 0 || payload.len > UINT32_MAX ||
	    proto_check(&head, l->self, l->peer) != 0)
		return -R_INTERNAL;
	compact(l);
	if (fd >= 0) {
		if (l->fd_out >= 0)
			return -R_INTERNAL;
		l->fd_out = fcntl(fd, F_DUPFD_CLOEXEC, 10);
		if (l->fd_out < 0)
			return -R_INTERNAL;
		l->fd_out_at = l->out.len;
	}
	buf_put(&l->out, &head, sizeof(head));
	buf_put_str(&l->out, payload);
	if (l->out.failed)
		return -R_BUSY;
	return link_flush(l);
}

/* How many bytes may go in one call: up to the one that carries a descriptor. */
static size_t
next_run(const struct link *l, int *fd)
{
	*fd = -1;
	if (l->fd_out >= 0 && l->out_done == l->fd_out_at)
		*fd = l->fd_out;
	else if (l->fd_out >= 0 && l->out_done < l->fd_out_at)
		return l->fd_out_at - l->out_done;
	return l->out.len - l->out_done;
}

int
link_flush(struct link *l)
{
	while (l->out_done < l->out.len) {
		int fd;
		size_t run = next_run(l, &fd);
		ssize_t sent = xfd_send(l->fd, l->out.data + l->out_done, run,
		    fd);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return errno == EAGAIN ? 0 : -R_INTERNAL;
		if (fd >= 0)
			close_fd(&l->fd_out);
		l->out_done += (size_t)sent;
	}
	buf_clear(&l->out);
	l->out_done = 0;
	if (l->out.cap > LINK_KEEP)
		buf_free(&l->out);
	return 0;
}

bool
link_wants_write(const struct link *l)
{
	return l->fd >= 0 && l->out_done < l->out.len;
}

size_t
link_queued(const struct link *l)
{
	return l->out.len - l->out_done;
}
