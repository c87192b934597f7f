/*
 * What a start brings up, looked at again: names and paths may by now lead
 * elsewhere than when the container was created.
 */
#ifndef POLICYD_RECHECK_H
#define POLICYD_RECHECK_H

#include "policyd/context.h"

/* Containers that one request may start. */
enum { RECHECK_MAX = 32 };
struct recheck {
	size_t		 count;
	struct str	 id[RECHECK_MAX];
};

/* Once each; more than RECHECK_MAX are refused. */
int	 recheck_add(struct judge *, struct recheck *, struct str id);
/*
 * Binds and networks of every container that was added, and on podman of those
 * that it starts before them.
 */
int	 recheck_all(struct judge *, struct recheck *);
/* The binds of one container alone: for what mounts and does not start. */
int	 recheck_binds(struct judge *, struct str id);

#endif
