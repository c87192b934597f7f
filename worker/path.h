/*
 * Paths on the host: what one is, all links followed, and making a directory
 * below a bind root.  Knows no rule about which paths are good.
 */
#ifndef WORKER_PATH_H
#define WORKER_PATH_H

#include <stdbool.h>

#include "common/buf.h"
#include "common/message.h"
#include "worker/settings.h"

/*
 * Fills path_kind, device and inode; the resolved path goes to `out`, which
 * fact->text then views.
 */
void	 path_resolve(struct str path, struct fact *, struct buf *out);
/* Resolving needs openat2(2): Linux 5.6. */
bool	 path_can_resolve(void);
/* Makes path, and what is missing above it, below one of the roots: 0 or -1. */
int	 path_make(struct str path, const struct settings *);

#endif
