/*
 * The tables as text: container-gateway-policy(7), and single rows for those
 * who ask why.
 */
#ifndef POLICYD_MANUAL_H
#define POLICYD_MANUAL_H

#include <stdio.h>

#include "policyd/route.h"

/* One row of any table. */
struct manual_row {
	const struct route	*route;		/* whose parameter or field */
	const char		*kind;		/* "route", "query", "body" */
	const char		*path;		/* "HostConfig.Binds", "filters" */
	const char		*reason;	/* key of its refusals */
	const char		*text;
};
typedef void (*manual_visitor)(const struct manual_row *, void *);

/* Every row, tables in their order; path is valid during the call only. */
void	 manual_visit(manual_visitor, void *arg);
/* The page in mdoc. */
void	 manual_print_page(FILE *);
/* The rows whose path is, or ends in, this one; 0, or 1 when there is none. */
int	 manual_print_rows(FILE *, const char *path);

#endif
