/*
 * A daemon that does nothing, fast: what the benchmarks put behind a relay.
 *
 *	stub SOCKET
 *
 * GET /bytes/N	N bytes by Content-Length
 * GET /chunks/N	N bytes in chunks of 32 KiB, as Go's server writes them
 * anything else	a fixed list of one container
 *
 * Bodies of requests are read and thrown away.  One process, one epoll set.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { HEAD = 16384, BLOCK = 256 * 1024, CHUNK = 32 * 1024, EVENTS = 256 };

struct peer {
	int		 fd;
	size_t		 len;
	char		 head[HEAD];	/* of the request, and what follows */
	bool		 close;
	bool		 chunked;	/* the request's body */
	int64_t		 body;		/* bytes of it to come; -1: none */
	char		 tail[8];	/* of a chunked body: its last bytes */
	const char	*out;		/* what is being written */
	size_t		 out_len;
	uint64_t	 stream;	/* bytes to write after out */
	bool		 in_chunks;
};

static const char list[] = "[{\"Id\":\"8dfafdbc3a40c0a1b7f5a2a5a1d6a9a6b6ef"
    "0f2f4c0cb2a9b1f4ed8d3b1c5a7e\",\"Names\":[\"/web\"],\"Image\":\"busybox"
    ":latest\",\"ImageID\":\"sha256:27d049ce98db4e55ddfaec6cd98c7c9cfd195bc7"
    "e994493776959db33522383b\",\"Command\":\"sh -c 'sleep 3600'\",\"Created"
    "\":1733000000,\"Ports\":[],\"Labels\":{\"org.apache.magpie.project\":"
    "\"shop-0123456789ab\"},\"State\":\"running\",\"Status\":\"Up 3 minutes"
    "\",\"HostConfig\":{\"NetworkMode\":\"default\"},\"NetworkSettings\":{}"
    ",\"Mounts\":[]}]\n";
static char answer[4096], answer_close[4096], block[BLOCK];
static char chunks[BLOCK + 256];	/* whole chunks, back to back */
static size_t chunks_len;
static int poller;

static void
prepare(void)
{
	static const char head[] = "HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\n"
	    "Content-Type: application/json\r\nDocker-Experimental: false\r\n"
	    "Ostype: linux\r\nServer: Docker/20.10.24 (linux)\r\n"
	    "Date: Tue, 01 Dec 2026 03:45:00 GMT\r\n";

	snprintf(answer, sizeof(answer), "%sContent-Length: %zu\r\n\r\n%s",
	    head, strlen(list), list);
	snprintf(answer_close, sizeof(answer_close), "%sContent-Length: %zu"
	    "\r\nConnection: close\r\n\r\n%s", head, strlen(list), list);
	memset(block, 'x', sizeof(block));
	for (int i = 0; i < BLOCK / CHUNK - 1; i++) {
		chunks_len += (size_t)snprintf(chunks + chunks_len, 16,
		    "%x\r\n", (unsigned)CHUNK);
		memset(chunks + chunks_len, 'x', CHUNK);
		chunks_len += CHUNK;
		memcpy(chunks + chunks_len, "\r\n", 2);
		chunks_len += 2;
	}
}

static void
drop(struct peer *p)
{
	close(p->fd);
	free(p);
}

static void
want(struct peer *p, uint32_t what)
{
	struct epoll_event ev = { .events = what, .data.ptr = p };

	epoll_ctl(poller, EPOLL_CTL_MOD, p->fd, &ev);
}

/* The next piece of a streamed body; false at its end. */
static bool
next_piece(struct peer *p)
{
	if (p->stream == 0 && p->in_chunks) {
		p->out = "0\r\n\r\n";
		p->out_len = 5;
		p->in_chunks = false;
		return true;
	}
	if (p->stream == 0)
		return false;
	if (p->in_chunks) {
		p->out = chunks;
		p->out_len = chunks_len;
		p->stream -= p->stream < chunks_len ? p->stream : chunks_len;
	} else {
		p->out = block;
		p->out_len = p->stream < BLOCK ? (size_t)p->stream : BLOCK;
		p->stream -= p->out_len;
	}
	return true;
}

/* false: the peer is gone. */
static bool
write_out(struct peer *p)
{
	while (p->out_len > 0 || next_piece(p)) {
		ssize_t n = send(p->fd, p->out, p->out_len, MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN) {
			want(p, EPOLLOUT);
			return true;
		}
		if (n < 0)
			return false;
		p->out += n;
		p->out_len -= (size_t)n;
	}
	p->body = -1;
	if (p->close)
		return false;
	return true;
}

static bool
answer_to(struct peer *p, const char *target)
{
	static char head[256];

	p->out = p->close ? answer_close : answer;
	p->out_len = strlen(p->out);
	if (strncmp(target, "/bytes/", 7) == 0) {
		p->stream = strtoull(target + 7, NULL, 10);
		p->out_len = (size_t)snprintf(head, sizeof(head), "HTTP/1.1 "
		    "200 OK\r\nContent-Length: %ju\r\n\r\n",
		    (uintmax_t)p->stream);
		p->out = head;
	} else if (strncmp(target, "/chunks/", 8) == 0) {
		p->stream = strtoull(target + 8, NULL, 10);
		p->in_chunks = true;
		p->out = "HTTP/1.1 200 OK\r\n"
		    "Transfer-Encoding: chunked\r\n\r\n";
		p->out_len = strlen(p->out);
	}
	return write_out(p);
}

/* Body bytes; true when that was the last. */
static bool
take_body(struct peer *p, const char *bytes, size_t n)
{
	if (!p->chunked) {
		p->body -= (int64_t)n;
		return p->body <= 0;
	}
	for (size_t i = n > 5 ? n - 5 : 0; i < n; i++) {
		memmove(p->tail, p->tail + 1, 4);
		p->tail[4] = bytes[i];
	}
	return memcmp(p->tail, "0\r\n\r\n", 5) == 0;
}

static bool
begin(struct peer *p, char *end)
{
	const char *length = strcasestr(p->head, "\r\ncontent-length: ");
	char *target = strchr(p->head, ' ');
	static char path[HEAD];
	size_t rest;

	*end = '\0';
	snprintf(path, sizeof(path), "%.*s", target != NULL ?
	    (int)strcspn(target + 1, " ?") : 0, target != NULL ? target + 1 :
	    "");
	/* The daemon's own prefix says nothing here. */
	target = strncmp(path, "/v1.", 4) == 0 ? strchr(path + 1, '/') : path;
	p->close = strcasestr(p->head, "\r\nconnection: close") != NULL;
	p->chunked = strcasestr(p->head, "\r\ntransfer-encoding: chunked") !=
	    NULL;
	p->body = length != NULL ? (int64_t)strtoll(length + 18, NULL, 10) : 0;
	rest = p->len - (size_t)(end + 4 - p->head);
	p->len = 0;
	if ((p->body > 0 || p->chunked) && !take_body(p, end + 4, rest))
		return true;
	return answer_to(p, target != NULL ? target : "/");
}

static bool
read_in(struct peer *p)
{
	static char sink[BLOCK];
	ssize_t n;
	char *end;

	if (p->body >= 0) {
		n = recv(p->fd, sink, sizeof(sink), 0);
		if (n <= 0)
			return n < 0 && errno == EAGAIN;
		return take_body(p, sink, (size_t)n) ? answer_to(p, "/") : true;
	}
	n = recv(p->fd, p->head + p->len, HEAD - 1 - p->len, 0);
	if (n <= 0)
		return n < 0 && errno == EAGAIN;
	p->len += (size_t)n;
	p->head[p->len] = '\0';
	end = strstr(p->head, "\r\n\r\n");
	return end != NULL ? begin(p, end) : p->len < HEAD - 1;
}

static void
accept_all(int listener)
{
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		struct peer *p = calloc(1, sizeof(*p));
		struct epoll_event ev = { .events = EPOLLIN, .data.ptr = p };

		if (p == NULL) {
			close(fd);
			continue;
		}
		p->fd = fd;
		p->body = -1;
		epoll_ctl(poller, EPOLL_CTL_ADD, fd, &ev);
		/* What has come already is served without a wake-up. */
		if (!read_in(p))
			drop(p);
	}
}

static void
serve(struct peer *p, uint32_t what)
{
	bool alive = true;

	if ((what & EPOLLOUT) != 0) {
		want(p, EPOLLIN);
		alive = write_out(p);
	} else
		alive = read_in(p);
	if (!alive)
		drop(p);
}

int
main(int argc, char **argv)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct epoll_event events[EVENTS], ev = { .events = EPOLLIN };
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	signal(SIGPIPE, SIG_IGN);
	if (argc != 2 || strlen(argv[1]) >= sizeof(a.sun_path)) {
		fprintf(stderr, "usage: stub SOCKET\n");
		return 2;
	}
	memcpy(a.sun_path, argv[1], strlen(argv[1]));
	unlink(argv[1]);
	poller = epoll_create1(0);
	if (bind(listener, (struct sockaddr *)&a, sizeof(a)) != 0 ||
	    listen(listener, 4096) != 0 ||
	    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &ev) != 0) {
		perror(argv[1]);
		return 1;
	}
	prepare();
	for (;;) {
		int n = epoll_wait(poller, events, EVENTS, -1);

		for (int i = 0; i < n; i++)
			if (events[i].data.ptr == NULL)
				accept_all(listener);
			else
				serve(events[i].data.ptr, events[i].events);
	}
}
