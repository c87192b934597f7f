/*
 * Judges a body while it streams past: an archive for a container, or a build
 * context.  Bounded memory whatever the size.  No I/O.
 *
 * An archive's daemon unpacks as it reads, so nothing of an entry is released
 * before its header was judged.  A context's daemon starts to build when it
 * has seen the archive's end, so that is what is held back until everything
 * was found good.
 */
#ifndef POLICYD_SCAN_H
#define POLICYD_SCAN_H

#include "policyd/judge.h"

enum {
	SCAN_TURN = 1024 * 1024,	/* bytes inflated in one call */
	SCAN_TAIL_MAX = 1024 * 1024	/* zeros behind a context's end */
};

struct scan;
struct scan_refusal {
	enum reason	 reason;
	char		 field[160];	/* for the log */
	char		 text[512];	/* one printable line */
};

/* Copies what it keeps of the options. */
struct scan	*scan_new(const struct scan_options *);
void		 scan_free(struct scan *);
/*
 * Judges the next bytes, `used` of them.  0: all that came is judged; 1: it
 * has had its turn, to be called again with what is left, perhaps nothing;
 * negative: refused, and for good.
 */
int		 scan_feed(struct scan *, struct str, size_t *used);
/* All bytes came, and scan_feed() gave 0: 0 when everything is good. */
int		 scan_finish(struct scan *);
/* The daemon may have the bytes up to here. */
uint64_t	 scan_released(const struct scan *);
const struct scan_refusal *scan_refusal(const struct scan *);
size_t		 scan_held(const struct scan *);	/* bytes of memory */

/* Files, directories, links: what any archive may hold. */
bool		 scan_type_is_plain(char type);

#endif
