/*
 * The request target in normal form: version, family, segments, query.
 */
#ifndef POLICYD_TARGET_H
#define POLICYD_TARGET_H

#include <stdbool.h>

#include "common/str.h"

struct judge;

enum { TARGET_SEGMENTS_MAX = 32 };

struct target {
	bool		 has_version;
	unsigned	 major, minor, patch;
	bool		 has_patch;
	bool		 is_libpod;
	size_t		 count;		/* segments after version and family */
	struct str	 segment[TARGET_SEGMENTS_MAX];	/* still encoded */
	struct str	 query;		/* raw, without '?' */
};

/* Splits and checks; 0 or the refusal. */
int	 target_parse(struct judge *);
/* Version against the daemon's and the gateway's own bounds. */
int	 target_check_version(struct judge *);
/* What stands before the route's path when it goes out: "/v1.41". */
struct str target_emit_prefix(struct judge *);
/*
 * Decodes one segment (or several, joined by '/') of the path.  Escapes that
 * normal form does not need are refused.
 */
int	 target_decode(struct judge *, struct str raw, bool slashes,
	    struct str *out);
/* Percent-encodes all but unreserved characters (and '/' where told). */
struct str target_encode(struct judge *, struct str, bool keep_slashes);

#endif
