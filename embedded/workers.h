/*
 * The links to the workers, one each: the socket's handle goes out on them.
 */
#ifndef EMBEDDED_WORKERS_H
#define EMBEDDED_WORKERS_H

#include <stdint.h>

struct event_base;

void	 workers_init(struct event_base *);
/* Takes over fd; a worker's new link replaces its old one. */
void	 workers_add(uint64_t number, int fd);
/* What all have to dial from now on; -1: nothing.  Stays the caller's. */
void	 workers_tell(int handle);

#endif
