/*
 * One line of a log that common/log.c wrote, taken apart.  The file may lie
 * where others can write: anything that is not such a line is refused.
 */
#ifndef HOOKCTL_LOGLINE_H
#define HOOKCTL_LOGLINE_H

#include <stdbool.h>

#include "common/str.h"

enum { LOGLINE_PAIRS = 32, LOGLINE_MAX = 8192 };

struct logline {
	struct str	 time;
	struct str	 process;
	struct str	 level;
	struct str	 event;
	unsigned	 count;
	struct {
		struct str	 key;
		struct str	 value;	/* unquoted, \xNN as written */
	} pair[LOGLINE_PAIRS];
};

/* Views into the line, which is without its newline. */
bool	 logline_read(struct logline *, struct str line);
/* The value of a key, or an empty view. */
struct str logline_get(const struct logline *, const char *key);
/* \xNN undone, into out (NUL-terminated, cut at size - 1); its length. */
size_t	 logline_unescape(char *out, size_t size, struct str value);

#endif
