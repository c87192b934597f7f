/*
 * The channel to master: settings, daemons, channels to policyd, heartbeat.
 */
#ifndef WORKER_MASTER_LINK_H
#define WORKER_MASTER_LINK_H

#include "common/message.h"

/* Opens PROTO_FD_MASTER. */
void	 master_link_init(void);
/* Blocks until CONFIG has come; the loop is not needed yet. */
void	 master_link_wait_config(void);
/* Watches the channel in the loop, and tells master that we serve. */
void	 master_link_ready(void);
/* No daemon answers that face: master shall look for one. */
void	 master_link_rediscover(enum face);
/* The channel to policyd is gone: another one, please. */
void	 master_link_rechannel(void);

#endif
