/*
 * The links between workers and policyd: master makes the pairs and gives
 * each side its end; it never reads one.
 */
#ifndef MASTER_CHANNEL_H
#define MASTER_CHANNEL_H

struct child;
struct master;

/* One worker's channel, when both ends are alive. */
void	 channel_open(struct master *, struct child *worker);
/* After policyd was replaced: every worker's. */
void	 channel_open_all(struct master *);

#endif
