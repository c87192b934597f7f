/*
 * Descriptor helpers.  Passing: one descriptor a message, never more, since
 * nobody here has a use for two and a surplus one would leak.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/xfd.h"

/* Aligned as the kernel wants its control messages. */
union control {
	struct cmsghdr	head;
	char		bytes[CMSG_SPACE(sizeof(int) * 4)];
};

int
xfd_set_nonblock(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

int
xfd_set_cloexec(int fd, int on)
{
	return fcntl(fd, F_SETFD, on ? FD_CLOEXEC : 0);
}

int
xfd_socketpair(int fds[2])
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
	    0, fds);
}

ssize_t
xfd_send(int sock, const void *bytes, size_t n, int fd)
{
	struct iovec iov = { (void *)(uintptr_t)bytes, n };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	union control control;
	struct cmsghdr *c;

	if (fd >= 0) {
		memset(&control, 0, sizeof(control));
		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	return sendmsg(sock, &msg, MSG_NOSIGNAL);
}

static int
xfd_collect(struct msghdr *msg, int *fd)
{
	int surplus = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL;
	    c = CMSG_NXTHDR(msg, c)) {
		size_t count;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			int got;

			memcpy(&got, CMSG_DATA(c) + i * sizeof(int),
			    sizeof(got));
			if (*fd < 0)
				*fd = got;
			else {
				close(got);
				surplus = 1;
			}
		}
	}
	return surplus || (msg->msg_flags & MSG_CTRUNC) != 0 ? -1 : 0;
}

ssize_t
xfd_receive(int sock, void *bytes, size_t n, int *fd)
{
	struct iovec iov = { bytes, n };
	union control control;
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes) };
	ssize_t got;

	*fd = -1;
	got = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	if (got < 0)
		return -1;
	if (xfd_collect(&msg, fd) != 0) {
		if (*fd >= 0)
			close(*fd);
		*fd = -1;
		errno = EPROTO;
		return -1;
	}
	return got;
}

void
xfd_close_from(int lowest)
{
	if (syscall(SYS_close_range, (unsigned)lowest, ~0U, 0U) == 0)
		return;
	for (int fd = lowest; fd < (int)sysconf(_SC_OPEN_MAX); fd++)
		close(fd);
}
