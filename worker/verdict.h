/*
 * What policyd says, turned into what happens.
 */
#ifndef WORKER_VERDICT_H
#define WORKER_VERDICT_H

#include "common/proto.h"
#include "common/str.h"

struct request;

/* 0, or negative: policyd broke the contract. */
int	 verdict_handle(struct request *, enum proto_type, struct str payload);
/* policyd is gone; the request waited for it. */
void	 verdict_lost(struct request *);

#endif
