/*
 * MAGPIE_CONTAINER_GATEWAY_ARGS: the flags that a user may hand to gateways
 * that hooks start.  An allow-list with typed values; no shell, no quotes.
 */
#ifndef HOOKCTL_ARGVET_H
#define HOOKCTL_ARGVET_H

#include "hookctl/home.h"
#include "hookctl/roots.h"

enum { ARGVET_MAX = 64, ARGVET_TEXT = 8192 };

struct argvet {
	char		 text[ARGVET_TEXT];	/* what argv looks into */
	char		*argv[ARGVET_MAX + 1];	/* NULL at the end */
	unsigned	 argc;
};

/* What the flags' values are judged against. */
struct argvet_facts {
	const struct roots	*roots;
	const struct home	*home;
	const char		*run_dir;
};

/* text may be NULL: no arguments. */
int	 argvet_read(struct argvet *, const char *text,
	    const struct argvet_facts *, struct fault *);

#endif
