/*
 * The process podman system service: its birth and its end.
 */
#ifndef EMBEDDED_PODMAN_H
#define EMBEDDED_PODMAN_H

#include <sys/types.h>

struct podman_place {
	char	*program;		/* path, found trusted by master */
	char	*home;
	char	*runtime_dir;		/* NULL: there is none */
};

/*
 * Serves on that bound socket, which stays the caller's to close.  Its process
 * id, and where its standard error can be read; or -1 with errno.
 */
pid_t	 podman_start(const struct podman_place *, int socket, int *errors);
/* SIGTERM, and the end by force when that is not enough.  Waits for it. */
void	 podman_end(pid_t);
/* It has died, and was waited for: what it left of itself goes too. */
void	 podman_sweep(pid_t);

#endif
