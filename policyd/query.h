/*
 * The query string: taken apart, judged parameter by parameter, written anew.
 */
#ifndef POLICYD_QUERY_H
#define POLICYD_QUERY_H

#include "policyd/context.h"
#include "policyd/route.h"

int	 query_parse(struct judge *);
/* Judges every parameter against the route's rows; fills j->query_out. */
int	 query_check(struct judge *);
/* The decoded value of a parameter, or STR_NONE (data NULL) when absent. */
struct str query_value(const struct judge *, const char *name);
/* A value that every daemon takes for true. */
bool	 query_is_true(struct str value);
/* Appends name=value to j->query_out, escaped. */
void	 query_append(struct judge *, const char *name, struct str value);

/* Checks that rows name. */
int	 param_any(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_drop(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_refuse(struct judge *, const struct param *, struct str,
	    struct str *);
/* Refused unless empty or a false boolean, and then dropped. */
int	 param_unset(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_bool(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_int(struct judge *, const struct param *, struct str,
	    struct str *);
/* arg: const char *const[], ends with NULL. */
int	 param_one_of(struct judge *, const struct param *, struct str,
	    struct str *);

#endif
