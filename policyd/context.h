/*
 * What one run of decide() carries from check to check.  Internal to the
 * judge: callers outside see judge.h alone.
 *
 * Checks return 0 to go on, negative to stop.  A check that misses a fact asks
 * for it, goes on as if it were good, and the run ends in NEED_FACTS: nothing
 * is ever forwarded while something was asked.
 */
#ifndef POLICYD_CONTEXT_H
#define POLICYD_CONTEXT_H

#include <json-c/json.h>

#include "policyd/judge.h"
#include "policyd/target.h"

struct route;
struct param;

enum { PARAMS_MAX = 64, SEGMENTS_OUT_MAX = 16 };

/* One parameter of the query, decoded. */
struct query_pair {
	struct str	 name;
	struct str	 value;
	bool		 used;
};
struct query {
	size_t			 count;
	struct query_pair	 pair[PARAMS_MAX];
};

struct judge {
	const struct case_file	*file;
	const struct settings	*settings;
	const struct msg_request *request;
	struct arena		*arena;
	struct verdict		*out;

	struct target		 target;
	const struct route	*route;
	struct str		 subject;	/* the path's variable, decoded */
	struct str		 object;	/* what goes out in its place */
	bool			 is_predefined;	/* it is a predefined network */
	enum forward_response	 response;	/* the route's, unless the daemon
						 * asks for another */
	struct query		 query;
	struct str		 query_out;	/* canonical, without '?' */
	bool			 form_like;	/* Content-Type of a form */
	bool			 wants_upgrade;
	bool			 as_libpod;	/* asked of docker's API, goes out
						 * on podman's own */
	struct json_object	*tree;		/* the body; freed by decide() */
	struct json_object	*garbage;	/* array of parsed facts, likewise */
	/* Which of them is which fact: a body may name one object often. */
	struct {
		const struct fact	*fact;
		struct json_object	*object;
	}			 parsed[JUDGE_FACTS_MAX];
	size_t			 parsed_count;

	bool			 refused;
	bool			 used_facts;	/* not a function of the head */
	struct fact_ask		 facts[PROTO_FACTS_MAX];
	size_t			 fact_count;
	struct fact_ask		 effects[PROTO_FACTS_MAX];
	size_t			 effect_count;

	/* Found on the way through a body. */
	struct str		 misspelled;	/* path of a key, or empty */
	const char		*spelling;	/* what it should read */
	bool			 has_bind;
	bool			 bind_below_root;
	struct json_object	*host_config;
	struct json_object	*inherited;	/* mounts by VolumesFrom, or
						 * NULL; part of the garbage */
};

/* Where in the body a check stands: a chain on the stack, leaf first. */
struct at {
	const struct at		*up;
	const char		*key;		/* NULL: an array element */
	size_t			 index;
	struct json_object	*parent;	/* object or array */
};

/* How the client is to be told: enum deny_shape. */
uint8_t	 judge_deny_shape(const struct judge *);

/*
 * The first refusal stands, later ones are ignored.  Each returns -reason.
 * field: what was refused ("HostConfig.Binds[0]", "query filters"), may be
 * empty.  The client reads "container-gateway: <key>: <text>".
 */
int	 judge_refuse(struct judge *, enum reason, struct str field,
	    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
int	 judge_refuse_at(struct judge *, enum reason, const struct at *,
	    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* In the daemon's words: the text is the whole message. */
int	 judge_refuse_raw(struct judge *, enum reason, struct str text);

/* "HostConfig.Mounts[2].Source", escaped. */
struct str judge_path(struct judge *, const struct at *);
/* A client's value for a message: cut, and escaped to one printable line. */
const char *judge_show(struct judge *, struct str);

/* The fact, or NULL when it was only now asked for. */
const struct fact *judge_ask(struct judge *, enum fact_kind, struct str text);
/* GET of a path (without version prefix) on the daemon. */
const struct fact *judge_get(struct judge *, struct str path);
bool	 judge_is_pending(const struct judge *);

/* The version prefix of everything that goes out: "/v1.41". */
struct str judge_version_prefix(struct judge *);
/*
 * The same under the daemon's own version, for look-ups: newer daemons turn
 * away the versions of old clients, and that is not "no such container".
 */
struct str judge_backend_prefix(struct judge *);

/* Puts a string in place of the value at hand. */
void	 judge_replace(const struct at *, struct json_object *value);
/* json-c strings hold a length: views that live as long as the object. */
struct str judge_str(struct json_object *);
struct json_object *judge_new_str(struct str);

#endif
