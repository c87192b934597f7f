/*
 * worker: accepts clients, reads HTTP, asks policyd, does what the answer says
 * and relays bytes.  Knows no rule and reads no JSON.  Started by master with
 * the descriptors of common/proto.h.
 */
#include <signal.h>

#include "common/log.h"
#include "worker/accept.h"
#include "worker/backend.h"
#include "worker/confine.h"
#include "worker/conn.h"
#include "worker/logbatch.h"
#include "worker/loop.h"
#include "worker/master_link.h"
#include "worker/policy_link.h"
#include "worker/service_link.h"
#include "worker/settings.h"
#include "worker/upstream.h"

int
main(void)
{
	log_init("worker", LOG_INFO);
	log_keep_pid();
	signal(SIGPIPE, SIG_IGN);
	/* A terminal's ^C reaches the group; when to end is master's to say. */
	signal(SIGINT, SIG_IGN);
	confine_early();
	if (loop_init() != 0)
		log_fatal("start", "no event loop");
	conn_init();
	backend_init();
	upstream_init();
	policy_link_init();
	service_link_init();
	master_link_init();
	master_link_wait_config();
	confine(settings_get());
	accept_start();
	logbatch_start();
	master_link_ready();
	loop_run();
	log_text(LOG_INFO, "end", "drained");
	return 0;
}
