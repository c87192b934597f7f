/*
 * A worker without a policy: everything is forwarded as it is asked for, so
 * that the worker alone can be measured, and told from policyd's share.
 *
 *	solo [-r] WORKER LISTEN BACKEND
 *
 * -r: verdicts are reusable.  Ends with the worker, or when killed.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/link.h"
#include "common/message.h"
#include "common/setting.h"
#include "common/xfd.h"

static bool reusable;

static void
die(const char *what)
{
	perror(what);
	exit(1);
}

static int
listen_on(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0 ||
	    listen(fd, 4096) != 0)
		die(path);
	return fd;
}

static void
start(const char *worker, int master, int listener)
{
	int fds[2];

	/* Out of the way of the numbers that they shall get. */
	fds[0] = dup2(master, 20);
	fds[1] = dup2(listener, 21);
	if (fork() != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(fds[0], PROTO_FD_MASTER);
	dup2(fds[1], PROTO_FD_LISTEN_DOCKER);
	xfd_close_from(PROTO_FD_LISTEN_PODMAN);
	execl(worker, "worker", (char *)NULL);
	_exit(127);
}

static void
introduce(struct link *master, const char *backend, int channel)
{
	struct msg_backends b = { .generation = 1, .face = {
		{ .kind = BACKEND_DOCKER, .api_major = 1, .api_minor = 41 },
		{ .kind = BACKEND_NONE } } };
	static struct msg_config c;
	struct buf buf = BUF_INIT(65536);
	char uid[24];

	snprintf(uid, sizeof(uid), "%u", (unsigned)getuid());
	c.pair[c.count++] = (struct pair){ STR(SETTING_UID), str_from(uid) };
	c.pair[c.count++] = (struct pair){ STR(SETTING_LISTENERS),
		STR("docker") };
	msg_put_config(&buf, &c);
	link_send(master, PROTO_CONFIG, 0, buf_str(&buf), -1);
	buf_clear(&buf);
	b.face[0].path = str_from(backend);
	msg_put_backends(&buf, &b);
	link_send(master, PROTO_BACKENDS, 0, buf_str(&buf), -1);
	buf_free(&buf);
	link_send(master, PROTO_CHANNEL, 1, STR_NONE, channel);
}

static int
ignore(struct link *l, const struct frame *f, void *arg)
{
	(void)l;
	(void)f;
	(void)arg;
	return 0;
}

static int
forward(struct link *l, const struct frame *f, void *arg)
{
	static struct msg_request r;
	struct msg_forward m = { FORWARD_BODY_NONE, FORWARD_RELAY, 0, STR_NONE,
		STR_NONE };
	struct buf head = BUF_INIT(65536), out = BUF_INIT(65536);
	int error;

	(void)arg;
	if (f->type != PROTO_REQUEST || msg_get_request(f->payload, &r) != 0)
		return 0;
	buf_printf(&head, "%.*s %.*s HTTP/1.1\r\nHost: docker\r\n"
	    "User-Agent: container-gateway\r\n",
	    STR_FMT(r.method), STR_FMT(r.target));
	if (r.body_kind != BODY_NONE)
		m.body_mode = FORWARD_BODY_STREAM;
	else {
		buf_put_text(&head, "\r\n");
		m.flags = reusable ? FORWARD_REUSABLE : 0;
	}
	m.head = buf_str(&head);
	msg_put_forward(&out, &m);
	error = link_send(l, PROTO_FORWARD, f->id, buf_str(&out), -1);
	buf_free(&head);
	buf_free(&out);
	return error;
}

static void
serve(struct link *master, struct link *policy)
{
	for (;;) {
		struct pollfd p[2] = { { master->fd, POLLIN, 0 },
			{ policy->fd, POLLIN, 0 } };

		if (link_wants_write(policy))
			p[1].events |= POLLOUT;
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			die("poll");
		if ((p[1].revents & POLLOUT) != 0 && link_flush(policy) != 0)
			return;
		if (p[0].revents != 0 && link_read(master, ignore, NULL) != 0)
			return;
		if (p[1].revents != 0 && link_read(policy, forward, NULL) != 0)
			return;
	}
}

int
main(int argc, char **argv)
{
	struct link master, policy;
	struct rlimit limit;
	int links[2], channel[2];

	if (argc > 1 && strcmp(argv[1], "-r") == 0) {
		reusable = true;
		argc--;
		argv++;
	}
	if (argc != 4) {
		fprintf(stderr, "usage: solo [-r] WORKER LISTEN BACKEND\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	if (xfd_socketpair(links) != 0 || xfd_socketpair(channel) != 0)
		die("socketpair");
	start(argv[1], links[1], listen_on(argv[2]));
	close(links[1]);
	link_open(&master, links[0], PROTO_MASTER, PROTO_WORKER);
	link_open(&policy, channel[0], PROTO_POLICYD, PROTO_WORKER);
	introduce(&master, argv[3], channel[1]);
	close(channel[1]);
	serve(&master, &policy);
	return 0;
}
