/*
 * Load over a unix socket; prints one line of key=value.
 *
 *	load [-c CONNECTIONS] [-n REQUESTS] [-i IDLE] SOCKET TARGET
 *		GETs over kept connections, one at a time on each
 *	load -d SOCKET TARGET
 *		one GET of a large body
 *	load -u BYTES [-k] SOCKET TARGET
 *		one PUT of so many bytes; -k: in chunks of 32 KiB
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 256 * 1024, CHUNK = 32 * 1024, EVENTS = 256 };

struct peer {
	int		 fd;
	uint64_t	 since;
	size_t		 len;
	char		 in[16384];
};

static struct {
	const char	*socket;
	const char	*target;
	unsigned	 connections;
	unsigned	 requests;
	unsigned	 idle;
	uint64_t	 upload;
	bool		 chunked;
	bool		 download;
} options = { .connections = 1, .requests = 10000 };

static char request[4096];
static uint32_t *times;		/* nanoseconds a request */
static unsigned begun, done, errors;

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void
die(const char *what)
{
	perror(what);
	exit(1);
}

static int
dial(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", options.socket);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0)
		die(options.socket);
	return fd;
}

/* ---- many small requests ------------------------------------------------ */

static bool
begin(struct peer *p)
{
	if (begun == options.requests)
		return false;
	begun++;
	p->len = 0;
	p->since = now();
	return send(p->fd, request, strlen(request), MSG_NOSIGNAL) ==
	    (ssize_t)strlen(request);
}

/* The answer is whole: by its Content-Length, or its last chunk. */
static bool
is_whole(struct peer *p)
{
	const char *end, *length;

	p->in[p->len] = '\0';
	if ((end = strstr(p->in, "\r\n\r\n")) == NULL)
		return false;
	length = strcasestr(p->in, "\r\ncontent-length: ");
	if (length != NULL && length < end)
		return p->len >= (size_t)(end + 4 - p->in) +
		    strtoul(length + 18, NULL, 10);
	return p->len > 7 && strcmp(p->in + p->len - 7, "\r\n0\r\n\r\n") == 0;
}

static bool
take(struct peer *p)
{
	ssize_t n = recv(p->fd, p->in + p->len, sizeof(p->in) - 1 - p->len,
	    MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return true;
	if (n <= 0) {
		errors++;
		return false;
	}
	p->len += (size_t)n;
	if (!is_whole(p))
		return p->len < sizeof(p->in) - 1;
	if (strncmp(p->in, "HTTP/1.1 2", 10) != 0)
		errors++;
	times[done++] = (uint32_t)(now() - p->since);
	return begin(p);
}

static int
by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void
report(uint64_t spent)
{
	qsort(times, done, sizeof(*times), by_value);
	printf("requests=%u errors=%u rps=%.0f p50_us=%.1f p90_us=%.1f "
	    "p99_us=%.1f\n", done, errors, done / ((double)spent / 1e9),
	    done > 0 ? times[done / 2] / 1e3 : 0.0,
	    done > 0 ? times[done / 10 * 9] / 1e3 : 0.0,
	    done > 0 ? times[done / 100 * 99] / 1e3 : 0.0);
}

static void
run_requests(void)
{
	struct peer *peers = calloc(options.connections, sizeof(*peers));
	int poller = epoll_create1(0), open = 0;
	struct epoll_event events[EVENTS];
	uint64_t start;

	times = calloc(options.requests, sizeof(*times));
	if (peers == NULL || times == NULL || poller < 0)
		die("memory");
	for (unsigned i = 0; i < options.idle; i++)
		dial();
	for (unsigned i = 0; i < options.connections; i++)
		peers[i].fd = dial();
	start = now();
	for (unsigned i = 0; i < options.connections; i++) {
		struct epoll_event ev = { .events = EPOLLIN,
			.data.ptr = &peers[i] };

		if (begin(&peers[i]) && epoll_ctl(poller, EPOLL_CTL_ADD,
		    peers[i].fd, &ev) == 0)
			open++;
	}
	while (open > 0) {
		int n = epoll_wait(poller, events, EVENTS, 10000);

		if (n <= 0)
			break;
		for (int i = 0; i < n; i++) {
			struct peer *p = events[i].data.ptr;

			if (take(p))
				continue;
			close(p->fd);
			open--;
		}
	}
	report(now() - start);
}

/* ---- one large body ----------------------------------------------------- */

static void
report_stream(uint64_t bytes, uint64_t spent)
{
	printf("bytes=%ju seconds=%.3f mib_per_s=%.0f\n", (uintmax_t)bytes,
	    (double)spent / 1e9, (double)bytes / 1048576 / ((double)spent /
	    1e9));
}

static void
send_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);

		if (sent < 0)
			die("send");
		bytes += sent;
		n -= (size_t)sent;
	}
}

static void
run_download(void)
{
	static char in[BUFFER];
	int fd = dial();
	uint64_t start = now(), bytes = 0;
	ssize_t n;

	snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: d\r\n"
	    "Connection: close\r\n\r\n", options.target);
	send_all(fd, request, strlen(request));
	while ((n = recv(fd, in, sizeof(in), 0)) > 0)
		bytes += (uint64_t)n;
	report_stream(bytes, now() - start);
}

static void
run_upload(void)
{
	static char out[BUFFER], in[4096];
	int fd = dial();
	uint64_t start = now();
	size_t piece = options.chunked ? CHUNK : BUFFER;
	ssize_t n;

	if (options.chunked)
		snprintf(request, sizeof(request), "PUT %s HTTP/1.1\r\n"
		    "Host: d\r\nTransfer-Encoding: chunked\r\n"
		    "Content-Type: application/x-tar\r\n\r\n", options.target);
	else
		snprintf(request, sizeof(request), "PUT %s HTTP/1.1\r\n"
		    "Host: d\r\nContent-Length: %ju\r\n"
		    "Content-Type: application/x-tar\r\n\r\n", options.target,
		    (uintmax_t)options.upload);
	send_all(fd, request, strlen(request));
	for (uint64_t left = options.upload; left > 0;) {
		size_t part = left < piece ? (size_t)left : piece;

		if (options.chunked) {
			n = snprintf(in, sizeof(in), "%zx\r\n", part);
			memcpy(out, in, (size_t)n);
			memcpy(out + n + part, "\r\n", 2);
			send_all(fd, out, (size_t)n + part + 2);
		} else
			send_all(fd, out, part);
		left -= part;
	}
	if (options.chunked)
		send_all(fd, "0\r\n\r\n", 5);
	n = recv(fd, in, sizeof(in) - 1, 0);
	if (n < 12 || strncmp(in, "HTTP/1.1 200", 12) != 0) {
		fprintf(stderr, "%.*s\n", n > 0 ? (int)n : 0, in);
		exit(1);
	}
	report_stream(options.upload, now() - start);
}

static void
usage(void)
{
	fprintf(stderr, "usage: load [-c CONNECTIONS] [-n REQUESTS] [-i IDLE] "
	    "[-d] [-u BYTES [-k]] SOCKET TARGET\n");
	exit(2);
}

static void
parse(int argc, char **argv)
{
	int flag;

	while ((flag = getopt(argc, argv, "c:n:i:u:kd")) != -1)
		switch (flag) {
		case 'c':
			options.connections = (unsigned)strtoul(optarg, NULL,
			    10);
			break;
		case 'n':
			options.requests = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'i':
			options.idle = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'u':
			options.upload = strtoull(optarg, NULL, 10);
			break;
		case 'k':
			options.chunked = true;
			break;
		case 'd':
			options.download = true;
			break;
		default:
			usage();
		}
	if (argc - optind != 2)
		usage();
	options.socket = argv[optind];
	options.target = argv[optind + 1];
}

int
main(int argc, char **argv)
{
	struct rlimit limit;

	signal(SIGPIPE, SIG_IGN);
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	parse(argc, argv);
	snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: docker\r\n"
	    "User-Agent: Docker-Client/20.10.24 (linux)\r\n\r\n",
	    options.target);
	if (options.download)
		run_download();
	else if (options.upload > 0)
		run_upload();
	else
		run_requests();
	return errors > 0;
}
