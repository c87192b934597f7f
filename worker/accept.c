/*
 * Accepting.  One connection a wake-up, so that several workers share a burst;
 * at the cap the listeners rest and the kernel's backlog holds who comes.
 */
#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/log.h"
#include "common/platform.h"
#include "common/xfd.h"
#include "worker/accept.h"
#include "worker/answer.h"
#include "worker/conn.h"
#include "worker/settings.h"
#include "worker/stats.h"

enum {
	ACCEPT_MAX = 20000,
	ACCEPT_SPARE = 64,	/* descriptors for everything else */
	PAUSE_MS = 100		/* when the system has no descriptor left */
};

static struct {
	struct io		 io[FACE_COUNT];
	uint64_t		 cap;
	bool			 resting;
	bool			 stopped;
	struct deadline_queue	 pauses;
	struct deadline		 pause;
} state;

static void
rest(bool resting)
{
	state.resting = resting;
	for (int i = 0; i < FACE_COUNT; i++)
		io_want(&state.io[i], resting ? 0 : EV_READ);
}

void
accept_resume(void)
{
	if (state.resting && !state.stopped && stats.connections < state.cap) {
		deadline_stop(&state.pause);
		rest(false);
	}
}

static void
pause_over(void *arg)
{
	(void)arg;
	accept_resume();
}

static void
failed(void)
{
	static bool said;

	/* The peer went meanwhile, or another worker was faster. */
	if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS &&
	    errno != ENOMEM)
		return;
	if (!said)
		log_text(LOG_WARN, "accept", "out of descriptors or memory; "
		    "new connections wait");
	said = true;
	rest(true);
	deadline_start(&state.pause, &state.pauses, pause_over, pause_over,
	    NULL);
}

static void
on_listener(void *arg, short what)
{
	const struct io *io = arg;
	enum face face = io == &state.io[FACE_DOCKER] ? FACE_DOCKER :
	    FACE_PODMAN;
	int client = accept4(io->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct conn *c;
	uid_t uid;
	pid_t pid;

	(void)what;
	if (client < 0) {
		failed();
		return;
	}
	if (platform_peer(client, &pid, &uid) != 0) {
		close(client);
		return;
	}
	if ((c = conn_new(client, face, uid)) == NULL)
		return;
	if (stats.connections >= state.cap)
		rest(true);
	if (uid != settings_get()->uid && uid != 0) {
		answer_bad_peer(c);
		conn_update(c);
	} else
		conn_start(c);
}

/*
 * A connection may come to need six descriptors; most need one or two.  What
 * is left of the limit is for those.
 */
static uint64_t
find_cap(void)
{
	struct rlimit limit;
	uint64_t n;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 256;
	n = limit.rlim_cur > ACCEPT_SPARE ? limit.rlim_cur - ACCEPT_SPARE : 1;
	n -= n / 4;
	return n < ACCEPT_MAX ? n : ACCEPT_MAX;
}

void
accept_start(void)
{
	static const int fds[FACE_COUNT] = { PROTO_FD_LISTEN_DOCKER,
		PROTO_FD_LISTEN_PODMAN };
	int listening;
	socklen_t len = sizeof(listening);

	deadline_queue_init(&state.pauses, PAUSE_MS);
	state.cap = find_cap();
	for (int i = 0; i < FACE_COUNT; i++) {
		io_init(&state.io[i]);
		if (!settings_get()->listens[i])
			continue;
		if (getsockopt(fds[i], SOL_SOCKET, SO_ACCEPTCONN, &listening,
		    &len) != 0 || !listening || xfd_set_nonblock(fds[i]) != 0)
			log_fatal("listener", "descriptor %d does not listen",
			    fds[i]);
		io_open(&state.io[i], fds[i], on_listener, &state.io[i]);
	}
	rest(false);
}

void
accept_stop(void)
{
	state.stopped = true;
	for (int i = 0; i < FACE_COUNT; i++)
		io_close(&state.io[i]);
}
