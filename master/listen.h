/*
 * The gateway's own sockets: docker.sock, podman.sock, control.sock.  Knows
 * where they are bound, not who accepts on them.
 */
#ifndef MASTER_LISTEN_H
#define MASTER_LISTEN_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "master/activate.h"
#include "master/fault.h"
#include "master/rundir.h"

struct listener {
	int	 fd;			/* -1: closed */
	char	 path[PATH_MAX];	/* absolute, for people and clients */
	int	 dir;			/* where `name` is ours to remove */
	const char *name;		/* NULL: handed over, not bound here */
	dev_t	 device;		/* of the name that was bound */
	ino_t	 inode;
};

struct listeners {
	struct listener	 face[FACE_COUNT];
	struct listener	 control;
};

/* Whether sockets can be had at all, before anything is made. */
int	 listen_check(struct fault *);
/*
 * Takes over what was handed over and binds the rest in the run directory,
 * which is the current directory by then.
 */
int	 listen_open(struct listeners *, const struct activation *,
	    const struct rundir *, struct fault *);
/* The names that were bound here still lead here. */
bool	 listen_is_intact(const struct listeners *);
/* Closes them, and removes the names that still are the ones bound here. */
void	 listen_close(struct listeners *);

#endif
