/*
 * Send queues.  Memory is given back as soon as a queue is empty, so that idle
 * connections hold none.
 */
#include <errno.h>
#include <sys/socket.h>

#include "worker/sendq.h"

void
sendq_init(struct sendq *q, size_t max)
{
	buf_init(&q->bytes, max);
	q->done = 0;
}

void
sendq_free(struct sendq *q)
{
	buf_free(&q->bytes);
	q->done = 0;
}

size_t
sendq_len(const struct sendq *q)
{
	return q->bytes.len - q->done;
}

/* Bytes written, 0 when none can be now, -1 when the peer is gone. */
static ssize_t
send_some(int fd, const struct iovec *iov, int count)
{
	struct msghdr msg = { .msg_iovlen = (size_t)count };
	ssize_t n;

	/* sendmsg() does not write to it. */
	memcpy(&msg.msg_iov, &iov, sizeof(iov));
	do
		n = count == 1 ? send(fd, iov->iov_base, iov->iov_len,
		    MSG_NOSIGNAL | MSG_DONTWAIT) :
		    sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return 0;
	return n;
}

int
sendq_put(struct sendq *q, struct str s)
{
	buf_put_str(&q->bytes, s);
	return q->bytes.failed ? -1 : 0;
}

int
sendq_write(struct sendq *q, int fd, const struct iovec *iov, int count)
{
	size_t sent = 0;
	ssize_t n;

	if (sendq_len(q) == 0) {
		if ((n = send_some(fd, iov, count)) < 0)
			return -1;
		sent = (size_t)n;
	}
	for (int i = 0; i < count; i++) {
		struct str s = { iov[i].iov_base, iov[i].iov_len };
		size_t skip = sent < s.len ? sent : s.len;

		sent -= skip;
		if (sendq_put(q, str_skip(s, skip)) != 0)
			return -1;
	}
	return 0;
}

int
sendq_flush(struct sendq *q, int fd)
{
	while (sendq_len(q) > 0) {
		struct iovec iov = { q->bytes.data + q->done, sendq_len(q) };
		ssize_t n = send_some(fd, &iov, 1);

		if (n < 0)
			return -1;
		if (n == 0)
			return 0;
		q->done += (size_t)n;
	}
	sendq_free(q);
	return 0;
}
