/*
 * Reason codes: the one table of errors.  A function that can fail returns 0
 * or -R_SOMETHING; the table gives the HTTP status, the key for log, counters
 * and clients, and the sentence for container-gateway-policy(7).
 */
#ifndef COMMON_REASON_H
#define COMMON_REASON_H

enum reason {
	R_NONE = 0,
#define REASON(name, key, status, text)	R_##name,
#include "common/reason.def"
#undef REASON
	R_COUNT
};

struct reason_row {
	const char	*key;
	int		 status;	/* HTTP */
	const char	*text;		/* lower case, no full stop */
};

/* Any value is safe to ask for; an unknown one gives the row of R_INTERNAL. */
const struct reason_row	*reason_find(int reason);
/* The code of a key, or R_NONE. */
enum reason	 reason_parse(const char *key);

#endif
