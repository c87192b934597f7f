/*
 * A socket that no path leads to.
 */
#ifndef EMBEDDED_UNNAMED_H
#define EMBEDDED_UNNAMED_H

struct unnamed {
	int	 socket;	/* bound, not yet listening; owned */
	int	 handle;	/* O_PATH: /proc/self/fd/N is what to dial; owned */
};

/*
 * dir: where it may have a name for an instant, on systems where a directory
 * without a path cannot be had.  0, or -1 with errno.
 */
int	 unnamed_make(const char *dir, struct unnamed *);
/* /proc/self/fd/N, good in the caller's process alone. */
enum { UNNAMED_PATH = 32 };
void	 unnamed_path(int handle, char path[UNNAMED_PATH]);

#endif
