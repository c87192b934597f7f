/*
 * Makes channels.  A new one replaces the one before it on both sides.
 */
#include <unistd.h>

#include "common/log.h"
#include "common/xfd.h"
#include "master/channel.h"
#include "master/master.h"

void
channel_join(struct child *child, struct child *worker, enum proto_type type)
{
	int fds[2];

	if (child->pid == 0 || worker->pid == 0)
		return;
	if (xfd_socketpair(fds) != 0) {
		log_text(LOG_ERROR, "channel-failed", "worker %u: %m",
		    worker->number);
		return;
	}
	child_give(child, type, worker->number, fds[0]);
	child_give(worker, type, worker->number, fds[1]);
	close(fds[0]);
	close(fds[1]);
}

void
channel_open(struct master *m, struct child *worker)
{
	channel_join(master_policyd(m), worker, PROTO_CHANNEL);
}

void
channel_open_all(struct master *m)
{
	for (unsigned i = 1; i < m->child_count; i++)
		channel_open(m, &m->child[i]);
}
