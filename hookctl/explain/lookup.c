/*
 * Look-ups on the host and on the daemon.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/platform.h"
#include "hookctl/explain/lookup.h"
#include "hookctl/pathwalk.h"
#include "master/clock.h"
#include "worker/http_body.h"

enum { LOOKUP_MS = PROTO_FACT_SECONDS * 1000, HEAD_MAX = 64 * 1024 };

static uint8_t
kind_of(mode_t mode)
{
	if (S_ISDIR(mode))
		return PATH_DIRECTORY;
	if (S_ISREG(mode))
		return PATH_FILE;
	return S_ISSOCK(mode) ? PATH_SOCKET : PATH_OTHER;
}

static void
look_at_path(struct str text, struct arena *arena, struct fact *fact)
{
	struct pathwalk w;

	fact->path_kind = PATH_ERROR;
	if (pathwalk_run(&w, arena_text(arena, text), NULL, NULL) != 0)
		return;
	fact->path_kind = w.is_missing ? PATH_MISSING : kind_of(w.st.st_mode);
	fact->device = w.st.st_dev;
	fact->inode = w.st.st_ino;
	fact->text = arena_str(arena, str_from(w.path));
	pathwalk_end(&w);
}

static void
look_at_routes(struct arena *arena, struct fact *fact)
{
	struct buf text = BUF_INIT(PROTO_FACT_MAX);

	fact->status = platform_routes(&text) == 0 ? 200 : 0;
	fact->text = arena_str(arena, buf_str(&text));
	buf_free(&text);
}

static int
dial(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof(to.sun_path)) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	memcpy(to.sun_path, path, strlen(path));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* More bytes into b: false at the end, or when time is up. */
static bool
read_more(int fd, uint64_t end, struct buf *b)
{
	struct pollfd pfd = { fd, POLLIN, 0 };
	uint64_t now = clock_ms();
	char chunk[16 * 1024];
	ssize_t n;

	if (now >= end || poll(&pfd, 1, (int)(end - now)) <= 0)
		return false;
	n = read(fd, chunk, sizeof(chunk));
	if (n > 0)
		buf_put(b, chunk, (size_t)n);
	return n > 0 && !b->failed;
}

/* Where the head ends, or 0. */
static size_t
head_size(struct str bytes)
{
	const char *end = bytes.len > 0 ? memmem(bytes.data, bytes.len,
	    "\r\n\r\n", 4) : NULL;

	return end != NULL ? (size_t)(end - bytes.data) + 4 : 0;
}

/* The value of a field of the head, or an empty view. */
static struct str
head_field(struct str head, const char *name)
{
	size_t n = strlen(name);

	while (head.len > 0) {
		struct str line = str_first(head, str_find(head, '\r'));

		head = str_skip(head, line.len + 2);
		if (line.len <= n || line.data[n] != ':' ||
		    !str_equal_nocase(str_first(line, n), str_from(name)))
			continue;
		line = str_skip(line, n + 1);
		while (str_starts(line, " "))
			line = str_skip(line, 1);
		return line;
	}
	return STR_NONE;
}

static void
begin_body(struct http_body *body, struct str head)
{
	struct str length = head_field(head, "Content-Length");
	char number[32];

	snprintf(number, sizeof(number), "%.*s", (int)(length.len < 20 ?
	    length.len : 20), length.data != NULL ? length.data : "");
	if (head_field(head, "Transfer-Encoding").len > 0)
		http_body_init(body, FRAMING_CHUNKED, 0, true);
	else if (length.len > 0)
		http_body_init(body, FRAMING_LENGTH,
		    strtoull(number, NULL, 10), false);
	else
		http_body_init(body, FRAMING_CLOSE, 0, false);
}

/* The body's bytes into `out`: 0, or -1. */
static int
read_body(int fd, uint64_t end, struct str head, struct buf *in,
    struct buf *out)
{
	struct http_body body;

	begin_body(&body, head);
	while (!http_body_is_done(&body)) {
		size_t used, data;

		if (in->len == 0 && !read_more(fd, end, in))
			break;
		if (http_body_decode(&body, in->data, in->len, &used,
		    &data) < 0)
			return -1;
		buf_put(out, in->data, data);
		buf_drop(in, used);
	}
	return out->failed ? -1 : http_body_close(&body);
}

/* One request, one answer, on a connection of its own. */
static void
ask_daemon(int fd, struct str request, struct arena *arena, struct fact *fact)
{
	struct buf in = BUF_INIT(PROTO_FACT_MAX + HEAD_MAX),
	    body = BUF_INIT(PROTO_FACT_MAX);
	uint64_t end = clock_ms() + LOOKUP_MS;
	struct str head = STR_NONE;

	if (send(fd, request.data, request.len, MSG_NOSIGNAL) ==
	    (ssize_t)request.len) {
		while (head_size(buf_str(&in)) == 0 && in.len < HEAD_MAX &&
		    read_more(fd, end, &in))
			continue;
		head = arena_str(arena, str_first(buf_str(&in),
		    head_size(buf_str(&in))));
		buf_drop(&in, head.len);
	}
	/* HTTP/1.1 200 OK */
	if (head.len > 12 && str_starts(head, "HTTP/1.") &&
	    read_body(fd, end, head, &in, &body) == 0) {
		fact->status = (uint16_t)strtoul(head.data + 9, NULL, 10);
		fact->text = arena_str(arena, buf_str(&body));
	}
	buf_free(&in);
	buf_free(&body);
}

bool
lookup_answer(const struct fact_ask *ask, const char *backend,
    struct arena *arena, struct fact *fact)
{
	int fd;

	memset(fact, 0, sizeof(*fact));
	fact->kind = ask->kind;
	switch ((enum fact_kind)ask->kind) {
	case FACT_PATH:
		look_at_path(ask->text, arena, fact);
		return true;
	case EFFECT_MKDIR:
		fact->status = 200;
		return true;
	case FACT_ROUTES:
		look_at_routes(arena, fact);
		return true;
	case EFFECT_HTTP:
		return false;
	case FACT_HTTP:
		break;
	}
	fd = backend != NULL ? dial(backend) : -1;
	if (fd < 0)
		return false;
	ask_daemon(fd, ask->text, arena, fact);
	close(fd);
	return fact->status != 0;
}
