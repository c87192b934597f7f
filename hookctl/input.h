/*
 * A hook's payload comes by standard input and ends with it.
 */
#ifndef HOOKCTL_INPUT_H
#define HOOKCTL_INPUT_H

#include "common/str.h"

enum { INPUT_MAX = 1024 * 1024, INPUT_MS = 1000 };

/*
 * All of standard input, for as long as the process lives; read once, however
 * often it is asked for.  0, or -1: more than INPUT_MAX bytes, not ended after
 * INPUT_MS, or a read error.
 */
int	 input_read(struct str *);

#endif
