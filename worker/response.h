/*
 * The head of a daemon's answer: what it says, where its body ends, and how
 * it is written to the client.
 */
#ifndef WORKER_RESPONSE_H
#define WORKER_RESPONSE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"
#include "common/proto.h"
#include "worker/http_body.h"
#include "worker/http_field.h"

struct response {
	uint16_t	 status;
	struct http_span line;		/* HTTP/1.1 200 OK */
	uint32_t	 field_count;
	struct http_field field[PROTO_HEADERS_MAX];
	uint32_t	 size;		/* bytes of the head */
	uint8_t		 framing;	/* enum http_framing, by its fields */
	uint64_t	 length;
	bool		 raw_stream;	/* Content-Type of a hijacked stream */
	bool		 close;		/* the connection ends with it */

	uint32_t	 at;		/* progress, as in struct http_head */
	uint32_t	 scanned;
	uint8_t		 seen;
	bool		 has_line;
};

/* How the head that goes to the client differs from the one that came. */
struct response_change {
	uint16_t	 status;	/* 0: the daemon's */
	enum {
		RESPONSE_AS_IS,		/* framing fields pass */
		RESPONSE_LENGTH,	/* Content-Length: length */
		RESPONSE_CHUNKED	/* Transfer-Encoding: chunked */
	}		 framing;
	uint64_t	 length;
	bool		 close;		/* Connection: close */
};

void	 response_init(struct response *);
/*
 * As http_head_feed().  method_is_head and status decide that there is no
 * body whatever the fields say.
 */
int	 response_feed(struct response *, struct str bytes, bool is_head);
/* bytes: those that were fed. */
void	 response_write(const struct response *, struct str bytes,
	    const struct response_change *, struct buf *);
/* The phrase that goes with a status in an answer of our own. */
const char *response_phrase(unsigned status);

#endif
