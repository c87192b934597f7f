/*
 * The predicates that rows of field tables name.  Each judges one value,
 * refuses with the row's reason, and may put another value in its place.
 */
#ifndef POLICYD_CHECKS_H
#define POLICYD_CHECKS_H

#include "policyd/walk.h"

#define CHECK(name) \
	int	 name(struct judge *, const struct at *, const struct field *, \
		    struct json_object *)

/* check_basic.c */
CHECK(check_any);		/* any value of the kind; arrays of strings */
CHECK(check_line);		/* the same, without control characters */
CHECK(check_unset);		/* zero values only, and then left out */
CHECK(check_object);		/* arg: table of fields */
CHECK(check_array);		/* arg: one row for every element */
CHECK(check_map);		/* arg: one row for every value */
CHECK(check_one_of);		/* arg: const char *const[], ends with NULL */
CHECK(check_drop);		/* judged by nobody, sent to nobody */
CHECK(check_null);		/* null only: any list replaces the daemon's */
CHECK(check_at_least);		/* arg: const int64_t *, the least value */
CHECK(check_false);		/* false only */

/* check_mount.c, check_bind.c */
CHECK(check_binds);
CHECK(check_mounts);
CHECK(check_volume_map);
CHECK(check_volumes_from);
CHECK(check_tmpfs);
CHECK(check_workdir);

/* check_namespace.c */
CHECK(check_namespace);		/* arg: the plain values; container:X if owned */
CHECK(check_network_mode);
CHECK(check_endpoints);
CHECK(check_links);		/* own containers only, by full id */

/* check_security.c */
CHECK(check_security_opt);
CHECK(check_ulimits);
CHECK(check_group_add);
CHECK(check_extra_hosts);
CHECK(check_log_config);

/* check_container.c */
CHECK(check_env);
CHECK(check_labels);
CHECK(check_ports);
CHECK(check_exposed);		/* arg: one row for every value */
CHECK(check_misplaced);		/* arg: the table it belongs into */
CHECK(check_as);		/* arg: the table whose row of this name judges */

/* check_network.c */
CHECK(check_network_name);
CHECK(check_subnet);		/* private ranges */
CHECK(check_network_options);
CHECK(check_config_from);
CHECK(check_own_container);	/* replaced by the full id */
CHECK(check_volume_name);	/* free, or ours */

/* check_libpod.c */
CHECK(check_nsmode);		/* arg: modes that pass */
CHECK(check_libpod_mounts);
CHECK(check_libpod_volumes);
CHECK(check_image_volumes);
CHECK(check_port_mappings);
CHECK(check_libpod_networks);	/* arg: one row for the options of each */
CHECK(check_pod_ref);		/* replaced by the full id */
CHECK(check_own_containers);
CHECK(check_timezone);
CHECK(check_annotations);
CHECK(check_env_map);
CHECK(check_container_name);
CHECK(check_image_ref);		/* image.c: on podman, no transport */
CHECK(check_force_false);
CHECK(check_true);

#undef CHECK

/* Helpers that checks share. */
struct json_object *check_member(struct json_object *, const char *name);
struct str check_member_str(struct json_object *, const char *name);
/*
 * Ports of the host that are taken: not the egress proxy's, or a container
 * would be the proxy of every project whose containers can reach it there.
 * That a gateway's own egress is off says nothing of the others', and where
 * the daemon runs in a machine of its own they reach the loopback address.
 */
int	 check_host_ports(struct judge *, const struct at *,
	    const struct field *, int64_t first, int64_t last);
/* Digits, dots, colons and hex: an address as far as the daemon reads it. */
bool	 check_is_address(struct str);
/* "a, b or c": what a list of values allows. */
const char *check_values(struct judge *, const char *const *);
/* check_namespace.c: an own network; *out is its full id. */
int	 check_network_ref(struct judge *, const struct at *, struct str ref,
	    struct str *out);
/* Clean absolute path: lexically cleaned into *out; 0 or -1. */
int	 check_clean_path(struct judge *, struct str, struct str *out);
/* Absolute, and not under /proc, /sys or /dev: cleaned into *out. */
bool	 check_is_workdir(struct judge *, struct str, struct str *out);
bool	 check_has_control(struct str);
/* "80", "80/tcp", "8000-8010/udp" */
bool	 check_is_port(struct str);
/* [a-zA-Z0-9][a-zA-Z0-9_.-]* */
bool	 check_is_name(struct str);
/* Twelve or more hex digits: could be taken for an id. */
bool	 check_is_hex(struct str);
/* A name for something new: of that grammar, and not like an id. */
bool	 check_is_new_name(struct str);
/*
 * The labels of a new container, in parent[key]: the project's, and on podman
 * one that overrules what an image may say to podman auto-update.
 */
void	 check_set_container_labels(struct judge *, struct json_object *parent,
	    const char *key);
/* Puts the project's label into parent[key], making the map if needed. */
void	 check_set_label(struct judge *, struct json_object *parent,
	    const char *key);
struct json_object *check_force_object(struct json_object *parent,
	    const char *key);
struct json_object *check_force_array(struct json_object *parent,
	    const char *key);

/* check_bind.c: one source on the host.  *resolved: what to forward. */
int	 check_bind_source(struct judge *, const struct at *, struct str source,
	    struct str *resolved);
/* Every bind of a container that was inspected; bind-moved is the refusal. */
int	 check_binds_again(struct judge *, struct json_object *inspect);
/*
 * A volume that is to be made.  One that is there may well be named like an
 * id: daemons name anonymous volumes so, and compose asks for them again.
 */
int	 check_new_volume_name(struct judge *, const struct at *, struct str);
/*
 * A named volume: ours, or made labelled first, with the client's labels for
 * it (an object or NULL) beside ours.
 */
int	 check_named_volume(struct judge *, const struct at *, struct str name,
	    struct json_object *labels);

#endif
