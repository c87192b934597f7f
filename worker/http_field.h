/*
 * What request and response heads have in common: lines, tokens, fields.
 * Positions instead of pointers, since the bytes may move while they gather.
 */
#ifndef WORKER_HTTP_FIELD_H
#define WORKER_HTTP_FIELD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/str.h"

struct http_span {
	uint32_t	 at;
	uint32_t	 len;
};

struct http_field {
	struct http_span name;
	struct http_span value;		/* without the blanks around it */
};

/* Bytes of one field line; beyond it no client that means well is left. */
enum { HTTP_LINE_MAX = 64 * 1024 };

struct http_span http_span_of(const char *base, struct str part);
struct str http_span_str(const char *base, struct http_span);

bool	 http_is_token(struct str);
/* Printable ASCII without blanks. */
bool	 http_is_visible(struct str);
/*
 * The line that starts at *at, without its CRLF; *at moves behind it.  1: a
 * line; 0: it has not come whole (*scanned remembers how far was looked);
 * negative: it ends in a bare LF, or is too long.
 */
int	 http_line_next(struct str bytes, uint32_t *at, uint32_t *scanned,
	    struct str *line);
/* Splits NAME: VALUE strictly; 0, or negative. */
int	 http_field_split(struct str line, struct str *name, struct str *value,
	    struct str *raw);
/* The value surrounded by spaces only equals word, whatever the case. */
bool	 http_raw_is(struct str raw, const char *word);
/* Decimal, 1*18 digits, no sign, no leading zero, spaces around; 0 or -1. */
int	 http_raw_number(struct str raw, uint64_t *);
/* A comma-separated list holds this word. */
bool	 http_list_has(struct str value, const char *word);

#endif
