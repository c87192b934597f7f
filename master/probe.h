/*
 * One short question to a socket: connect, send a request, read the head of
 * the answer, all within a deadline and without blocking.  Knows no API.
 */
#ifndef MASTER_PROBE_H
#define MASTER_PROBE_H

#include <stdint.h>
#include <sys/socket.h>

#include "common/str.h"

struct event_base;
struct probe;

enum { PROBE_HEAD_MAX = 8 * 1024 };

/*
 * error 0: head is the answer up to its empty line, or to its end.  Else an
 * errno (ETIMEDOUT, ECONNREFUSED, ...; ELOOP: the listener is this process).
 * Called once, never from within probe_start(); the probe is gone then.
 */
typedef void (*probe_done)(void *arg, int error, struct str head);

/* request must outlive the probe.  NULL without memory. */
struct probe *probe_start(struct event_base *, const struct sockaddr *,
	    socklen_t, struct str request, uint32_t ms, probe_done,
	    void *arg);
void	 probe_cancel(struct probe *);	/* no call; NULL is fine */

/* The value of a header field in an answer's head, trimmed; or nothing. */
struct str probe_header(struct str head, const char *name);
/* The status code of an answer's head, 0 when it is not HTTP. */
unsigned probe_status(struct str head);

#endif
