/*
 * What a hook is told: the payload's fields that hookctl uses, checked.  Knows
 * JSON and the harness's field names; opens nothing.
 */
#ifndef HOOKCTL_PAYLOAD_H
#define HOOKCTL_PAYLOAD_H

#include "common/str.h"

enum {
	PAYLOAD_ID_MAX = 128
};

struct json_object;

struct payload {
	struct json_object	*root;		/* owns all below */
	const char		*session_id;
	const char		*cwd;		/* absolute, or NULL */
	const char		*scratchpad;	/* absolute, or NULL */
	const char		*source;	/* SessionStart; or NULL */
	const char		*reason;	/* SessionEnd; or NULL */
	const char		*tool_name;	/* PreToolUse; or NULL */
	struct str		 command;	/* PreToolUse of Bash */
};

/*
 * 0 when the text is one payload of that event with a sound session id; else
 * -1 and nothing to free.
 */
int	 payload_read(struct payload *, struct str text, const char *event);
void	 payload_free(struct payload *);
/* [A-Za-z0-9][A-Za-z0-9_-]{0,127}: no dot, so no path either. */
int	 payload_is_id(const char *);

#endif
