/*
 * The worker's surroundings.  See rig.h.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "common/setting.h"
#include "common/xfd.h"
#include "rig.h"

enum { PATIENCE_MS = 8000, SILENCE_MS = 150 };

struct rig rig;

/* ---- bytes ------------------------------------------------------------- */

static bool
is_readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

static ssize_t
read_some(int fd, void *bytes, size_t n)
{
	ssize_t got;

	if (!is_readable(fd, PATIENCE_MS))
		ck_abort_msg("nothing came");
	got = read(fd, bytes, n);
	if (got < 0 && errno != ECONNRESET)
		ck_abort_msg("read: %s", strerror(errno));
	return got < 0 ? 0 : got;
}

static void
read_all(int fd, void *bytes, size_t n)
{
	size_t at = 0;

	while (at < n) {
		ssize_t got = read_some(fd, (char *)bytes + at, n - at);

		if (got == 0)
			ck_abort_msg("ended after %zu of %zu bytes", at, n);
		at += (size_t)got;
	}
}

void
rig_put_bytes(int fd, const void *bytes, size_t n)
{
	size_t at = 0;

	while (at < n) {
		ssize_t sent = send(fd, (const char *)bytes + at, n - at,
		    MSG_NOSIGNAL);

		if (sent < 0)
			ck_abort_msg("send: %s", strerror(errno));
		at += (size_t)sent;
	}
}

void
rig_put(int fd, const char *text)
{
	rig_put_bytes(fd, text, strlen(text));
}

void
rig_want(int fd, const char *text)
{
	size_t n = strlen(text), at = 0;
	char *got = calloc(1, n + 1);

	ck_assert_ptr_nonnull(got);
	while (at < n) {
		ssize_t more = read_some(fd, got + at, n - at);

		if (more == 0)
			ck_abort_msg("ended after \"%s\", wanted \"%s\"", got,
			    text);
		at += (size_t)more;
		if (memcmp(got, text, at) != 0)
			ck_abort_msg("got \"%s\", wanted \"%s\"", got, text);
	}
	free(got);
}

const char *
rig_head(int fd)
{
	static char head[256 * 1024];
	size_t n = 0;

	memset(head, 0, sizeof(head));
	while (n < 4 || strcmp(head + n - 4, "\r\n\r\n") != 0) {
		if (read_some(fd, head + n, 1) == 0)
			ck_abort_msg("ended in a head: \"%s\"", head);
		if (++n == sizeof(head) - 1)
			ck_abort_msg("no end of the head");
	}
	return head;
}

void
rig_want_eof(int fd)
{
	char c;

	if (read_some(fd, &c, 1) != 0)
		ck_abort_msg("got byte '%c', wanted the end", c);
}

void
rig_want_silence(int fd)
{
	if (is_readable(fd, SILENCE_MS)) {
		char text[200] = "";

		if (read(fd, text, sizeof(text) - 1) <= 0)
			ck_abort_msg("ended, wanted silence");
		ck_abort_msg("got \"%s\", wanted silence", text);
	}
}

bool
rig_is_gone(int fd)
{
	struct pollfd p = { .fd = fd };

	return poll(&p, 1, 1500) == 1 && (p.revents & (POLLHUP | POLLERR)) != 0;
}

const char *
rig_answer(int fd, int status)
{
	static char body[256 * 1024];
	const char *head = rig_head(fd), *field;
	size_t n = 0;

	if (strtol(head + strlen("HTTP/1.1 "), NULL, 10) != status)
		ck_abort_msg("wanted %d, got: %s", status, head);
	field = strstr(head, "Content-Length: ");
	if (field != NULL)
		n = strtoul(field + strlen("Content-Length: "), NULL, 10);
	ck_assert_uint_lt(n, sizeof(body));
	memset(body, 0, sizeof(body));
	read_all(fd, body, n);
	return body;
}

/* ---- sockets ----------------------------------------------------------- */

static int
listen_on(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0 ||
	    listen(fd, 128) != 0)
		ck_abort_msg("listen on %s: %s", path, strerror(errno));
	return fd;
}

int
rig_client(enum face face)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", rig.face[face]);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0)
		ck_abort_msg("connect: %s", strerror(errno));
	return fd;
}

int
rig_daemon(void)
{
	int fd;

	if (!is_readable(rig.daemon, PATIENCE_MS))
		ck_abort_msg("the daemon was not dialled");
	fd = accept4(rig.daemon, NULL, NULL, SOCK_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	return fd;
}

void
rig_daemon_stop(void)
{
	close(rig.daemon);
	unlink(rig.backend);
	rig.daemon = -1;
}

void
rig_daemon_start(void)
{
	rig.daemon = listen_on(rig.backend);
}

/* ---- frames ------------------------------------------------------------ */

static void
send_frame(int sock, enum proto_type type, uint64_t id, struct str payload,
    int fd)
{
	struct proto_head head = { (uint32_t)payload.len, (uint16_t)type,
		PROTO_VERSION, 0, id };

	struct buf b = BUF_INIT(64 * 1024 * 1024);
	ssize_t sent;

	/* In one write, so that a bad head does not break the pipe on us. */
	buf_put(&b, &head, sizeof(head));
	buf_put_str(&b, payload);
	sent = xfd_send(sock, b.data, b.len, fd);
	ck_assert_int_gt(sent, 0);
	rig_put_bytes(sock, b.data + sent, b.len - (size_t)sent);
	buf_free(&b);
}

static struct rig_frame
read_frame(int sock, enum proto_type type)
{
	static char *payload;
	struct proto_head head;
	const struct proto_row *row;

	/* A worker without a channel asks for one until it has it. */
	do
		read_all(sock, &head, sizeof(head));
	while (head.type == PROTO_RECHANNEL && type != PROTO_RECHANNEL);
	row = proto_find(head.type);
	if (head.type != type)
		ck_abort_msg("wanted frame %s, got %s",
		    proto_find((uint16_t)type)->name,
		    row != NULL ? row->name : "garbage");
	free(payload);
	payload = malloc(head.length + 1);
	ck_assert_ptr_nonnull(payload);
	read_all(sock, payload, head.length);
	return (struct rig_frame){ head.id, { payload, head.length } };
}

void
rig_send(enum proto_type type, uint64_t id, struct str payload)
{
	send_frame(rig.policy, type, id, payload, -1);
}

struct rig_frame
rig_expect(enum proto_type type)
{
	return read_frame(rig.policy, type);
}

void
rig_expect_nothing(void)
{
	rig_want_silence(rig.policy);
}

void
rig_master_send(enum proto_type type, struct str payload)
{
	send_frame(rig.master, type, 0, payload, -1);
}

struct rig_frame
rig_master_expect(enum proto_type type)
{
	return read_frame(rig.master, type);
}

/* Sends what msg_put_* wrote, and frees it. */
static void
send_buf(int sock, enum proto_type type, uint64_t id, struct buf *b)
{
	ck_assert(!b->failed);
	send_frame(sock, type, id, buf_str(b), -1);
	buf_free(b);
}

uint64_t
rig_request(struct msg_request *m)
{
	static struct msg_request own;
	struct rig_frame f = rig_expect(PROTO_REQUEST);

	ck_assert_int_eq(msg_get_request(f.payload, m != NULL ? m : &own), 0);
	return f.id;
}

void
rig_need_body(uint64_t id, uint64_t max)
{
	struct buf b = BUF_INIT(64);
	struct msg_need_body m = { max };

	msg_put_need_body(&b, &m);
	send_buf(rig.policy, PROTO_NEED_BODY, id, &b);
}

void
rig_forward(uint64_t id, enum forward_body body_mode,
    enum forward_response response_mode, int flags, const char *head,
    const char *body)
{
	struct buf b = BUF_INIT(8 * 1024 * 1024);
	struct msg_forward m = { (uint8_t)body_mode, (uint8_t)response_mode,
		(uint8_t)flags, str_from(head), str_from(body) };

	msg_put_forward(&b, &m);
	send_buf(rig.policy, PROTO_FORWARD, id, &b);
}

void
rig_deny(uint64_t id, int status, int reason, const char *text)
{
	struct buf b = BUF_INIT(64 * 1024);
	struct msg_deny m = { (uint16_t)status, (uint16_t)reason, DENY_DOCKER,
		str_from(text), STR("HostConfig.Privileged") };

	msg_put_deny(&b, &m);
	send_buf(rig.policy, PROTO_DENY, id, &b);
}

void
rig_reply(uint64_t id, int status, int flags, const char *body)
{
	struct buf b = BUF_INIT(16 * 1024 * 1024);
	struct msg_answer m = { (uint16_t)status, (uint8_t)flags,
		str_from(body) };

	msg_put_answer(&b, &m);
	send_buf(rig.policy, PROTO_ANSWER, id, &b);
}

void
rig_window(uint64_t id, uint64_t taken, uint64_t released, bool done)
{
	struct buf b = BUF_INIT(64);
	struct msg_window m = { taken, released, done };

	msg_put_window(&b, &m);
	send_buf(rig.policy, PROTO_WINDOW, id, &b);
}

void
rig_policy_dies(void)
{
	close(rig.policy);
	rig.policy = -1;
}

void
rig_policy_new(void)
{
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
	    fds), 0);
	send_frame(rig.master, PROTO_CHANNEL, 1, STR_NONE, fds[1]);
	close(fds[1]);
	if (rig.policy >= 0)
		close(rig.policy);
	rig.policy = fds[0];
}

/* ---- master ------------------------------------------------------------ */

void
rig_backends(const char *path, int kind, int minor)
{
	struct buf b = BUF_INIT(64 * 1024);
	static uint32_t generation;
	struct msg_backends m = { .generation = ++generation };

	for (int i = 0; i < FACE_COUNT; i++) {
		m.face[i].kind = (uint8_t)kind;
		m.face[i].api_major = 1;
		m.face[i].api_minor = (uint16_t)minor;
		m.face[i].path = str_from(path);
	}
	msg_put_backends(&b, &m);
	send_buf(rig.master, PROTO_BACKENDS, 0, &b);
}

int
rig_service_channel(void)
{
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
	    fds), 0);
	send_frame(rig.master, PROTO_SERVICE_CHANNEL, 1, STR_NONE, fds[1]);
	close(fds[1]);
	return fds[0];
}

void
rig_service(int channel, int handle)
{
	send_frame(channel, PROTO_SERVICE_SOCKET, 0, STR_NONE, handle);
}

static void
send_config(void)
{
	struct buf b = BUF_INIT(64 * 1024);
	static struct msg_config m;
	char uid[24];

	snprintf(uid, sizeof(uid), "%u", (unsigned)getuid());
	m.count = 0;
	m.pair[m.count++] = (struct pair){ STR(SETTING_UID), str_from(uid) };
	m.pair[m.count++] = (struct pair){ STR(SETTING_BIND_ROOT),
		str_from(rig.dir) };
	m.pair[m.count++] = (struct pair){ STR(SETTING_LISTENERS),
		STR("docker") };
	m.pair[m.count++] = (struct pair){ STR(SETTING_LISTENERS),
		STR("podman") };
	m.pair[m.count++] = (struct pair){ STR("slug"), STR("test-slug") };
	msg_put_config(&b, &m);
	send_buf(rig.master, PROTO_CONFIG, 0, &b);
}

struct msg_pong
rig_ping(void)
{
	struct msg_pong m;
	struct rig_frame f;

	rig_master_send(PROTO_PING, STR_NONE);
	f = rig_master_expect(PROTO_PONG);
	ck_assert_int_eq(msg_get_pong(f.payload, &m), 0);
	return m;
}

int
rig_descriptors(void)
{
	char path[64];
	DIR *dir;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)rig.pid);
	dir = opendir(path);
	ck_assert_ptr_nonnull(dir);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n - 2;
}

const char *
rig_logged(void)
{
	static char text[1024 * 1024];
	ssize_t n = pread(rig.log, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* ---- fixtures ---------------------------------------------------------- */

/* fds: what the worker finds at 2, 3, 4, 5. */
static void
become_worker(const int fds[4])
{
	const char *program = getenv("RIG_WORKER");
	const char *wrapper = getenv("RIG_WRAPPER");

	if (program == NULL)
		program = TEST_BUILDDIR "/worker";
	for (int i = 0; i < 4; i++)
		if (dup2(fds[i], 2 + i) < 0)
			_exit(126);
	xfd_close_from(6);
	/* valgrind and the like. */
	if (wrapper != NULL)
		execl("/bin/sh", "sh", "-c", "exec $RIG_WRAPPER \"$0\"",
		    program, (char *)NULL);
	execl(program, "worker", (char *)NULL);
	_exit(127);
}

void
rig_start(void)
{
	int master[2], fds[4];

	signal(SIGPIPE, SIG_IGN);
	snprintf(rig.dir, sizeof(rig.dir), "/tmp/rig-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(rig.dir));
	snprintf(rig.face[0], sizeof(rig.face[0]), "%s/docker.sock", rig.dir);
	snprintf(rig.face[1], sizeof(rig.face[1]), "%s/podman.sock", rig.dir);
	snprintf(rig.backend, sizeof(rig.backend), "%s/real.sock", rig.dir);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
	    master), 0);
	rig.log = open(rig.dir, O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC,
	    0600);
	ck_assert_int_ge(rig.log, 0);
	rig_daemon_start();
	/* Out of the way of the numbers that they shall get. */
	fds[0] = fcntl(rig.log, F_DUPFD_CLOEXEC, 20);
	fds[1] = fcntl(master[1], F_DUPFD_CLOEXEC, 20);
	for (int i = 0; i < FACE_COUNT; i++) {
		int fd = listen_on(rig.face[i]);

		fds[2 + i] = fcntl(fd, F_DUPFD_CLOEXEC, 20);
		close(fd);
	}
	rig.pid = fork();
	ck_assert_int_ge(rig.pid, 0);
	if (rig.pid == 0)
		become_worker(fds);
	close(master[1]);
	for (int i = 0; i < 4; i++)
		close(fds[i]);
	rig.master = master[0];
	rig.policy = -1;
	send_config();
	rig_backends(rig.backend, BACKEND_DOCKER, 41);
	rig_policy_new();
	rig_master_expect(PROTO_READY);
}

int
rig_wait(void)
{
	int status = -1;

	for (int i = 0; i < PATIENCE_MS / 10; i++) {
		if (waitpid(rig.pid, &status, WNOHANG) == rig.pid) {
			rig.pid = 0;
			return WIFEXITED(status) ? WEXITSTATUS(status) :
			    128 + WTERMSIG(status);
		}
		usleep(10000);
	}
	ck_abort_msg("the worker does not end");
}

void
rig_stop(void)
{
	if (rig.pid != 0) {
		int status;

		/* It lives: nothing that the test did has ended it. */
		if (waitpid(rig.pid, NULL, WNOHANG) != 0)
			ck_abort_msg("the worker has died: %s", rig_logged());
		close(rig.master);
		status = rig_wait();
		if (status != 0)
			ck_abort_msg("exit status %d: %s", status,
			    rig_logged());
	}
	close(rig.log);
	for (int i = 0; i < FACE_COUNT; i++)
		unlink(rig.face[i]);
	unlink(rig.backend);
	rmdir(rig.dir);
}
