/*
 * One row a route.  The table is the whole surface of the gateway: what no row
 * names is refused.
 */
#ifndef POLICYD_ROUTE_H
#define POLICYD_ROUTE_H

#include <json-c/json.h>

#include "policyd/context.h"

/* What stands in a path where a pattern says {x}. */
enum object_kind {
	OBJECT_NONE, OBJECT_CONTAINER, OBJECT_EXEC, OBJECT_NETWORK,
	OBJECT_VOLUME, OBJECT_IMAGE, OBJECT_POD, OBJECT_ANY
};

/* One query parameter. */
struct param {
	const char	*name;
	/*
	 * value: decoded, or STR_NONE with PARAM_ALWAYS when absent.  out: what
	 * goes to the daemon; data NULL drops the parameter.
	 */
	int		(*check)(struct judge *, const struct param *,
			    struct str value, struct str *out);
	const void	*arg;		/* of the check */
	enum reason	 reason;	/* of a refusal by the check */
	unsigned	 flags;
	const char	*text;		/* sentence for the manual */
};
enum {
	PARAM_LIST = 1,			/* may stand repeatedly */
	PARAM_ALWAYS = 2		/* goes out even when it did not come */
};

/* What a body is. */
enum body_rule {
	BODY_RULE_NONE,		/* empty, {} or null, or the query repeated */
	BODY_RULE_JSON,		/* judged by the fields, always sent */
	BODY_RULE_OPTIONAL,	/* as JSON; absent is {} */
	BODY_RULE_STREAM,	/* relayed as it comes */
	BODY_RULE_SCAN,		/* relayed as it is judged */
	BODY_RULE_IMPORT	/* as STREAM with fromSrc, else as NONE */
};

enum {
	ROUTE_DROP_UNKNOWN = 1,	/* unknown parameters are dropped: SDKs repeat
				 * the body there */
	ROUTE_HIJACK = 2,	/* Upgrade passes, a tunnel may open */
	ROUTE_CREATES = 4,
	ROUTE_UNVERSIONED = 8,	/* goes out as it came, with or without */
	ROUTE_ANY_OWNER = 16,	/* the path's object need not be ours */
	ROUTE_PREDEFINED = 32,	/* a predefined network will do */
	ROUTE_BRIDGE = 64,	/* the default bridge will do */
	ROUTE_REPORTS = 128	/* refusals are told in a report: DENY_REPORT */
};

struct field;
struct route {
	const char	*method;	/* "*": any */
	const char	*path;		/* pattern: literals, {container}, ...;
					 * a last "*" matches any rest */
	enum reason	 refused;	/* always refused, with this reason */
	unsigned	 flags;
	const struct param *params;	/* ends with a NULL name; or NULL */
	enum body_rule	 body;
	const struct field *fields;	/* of a JSON body */
	int		(*prepare)(struct judge *);	/* the particular, last */
	enum forward_response response;
	int		(*answer)(const struct case_file *,
			    const struct answer_memo *,
			    const struct msg_response *, struct arena *,
			    struct id_set *, struct msg_answer *);
	const char	*text;		/* sentence for the manual */
};

extern const struct route compat_routes[];	/* end with a NULL path */
extern const struct route libpod_routes[];

/*
 * The row for method and path, with the path's variable taken out into
 * j->subject; 0 or the refusal.
 */
int	 route_match(struct judge *);
enum object_kind route_object(const struct route *);
/* The path that goes out: the pattern with j->object in the variable's place. */
struct str route_emit_path(struct judge *);

#endif
