/*
 * Everything that master holds.  One of these exists; modules get it by
 * pointer and touch their own part.
 */
#ifndef MASTER_MASTER_H
#define MASTER_MASTER_H

#include "common/buf.h"
#include "master/activate.h"
#include "master/child.h"
#include "master/control.h"
#include "master/counters.h"
#include "master/discover.h"
#include "master/drain.h"
#include "master/egress.h"
#include "master/embedded.h"
#include "master/idle.h"
#include "master/listen.h"
#include "master/logfile.h"
#include "master/option.h"
#include "master/pidfile.h"
#include "master/project.h"
#include "master/rundir.h"
#include "master/serve.h"
#include "master/spawn.h"

enum master_state { MASTER_STARTING, MASTER_SERVING, MASTER_DRAINING };

enum { MASTER_SIGNALS = 4 };

struct master {
	enum master_state	 state;
	struct options		 options;
	struct project		 project;
	struct rundir		 rundir;
	struct activation	 activation;
	struct logfile		 log;
	struct pidfile		 pidfile;
	struct listeners	 listeners;
	struct programs		 programs;
	struct discovery	 discovery;
	struct egress		 egress;
	struct buf		 config;	/* payload of PROTO_CONFIG */
	struct child		 child[1 + CHILD_WORKERS_MAX]; /* 0: policyd */
	unsigned		 child_count;
	struct embedded		 embedded;
	struct counters		 lost;		/* of workers that are gone */
	struct idle		 idle;
	struct control		 control;
	struct drain		 drain;
	struct event_base	*base;
	struct event		*tick;
	struct event		*signals[MASTER_SIGNALS];
	uint64_t		 started_ms;
	bool			 is_informed;	/* first search and probe done */
	int			 report;	/* for --daemon; or -1 */
	struct fault		 fault;		/* why it ends, when it failed */
};

static inline struct child *
master_policyd(struct master *m)
{
	return &m->child[0];
}

#endif
