/*
 * Percent escapes of URLs.
 */
#ifndef POLICYD_PERCENT_H
#define POLICYD_PERCENT_H

#include <stdbool.h>

#include "common/str.h"

/* Letters, digits and -._~ need no escape, and get none. */
bool	 percent_is_unreserved(unsigned char);
/* The byte that s, which begins with '%', stands for; -1: no escape. */
int	 percent_decode_one(struct str s);

#endif
