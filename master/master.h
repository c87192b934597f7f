/*
 * Everything that master holds, and the few steps between its modules.  One
 * of these exists; modules get it by pointer and touch their own part.
 */
#ifndef MASTER_MASTER_H
#define MASTER_MASTER_H

#include "common/buf.h"
#include "master/activate.h"
#include "master/child.h"
#include "master/control.h"
#include "master/discover.h"
#include "master/drain.h"
#include "master/egress.h"
#include "master/idle.h"
#include "master/listen.h"
#include "master/logfile.h"
#include "master/option.h"
#include "master/pidfile.h"
#include "master/project.h"
#include "master/rundir.h"
#include "master/spawn.h"

enum master_state { MASTER_STARTING, MASTER_SERVING, MASTER_DRAINING };

/* Counters of all workers, those that are gone included. */
struct counters {
	uint64_t	 active;
	uint64_t	 connections;
	uint64_t	 requests;
	uint64_t	 refused[256];		/* by enum reason */
};

struct master {
	enum master_state	 state;
	struct options		 options;
	struct project		 project;
	struct rundir		 rundir;
	struct activation	 activation;
	struct logfile		 log;
	char			 log_path[2 * PATH_MAX];
	struct pidfile		 pidfile;
	struct listeners	 listeners;
	struct programs		 programs;
	struct discovery	 discovery;
	struct egress		 egress;
	struct buf		 config;	/* payload of PROTO_CONFIG */
	struct child		 child[1 + CHILD_WORKERS_MAX]; /* 0: policyd */
	unsigned		 child_count;
	struct counters		 lost;		/* of workers that are gone */
	struct idle		 idle;
	struct control		 control;
	struct drain		 drain;
	struct event_base	*base;
	struct event		*tick;
	struct event		*signals[4];
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

/* A child said that it is ready: the gateway serves when all are. */
void	 master_child_ready(struct master *);
/* It cannot start, or go on: remembers why and leaves the loop. */
void	 master_fail(struct master *);
/* Sums over the workers. */
void	 master_count(const struct master *, struct counters *);
/* Opens the log anew and hands it to the children. */
void	 master_renew_log(struct master *);

#endif
