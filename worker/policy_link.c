/*
 * The channel to policyd.  What policyd says is handed to verdict.c; here is
 * only who is spoken of.
 */
#include "common/link.h"
#include "common/log.h"
#include "common/reason.h"
#include "worker/master_link.h"
#include "worker/policy_link.h"
#include "worker/request.h"
#include "worker/upload.h"
#include "worker/verdict.h"

enum {
	WAIT_MS = 2000,			/* for a replacement of policyd */
	ASK_MS = 500,			/* until master is asked for one */
	BUCKETS = 1024,
	ROOM = 4 * 1024 * 1024		/* queued bytes that stop uploads */
};

static struct {
	struct link	 link;
	struct event	 readable;
	struct event	 writable;
	struct deadline_queue waiting;
	struct deadline_queue asking;
	struct deadline	 ask;
	LIST_HEAD(bucket, request) bucket[BUCKETS];
	TAILQ_HEAD(stalled, request) stalled;
} state;

static void	 lose(const char *why);

void
policy_link_init(void)
{
	state.link.fd = -1;
	deadline_queue_init(&state.waiting, WAIT_MS);
	deadline_queue_init(&state.asking, ASK_MS);
	TAILQ_INIT(&state.stalled);
}

bool
policy_link_is_up(void)
{
	return link_is_open(&state.link);
}

void
policy_link_wait(struct deadline *d, deadline_fn woken, deadline_fn expired,
    void *arg)
{
	deadline_start(d, &state.waiting, woken, expired, arg);
}

void
policy_link_add(struct request *req)
{
	LIST_INSERT_HEAD(&state.bucket[req->id % BUCKETS], req, by_id);
	req->at_policy = true;
}

void
policy_link_remove(struct request *req)
{
	if (!req->at_policy)
		return;
	LIST_REMOVE(req, by_id);
	req->at_policy = false;
	policy_link_unstall(req);
}

static struct request *
find(uint64_t id)
{
	struct request *req;

	LIST_FOREACH(req, &state.bucket[id % BUCKETS], by_id)
		if (req->id == id)
			return req;
	return NULL;
}

bool
policy_link_has_room(void)
{
	return link_is_open(&state.link) && link_queued(&state.link) < ROOM;
}

void
policy_link_stall(struct request *req)
{
	if (req->is_stalled)
		return;
	TAILQ_INSERT_TAIL(&state.stalled, req, stalled);
	req->is_stalled = true;
}

void
policy_link_unstall(struct request *req)
{
	if (!req->is_stalled)
		return;
	TAILQ_REMOVE(&state.stalled, req, stalled);
	req->is_stalled = false;
}

int
policy_link_send(struct request *req, enum proto_type type, struct str payload)
{
	if (!link_is_open(&state.link))
		return -R_POLICY_DOWN;
	/* Over the bound the link would be lost for everybody. */
	if (link_queued(&state.link) + payload.len +
	    sizeof(struct proto_head) > LINK_QUEUE_MAX)
		return -R_BUSY;
	if (link_send(&state.link, type, req->id, payload, -1) != 0)
		/* Its end is noticed, and dealt with, in the loop. */
		return -R_POLICY_DOWN;
	if (link_wants_write(&state.link))
		event_add(&state.writable, NULL);
	return 0;
}

static int
on_frame(struct link *l, const struct frame *f, void *arg)
{
	struct request *req = find(f->id);
	struct conn *c;
	int error;

	(void)l;
	(void)arg;
	/* Said before it read our CANCEL: nobody is left to hear it. */
	if (req == NULL)
		return 0;
	c = req->conn;
	error = verdict_handle(req, f->type, f->payload);
	if (error == 0)
		conn_update(c);
	return error;
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	int error = link_read(&state.link, on_frame, NULL);

	(void)fd;
	(void)what;
	(void)arg;
	if (error > 0)
		lose("it closed its channel");
	else if (error < 0)
		lose("it broke the contract");
}

static void
resume_stalled(void)
{
	struct request *req;

	while (policy_link_has_room() &&
	    (req = TAILQ_FIRST(&state.stalled)) != NULL) {
		struct conn *c = req->conn;

		policy_link_unstall(req);
		upload_run(req);
		conn_update(c);
	}
}

static void
on_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	if (link_flush(&state.link) != 0) {
		lose("its channel is broken");
		return;
	}
	if (!link_wants_write(&state.link))
		event_del(&state.writable);
	resume_stalled();
}

/*
 * When policyd died, master replaces it and sends a channel unasked.  When
 * only the channel broke, master knows nothing of it.
 */
static void
ask_for_channel(void *arg)
{
	(void)arg;
	master_link_rechannel();
	deadline_start(&state.ask, &state.asking, ask_for_channel,
	    ask_for_channel, NULL);
}

/* Everything that policyd was judging is refused; nothing slips through. */
static void
lose(const char *why)
{
	struct request *req;

	log_text(LOG_WARN, "policy-lost", "%s", why);
	event_del(&state.readable);
	event_del(&state.writable);
	link_close(&state.link);
	deadline_start(&state.ask, &state.asking, ask_for_channel,
	    ask_for_channel, NULL);
	for (size_t i = 0; i < BUCKETS; i++)
		while ((req = LIST_FIRST(&state.bucket[i])) != NULL) {
			struct conn *c = req->conn;

			policy_link_remove(req);
			verdict_lost(req);
			conn_update(c);
		}
}

void
policy_link_open(int fd)
{
	if (link_is_open(&state.link))
		lose("it was replaced");
	link_open(&state.link, fd, PROTO_WORKER, PROTO_POLICYD);
	event_assign(&state.readable, loop_base(), fd, EV_READ | EV_PERSIST,
	    on_readable, NULL);
	event_assign(&state.writable, loop_base(), fd, EV_WRITE | EV_PERSIST,
	    on_writable, NULL);
	event_add(&state.readable, NULL);
	deadline_stop(&state.ask);
	deadline_wake(&state.waiting);
}
