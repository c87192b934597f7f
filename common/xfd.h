/*
 * Descriptors: flags, passing them over a socket, closing what a child must
 * not inherit.
 */
#ifndef COMMON_XFD_H
#define COMMON_XFD_H

#include <stddef.h>
#include <sys/types.h>

int	 xfd_set_nonblock(int fd);	/* 0 or -1 with errno */
int	 xfd_set_cloexec(int fd, int on);
/* A connected pair of stream sockets, close-on-exec, non-blocking. */
int	 xfd_socketpair(int fds[2]);
/*
 * sendmsg(2) of bytes with one descriptor (fd >= 0) or none.  Bytes sent, or
 * -1 with errno.  The descriptor goes with the first byte; the caller keeps it.
 */
ssize_t	 xfd_send(int sock, const void *, size_t, int fd);
/*
 * recvmsg(2); *fd becomes the descriptor that came along (close-on-exec, the
 * caller's to close) or -1.  A second descriptor in one message is closed and
 * an error (EPROTO).
 */
ssize_t	 xfd_receive(int sock, void *, size_t, int *fd);
void	 xfd_close_from(int lowest);

#endif
