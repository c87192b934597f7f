/*
 * Writes JSON, valid whatever the texts hold.  Reads none.
 */
#ifndef MASTER_JSONOUT_H
#define MASTER_JSONOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"

struct jsonout {
	struct buf	*to;
	bool		 needs_comma;
};

/* key NULL: an array's element, or the outermost value.  kind: '{' or '['. */
void	 jsonout_open(struct jsonout *, const char *key, char kind);
void	 jsonout_close(struct jsonout *, char kind);
void	 jsonout_text(struct jsonout *, const char *key, struct str);
void	 jsonout_number(struct jsonout *, const char *key, uint64_t);
void	 jsonout_bool(struct jsonout *, const char *key, bool);
void	 jsonout_null(struct jsonout *, const char *key);

#endif
