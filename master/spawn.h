/*
 * Birth of a child: where its program is, and fork and exec of it with exactly
 * the descriptors of common/proto.h.
 */
#ifndef MASTER_SPAWN_H
#define MASTER_SPAWN_H

#include <limits.h>
#include <sys/types.h>

#include "common/message.h"
#include "common/proto.h"
#include "master/fault.h"

struct program {
	char	 path[PATH_MAX];
	int	 fd;		/* O_PATH; -1: not open */
};

struct programs {
	struct program	 worker;
	struct program	 policyd;
	struct program	 embedded;	/* not there: done without */
};

/* Finds them beside, or in libexec beside, the gateway's own executable. */
int	 spawn_find(struct programs *, struct fault *);
void	 spawn_forget(struct programs *);
/*
 * Starts one.  listeners: FACE_COUNT descriptors, or NULL.  Its process id and
 * the near end of its link; or -1 with errno.
 */
pid_t	 spawn_child(const struct program *, int log_fd, const int *listeners,
	    int *link_fd);

#endif
