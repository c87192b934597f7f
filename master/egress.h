/*
 * Whether the egress proxy answers where containers will look for it.  Asks
 * from the host; what containers are told is policyd's business.
 */
#ifndef MASTER_EGRESS_H
#define MASTER_EGRESS_H

#include <netinet/in.h>
#include <stdbool.h>

#include "common/message.h"
#include "master/discover.h"

struct egress;

/* A round of probes is over. */
typedef void (*egress_known)(void *arg, bool changed);

struct egress_face {
	struct egress		*owner;
	struct probe		*probe;
	struct probe		*loopback;	/* asked when `probe` failed */
	struct sockaddr_in	 at;		/* what is probed */
	bool			 answers;
	bool			 only_loopback;	/* out of containers' reach */
	bool			 is_told;	/* the log has how it stands */
	char			 url[64];	/* "": no address known */
};

struct egress {
	struct event_base	*base;
	struct event		*renewal;
	const struct discovery	*backends;
	unsigned		 mode;		/* enum egress_mode */
	unsigned		 port;
	unsigned		 pending;
	unsigned		 rounds;	/* finished */
	bool			 changed;	/* in the round under way */
	bool			 is_stale;	/* asked for again meanwhile */
	struct egress_face	 face[FACE_COUNT];
	egress_known		 known;
	void			*arg;
};

/* mode, port and backends are filled in by the caller. */
int	 egress_init(struct egress *, struct event_base *, egress_known,
	    void *arg);
void	 egress_stop(struct egress *);
/* Probes now, and from then on whenever the answer is 30 s old. */
void	 egress_renew(struct egress *);
void	 egress_fill(const struct egress *, struct msg_egress *);
/* The name or address by which containers of a backend reach this host, and
 * the address to probe in its stead; false: none is known. */
bool	 egress_find_host(uint8_t kind, uint8_t place, char host[64],
	    struct in_addr *at);

#endif
