/*
 * The host's routes, and what of its traffic a container network would take.
 */
#ifndef POLICYD_HOSTROUTE_H
#define POLICYD_HOSTROUTE_H

#include "common/message.h"

enum { HOSTROUTE_TEXT_MAX = 80 };

/*
 * table: as platform_routes() gives it; subnet: ADDRESS/BITS.  1: text says
 * which route the subnet overlaps; 0: none; -1: one of both cannot be read.
 * The bridges of the engine itself do not count: it knows its networks.
 */
int	 hostroute_overlap(struct str table, struct str subnet,
	    enum backend_kind engine, char text[HOSTROUTE_TEXT_MAX]);

#endif
