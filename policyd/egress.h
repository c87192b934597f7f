/*
 * The egress proxy's variables: who gets them, and what they say.
 */
#ifndef POLICYD_EGRESS_H
#define POLICYD_EGRESS_H

#include "policyd/context.h"

/* 0, or the refusal when the proxy is required and does not answer. */
int	 egress_check(struct judge *);
bool	 egress_is_injected(const struct judge *);
/*
 * Env array of NAME=VALUE: the client's copies out, ours in.  names: further
 * hosts that are reached without the proxy (own name, aliases), comma list.
 */
void	 egress_set_env(struct judge *, struct json_object *env,
	    struct str names);
/* The same for an object of NAME: VALUE, as build arguments are. */
void	 egress_set_map(struct judge *, struct json_object *map,
	    struct str names);
/*
 * The names by which others call a container, for the two above: its own, and
 * its aliases in an object of NETWORK: { member: [...] }, or NULL.
 */
struct str egress_names(struct judge *, struct str name,
	    struct json_object *networks, const char *member);
/* Only takes the client's copies out (exec inherits the container's). */
void	 egress_strip_env(struct judge *, struct json_object *env);

#endif
