/*
 * Walks a JSON body against a table of fields, in the table's order, so that
 * the first refusal is the same whatever the client's order was.
 */
#ifndef POLICYD_WALK_H
#define POLICYD_WALK_H

#include "policyd/context.h"

/* JSON kinds that a field takes; null always stands for "not given". */
enum {
	K_STRING = 1, K_BOOL = 2, K_INT = 4, K_ARRAY = 8, K_OBJECT = 16,
	K_ANY = 31
};

/*
 * One row a field.  A table ends with a NULL name; a last row named "*" takes
 * every key that no row names.
 */
struct field {
	const char	*name;
	unsigned	 kinds;
	/* at: where the value stands; may replace it in at->parent. */
	int		(*check)(struct judge *, const struct at *,
			    const struct field *, struct json_object *value);
	const void	*arg;		/* of the check */
	enum reason	 reason;	/* of a refusal by the check */
	const char	*text;		/* sentence for the manual */
};

/* up: where the object stands, NULL for the body itself. */
int	 walk_object(struct judge *, const struct at *up,
	    const struct field *, struct json_object *);
/* Judges one value by one row: kind, then check. */
int	 walk_value(struct judge *, const struct at *, const struct field *,
	    struct json_object *);
/* null, "", [], {}, 0, false */
bool	 walk_is_zero(struct json_object *);
/* The row that a daemon would take the key for (it folds case), or NULL. */
const struct field *walk_find(const struct field *, struct str key,
	    bool *exact);

#endif
