/*
 * Whose is it?  Objects are resolved on the daemon, and ours when they carry
 * the project's label.  What goes out afterwards is the full id.
 */
#ifndef POLICYD_OWNER_H
#define POLICYD_OWNER_H

#include "policyd/context.h"

enum owner {
	OWNER_OURS,
	OWNER_ABSENT,		/* not there */
	OWNER_FOREIGN,		/* another project's, or nobody's */
	OWNER_PREDEFINED,	/* networks: bridge, host, none */
	OWNER_ASKED,		/* a fact is missing: go on as if it were ours */
	OWNER_REFUSED		/* the daemon could not tell; refused */
};

/* id: the full id when it is ours, else the reference itself. */
enum owner	 owner_container(struct judge *, struct str ref, struct str *id);
enum owner	 owner_exec(struct judge *, struct str id);
enum owner	 owner_network(struct judge *, struct str ref, struct str *id,
		    struct str *name);
enum owner	 owner_volume(struct judge *, struct str name);
enum owner	 owner_image(struct judge *, struct str ref);
/*
 * out: the one spelling that means this image and no other when it is gone: the
 * full id, or the name with its tag.  A bare name could turn into the beginning
 * of an id between look-up and act.
 */
enum owner	 owner_image_spelled(struct judge *, struct str ref,
		    struct str *out);

enum owner	 owner_pod(struct judge *, struct str ref, struct str *id);

/* podman's own API in the version that every podman from 4 on speaks. */
#define LIBPOD_PREFIX	"/v4.0.0/libpod"
/* GET of a path on it; NULL when it was only now asked for. */
const struct fact *owner_get_libpod(struct judge *, struct str path);

/* The inspect of an own container; NULL: *owner says why not. */
struct json_object *owner_inspect_container(struct judge *, struct str id,
		    enum owner *owner);

/* Refuses with the 404 that this daemon gives for such an object. */
int		 owner_refuse_container(struct judge *, struct str ref);
int		 owner_refuse_exec(struct judge *, struct str ref);
int		 owner_refuse_network(struct judge *, struct str ref);
int		 owner_refuse_volume(struct judge *, struct str ref);
int		 owner_refuse_image(struct judge *, struct str ref);
int		 owner_refuse_pod(struct judge *, struct str ref);

/*
 * The JSON of a fact: an object that lives until decide() returns.  NULL with
 * *asked true: not yet known.  NULL otherwise: 404 and kin (*absent), or the
 * daemon could not tell, which is refused.
 */
struct json_object *owner_fact_json(struct judge *, const struct fact *,
		    bool *absent);
/* Whether labels (an object or null) name this project. */
bool		 owner_has_label(struct judge *, struct json_object *labels);

#endif
