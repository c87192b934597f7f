/*
 * A request brought to one stage of its life, on the stage that rig.h builds;
 * the test then lets happen what it wants to see.
 */
#ifndef TEST_UNIT_SCENE_H
#define TEST_UNIT_SCENE_H

#include "rig.h"

#define SCENE_GET	"GET /v1.41/info HTTP/1.1\r\nHost: d\r\n\r\n"
#define SCENE_POST	"POST /c HTTP/1.1\r\nHost: d\r\n" \
			"Content-Length: 10\r\n\r\n"
#define SCENE_PUT	"PUT /c HTTP/1.1\r\nHost: d\r\n"
#define SCENE_OK	"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"

struct scene {
	int		 client;
	int		 daemon;	/* -1: none */
	uint64_t	 id;
};

/* policyd ... */
struct scene scene_asked(void);		/* has the request */
struct scene scene_sends_body(void);	/* has half of its body */
struct scene scene_looks_up(void);	/* waits for a fact */
/* The daemon has the request ... */
struct scene scene_forwarded(enum forward_response, int flags);
struct scene scene_relays(void);	/* and has not answered */
struct scene scene_relays_body(void);	/* and has sent half of a body */
struct scene scene_relays_chunks(void);	/* the same in chunks */
struct scene scene_uploads(void);	/* and half of its body */
struct scene scene_scans(void);		/* policyd has half of its body */
struct scene scene_judges(void);	/* its answer will be judged */
struct scene scene_judges_part(void);	/* half of the answer has come */
struct scene scene_creates(void);	/* and makes something */
struct scene scene_confirms(void);	/* it has, and policyd judges that */
struct scene scene_confirms_list(void);	/* policyd judges a list */
struct scene scene_judges_lines(void);	/* policyd judges a line */
struct scene scene_tunnels(void);	/* it is a tunnel */

/* The client reads this refusal. */
void	 scene_refused(int client, int status, const char *key);
/* The connection is as good as new. */
void	 scene_alive(int client);
/* Nothing is under way any more, within a second. */
void	 scene_over(void);
void	 scene_need_facts(uint64_t id, int kind, const char *one,
	    const char *two);
struct msg_facts *scene_want_facts(uint64_t id);

#endif
