/*
 * Reads a Dockerfile as the builders of docker and podman do, and says what in
 * it reaches the host.  Where their parsers have differed over the years, all
 * readings are judged, or the construct is refused.
 *
 * No I/O, and no knowledge of where the text came from.
 */
#ifndef POLICYD_DOCKERFILE_H
#define POLICYD_DOCKERFILE_H

#include <stdbool.h>

#include "common/message.h"
#include "common/reason.h"

enum {
	DOCKERFILE_MAX = 1024 * 1024,	/* bytes of one */
	DOCKERFILE_COUNT_MAX = 8	/* of one build */
};

struct dockerfile_case {
	uint8_t		 engine;	/* enum backend_kind */
	uint16_t	 major;		/* podman: its version, 0 unknown */
	size_t		 count;		/* podman takes several, in order */
	const struct str *name;		/* for messages */
	const struct str *text;
	size_t		 arg_count;
	const struct pair *arg;		/* --build-arg */
};

struct dockerfile_refusal {
	enum reason	 reason;
	char		 field[128];	/* "Dockerfile:12" */
	char		 text[512];	/* one printable line */
};

/* 0, or negative with the refusal filled in. */
int	 dockerfile_judge(const struct dockerfile_case *,
	    struct dockerfile_refusal *);

#endif
