/*
 * The log as a file: opened without following links, bounded, with one rotated
 * copy.  Knows no line of it.
 */
#ifndef MASTER_LOGFILE_H
#define MASTER_LOGFILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "master/fault.h"
#include "master/rundir.h"

enum { LOGFILE_MAX = 4 * 1024 * 1024 };	/* bytes before it is rotated */

struct logfile {
	int			 fd;	/* -1: closed; 2: standard error */
	bool			 is_file; /* else standard error */
	struct rundir_file	 at;
	off_t			 max;
};

/* Opens `at`; named "-": standard error, neither bounded nor rotated. */
int	 logfile_open(struct logfile *, struct fault *);
void	 logfile_close(struct logfile *);
/* The file is over its bound, or was removed. */
bool	 logfile_is_due(const struct logfile *);
/*
 * Renames a file that is over its bound to NAME.1, opens NAME anew, and puts it
 * under the same descriptor number.  False: the old one goes on.
 */
bool	 logfile_renew(struct logfile *);

#endif
