/*
 * What the gateway says of itself: one JSON object on one line.
 */
#ifndef MASTER_STATUS_H
#define MASTER_STATUS_H

#include "common/buf.h"

struct master;

enum { STATUS_MAX = 256 * 1024 };

void	 status_write(const struct master *, struct buf *);

#endif
