/*
 * The `filters` parameter of lists, prunes and events: read in both of its
 * encodings, judged key by key, written anew with the project's label in it.
 */
#ifndef POLICYD_FILTERS_H
#define POLICYD_FILTERS_H

#include "policyd/route.h"

/* One row a filter key.  A table ends with a NULL name. */
struct filter {
	const char	*name;
	/* May put another value into *value; 0 or the refusal. */
	int		(*check)(struct judge *, const struct filter *,
			    struct str *value);
	enum reason	 reason;
	const char	*text;
};

/* arg of the parameter: what keys pass, and whether our label goes in. */
struct filter_set {
	const struct filter	*filters;
	bool			 force_label;
};

int	 param_filters(struct judge *, const struct param *, struct str,
	    struct str *);

int	 filter_any(struct judge *, const struct filter *, struct str *);
int	 filter_refuse(struct judge *, const struct filter *, struct str *);
/* "key" or "key=value". */
int	 filter_label(struct judge *, const struct filter *, struct str *);
/* A container of ours, by full id: else the answer would tell of others. */
int	 filter_container(struct judge *, const struct filter *, struct str *);

#endif
