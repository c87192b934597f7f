/*
 * The tunnel that a hijacked connection becomes: bytes both ways, each way
 * ending by itself.
 */
#ifndef WORKER_HIJACK_H
#define WORKER_HIJACK_H

#include <stdbool.h>

#include "worker/response.h"

struct request;

/* The daemon said 101, or 200 with a raw stream; bytes: head and behind it. */
void	 hijack_start(struct request *, const struct response *,
	    struct str bytes);
void	 hijack_run(struct request *);
/* From and to the client. */
bool	 hijack_wants_read(const struct request *);
bool	 hijack_wants_write(const struct request *);
short	 hijack_wants_daemon(const struct request *);
/* The daemon says nothing more: its going would not be noticed. */
bool	 hijack_is_deaf(const struct request *);
/* The daemon is gone and all it said is passed on. */
bool	 hijack_is_over(const struct request *);

#endif
