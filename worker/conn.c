/*
 * Client connections.  The table below says for each state how bytes of the
 * client are dealt with; everything that ends a connection ends in
 * conn_kill().
 *
 * How a client's going is noticed: on AF_UNIX, shutdown(SHUT_WR) of the peer
 * and its going away both end our reading, but only the latter sets POLLHUP.
 * A client that shut down its writing after the request still reads: it is
 * served as any other (such clients exist: `printf ... | nc -N`), and a
 * hijacked stream lives on by design.  One that is gone is dropped at once.
 * While nothing is read from a client (it is ahead of us, or has ended its
 * half) no event would tell, so those connections are looked at by a sweep.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/log.h"
#include "worker/accept.h"
#include "worker/conn.h"
#include "worker/conn_head.h"
#include "worker/hijack.h"
#include "worker/request.h"
#include "worker/stats.h"

enum {
	LINGER_MS = 10 * 1000,
	LINGER_MAX = 64 * 1024 * 1024,
	SWEEP_MS = 400
};

static struct {
	LIST_HEAD(conns, conn)	 all;
	TAILQ_HEAD(watched, conn)	 watched;
	struct deadline_queue	 lingers;
	struct event		 sweep;
	bool			 sweeping;
	struct event		 burial;
	struct buf		 graves;	/* pointers to free */
	bool			 draining;
} state = { .graves = BUF_INIT(SIZE_MAX / 2) };

static void	 read_ahead(struct conn *);
static void	 read_body(struct conn *);
static void	 read_tunnel(struct conn *);
static void	 read_linger(struct conn *);

static bool	 wants_always(const struct conn *);
static bool	 wants_ahead(const struct conn *);
static bool	 wants_body(const struct conn *);
static bool	 wants_tunnel(const struct conn *);

/* clang-format off */
static const struct {
	void		(*read)(struct conn *);
	bool		(*wants)(const struct conn *);
} table[CONN_STATES] = {
	[CONN_IDLE]	= { conn_head_read,		wants_always },
	[CONN_HEAD]	= { conn_head_read,		wants_always },
	[CONN_WAIT]	= { read_ahead,		wants_ahead },
	[CONN_JUDGE]	= { read_ahead,		wants_ahead },
	[CONN_BODY]	= { read_body,		wants_body },
	[CONN_FACTS]	= { read_ahead,		wants_ahead },
	[CONN_FORWARD]	= { read_body,		wants_body },
	[CONN_CONFIRM]	= { read_body,		wants_body },
	[CONN_ANSWER]	= { read_body,		wants_body },
	[CONN_TUNNEL]	= { read_tunnel,		wants_tunnel },
	[CONN_LINGER]	= { read_linger,		wants_always },
	[CONN_DEAD]	= { NULL,			NULL },
};
/* clang-format on */

char *
conn_scratch(void)
{
	static char scratch[CONN_SCRATCH];

	return scratch;
}

/* ---- the end ------------------------------------------------------------ */

static void
bury(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	for (size_t at = 0; at < state.graves.len; at += sizeof(void *)) {
		void *memory;

		memcpy(&memory, state.graves.data + at, sizeof(memory));
		free(memory);
	}
	buf_clear(&state.graves);
}

void
conn_bury(void *memory)
{
	if (state.graves.len == 0)
		event_active(&state.burial, EV_TIMEOUT, 0);
	buf_put(&state.graves, &memory, sizeof(memory));
}

static void
unwatch(struct conn *c)
{
	if (c->watched)
		TAILQ_REMOVE(&state.watched, c, watch);
	c->watched = false;
}

/* Ends the process when draining and nothing is left to do. */
static void
end_when_drained(void)
{
	if (state.draining && stats.active == 0)
		loop_stop();
}

static void
drop_request(struct conn *c)
{
	if (c->request == NULL)
		return;
	request_free(c->request);
	c->request = NULL;
	end_when_drained();
}

void
conn_kill(struct conn *c)
{
	if (c->state == CONN_DEAD)
		return;
	c->state = CONN_DEAD;
	drop_request(c);
	io_close(&c->io);
	deadline_stop(&c->deadline);
	unwatch(c);
	free(c->head);
	buf_free(&c->in);
	sendq_free(&c->out);
	LIST_REMOVE(c, all);
	stats.connections--;
	conn_bury(c);
	accept_resume();
}

static bool
is_hung_up(int fd)
{
	struct pollfd p = { .fd = fd };

	return poll(&p, 1, 0) == 1 && (p.revents & (POLLHUP | POLLERR)) != 0;
}

static void
sweep(evutil_socket_t fd, short what, void *arg)
{
	static const struct timeval tick = { 0, SWEEP_MS * 1000 };
	struct conn *c, *next;

	(void)fd;
	(void)what;
	(void)arg;
	for (c = TAILQ_FIRST(&state.watched); c != NULL; c = next) {
		next = TAILQ_NEXT(c, watch);
		if (is_hung_up(c->io.fd) || (c->state == CONN_TUNNEL &&
		    hijack_is_over(c->request)))
			conn_kill(c);
	}
	state.sweeping = !TAILQ_EMPTY(&state.watched);
	if (state.sweeping)
		event_add(&state.sweep, &tick);
}

static void
set_watched(struct conn *c, bool watched)
{
	static const struct timeval tick = { 0, SWEEP_MS * 1000 };

	if (c->watched == watched)
		return;
	if (!watched) {
		unwatch(c);
		return;
	}
	TAILQ_INSERT_TAIL(&state.watched, c, watch);
	c->watched = true;
	if (!state.sweeping)
		event_add(&state.sweep, &tick);
	state.sweeping = true;
}

/* ---- what is waited for ------------------------------------------------- */

static bool
wants_always(const struct conn *c)
{
	(void)c;
	return true;
}

static bool
wants_ahead(const struct conn *c)
{
	return c->in.len < CONN_AHEAD_MAX;
}

static bool
wants_body(const struct conn *c)
{
	return upload_is_done(c->request) ? wants_ahead(c) :
	    upload_wants_read(c->request);
}

static bool
wants_tunnel(const struct conn *c)
{
	return hijack_wants_read(c->request);
}

void
conn_update(struct conn *c)
{
	short client = 0;

	if (c->state == CONN_DEAD)
		return;
	if (!c->eof && table[c->state].wants(c))
		client |= EV_READ;
	if (sendq_len(&c->out) > 0)
		client |= EV_WRITE;
	if (c->request != NULL) {
		if (c->state == CONN_TUNNEL ? hijack_wants_write(c->request) :
		    download_wants_client(c->request))
			client |= EV_WRITE;
		request_watch_daemon(c->request);
	}
	io_want(&c->io, client);
	set_watched(c, (client & EV_READ) == 0 ||
	    (c->state == CONN_TUNNEL && hijack_is_deaf(c->request)));
}

/* ---- reading and writing ------------------------------------------------ */

ssize_t
conn_receive(struct conn *c, char *bytes, size_t max)
{
	ssize_t n;

	if (c->eof)
		return -1;
	do
		n = recv(c->io.fd, bytes, max, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		return n;
	if (n < 0 && errno == EAGAIN)
		return 0;
	c->eof = true;
	if (n < 0 || is_hung_up(c->io.fd))
		conn_kill(c);
	return -1;
}

int
conn_send(struct conn *c, const struct iovec *iov, int count)
{
	if (c->state == CONN_DEAD)
		return -1;
	if (sendq_write(&c->out, c->io.fd, iov, count) == 0)
		return 0;
	conn_kill(c);
	return -1;
}

int
conn_send_str(struct conn *c, struct str s)
{
	struct iovec iov = str_iov(s);

	return conn_send(c, &iov, 1);
}

void
conn_set_state(struct conn *c, enum conn_state next)
{
	if (c->state != CONN_DEAD)
		c->state = (uint8_t)next;
}

/* LINGER: once all is written, the client is told that no more comes. */
static void
end_writing(struct conn *c)
{
	if (sendq_len(&c->out) > 0)
		return;
	if (c->eof || state.draining)
		conn_kill(c);
	else
		shutdown(c->io.fd, SHUT_WR);
}

static void
write_more(struct conn *c)
{
	if (sendq_flush(&c->out, c->io.fd) != 0) {
		conn_kill(c);
		return;
	}
	if (c->state == CONN_TUNNEL)
		hijack_run(c->request);
	else if (c->state == CONN_FORWARD)
		download_run(c->request);
	else if (c->state == CONN_ANSWER)
		request_progress(c->request);
	else if (c->state == CONN_LINGER)
		end_writing(c);
}

static void
on_client(void *arg, short what)
{
	struct conn *c = arg;

	if ((what & EV_WRITE) != 0)
		write_more(c);
	/* A nudge may come when nothing is to be read any more. */
	if ((what & EV_READ) != 0 && c->state != CONN_DEAD &&
	    table[c->state].wants(c))
		table[c->state].read(c);
	conn_update(c);
}

static void
read_ahead(struct conn *c)
{
	char *scratch = conn_scratch();
	ssize_t n = conn_receive(c, scratch, CONN_SCRATCH);

	if (n > 0)
		buf_put(&c->in, scratch, (size_t)n);
	if (c->in.failed)
		conn_kill(c);
}

static void
read_body(struct conn *c)
{
	if (upload_is_done(c->request))
		read_ahead(c);
	else
		upload_run(c->request);
}

static void
read_tunnel(struct conn *c)
{
	hijack_run(c->request);
}

static void
read_linger(struct conn *c)
{
	ssize_t n;

	for (int turn = 0; turn < 16; turn++) {
		n = conn_receive(c, conn_scratch(), CONN_SCRATCH);
		if (n == 0)
			return;
		if (n > 0)
			c->thrown += (uint64_t)n;
		if (n < 0 || c->thrown > LINGER_MAX) {
			conn_kill(c);
			return;
		}
	}
}

/* ---- between requests --------------------------------------------------- */

static void
linger_expired(void *arg)
{
	conn_kill(arg);
}

void
conn_limit(struct conn *c, deadline_fn fn)
{
	deadline_start(&c->deadline, &state.lingers, fn, fn, c);
}

/*
 * Closing with bytes unread would reset the connection, and the client may
 * then lose the answer: it is told that no more comes, and read out first.
 */
void
conn_linger(struct conn *c)
{
	drop_request(c);
	buf_free(&c->in);
	c->thrown = 0;
	conn_set_state(c, CONN_LINGER);
	conn_limit(c, linger_expired);
	end_writing(c);
}

void
conn_next(struct conn *c)
{
	drop_request(c);
	if (c->close || state.draining || (c->eof && c->in.len == 0)) {
		conn_linger(c);
		return;
	}
	deadline_stop(&c->deadline);
	conn_set_state(c, CONN_IDLE);
	/* From the loop, not from here: a long pipeline is no recursion. */
	if (c->in.len > 0)
		io_nudge(&c->io);
	else
		buf_free(&c->in);
}

void
conn_init(void)
{
	LIST_INIT(&state.all);
	TAILQ_INIT(&state.watched);
	conn_head_init();
	deadline_queue_init(&state.lingers, LINGER_MS);
	event_assign(&state.sweep, loop_base(), -1, 0, sweep, NULL);
	event_assign(&state.burial, loop_base(), -1, 0, bury, NULL);
}

struct conn *
conn_new(int fd, enum face face, uid_t peer)
{
	struct conn *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		close(fd);
		return NULL;
	}
	io_open(&c->io, fd, on_client, c);
	c->face = (uint8_t)face;
	c->peer = peer;
	buf_init(&c->in, CONN_IN_MAX);
	sendq_init(&c->out, CONN_OUT_MAX);
	LIST_INSERT_HEAD(&state.all, c, all);
	stats.connections++;
	return c;
}

void
conn_start(struct conn *c)
{
	/* The request is mostly there already: a turn of the loop is saved. */
	conn_head_read(c);
	conn_update(c);
}

void
conn_drain(void)
{
	struct conn *c, *next;

	state.draining = true;
	for (c = LIST_FIRST(&state.all); c != NULL; c = next) {
		next = LIST_NEXT(c, all);
		if (c->state != CONN_IDLE)
			continue;
		/* A request that has come already is still served. */
		conn_head_read(c);
		if (c->state == CONN_IDLE)
			conn_kill(c);
		conn_update(c);
	}
	end_when_drained();
}

bool
conn_is_draining(void)
{
	return state.draining;
}
