/*
 * The run directory: where it is, and that nobody but the user can have made
 * it what it is.  Knows no socket and no file in it.
 */
#ifndef MASTER_RUNDIR_H
#define MASTER_RUNDIR_H

#include <limits.h>

#include "master/fault.h"
#include "master/project.h"

/* Names in it. */
#define RUNDIR_DOCKER	"docker.sock"
#define RUNDIR_PODMAN	"podman.sock"
#define RUNDIR_CONTROL	"control.sock"	/* the longest socket name */
#define RUNDIR_PID	"gateway.pid"
#define RUNDIR_LOG	"gateway.log"

enum { RUNDIR_SOCKET_MAX = 103 };	/* bytes of a socket's path; macOS has
					 * no more, and clients run there */

struct rundir {
	char	 path[PATH_MAX];	/* absolute */
	char	 anchor[PATH_MAX];	/* canonical; what is trusted */
	char	 below[PATH_MAX];	/* from there; checked link by link */
	int	 fd;			/* the directory, or -1 */
};

/* A file in the run directory, or where a flag puts it instead. */
struct rundir_file {
	int		 dir;		/* directory of name, or AT_FDCWD */
	const char	*name;
	char		 shown[2 * PATH_MAX]; /* for people */
};

/* Decides the place and its length; makes nothing. */
int	 rundir_place(struct rundir *, const char *run_dir,
	    const struct project *, struct fault *);
/* Makes what is missing and checks what is there. */
int	 rundir_open(struct rundir *, struct fault *);
void	 rundir_close(struct rundir *);
/* `given` is absolute, or NULL for `name` in the open run directory. */
void	 rundir_file(const struct rundir *, const char *given,
	    const char *name, struct rundir_file *);

#endif
