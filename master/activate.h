/*
 * Listening sockets that a service manager hands over: LISTEN_PID, LISTEN_FDS,
 * LISTEN_FDNAMES, without its library.
 */
#ifndef MASTER_ACTIVATE_H
#define MASTER_ACTIVATE_H

#include "common/message.h"
#include "master/fault.h"

enum { ACTIVATE_FIRST = 3, ACTIVATE_MAX = 16 };

struct activation {
	int		 face[FACE_COUNT];	/* -1: not handed over */
	int		 control;
	unsigned	 count;		/* descriptors from ACTIVATE_FIRST on */
};

/* Takes them, close-on-exec, and removes the variables. */
int	 activate_take(struct activation *, struct fault *);

#endif
