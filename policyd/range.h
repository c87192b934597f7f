/*
 * Ranges of IP addresses.
 */
#ifndef POLICYD_RANGE_H
#define POLICYD_RANGE_H

#include <stdbool.h>

#include "common/str.h"

/* A table ends with a NULL address. */
struct range {
	int		 family;	/* AF_INET, AF_INET6 */
	const char	*address;
	unsigned	 bits;
};

/* ADDRESS or ADDRESS/BITS, all of it within one of the ranges. */
bool	 range_holds(const struct range *, struct str);

#endif
