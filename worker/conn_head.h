/*
 * CONN_IDLE and CONN_HEAD: reading the head of the next request.
 */
#ifndef WORKER_CONN_HEAD_H
#define WORKER_CONN_HEAD_H

#include "worker/conn.h"

void	 conn_head_init(void);
/* What has come, or can be read now, is part of a head. */
void	 conn_head_read(struct conn *);

#endif
