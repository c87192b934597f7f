/*
 * Batches log lines.  Under load a line a request would cost as much as the
 * request's answer does.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "worker/logbatch.h"
#include "worker/loop.h"

enum { BATCH = 32 * 1024 };

static struct {
	struct event	 end_of_turn;
	size_t		 len;
	char		 lines[BATCH];
} batch;

static void
flush(void)
{
	/* A log that cannot be written must not stop the work. */
	if (batch.len > 0)
		(void)!write(log_get_fd(), batch.lines, batch.len);
	batch.len = 0;
}

static void
on_end_of_turn(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	(void)arg;
	flush();
}

static void
take(enum log_level level, const char *line, size_t n)
{
	if (n > BATCH - batch.len)
		flush();
	memcpy(batch.lines + batch.len, line, n);
	batch.len += n;
	if (level == LOG_ERROR || loop_base() == NULL)
		flush();
	else
		/* Behind everything that this turn still has to do. */
		event_active(&batch.end_of_turn, EV_TIMEOUT, 0);
}

void
logbatch_start(void)
{
	event_assign(&batch.end_of_turn, loop_base(), -1, 0, on_end_of_turn,
	    NULL);
	atexit(flush);
	log_set_writer(take);
}
