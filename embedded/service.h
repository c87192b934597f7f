/*
 * Supervision of one podman service: started when it is asked for, started
 * again when it dies, and ended with this process.
 */
#ifndef EMBEDDED_SERVICE_H
#define EMBEDDED_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/str.h"
#include "embedded/podman.h"
#include "master/probe.h"
#include "master/throttle.h"

struct event;
struct event_base;
struct probe;

enum service_state {
	SERVICE_DOWN,		/* and nobody waits for it */
	SERVICE_PAUSE,		/* its next start is a matter of time */
	SERVICE_STARTING,	/* it runs, and has not answered yet */
	SERVICE_UP
};

enum { SERVICE_NOTE = 256 };

struct service;

/* It answers, or it does not; serial is that of the SERVE, 0 when unasked. */
typedef void (*service_news)(void *arg, const struct service *,
	    uint32_t serial);

struct service {
	struct event_base	*base;
	service_news		 news;
	void			*arg;
	struct podman_place	 place;
	enum service_state	 state;
	uint32_t		 serial;	/* to be answered; 0: none */
	pid_t			 pid;		/* podman's; 0: none */
	int			 handle;	/* O_PATH of its socket; -1 */
	int			 error_fd;	/* its standard error; -1 */
	struct event		*errors;
	struct event		*timer;		/* next probe, or next start */
	struct probe		*probe;
	struct throttle		 throttle;
	uint64_t		 started_ms;
	uint64_t		 not_before_ms;
	char			 line[SERVICE_NOTE]; /* being read */
	size_t			 line_len;
	char			 note[SERVICE_NOTE]; /* its last words */
	char			 head[PROBE_HEAD_MAX]; /* answer to a ping */
	size_t			 head_len;
};

/* 0, or -1 without memory. */
int	 service_init(struct service *, struct event_base *, service_news,
	    void *arg);
/* Answered by news, at once or later. */
void	 service_serve(struct service *, uint32_t serial);
/* A child of this process has ended, perhaps the service. */
void	 service_reap(struct service *);
/* Ends it and waits for that. */
void	 service_end(struct service *);

#endif
