/*
 * One datagram a message to the socket that the service manager named.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "master/notify.h"

int
notify_send(const char *text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t n = path != NULL ? strlen(path) : 0;
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
	ssize_t sent;
	int fd;

	if (n < 2 || n >= sizeof(to.sun_path) ||
	    (path[0] != '/' && path[0] != '@'))
		return 1;
	memcpy(to.sun_path, path, n);
	/* '@' stands for the leading NUL of an abstract name. */
	if (path[0] == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	sent = sendto(fd, text, strlen(text), MSG_NOSIGNAL,
	    (struct sockaddr *)&to, len);
	close(fd);
	return sent < 0 ? -1 : 0;
}
