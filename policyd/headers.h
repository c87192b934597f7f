/*
 * Request headers: the few that matter are looked at, none is forwarded.
 */
#ifndef POLICYD_HEADERS_H
#define POLICYD_HEADERS_H

#include "policyd/context.h"

/* 0 or the refusal; fills j->wants_upgrade. */
int	 headers_check(struct judge *);

#endif
