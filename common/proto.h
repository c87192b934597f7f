/*
 * THE contract between the processes: descriptor numbers, version, message
 * types, who may send which and how long it may be.  Payloads are laid out in
 * common/message.h.  Requests are even, answers odd.
 *
 * A frame is a head of 16 bytes in host byte order (both ends are on one
 * machine and from one build) followed by `length` bytes of payload.  The
 * receiver checks version, direction and length before any handler runs; a
 * peer that breaks one of them is treated as dead.
 *
 *	worker  <-> policyd	frame id = request id, chosen by the worker
 *	embedded -> worker	frame id = 0
 *	master  <-> child	frame id = 0, or a serial number for PING/PONG
 */
#ifndef COMMON_PROTO_H
#define COMMON_PROTO_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* Bump with any change to this file or to message.h. */
#define PROTO_VERSION	3

/* Descriptors that a child inherits; everything else arrives in a frame. */
enum proto_fd {
	PROTO_FD_LOG = 2,		/* log lines */
	PROTO_FD_MASTER = 3,		/* link to master */
	PROTO_FD_LISTEN_DOCKER = 4,	/* worker: docker.sock, listening */
	PROTO_FD_LISTEN_PODMAN = 5	/* worker: podman.sock, listening */
};

enum proto_role {
	PROTO_MASTER = 1,
	PROTO_WORKER = 2,
	PROTO_POLICYD = 4,
	PROTO_EMBEDDED = 8	/* keeps a podman service of the gateway's own */
};

enum proto_type {
	/* worker -> policyd */
	PROTO_REQUEST = 2,	/* a request head to be judged */
	PROTO_BODY = 4,		/* the next bytes of its body */
	PROTO_FACTS = 6,	/* answers to NEED_FACTS, in its order */
	PROTO_RESPONSE = 8,	/* the daemon's answer, to be judged */
	PROTO_CANCEL = 10,	/* the request is gone, or over: forget it */

	/* policyd -> worker */
	PROTO_DENY = 3,		/* refuse, with reason and one line */
	PROTO_NEED_BODY = 5,	/* send the body, up to so many bytes */
	PROTO_NEED_FACTS = 7,	/* look these up */
	PROTO_FORWARD = 9,	/* send this to the daemon */
	PROTO_ANSWER = 11,	/* send this to the client */
	PROTO_WINDOW = 13,	/* so many body bytes taken, released */

	/* embedded -> worker */
	PROTO_SERVICE_SOCKET = 43, /* carries a descriptor: what to dial */

	/* master -> worker, policyd, embedded */
	PROTO_CONFIG = 32,	/* settings, once, before anything else */
	PROTO_BACKENDS = 34,	/* the daemons, whenever they change */
	PROTO_CHANNEL = 36,	/* carries a descriptor: a worker<->policyd
				 * link, the first one or a replacement */
	PROTO_PING = 38,	/* are you alive? */
	PROTO_LOG_FD = 40,	/* carries a descriptor: log there from now */
	PROTO_EGRESS = 42,	/* state of the egress proxy */
	PROTO_DRAIN = 44,	/* accept no more, end when all is done */
	PROTO_SERVE = 46,	/* start podman's service where it does not
				 * answer; SERVICE says how that went */
	PROTO_SERVICE_CHANNEL = 48, /* carries a descriptor: a link between a
				 * worker and embedded */

	/* worker, policyd, embedded -> master */
	PROTO_READY = 33,	/* confined and serving */
	PROTO_REDISCOVER = 35,	/* no daemon answers a face: look for one */
	PROTO_RECHANNEL = 37,	/* policyd and this worker have lost each
				 * other, and both live: a CHANNEL please */
	PROTO_PONG = 39,	/* I am; and my counters */
	PROTO_SERVICE = 41	/* podman's service answers, or does not */
};

struct proto_head {
	uint32_t	length;		/* bytes of payload that follow */
	uint16_t	type;		/* enum proto_type */
	uint8_t		version;	/* PROTO_VERSION */
	uint8_t		flags;		/* 0 */
	uint64_t	id;
};
static_assert(sizeof(struct proto_head) == 16, "frame head has no padding");
static_assert(offsetof(struct proto_head, id) == 8, "frame head is aligned");

/* One row a message type. */
struct proto_row {
	enum proto_type	 type;
	const char	*name;
	unsigned	 from;		/* enum proto_role, or-ed */
	unsigned	 to;
	uint32_t	 min;		/* bytes of payload */
	uint32_t	 max;
	unsigned	 carries_fd;	/* exactly one descriptor comes along */
};

/* Bounds on what one request may make anybody hold or do. */
enum {
	PROTO_HEAD_MAX = 128 * 1024,	/* bytes of one HTTP request head */
	PROTO_HEADERS_MAX = 128,	/* header fields in it */
	PROTO_BODY_CHUNK = 64 * 1024,	/* bytes of one BODY frame */
	PROTO_BODY_WINDOW = 256 * 1024,	/* BODY bytes not yet taken by policyd */
	PROTO_JSON_MAX = 4 * 1024 * 1024, /* bytes of one JSON request body */
	PROTO_JUDGE_MAX = 8 * 1024 * 1024, /* bytes of one judged answer */
	PROTO_FACT_MAX = 4 * 1024 * 1024, /* bytes of one looked-up answer */
	PROTO_FACTS_MAX = 64,		/* facts in one NEED_FACTS */
	PROTO_ROUNDS_MAX = 8,		/* NEED_FACTS rounds of one request */
	PROTO_LINE_MAX = 1024 * 1024,	/* bytes of one judged line */
	PROTO_FACT_SECONDS = 10		/* time for one round of facts */
};

/* The row of a type, or NULL. */
const struct proto_row	*proto_find(uint16_t type);
/*
 * 0 when a frame with this head may come from `from` to `to`; else a negative
 * reason (common/reason.h) that only says that the peer is broken.
 */
int	 proto_check(const struct proto_head *, enum proto_role from,
	    enum proto_role to);

#endif
