/*
 * What the frames of common/proto.h say: one struct a message, with one
 * function that writes it and one that reads it.  Reading gives views into the
 * frame's payload (valid as long as that is) and refuses (negative reason)
 * whatever is short, long, or outside its enum.  Writing returns 0, or negative
 * when the buffer's bound was met.
 *
 * Fixed arrays bound every list.  PROTO_* bounds are in common/proto.h.
 */
#ifndef COMMON_MESSAGE_H
#define COMMON_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"
#include "common/proto.h"
#include "common/str.h"

enum face { FACE_DOCKER = 0, FACE_PODMAN = 1, FACE_COUNT };
enum backend_kind { BACKEND_NONE = 0, BACKEND_DOCKER = 1, BACKEND_PODMAN = 2 };

/* A header field or a setting. */
struct pair {
	struct str	 name;
	struct str	 value;
};

/* The daemon behind a face, as master found it. */
struct backend {
	uint8_t		 kind;		/* enum backend_kind */
	uint16_t	 api_major;	/* Api-Version: 1.41 is 1, 41 */
	uint16_t	 api_minor;
	uint16_t	 libpod[3];	/* Libpod-API-Version, or zeroes */
	struct str	 path;		/* the socket to dial, or
				 * BACKEND_EMBEDDED */
};

/* In a path's place: the service that the gateway runs itself, whose socket has
 * no name.  No socket can have this one, since it is not absolute. */
#define BACKEND_EMBEDDED	"embedded (podman system service)"

/* PROTO_BACKENDS: one a face. */
struct msg_backends {
	uint32_t	 generation;	/* grows with every change */
	struct backend	 face[FACE_COUNT];
	struct str	 note;		/* why the gateway's own service does
					 * not run; or empty */
};

/* PROTO_REDISCOVER */
struct msg_rediscover {
	uint8_t		 face;		/* enum face: the one that is asked for */
};

/* PROTO_SERVE */
struct msg_serve {
	uint32_t	 serial;	/* stands in the answer */
};

/* PROTO_SERVICE */
struct msg_service {
	uint32_t	 serial;	/* of the SERVE that this answers, or 0 */
	uint32_t	 pid;		/* podman's; 0: it does not run */
	struct str	 head;		/* what it answered to a ping */
	struct str	 note;		/* why it does not run: one line */
};

/* PROTO_CONFIG: the settings that the child needs; names in common/setting.h. */
enum { MSG_CONFIG_MAX = 256 };
struct msg_config {
	uint32_t	 count;
	struct pair	 pair[MSG_CONFIG_MAX];	/* a name may stand repeatedly */
};

/* PROTO_EGRESS: one a face, since containers see the host by other names. */
enum egress_mode { EGRESS_INJECT = 0, EGRESS_REQUIRE = 1, EGRESS_OFF = 2 };
struct msg_egress {
	uint8_t		 mode;			/* enum egress_mode */
	uint8_t		 answers[FACE_COUNT];	/* the proxy answered there */
	struct str	 url[FACE_COUNT];	/* http://HOST:PORT */
};

/* PROTO_REQUEST */
enum body_kind { BODY_NONE = 0, BODY_LENGTH = 1, BODY_CHUNKED = 2 };
struct msg_request {
	uint8_t		 face;		/* enum face: the listener it came by */
	struct backend	 backend;	/* path is left empty */
	uint32_t	 peer_uid;
	uint8_t		 body_kind;	/* enum body_kind */
	uint64_t	 body_length;	/* BODY_LENGTH: bytes */
	struct str	 method;	/* as received */
	struct str	 target;	/* as received */
	uint32_t	 header_count;
	struct pair	 header[PROTO_HEADERS_MAX]; /* in order; values trimmed */
};

/* PROTO_BODY: the last frame may be empty. */
struct msg_body {
	uint8_t		 last;		/* nothing follows */
	struct str	 bytes;
};

/* PROTO_WINDOW: absolute offsets into the body. */
struct msg_window {
	uint64_t	 taken;		/* worker may send taken + WINDOW bytes */
	uint64_t	 released;	/* scanned streams: the daemon may have
					 * the bytes up to here */
	uint8_t		 done;		/* scanned to its end and found good */
};

/* PROTO_DENY */
enum deny_shape {
	DENY_DOCKER = 0,	/* {"message": text} */
	DENY_LIBPOD = 1,	/* {"cause": key, "message": text, "response": N} */
	DENY_REPORT = 2		/* 200 {"Errors": [text], "ExitCode": 125}: what
				 * podman's service says.  podman rmi of 5.4
				 * crashes on any other status. */
};
struct msg_deny {
	uint16_t	 status;	/* HTTP */
	uint16_t	 reason;	/* enum reason */
	uint8_t		 shape;
	struct str	 text;		/* the whole message as the client reads it */
	struct str	 field;		/* what was refused, for the log; may be empty */
};

/* PROTO_NEED_BODY: u64, how many bytes to send at most (more: refuse 413). */
struct msg_need_body {
	uint64_t	 max;
};

/* PROTO_NEED_FACTS and PROTO_FACTS: questions and answers in one order. */
enum fact_kind {
	FACT_PATH = 0,		/* resolve ask.text on the host */
	FACT_HTTP = 1,		/* send ask.text (a whole request) to the daemon */
	EFFECT_MKDIR = 2,	/* make directory ask.text, below a bind root */
	EFFECT_HTTP = 3,	/* as FACT_HTTP, but it changes something */
	FACT_ROUTES = 4,	/* the host's routing tables; ask.text is empty */
	FACT_KIND_LAST = FACT_ROUTES
};
struct fact_ask {
	uint8_t		 kind;
	struct str	 text;
};
struct msg_need_facts {
	uint32_t	 count;
	struct fact_ask	 ask[PROTO_FACTS_MAX];
};

/* What a path is, all links followed. */
enum path_kind {
	PATH_MISSING = 0,	/* `path` is then its deepest existing ancestor,
				 * resolved, with the missing rest appended */
	PATH_DIRECTORY = 1, PATH_FILE = 2, PATH_SOCKET = 3, PATH_OTHER = 4,
	PATH_ERROR = 5		/* not to be resolved: loop, permission, ... */
};
/* In the place of a status, below all that HTTP has: there is no answer. */
enum fact_fault {
	FAULT_NONE = 0,		/* none, and no cause is known */
	FAULT_LATE = 1,		/* none within PROTO_FACT_SECONDS */
	FAULT_BROKEN = 2,	/* cut off, or not HTTP */
	FAULT_LARGE = 3,	/* over PROTO_FACT_MAX */
	FAULT_COUNT = 4
};
struct fact {
	uint8_t		 kind;		/* enum fact_kind, as asked */
	uint16_t	 status;	/* HTTP: status, or enum fact_fault;
					 * MKDIR, ROUTES: 200 or 0 */
	uint8_t		 path_kind;	/* PATH: enum path_kind */
	uint64_t	 device;	/* PATH: st_dev, st_ino */
	uint64_t	 inode;
	struct str	 text;		/* PATH: resolved path; HTTP: body;
					 * ROUTES: as platform_routes() */
};
struct msg_facts {
	uint32_t	 count;
	struct fact	 fact[PROTO_FACTS_MAX];
};

/* PROTO_FORWARD */
enum forward_body {
	FORWARD_BODY_NONE = 0,
	FORWARD_BODY_BYTES = 1,		/* `body` of this message */
	FORWARD_BODY_STREAM = 2,	/* the client's, re-framed */
	FORWARD_BODY_SCAN = 3		/* the same, and BODY frames to policyd;
					 * only released bytes go on */
};
enum forward_response {
	FORWARD_RELAY = 0,	/* status, headers and body pass as they come */
	FORWARD_HIJACK = 1,	/* a tunnel after 101, or 200 raw stream */
	FORWARD_JUDGE = 2,	/* whole answer to policyd, then ANSWER */
	FORWARD_JUDGE_LINES = 3	/* line by line, each as RESPONSE and ANSWER */
};
enum {
	FORWARD_REUSABLE = 1,	/* depends on the request head alone: the worker
				 * may keep it for the identical head until
				 * settings, backends or egress change */
	FORWARD_CREATES = 2	/* something was made when the daemon says 2xx:
				 * an answer that cannot be judged is
				 * R_NOT_CONFIRMED, not R_POLICY_DOWN */
};
struct msg_forward {
	uint8_t		 body_mode;
	uint8_t		 response_mode;
	uint8_t		 flags;
	struct str	 head;		/* the whole request head, with the empty
					 * line.  For STREAM and SCAN it holds no
					 * framing header and no empty line: the
					 * worker adds Content-Length or chunked,
					 * as the client framed it */
	struct str	 body;
};

/* PROTO_RESPONSE: a whole answer, or one line of it. */
struct msg_response {
	uint16_t	 status;
	uint8_t		 is_line;	/* JUDGE_LINES */
	struct str	 body;
};

/* PROTO_ANSWER */
enum {
	ANSWER_UNCHANGED = 1,	/* send what the daemon sent, `body` is empty */
	ANSWER_DROP = 2,	/* JUDGE_LINES: this line is not passed on */
	ANSWER_OWN = 4		/* the gateway's own answer: no daemon was asked;
				 * status and JSON body are here */
};
struct msg_answer {
	uint16_t	 status;	/* 0: the daemon's */
	uint8_t		 flags;
	struct str	 body;
};

/* PROTO_PONG: counters since the child's start. */
struct msg_pong {
	uint64_t	 active;	/* requests and streams under way */
	uint64_t	 requests;	/* all that were begun */
	uint64_t	 connections;	/* open client connections */
	uint32_t	 refused_count;	/* entries of refused */
	uint64_t	 refused[256];	/* by enum reason */
};

int	 msg_put_backends(struct buf *, const struct msg_backends *);
int	 msg_put_rediscover(struct buf *, const struct msg_rediscover *);
int	 msg_put_serve(struct buf *, const struct msg_serve *);
int	 msg_put_service(struct buf *, const struct msg_service *);
int	 msg_put_config(struct buf *, const struct msg_config *);
int	 msg_put_egress(struct buf *, const struct msg_egress *);
int	 msg_put_request(struct buf *, const struct msg_request *);
int	 msg_put_body(struct buf *, const struct msg_body *);
int	 msg_put_window(struct buf *, const struct msg_window *);
int	 msg_put_deny(struct buf *, const struct msg_deny *);
int	 msg_put_need_body(struct buf *, const struct msg_need_body *);
int	 msg_put_need_facts(struct buf *, const struct msg_need_facts *);
int	 msg_put_facts(struct buf *, const struct msg_facts *);
int	 msg_put_forward(struct buf *, const struct msg_forward *);
int	 msg_put_response(struct buf *, const struct msg_response *);
int	 msg_put_answer(struct buf *, const struct msg_answer *);
int	 msg_put_pong(struct buf *, const struct msg_pong *);

int	 msg_get_backends(struct str, struct msg_backends *);
int	 msg_get_rediscover(struct str, struct msg_rediscover *);
int	 msg_get_serve(struct str, struct msg_serve *);
int	 msg_get_service(struct str, struct msg_service *);
int	 msg_get_config(struct str, struct msg_config *);
int	 msg_get_egress(struct str, struct msg_egress *);
int	 msg_get_request(struct str, struct msg_request *);
int	 msg_get_body(struct str, struct msg_body *);
int	 msg_get_window(struct str, struct msg_window *);
int	 msg_get_deny(struct str, struct msg_deny *);
int	 msg_get_need_body(struct str, struct msg_need_body *);
int	 msg_get_need_facts(struct str, struct msg_need_facts *);
int	 msg_get_facts(struct str, struct msg_facts *);
int	 msg_get_forward(struct str, struct msg_forward *);
int	 msg_get_response(struct str, struct msg_response *);
int	 msg_get_answer(struct str, struct msg_answer *);
int	 msg_get_pong(struct str, struct msg_pong *);

#endif
