/*
 * What a peer has not taken yet.  Writes go out at once; only what the socket
 * refuses is copied and kept, within a bound.
 */
#ifndef WORKER_SENDQ_H
#define WORKER_SENDQ_H

#include <stddef.h>
#include <sys/uio.h>

#include "common/buf.h"
#include "common/str.h"

struct sendq {
	struct buf	 bytes;
	size_t		 done;		/* of bytes: already written */
};

void	 sendq_init(struct sendq *, size_t max);
void	 sendq_free(struct sendq *);
size_t	 sendq_len(const struct sendq *);	/* not yet written */
/* 0, or -1: the peer is gone, or the bound was met. */
int	 sendq_write(struct sendq *, int fd, const struct iovec *, int count);
int	 sendq_put(struct sendq *, struct str);	/* keeps, does not write */
int	 sendq_flush(struct sendq *, int fd);

/* sendmsg(2) takes what it never writes to without const. */
static inline struct iovec
str_iov(struct str s)
{
	struct iovec iov = { NULL, s.len };

	memcpy(&iov.iov_base, &s.data, sizeof(s.data));
	return iov;
}

#endif
