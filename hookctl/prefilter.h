/*
 * The first look at a hook's payload, on its raw bytes: nearly every payload
 * names no engine anywhere, and hookctl then ends without having parsed,
 * opened or asked anything.
 */
#ifndef HOOKCTL_PREFILTER_H
#define HOOKCTL_PREFILTER_H

#include <stdbool.h>

#include "common/str.h"

/*
 * False only if no JSON string in the payload, decoded and rid of shell quotes,
 * backslashes and dollar signs (which stand before quotes), holds "docker" or
 * "podman".
 */
bool	 prefilter_mentions_engine(struct str payload);

#endif
