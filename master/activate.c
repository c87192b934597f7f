/*
 * Takes handed-over sockets.  A descriptor that is none of ours to serve is
 * refused rather than left open: it would reach every child.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/xfd.h"
#include "master/activate.h"
#include "master/rundir.h"

/* The place that a name stands for: "docker", "docker.sock"; or NULL. */
static int *
find_place(struct activation *a, struct str name)
{
	if (str_is(name, "docker") || str_is(name, RUNDIR_DOCKER))
		return &a->face[FACE_DOCKER];
	if (str_is(name, "podman") || str_is(name, RUNDIR_PODMAN))
		return &a->face[FACE_PODMAN];
	if (str_is(name, "control") || str_is(name, RUNDIR_CONTROL))
		return &a->control;
	return NULL;
}

static bool
has_option(int fd, int option, int wanted)
{
	socklen_t len = sizeof(int);
	int value;

	return getsockopt(fd, SOL_SOCKET, option, &value, &len) == 0 &&
	    value == wanted;
}

/* The file name that the socket is bound to; "" when it has none. */
static struct str
bound_name(int fd, struct sockaddr_un *address)
{
	socklen_t len = sizeof(*address);
	struct str path = STR_NONE;
	const char *slash;

	memset(address, 0, sizeof(*address));
	if (getsockname(fd, (struct sockaddr *)address, &len) != 0)
		return path;
	path = (struct str){ address->sun_path, strnlen(address->sun_path,
	    sizeof(address->sun_path)) };
	if (path.len == sizeof(address->sun_path))
		return STR_NONE;
	slash = strrchr(address->sun_path, '/');
	return slash != NULL ? str_from(slash + 1) : path;
}

static int
take_one(struct activation *a, int fd, struct str name, struct fault *fault)
{
	struct sockaddr_un address;
	int *place;

	if (!has_option(fd, SO_DOMAIN, AF_UNIX) ||
	    !has_option(fd, SO_TYPE, SOCK_STREAM) ||
	    !has_option(fd, SO_ACCEPTCONN, 1))
		return fault_set(fault, "socket activation: descriptor %d is "
		    "not a listening AF_UNIX stream socket", fd);
	/* Units that set no FileDescriptorName pass the unit's name. */
	place = find_place(a, name);
	if (place == NULL)
		place = find_place(a, bound_name(fd, &address));
	if (place == NULL)
		return fault_set(fault, "socket activation: descriptor %d "
		    "(\"%.*s\") is neither docker nor podman nor control: set "
		    "FileDescriptorName", fd, STR_FMT(name));
	if (*place >= 0)
		return fault_set(fault, "socket activation: \"%.*s\" is handed "
		    "over twice", STR_FMT(name));
	if (xfd_set_nonblock(fd) != 0 || xfd_set_cloexec(fd, 1) != 0)
		return fault_set(fault, "socket activation: %s",
		    strerror(errno));
	*place = fd;
	return 0;
}

/* A variable as a number, 0 when it is not one. */
static long
read_number(const char *name)
{
	const char *text = getenv(name);

	return text != NULL ? strtol(text, NULL, 10) : 0;
}

int
activate_take(struct activation *a, struct fault *fault)
{
	const char *names = getenv("LISTEN_FDNAMES");
	struct str rest = str_from(names);
	long count = read_number("LISTEN_FDS");
	int error = 0;

	*a = (struct activation){ { -1, -1 }, -1, 0 };
	if (count <= 0 || read_number("LISTEN_PID") != (long)getpid())
		return 0;
	if (count > ACTIVATE_MAX)
		return fault_set(fault, "socket activation: %ld descriptors, "
		    "more than %d", count, ACTIVATE_MAX);
	a->count = (unsigned)count;
	for (int i = 0; i < (int)count && error == 0; i++) {
		struct str name = str_first(rest, str_find(rest, ':'));

		error = take_one(a, ACTIVATE_FIRST + i, name, fault);
		rest = str_skip(rest, name.len + 1);
	}
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	return error;
}
