/*
 * The links between children: master makes the pairs and gives each side its
 * end; it never reads one.
 */
#ifndef MASTER_CHANNEL_H
#define MASTER_CHANNEL_H

#include "common/proto.h"

struct child;
struct master;

/* A worker with another child, by frames of that type, when both are alive. */
void	 channel_join(struct child *, struct child *worker, enum proto_type);
/* One worker's channel to policyd. */
void	 channel_open(struct master *, struct child *worker);
/* After policyd was replaced: every worker's. */
void	 channel_open_all(struct master *);

#endif
