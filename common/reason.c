/*
 * The table of reason codes, made from reason.def.
 */
#include <string.h>

#include "common/reason.h"

static const struct reason_row rows[R_COUNT] = {
	[R_NONE] = { "none", 200, "nothing is refused" },
#define REASON(name, key, status, text)	[R_##name] = { key, status, text },
#include "common/reason.def"
#undef REASON
};

const struct reason_row *
reason_find(int reason)
{
	if (reason < 0 || reason >= R_COUNT)
		return &rows[R_INTERNAL];
	return &rows[reason];
}

enum reason
reason_parse(const char *key)
{
	for (int i = 1; i < R_COUNT; i++)
		if (strcmp(rows[i].key, key) == 0)
			return (enum reason)i;
	return R_NONE;
}
