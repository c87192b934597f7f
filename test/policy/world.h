/*
 * A small world for the judge's tests: one project on a host, a daemon with
 * objects of the project, of another one and of nobody, and an engine that
 * drives decide() to its end as policyd/server.c does.  Answers are texts: no
 * file is opened and no daemon is asked.
 */
#ifndef TEST_POLICY_WORLD_H
#define TEST_POLICY_WORLD_H

#include "policyd/judge.h"

#define WORLD_PROJECT	"/srv/lab/project"
#define WORLD_OUTSIDE	"/srv/lab/outside"
#define WORLD_EXTRA	"/srv/lab/extra"	/* --extra-bind-root */
#define WORLD_PERSONAL	WORLD_PROJECT "/.apache-magpie-local"
#define WORLD_RUN_DIR	WORLD_PERSONAL "/run"
#define WORLD_SLUG	"project-0123456789ab"

struct world {
	struct settings	 settings;
	struct backend	 backend;
	uint8_t		 face;
	struct id_set	*ids;		/* given to the judge; may be NULL */
	/*
	 * Every name that is not in the world is an own object, and every
	 * project path a directory: for recorded requests.
	 */
	bool		 generous;
	bool		 routeless;	/* its routes cannot be read */
	/* May change an answer, for fuzzers; NULL: none. */
	void		(*twist)(struct world *, const struct fact_ask *,
			    struct fact *);
	uint32_t	 seed;		/* of its choices */

	/* What the last world_decide() went through. */
	struct fact_store facts;	/* questions and answers, in order */
	unsigned	 rounds;
	struct arena	 keep;		/* requests, facts */
	struct arena	 scratch;	/* the last verdict */
	char		*body;		/* exact copy: reads past it are seen */
};

/* docker 20.10.24 behind docker.sock, no egress proxy. */
void	 world_init(struct world *);
void	 world_free(struct world *);

/*
 * The final verdict: DENY, FORWARD or ANSWER.  What a worker would refuse by
 * itself (a body over the bound, more rounds than allowed) is a DENY here too.
 * Valid until the next call.
 */
const struct verdict *world_decide(struct world *, const struct msg_request *,
	    struct str body);

/* {PROJECT}, {OWN_ID} and the like by their values, in the arena. */
struct str world_expand(struct arena *, struct str text);

/* The answers, one a kind of question. */
void	 world_answer_path(const struct world *, struct arena *, struct str,
	    struct fact *);
void	 world_answer_routes(const struct world *, struct fact *);
void	 world_answer_mkdir(const struct world *, struct str, struct fact *);
void	 world_answer_http(const struct world *, struct arena *, struct str,
	    struct fact *);

#endif
