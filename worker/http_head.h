/*
 * The strict, bounded, incremental parser of an HTTP/1.1 request head.  What
 * it lets through has one reading only; everything else is refused and the
 * connection closed, since where the next request starts is then unknown.
 *
 * Feeding the bytes whole or one by one gives the same result.
 */
#ifndef WORKER_HTTP_HEAD_H
#define WORKER_HTTP_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/message.h"
#include "worker/http_field.h"

struct http_head {
	/* the result; spans count from the head's first byte */
	struct http_span method;
	struct http_span target;
	uint32_t	 field_count;
	struct http_field field[PROTO_HEADERS_MAX];
	uint8_t		 body_kind;	/* enum body_kind */
	uint64_t	 body_length;	/* BODY_LENGTH */
	bool		 close;		/* Connection: close */
	bool		 expect;	/* Expect: 100-continue */
	uint32_t	 size;		/* bytes, with the empty line */

	/* progress */
	uint32_t	 line;		/* where the next line starts */
	uint32_t	 scanned;
	uint8_t		 seen;		/* bits: fields that stand once only */
	bool		 has_line;	/* the request line is read */
};

void	 http_head_init(struct http_head *);
/*
 * bytes: all that has come since the head's start, with what came before at
 * the same positions.  1: complete; 0: more is needed; negative: a reason to
 * refuse.  What was parsed up to the error may be read for the log.
 */
int	 http_head_feed(struct http_head *, struct str bytes);

#endif
