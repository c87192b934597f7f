/*
 * A framed, bounded, never blocking link over a stream socket: the transport
 * of common/proto.h.  Knows frames, not what they say.
 *
 * Reading: link_read() takes what is there and hands each complete frame to
 * the handler.  Writing: link_send() appends to a bounded queue; link_flush()
 * writes what the socket takes.  The owner polls the descriptor for reading
 * always, and for writing while link_wants_write() is true.
 */
#ifndef COMMON_LINK_H
#define COMMON_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"
#include "common/proto.h"

enum { LINK_QUEUE_MAX = 32 * 1024 * 1024 };	/* bytes not yet written */

struct link {
	int		 fd;		/* owned; -1 when closed */
	enum proto_role	 self;
	enum proto_role	 peer;
	struct buf	 in;		/* the frame being read */
	struct buf	 out;		/* frames being written */
	size_t		 out_done;	/* bytes of out already written */
	int		 fd_in;		/* came with the frame being read */
	int		 fd_out;	/* goes with the byte at fd_out_at */
	size_t		 fd_out_at;
};

/* A frame that passed proto_check(); payload is valid during the call only. */
struct frame {
	enum proto_type	 type;
	uint64_t	 id;
	struct str	 payload;
	int		 fd;		/* the handler's to close, or -1 */
};

/*
 * 0 to go on; anything else: the peer is broken, or the link was closed or
 * moved by the handler: link_read() returns that value at once and touches
 * the link no more.
 */
typedef int (*link_handler)(struct link *, const struct frame *, void *);

/* What is done with a frame, for processes that keep a table of that. */
struct link_row {
	enum proto_type	 type;
	int		(*handle)(const struct frame *);
};
/* By the row of its type; without one it is out of contract. */
int	 link_dispatch(const struct link_row *, size_t count,
	    const struct frame *);

/* Takes over fd (a stream socket) and makes it non-blocking. */
void	 link_open(struct link *, int fd, enum proto_role self,
	    enum proto_role peer);
/* Closes and frees; safe to call twice. */
void	 link_close(struct link *);
bool	 link_is_open(const struct link *);

/*
 * Reads once.  0: all well; 1: the peer closed; negative: broken (a frame out
 * of contract, a read error), or what the handler returned.
 */
int	 link_read(struct link *, link_handler, void *arg);

/*
 * Queues one frame and tries to write at once.  0, or negative: the queue is
 * full or the socket broken; the caller then closes the link.  At most one
 * descriptor can be under way at a time (fd < 0: none); it is duplicated.
 */
int	 link_send(struct link *, enum proto_type, uint64_t id,
	    struct str payload, int fd);
int	 link_flush(struct link *);
bool	 link_wants_write(const struct link *);
size_t	 link_queued(const struct link *);	/* bytes not yet written */

#endif
