/*
 * The head of the next request: gathered, parsed, and turned into a request or
 * a refusal.  A head that comes in one read is never copied but for what the
 * request keeps; an idle connection holds no memory for one.
 */
#include <stdlib.h>

#include "common/reason.h"
#include "worker/answer.h"
#include "worker/conn_head.h"
#include "worker/request.h"

enum { HEAD_MS = 30 * 1000 };	/* from a head's first byte to its last */

static struct deadline_queue heads;

void
conn_head_init(void)
{
	deadline_queue_init(&heads, HEAD_MS);
}

/* Dispatches on a head that was fed; raw lies in `in` or in the scratch. */
static void
head_is(struct conn *c, int got, const struct http_head *head,
    struct str bytes)
{
	struct request *req;

	if (got < 0) {
		deadline_stop(&c->deadline);
		answer_bad_head(c, head, bytes, -got);
		return;
	}
	deadline_stop(&c->deadline);
	req = request_new(c, head, str_first(bytes, head->size));
	if (req == NULL) {
		conn_kill(c);
		return;
	}
	bytes = str_skip(bytes, head->size);
	if (c->in.len > 0)
		buf_drop(&c->in, head->size);
	else
		buf_put_str(&c->in, bytes);
	if (c->in.len == 0)
		buf_free(&c->in);
	request_start(req, head);
}

static void
head_expired(void *arg)
{
	struct conn *c = arg;

	answer_bad_head(c, c->head, buf_str(&c->in), R_BAD_REQUEST);
	conn_update(c);
}

/* The head has begun and is not whole: its bytes and the parser are kept. */
static void
keep_head(struct conn *c, const struct http_head *head, struct str bytes)
{
	if (c->in.len == 0)
		buf_put_str(&c->in, bytes);
	if (c->head == NULL) {
		if ((c->head = malloc(sizeof(*head))) == NULL) {
			conn_kill(c);
			return;
		}
		*c->head = *head;
		deadline_start(&c->deadline, &heads, head_expired,
		    head_expired, c);
	}
	conn_set_state(c, CONN_HEAD);
}

/* Parses what is there: fresh bytes, or all of `in`. */
static void
parse_head(struct conn *c, struct str bytes)
{
	static struct http_head first;
	struct http_head *head = c->head;
	int got;

	if (head == NULL) {
		head = &first;
		http_head_init(head);
	}
	got = http_head_feed(head, bytes);
	if (got == 0) {
		keep_head(c, head, bytes);
		return;
	}
	c->head = NULL;
	head_is(c, got, head, bytes);
	if (head != &first)
		free(head);
}

static void
end_in_head(struct conn *c)
{
	if (c->state == CONN_DEAD)
		return;
	if (c->in.len == 0)
		conn_kill(c);
	else
		answer_bad_head(c, c->head, buf_str(&c->in), R_BAD_REQUEST);
}

void
conn_head_read(struct conn *c)
{
	char *scratch = conn_scratch();
	ssize_t n;

	/* Pipelined: the next head may have come with the one before. */
	if (c->state == CONN_IDLE && c->in.len > 0) {
		parse_head(c, buf_str(&c->in));
		if (c->state != CONN_HEAD)
			return;
	}
	n = conn_receive(c, scratch, CONN_SCRATCH);
	if (n < 0)
		end_in_head(c);
	if (n <= 0)
		return;
	if (c->in.len == 0) {
		parse_head(c, (struct str){ scratch, (size_t)n });
		return;
	}
	buf_put(&c->in, scratch, (size_t)n);
	if (c->in.failed)
		conn_kill(c);
	else
		parse_head(c, buf_str(&c->in));
}
