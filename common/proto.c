/*
 * The message table of the contract in proto.h, and the check against it.
 */
#include "common/proto.h"
#include "common/reason.h"

#define M	PROTO_MASTER
#define W	PROTO_WORKER
#define P	PROTO_POLICYD
#define E	PROTO_EMBEDDED
#define KIB(n)	((uint32_t)(n) * 1024)

/* clang-format off */
static const struct proto_row rows[] = {
	/* type			name		from	to	min	max			fd */
	{ PROTO_REQUEST,	"request",	W,	P,	16,	PROTO_HEAD_MAX + KIB(16), 0 },
	{ PROTO_BODY,		"body",		W,	P,	1,	PROTO_BODY_CHUNK + 16,	0 },
	{ PROTO_FACTS,		"facts",	W,	P,	4,	KIB(16 * 1024),		0 },
	{ PROTO_RESPONSE,	"response",	W,	P,	4,	PROTO_JUDGE_MAX + KIB(128), 0 },
	{ PROTO_CANCEL,		"cancel",	W,	P,	0,	0,			0 },
	{ PROTO_DENY,		"deny",		P,	W,	8,	KIB(64),		0 },
	{ PROTO_NEED_BODY,	"need-body",	P,	W,	8,	8,			0 },
	{ PROTO_NEED_FACTS,	"need-facts",	P,	W,	4,	KIB(1024),		0 },
	{ PROTO_FORWARD,	"forward",	P,	W,	8,	KIB(8 * 1024),		0 },
	{ PROTO_ANSWER,		"answer",	P,	W,	7,	2 * PROTO_JUDGE_MAX,	0 },
	{ PROTO_WINDOW,		"window",	P,	W,	17,	17,			0 },
	{ PROTO_CONFIG,		"config",	M,	W | P | E, 4,	KIB(256),		0 },
	{ PROTO_BACKENDS,	"backends",	M,	W | P,	4,	KIB(64),		0 },
	{ PROTO_CHANNEL,	"channel",	M,	W | P,	0,	0,			1 },
	{ PROTO_PING,		"ping",		M,	W | P | E, 0,	0,			0 },
	{ PROTO_LOG_FD,		"log-fd",	M,	W | P | E, 0,	0,			1 },
	{ PROTO_EGRESS,		"egress",	M,	W | P,	4,	KIB(64),		0 },
	{ PROTO_DRAIN,		"drain",	M,	W,	0,	0,			0 },
	{ PROTO_SERVE,		"serve",	M,	E,	4,	4,			0 },
	{ PROTO_SERVICE_CHANNEL, "service-channel", M,	W | E,	0,	0,			1 },
	{ PROTO_READY,		"ready",	W | P | E, M,	0,	0,			0 },
	{ PROTO_REDISCOVER,	"rediscover",	W,	M,	1,	1,			0 },
	{ PROTO_RECHANNEL,	"rechannel",	W,	M,	0,	0,			0 },
	{ PROTO_PONG,		"pong",		W | P | E, M,	4,	KIB(16),		0 },
	{ PROTO_SERVICE,	"service",	E,	M,	16,	KIB(16),		0 },
	{ PROTO_SERVICE_SOCKET, "service-socket", E,	W,	0,	0,			1 },
};
/* clang-format on */

const struct proto_row *
proto_find(uint16_t type)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].type == type)
			return &rows[i];
	return NULL;
}

int
proto_check(const struct proto_head *head, enum proto_role from,
    enum proto_role to)
{
	const struct proto_row *row = proto_find(head->type);

	if (head->version != PROTO_VERSION || head->flags != 0 || row == NULL ||
	    (row->from & from) == 0 || (row->to & to) == 0 ||
	    head->length < row->min || head->length > row->max)
		return -R_INTERNAL;
	return 0;
}
