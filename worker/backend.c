/*
 * Backends.  Dialled by path for every request: a daemon that was restarted,
 * or appeared late, is found without anybody being told.  The service that the
 * gateway runs itself has no path; its descriptor stands for one.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "worker/backend.h"
#include "worker/master_link.h"
#include "worker/service_link.h"

/* Master answers sooner; it may start podman meanwhile. */
enum { WAIT_MS = 20 * 1000, RETRY_MS = 10, NOTE_MAX = 320 };

static struct {
	struct backend	 face[FACE_COUNT];
	char		 path[FACE_COUNT][sizeof(((struct sockaddr_un *)0)->
			    sun_path)];
	char		 note[NOTE_MAX];	/* of the last BACKENDS */
	bool		 is_asked[FACE_COUNT];	/* since then */
	struct deadline_queue waiting;
	struct deadline_queue retrying;
} state;

void
backend_init(void)
{
	deadline_queue_init(&state.waiting, WAIT_MS);
	deadline_queue_init(&state.retrying, RETRY_MS);
}

static bool
update_face(enum face face, const struct backend *new)
{
	struct backend *b = &state.face[face];
	struct str path = new->path;
	bool changed;

	/* A path that no address can hold is one that nobody can dial. */
	if (path.len >= sizeof(state.path[face]))
		path = STR_NONE;
	changed = !backend_is_alike(b, new) || !str_equal(b->path, path);
	if (path.len > 0)
		memcpy(state.path[face], path.data, path.len);
	state.path[face][path.len] = '\0';
	*b = *new;
	b->path = (struct str){ state.path[face], path.len };
	if (path.len == 0)
		b->kind = BACKEND_NONE;
	return changed;
}

bool
backend_update(const struct msg_backends *m)
{
	bool changed = false;

	for (int i = 0; i < FACE_COUNT; i++)
		changed |= update_face((enum face)i, &m->face[i]);
	snprintf(state.note, sizeof(state.note), "%.*s", STR_FMT(m->note));
	memset(state.is_asked, 0, sizeof(state.is_asked));
	deadline_wake(&state.waiting);
	return changed;
}

const struct backend *
backend_get(enum face face)
{
	return &state.face[face];
}

bool
backend_is_alike(const struct backend *a, const struct backend *b)
{
	return a->kind == b->kind && a->api_major == b->api_major &&
	    a->api_minor == b->api_minor &&
	    memcmp(a->libpod, b->libpod, sizeof(a->libpod)) == 0;
}

/* 0, or -errno: there is nothing to dial. */
static int
find_address(enum face face, struct sockaddr_un *address)
{
	int socket = service_link_socket();

	if (state.face[face].kind == BACKEND_NONE)
		return -ENOENT;
	memcpy(address->sun_path, state.path[face],
	    sizeof(address->sun_path));
	if (!str_is(state.face[face].path, BACKEND_EMBEDDED))
		return 0;
	snprintf(address->sun_path, sizeof(address->sun_path),
	    "/proc/self/fd/%d", socket);
	return socket >= 0 ? 0 : -ECONNREFUSED;
}

int
backend_dial(enum face face)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, error = find_address(face, &address);

	if (error != 0)
		return error;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno == ENFILE ? -EMFILE : -errno;
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
		error = errno;
		close(fd);
		return -error;
	}
	return fd;
}

void
backend_retry(struct deadline *d, deadline_fn fn, void *arg)
{
	deadline_start(d, &state.retrying, fn, fn, arg);
}

void
backend_wait(enum face face, struct deadline *d, deadline_fn woken,
    deadline_fn expired, void *arg)
{
	deadline_start(d, &state.waiting, woken, expired, arg);
	/* One question is enough for all who wait for its answer. */
	if (!state.is_asked[face])
		master_link_rediscover(face);
	state.is_asked[face] = true;
}

void
backend_describe(enum face face, struct buf *out)
{
	const struct backend *b = &state.face[face];

	if (str_is(b->path, BACKEND_EMBEDDED) && state.note[0] == '\0')
		buf_printf(out, "podman system service, started by the gateway, "
		    "does not answer yet; try again");
	else if (str_is(b->path, BACKEND_EMBEDDED))
		buf_printf(out, "%s; see what podman info says", state.note);
	else if (b->kind == BACKEND_NONE && state.note[0] != '\0')
		buf_printf(out, "no %s daemon was found%s%s; %s; start dockerd, "
		    "or podman system service, or name its socket with "
		    "--backend",
		    face == FACE_PODMAN ? "podman" : "docker or podman",
		    state.path[face][0] != '\0' ? ", not on " : "",
		    state.path[face], state.note);
	else if (b->kind == BACKEND_NONE)
		buf_printf(out, "no %s daemon was found%s%s; start dockerd, or "
		    "podman system service, or name its socket with --backend",
		    face == FACE_PODMAN ? "podman" : "docker or podman",
		    state.path[face][0] != '\0' ? ", not on " : "",
		    state.path[face]);
	else
		buf_printf(out, "nothing answers on %s; start %s",
		    state.path[face], b->kind == BACKEND_PODMAN ?
		    "podman.socket (podman system service)" :
		    "the docker service (dockerd)");
}
