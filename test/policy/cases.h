/*
 * Policy cases: data files of one row a case, tab separated.
 *
 *	name	METHOD target	body	verdict	detail	given
 *
 * body: "-" none.  In request and body, <<N*TEXT>> is TEXT N times; after a
 * leading "raw:" the escapes \n \t \r \\ and \xHH are known.  verdict: deny,
 * forward or answer.  detail and given are lists with " | " between items.
 *
 * detail of a deny begins with the reason's key, "@field" behind it where that
 * matters, or with "topic:WORD" (topics.tsv).  Then, as for the others:
 *
 *	has:TEXT lacks:TEXT	in the bytes that go out (deny, answer: that
 *				the client reads)
 *	head:TEXT		the request line, without " HTTP/1.1"
 *	body:JSON		equal in any order of keys
 *	asks:TEXT		in one of the look-ups
 *	effect:TEXT		in one of the effects; "effect:none"
 *	lookups:N		so many look-ups and effects in all
 *	status:N		of a refusal or answer
 *	mode:WORD		of the answer: relay, hijack, judge, lines; of
 *				the body: none, bytes, stream, scan; or creates
 *	subject:NAME		what its answer is judged to be about
 *
 * given: api=N face=podman backend=podman libpod=A.B.C egress=on|down|require|off load=1
 * known=1 (own ids are remembered) chunked=1 generous=1
 * root=DIR (the bind root) routes=none (they cannot be read), or a header
 * "Name: value".  egress: the proxy answers (on) or not; require: it has to.
 *
 * {PROJECT}, {OWN_ID} ... stand for the world's names (world_object.c).
 */
#ifndef TEST_POLICY_CASES_H
#define TEST_POLICY_CASES_H

#include <json-c/json.h>

#include "test/policy/world.h"

struct policy_case {
	const char	*file;
	int		 line;
	const char	*name;
	struct str	 request;	/* as in the file, like what follows */
	struct str	 body;
	struct str	 verdict;
	struct str	 detail;
	struct str	 given;
};

struct case_list {
	size_t		 count;
	struct policy_case *row;
};

/* Adds the rows of test/policy/NAME; ends the process when it is malformed. */
void	 cases_load(struct case_list *, const char *name);

/* A case made ready, and what came of it. */
struct case_run {
	struct arena	 arena;
	struct world	 world;
	struct msg_request request;
	struct str	 body;
	const struct verdict *verdict;
	struct str	 out;		/* what goes to the daemon or client */
};
void	 cases_run(const struct policy_case *, struct case_run *);
void	 cases_run_free(struct case_run *);

/* NULL, or in what way the case failed; lives as long as the run. */
const char *cases_judge(const struct policy_case *, struct case_run *);

/* A column of the file with all its escapes and placeholders done. */
struct str cases_text(struct arena *, struct str);
/* The next item of a list "a | b | c". */
bool	 cases_next(struct str *list, struct str *item);

#endif
