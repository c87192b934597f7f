/*
 * What this process gives up before it reads a client's first byte.
 */
#ifndef WORKER_CONFINE_H
#define WORKER_CONFINE_H

#include "worker/settings.h"

/* Before anything is read from anybody. */
void	 confine_early(void);
/* Once the bind roots are known. */
void	 confine(const struct settings *);

#endif
