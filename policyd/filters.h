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
enum podman_filters {
	PODMAN_AS_DOCKER,	/* narrows there too */
	PODMAN_ANSWER,		/* values are alternatives there: our label stays
				 * out, and the answer is filtered */
	PODMAN_LABEL_ONLY	/* alternatives, and no answer to filter: our
				 * label alone, the client's filters refused */
};
struct filter_set {
	const struct filter	*filters;
	bool			 force_label;
	enum podman_filters	 on_podman;
	/* PODMAN_LABEL_ONLY: when true, it says what is done anyway; or NULL. */
	const char	*implied;
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
