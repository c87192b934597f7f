/*
 * The channel to policyd: which requests it holds, and what happens to them
 * when it goes.
 */
#ifndef WORKER_POLICY_LINK_H
#define WORKER_POLICY_LINK_H

#include <stdbool.h>

#include "common/proto.h"
#include "common/str.h"
#include "worker/loop.h"

struct request;

void	 policy_link_init(void);
/* Takes over fd; what the channel before it was judging is refused. */
void	 policy_link_open(int fd);
bool	 policy_link_is_up(void);
/* Woken when there is a channel, expired when there was none in time. */
void	 policy_link_wait(struct deadline *, deadline_fn woken,
	    deadline_fn expired, void *arg);
/*
 * Sends one frame about the request.  0, or negative: the channel is full or
 * gone; the request is then the caller's to refuse.
 */
int	 policy_link_send(struct request *, enum proto_type,
	    struct str payload);
/* The request is found by its id from now on, or no longer. */
void	 policy_link_add(struct request *);
void	 policy_link_remove(struct request *);
/* There is room for body bytes; if not, stall() has the request told. */
bool	 policy_link_has_room(void);
void	 policy_link_stall(struct request *);
void	 policy_link_unstall(struct request *);

#endif
