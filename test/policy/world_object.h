/*
 * The objects of the world's daemon, and the ids and names by which cases call
 * them.
 */
#ifndef TEST_POLICY_WORLD_OBJECT_H
#define TEST_POLICY_WORLD_OBJECT_H

#include "common/str.h"

enum { WORLD_ID_LEN = 64 };

enum world_owner { WORLD_OURS, WORLD_FOREIGN, WORLD_NOBODYS };
enum world_collection { WORLD_CONTAINERS, WORLD_EXECS, WORLD_NETWORKS,
	WORLD_VOLUMES, WORLD_IMAGES, WORLD_PODS };

struct world_object {
	enum world_collection kind;
	const char	*id;
	const char	*name;
	enum world_owner owner;
	const char	*extra;		/* JSON in the place of $x */
};

/* One row a collection. */
struct world_kind {
	enum world_collection kind;
	const char	*collection;	/* in the path */
	const char	*tail;		/* behind the reference */
	const char	*json;		/* of an inspect, see fill() */
	const char	*extra;		/* $x of an object without its own */
	const char	*absent;	/* body of the 404 */
	bool		 by_prefix;
};

const struct world_kind *world_object_kind(const char *collection);
const struct world_object *world_object_find(const struct world_kind *,
	    struct str ref);
/* The value of a placeholder such as OWN_ID, or NULL. */
const char	*world_object_placeholder(struct str name);

#endif
