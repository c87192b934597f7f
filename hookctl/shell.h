/*
 * Does this shell command, as the agent is about to run it, call docker or
 * podman?  A pure function: no I/O, no state.
 *
 * The safe error is yes: it costs a look at a gateway that is there already.
 * A wrong no leaves the command with a dead socket.  So whatever cannot be
 * parsed, nests too deep, or computes its command word at run time is a yes,
 * provided that the text names docker or podman at all.
 */
#ifndef HOOKCTL_SHELL_H
#define HOOKCTL_SHELL_H

#include <stdbool.h>

#include "common/str.h"

bool	 shell_needs_engine(struct str command);

/*
 * The text holds "docker" or "podman" once quotes, backslashes and continued
 * lines are dropped.  One pass, no allocation.
 */
bool	 shell_mentions_engine(struct str text);

#endif
