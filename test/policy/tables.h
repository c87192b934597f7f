/*
 * A walk through policyd's rule tables: every row of every body, where it
 * stands, and requests that name it.  Judges nothing.
 */
#ifndef TEST_POLICY_TABLES_H
#define TEST_POLICY_TABLES_H

#include <json-c/json.h>

#include "policyd/rules/rules.h"
#include "test/policy/cases.h"

/* What is inside a field. */
enum shape { SHAPE_PLAIN, SHAPE_WORDS, SHAPE_TABLE, SHAPE_LIST_OF_TABLES,
	SHAPE_MAP_OF_LISTS, SHAPE_LIST_OF_ROW, SHAPE_MAP_OF_ROW };

/* One row a check whose argument is not NULL. */
struct shape_row {
	int		(*check)(struct judge *, const struct at *,
			    const struct field *, struct json_object *);
	enum shape	 shape;
	const char	*key;		/* of a map, for probes */
};
/* Ends the process for a check that is not known. */
const struct shape_row *tables_shape(const struct field *);

/* One row an API; ends with NULL routes. */
struct table_row {
	const struct route *routes;
	const char	*prefix;	/* of its paths, for probes */
	const char	*given;		/* likewise */
	bool		 has_cases;	/* its fields have to */
};
extern const struct table_row tables[];

enum { TRAIL_MAX = 16 };
struct trail {
	const struct table_row *table;
	const struct route *route;
	bool		 is_named;	/* the row is one of a table's */
	size_t		 count;
	const char	*key[TRAIL_MAX];	/* NULL: an element */
};

void	 tables_each_field(void (*visit)(const struct trail *,
	    const struct field *, void *arg), void *arg);

/* "POST /containers/create HostConfig.Mounts[].Type" */
struct str trail_text(struct arena *, const struct trail *);
/* A request of the route whose body has the value at the trail's end. */
void	 trail_case(struct arena *, const struct trail *,
	    struct json_object *value, struct policy_case *);

/*
 * Runs the judge with values that no client of good will sends, one after the
 * other, at the row.  NULL, or the request whose verdict was not a sound one.
 */
const char *tables_try_field(struct arena *, const struct trail *,
	    const char *given);
const char *tables_try_param(struct arena *, const struct table_row *,
	    const struct route *, const struct param *, const char *given);

/*
 * Puts a value of each kind that the row does not take at its place.  NULL, or
 * the value that was not refused as bad-value.
 */
const char *tables_probe_kinds(struct arena *, const struct trail *,
	    unsigned kinds);

#endif
