/*
 * A build context's entries: which Dockerfile the daemon will read, and that
 * it is the one that was judged.  Inside scan.c only.
 */
#ifndef POLICYD_SCAN_CONTEXT_H
#define POLICYD_SCAN_CONTEXT_H

#include "policyd/scan.h"
#include "policyd/tar.h"

struct context;

/* Refusals go to what is given here; a bad option is one at once. */
struct context	*context_new(const struct scan_options *,
		    struct scan_refusal *);
void		 context_free(struct context *);
/* As struct tar wants it. */
int		 context_entry(struct context *, const struct tar_entry *);
int		 context_data(struct context *, struct str);
int		 context_finish(struct context *);
size_t		 context_held(const struct context *);

/*
 * The path as the daemons clean it, appended to out (not cleared), without
 * leading or trailing slashes; the root is empty.  "..": negative, or, with
 * clamp, one up but never above the root.
 */
int		 context_clean(struct buf *out, struct str path, bool clamp);

#endif
