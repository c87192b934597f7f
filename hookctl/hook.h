/*
 * What the three hooks have in common: how they begin, and that they never
 * fail, never block and never last.
 */
#ifndef HOOKCTL_HOOK_H
#define HOOKCTL_HOOK_H

#include "hookctl/message.h"
#include "hookctl/payload.h"
#include "hookctl/trust.h"

enum { HOOK_SECONDS = 8, HOOK_STOP_SECONDS = 1 };

/* From here on the process ends by itself, with 0, after so many seconds. */
void	 hook_begin(unsigned seconds);
/*
 * What trust and the environment think of a refusal: into the message, unless
 * this session heard it.
 */
void	 hook_refuse(struct message *, const struct trust *,
	    const struct fault *);
/* Egress, bind root, no sandbox: what a session should know of its gateway. */
void	 hook_note_gateway(struct message *, const struct trust *,
	    struct json_object *status);

#endif
