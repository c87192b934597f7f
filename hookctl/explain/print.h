/*
 * How a verdict is shown.
 */
#ifndef HOOKCTL_EXPLAIN_PRINT_H
#define HOOKCTL_EXPLAIN_PRINT_H

#include <stdbool.h>

#include "policyd/judge.h"

enum explain_result {
	EXPLAIN_PASSES,
	EXPLAIN_REFUSED,
	EXPLAIN_UNDECIDED_HERE	/* needs a daemon that is not to be asked */
};

void	 explain_print(const struct verdict *, enum explain_result,
	    struct str unanswered, bool as_json);
/* The head cannot be read: the reason. */
void	 explain_print_malformed(int reason, bool as_json);

#endif
