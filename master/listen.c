/*
 * Binds and unbinds sockets.  Binding is by a relative name in the directory
 * that was checked: an absolute path could lead elsewhere by now, since the
 * sandbox can rename what lies below the project.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/xfd.h"
#include "master/listen.h"

enum { ATTEMPTS = 5 };

int
listen_check(struct fault *fault)
{
	int fds[2];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return fault_socket(fault, errno);
	close(fd);
	if (xfd_socketpair(fds) != 0)
		return fault_socket(fault, errno);
	close(fds[0]);
	close(fds[1]);
	return 0;
}

static int
bind_name(int fd, const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	mode_t old;
	int error;

	memcpy(at.sun_path, name, strlen(name));
	/* The mode is there from the first moment, not after a chmod. */
	old = umask(0177);
	error = bind(fd, (struct sockaddr *)&at, sizeof(at));
	umask(old);
	return error;
}

/* Whatever stands under the name is stale or foreign: this gateway has the
 * lock, and the name is to be its own. */
static int
clear_name(const struct listener *l, struct fault *fault)
{
	if (unlinkat(l->dir, l->name, 0) != 0 && errno != ENOENT)
		return fault_set(fault, "%s is in the way: %s", l->path,
		    errno == EISDIR ? "it is a directory: remove it" :
		    strerror(errno));
	return 0;
}

static int
start_listening(struct listener *l, struct fault *fault)
{
	/* Again, where it was handed over: the peer that a client sees is the
	 * process that listened last. */
	if (listen(l->fd, SOMAXCONN) != 0)
		return fault_set(fault, "cannot listen on %s: %s", l->path,
		    strerror(errno));
	return 0;
}

static int
bind_listener(struct listener *l, const struct rundir *r, const char *name,
    struct fault *fault)
{
	struct stat st;
	int error = -1;

	l->dir = r->fd;
	l->name = name;
	snprintf(l->path, sizeof(l->path), "%.*s/%s", RUNDIR_SOCKET_MAX,
	    r->path, name);
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0)
		return fault_socket(fault, errno);
	for (int i = 0; i < ATTEMPTS && error != 0; i++) {
		error = clear_name(l, fault);
		if (error != 0)
			return error;
		error = bind_name(l->fd, name);
	}
	if (error != 0 || fstatat(l->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return fault_set(fault, "cannot bind %s: %s", l->path,
		    strerror(errno));
	l->device = st.st_dev;
	l->inode = st.st_ino;
	return start_listening(l, fault);
}

static int
open_listener(struct listener *l, int given, const struct rundir *r,
    const char *name, struct fault *fault)
{
	struct sockaddr_un address;
	socklen_t len = sizeof(address);

	if (given < 0)
		return bind_listener(l, r, name, fault);
	l->fd = given;
	l->name = NULL;
	memset(&address, 0, sizeof(address));
	if (getsockname(given, (struct sockaddr *)&address, &len) == 0)
		snprintf(l->path, sizeof(l->path), "%.*s",
		    (int)sizeof(address.sun_path), address.sun_path);
	return start_listening(l, fault);
}

int
listen_open(struct listeners *ls, const struct activation *a,
    const struct rundir *r, struct fault *fault)
{
	int error;

	ls->face[FACE_DOCKER].fd = ls->face[FACE_PODMAN].fd = -1;
	ls->control.fd = -1;
	error = open_listener(&ls->face[FACE_DOCKER], a->face[FACE_DOCKER], r,
	    RUNDIR_DOCKER, fault);
	if (error == 0)
		error = open_listener(&ls->face[FACE_PODMAN],
		    a->face[FACE_PODMAN], r, RUNDIR_PODMAN, fault);
	if (error == 0)
		error = open_listener(&ls->control, a->control, r,
		    RUNDIR_CONTROL, fault);
	return error;
}

static bool
is_ours(const struct listener *l)
{
	struct stat st;

	return fstatat(l->dir, l->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_dev == l->device && st.st_ino == l->inode;
}

bool
listen_is_intact(const struct listeners *ls)
{
	const struct listener *all[] = { &ls->face[FACE_DOCKER],
		&ls->face[FACE_PODMAN], &ls->control };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i]->name != NULL && !is_ours(all[i]))
			return false;
	return true;
}

static void
close_listener(struct listener *l)
{
	if (l->fd < 0)
		return;
	if (l->name != NULL && is_ours(l))
		unlinkat(l->dir, l->name, 0);
	close(l->fd);
	l->fd = -1;
}

void
listen_close(struct listeners *ls)
{
	close_listener(&ls->face[FACE_DOCKER]);
	close_listener(&ls->face[FACE_PODMAN]);
	close_listener(&ls->control);
}
