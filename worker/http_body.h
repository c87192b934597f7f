/*
 * Where a body ends, and what its bytes are: Content-Length, chunked, or up
 * to the end of the connection.  Strict about chunked framing; the same
 * decoder serves both directions.
 */
#ifndef WORKER_HTTP_BODY_H
#define WORKER_HTTP_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum http_framing {
	FRAMING_NONE,		/* no body */
	FRAMING_LENGTH,
	FRAMING_CHUNKED,
	FRAMING_CLOSE		/* answers only: ends with the connection */
};

struct http_body {
	uint8_t		 framing;	/* enum http_framing */
	uint8_t		 state;		/* of chunked framing */
	bool		 trailers;	/* trailer fields are let pass */
	uint16_t	 line;		/* bytes of the line being read */
	uint32_t	 trailer;	/* bytes of trailers so far */
	uint64_t	 left;		/* of the body, or of the chunk */
};

void	 http_body_init(struct http_body *, enum http_framing, uint64_t length,
	    bool trailers);
/*
 * Decodes bytes in place: afterwards the first *data bytes are body, *used
 * bytes of the input are dealt with (the rest lies behind the body's end).
 * 1: the body is complete; 0: more is to come; negative: broken framing.
 */
int	 http_body_decode(struct http_body *, char *bytes, size_t n,
	    size_t *used, size_t *data);
/* The same without touching the bytes: how many of them belong to the body. */
int	 http_body_follow(struct http_body *, const char *bytes, size_t n,
	    size_t *used);
/* The connection ended: was that the body's end?  0, or negative. */
int	 http_body_close(const struct http_body *);
/* FRAMING_LENGTH: bytes still to come; n of them went by another way. */
uint64_t http_body_left(const struct http_body *);
void	 http_body_skip(struct http_body *, uint64_t n);
bool	 http_body_is_done(const struct http_body *);

#endif
