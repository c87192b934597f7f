/*
 * Relaying.  Knows sockets and pipes, not what flows through them.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "worker/conn.h"
#include "worker/relay.h"

enum {
	FLOW_TURNS = 16,		/* reads of one run */
	FLOW_PIPE = 256 * 1024,		/* bytes of a pipe */
	FLOW_SPARE = 8			/* pipes kept for the next stream */
};

static struct {
	int	 pipe[FLOW_SPARE][2];
	int	 count;
} spare;

void
flow_init(struct flow *f, uint64_t left)
{
	f->left = left;
	f->pipe[0] = f->pipe[1] = -1;
	f->in_pipe = 0;
	f->ended = f->no_splice = false;
	f->last = FLOW_READ;
}

static void
take_pipe(struct flow *f)
{
	if (f->no_splice || f->pipe[0] >= 0)
		return;
	if (spare.count > 0) {
		spare.count--;
		f->pipe[0] = spare.pipe[spare.count][0];
		f->pipe[1] = spare.pipe[spare.count][1];
		return;
	}
	if (pipe2(f->pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
		/* No descriptor left: copying goes on. */
		f->pipe[0] = f->pipe[1] = -1;
		f->no_splice = true;
		return;
	}
	/* Best effort: the user's share of pipe memory may be used up. */
	(void)fcntl(f->pipe[1], F_SETPIPE_SZ, FLOW_PIPE);
}

void
flow_free(struct flow *f)
{
	if (f->pipe[0] < 0)
		return;
	/* What is left in a pipe must never reach another stream. */
	if (f->in_pipe == 0 && spare.count < FLOW_SPARE) {
		spare.pipe[spare.count][0] = f->pipe[0];
		spare.pipe[spare.count][1] = f->pipe[1];
		spare.count++;
	} else {
		close(f->pipe[0]);
		close(f->pipe[1]);
	}
	f->pipe[0] = f->pipe[1] = -1;
	f->in_pipe = 0;
}

static size_t
at_most(const struct flow *f, size_t n)
{
	return f->left < n ? (size_t)f->left : n;
}

/* Accounts for one read; FLOW_WRITE stands for "there is something now". */
static enum flow_result
note_read(struct flow *f, ssize_t n)
{
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? FLOW_READ :
		    FLOW_SOURCE;
	if (n == 0) {
		f->ended = true;
		return f->left == FLOW_ENDLESS ? FLOW_DONE : FLOW_SOURCE;
	}
	if (f->left != FLOW_ENDLESS)
		f->left -= (uint64_t)n;
	return FLOW_WRITE;
}

static enum flow_result
read_spliced(struct flow *f, int source)
{
	ssize_t n = splice(source, NULL, f->pipe[1], NULL,
	    at_most(f, FLOW_PIPE), SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	enum flow_result result;

	/* The pipe was empty: EAGAIN can only mean that the source is. */
	if (n < 0 && (errno == EINVAL || errno == ENOSYS)) {
		flow_free(f);
		f->no_splice = true;
		return FLOW_WRITE;
	}
	result = note_read(f, n);
	if (n > 0)
		f->in_pipe += (size_t)n;
	return result;
}

static enum flow_result
read_copied(struct flow *f, int source, int sink, struct sendq *queue)
{
	struct iovec iov = { conn_scratch(), 0 };
	ssize_t n = recv(source, iov.iov_base, at_most(f, CONN_SCRATCH), 0);
	enum flow_result result = note_read(f, n);

	if (result != FLOW_WRITE)
		return result;
	iov.iov_len = (size_t)n;
	if (sendq_write(queue, sink, &iov, 1) != 0)
		return FLOW_SINK;
	if (n == CONN_SCRATCH && f->left > CONN_SCRATCH)
		take_pipe(f);
	return FLOW_WRITE;
}

/* Empties queue and pipe into the sink; FLOW_DONE when both are empty. */
static enum flow_result
write_out(struct flow *f, int sink, struct sendq *queue)
{
	if (sendq_flush(queue, sink) != 0)
		return FLOW_SINK;
	if (sendq_len(queue) > 0)
		return FLOW_WRITE;
	while (f->in_pipe > 0) {
		ssize_t n = splice(f->pipe[0], NULL, sink, NULL, f->in_pipe,
		    SPLICE_F_NONBLOCK | SPLICE_F_MOVE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return FLOW_WRITE;
		if (n <= 0)
			return FLOW_SINK;
		f->in_pipe -= (size_t)n;
	}
	return FLOW_DONE;
}

static enum flow_result
run(struct flow *f, int source, int sink, struct sendq *queue)
{
	enum flow_result result;

	for (int turn = 0; turn < FLOW_TURNS; turn++) {
		result = write_out(f, sink, queue);
		if (result != FLOW_DONE)
			return result;
		if (f->ended || f->left == 0) {
			flow_free(f);
			return FLOW_DONE;
		}
		result = f->pipe[0] >= 0 ? read_spliced(f, source) :
		    read_copied(f, source, sink, queue);
		if (result == FLOW_READ || result == FLOW_SOURCE ||
		    result == FLOW_SINK)
			return result;
	}
	return FLOW_READ;
}

enum flow_result
flow_run(struct flow *f, int source, int sink, struct sendq *queue)
{
	enum flow_result result = run(f, source, sink, queue);

	/* The bound was met in mid-write: the sink is what is waited for. */
	if (result == FLOW_READ && (f->in_pipe > 0 || sendq_len(queue) > 0))
		result = FLOW_WRITE;
	f->last = (uint8_t)result;
	return result;
}
