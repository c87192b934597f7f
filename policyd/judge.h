/*
 * The judge: a request and facts in, a verdict out.  No I/O, no clock, no
 * state of its own: the server, hookctl explain, the tests and the fuzzers run
 * the same function.
 *
 * decide() is called again from the start whenever the caller has more to
 * offer (the body, more facts).  It then walks the same way and gets further,
 * so there is no half-judged state that could be mixed up.
 */
#ifndef POLICYD_JUDGE_H
#define POLICYD_JUDGE_H

#include <stdbool.h>

#include "common/arena.h"
#include "common/message.h"
#include "common/reason.h"

/* What one request may make the judge hold. */
enum {
	JUDGE_ARENA_MAX = 64 * 1024 * 1024,	/* bytes, bodies included */
	JUDGE_FACTS_MAX = 256			/* facts of all rounds */
};

/* Settings of the gateway, as master sent them; views live with the settings. */
enum { SETTINGS_PATHS_MAX = 64 };
struct path_list {
	size_t		 count;
	struct str	 path[SETTINGS_PATHS_MAX];
};
struct settings {
	struct str	 slug;			/* value of the project label */
	struct str	 project;
	struct path_list roots;			/* first: the bind root */
	struct path_list hidden;		/* run directory, personal layers */
	struct path_list engine_sockets;
	bool		 image_load;		/* --allow-image-load */
	struct str	 egress_port;		/* decimal */
	struct msg_egress egress;
};

/* Full ids that are known to be ours: containers, networks, execs. */
struct id_set;
struct id_set	*ids_new(size_t capacity);	/* the oldest make room */
void		 ids_free(struct id_set *);
void		 ids_add(struct id_set *, struct str id, struct str parent);
/* The parent given with it (an exec's container; else empty), if known. */
bool		 ids_find(const struct id_set *, struct str id,
		    struct str *parent);

struct known_fact {
	enum fact_kind	 kind;
	struct str	 text;		/* what was asked */
	struct fact	 fact;		/* what came back */
};
struct fact_store {
	size_t			 count;
	struct known_fact	 known[JUDGE_FACTS_MAX];
};

struct case_file {
	const struct settings	*settings;
	const struct msg_request *request;
	const struct id_set	*ids;		/* may be NULL */
	const struct fact_store	*facts;
	bool			 has_body;	/* all of it is in body */
	struct str		 body;
};

enum verdict_kind {
	VERDICT_DENY,
	VERDICT_NEED_BODY,
	VERDICT_NEED_FACTS,
	VERDICT_FORWARD,
	VERDICT_ANSWER		/* the gateway answers itself */
};

/* How the daemon's answer is to be judged; plain data, kept by the server. */
struct route;
struct answer_memo {
	const struct route	*route;
	struct str		 subject;	/* the name asked for */
	struct str		 object;	/* full id of the path's object */
	bool			 is_predefined;	/* a predefined network */
	bool			 is_libpod;	/* shape of errors */
};

/* How a streamed body is judged; plain data, kept by the server. */
enum scan_kind { SCAN_NONE = 0, SCAN_ARCHIVE = 1, SCAN_CONTEXT = 2 };
enum { SCAN_DOCKERFILES_MAX = 8 };
struct scan_options {
	uint8_t		 kind;		/* enum scan_kind */
	uint8_t		 engine;	/* enum backend_kind */
	uint16_t	 major;		/* podman's version; 0: unknown */
	size_t		 dockerfile_count; /* 0: the engine's usual names */
	struct str	 dockerfile[SCAN_DOCKERFILES_MAX];
	size_t		 arg_count;
	const struct pair *arg;		/* --build-arg, value empty for null */
};

enum { VERDICT_LEARNT_MAX = 8 };
struct verdict {
	enum verdict_kind	 kind;
	struct str		 learnt[VERDICT_LEARNT_MAX]; /* full ids that
				  * look-ups showed to be ours */
	size_t			 learnt_count;
	struct msg_deny		 deny;
	struct msg_need_body	 need_body;
	struct msg_need_facts	 need_facts;
	struct msg_forward	 forward;
	struct msg_answer	 answer;
	struct answer_memo	 memo;		/* with FORWARD_JUDGE* */
	struct scan_options	 scan;		/* with FORWARD_BODY_SCAN */
	const char		*row;		/* route that decided, or NULL */
};

/* Everything in the verdict lives in the arena or in the case file. */
void	 decide(const struct case_file *, struct arena *, struct verdict *);

/*
 * Judges the daemon's answer to a forwarded request.  0: answer is filled in;
 * negative: it cannot be judged, nothing of it may pass.  New own ids are
 * added to learnt, which may be NULL.
 */
int	 decide_answer(const struct case_file *, const struct answer_memo *,
	    const struct msg_response *, struct arena *, struct id_set *learnt,
	    struct msg_answer *);

#endif
