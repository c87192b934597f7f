/*
 * The steps from "is it there" to "it is there".
 */
#include <signal.h>
#include <stdio.h>

#include "hookctl/harness.h"
#include "hookctl/launch.h"
#include "hookctl/service.h"
#include "hookctl/state.h"

void
service_target(const struct trust *t, struct gateway_target *target)
{
	target->run_dir = t->rundir.path;
	target->program = t->install.gateway_real;
	target->slug = t->project.slug;
}

/* Ends a gateway of ours that is of no use as it is. */
static bool
end_gateway(const struct gateway *g)
{
	if (gateway_signal(g, SIGTERM) != 0)
		return gateway_wait_end(g, 0);
	if (gateway_wait_end(g, SERVICE_END_MS))
		return true;
	gateway_signal(g, SIGKILL);
	return gateway_wait_end(g, SERVICE_END_MS);
}

/*
 * Clears the way for a new gateway.  Whoever listens without being ours in
 * this namespace only holds a name, which the gateway takes from it; what runs
 * elsewhere is nobody's to touch.
 */
static int
clear_way(struct gateway *g, struct fault *fault)
{
	switch (g->state) {
	case GATEWAY_OLD:
	case GATEWAY_BROKEN:
		return end_gateway(g) ? 0 : fault_set(fault, "the gateway "
		    "with pid %d cannot be ended", (int)g->pid);
	case GATEWAY_DRAINING:
		if (!gateway_wait_end(g, SERVICE_LOCK_MS))
			return fault_set(fault, "the gateway with pid %d is "
			    "ending, but busy: try again, or hookctl stop "
			    "--force", (int)g->pid);
		return 0;
	case GATEWAY_MUTE:
	case GATEWAY_OTHER:
	case GATEWAY_ELSEWHERE:
	case GATEWAY_FORBIDDEN:
		return fault_set(fault, "%s", gateway_describe(g->state));
	case GATEWAY_ABSENT:
	case GATEWAY_STARTING:
	case GATEWAY_IMPOSTOR:
	case GATEWAY_SERVING:
		break;
	}
	return 0;
}

/*
 * A gateway that we started and whose sockets were removed still holds the
 * run directory's lock: the next one would stand back for it.
 */
static void
end_unreachable(const struct trust *t, const struct state *s)
{
	struct gateway lost;

	if (!gateway_find_process(&lost, t->install.gateway_real, s->pid,
	    s->pid_start))
		return;
	end_gateway(&lost);
	gateway_close(&lost);
}

static int
start_gateway(const struct trust *t, struct gateway *g, struct state *s,
    struct fault *fault)
{
	struct gateway_target target;
	int error = clear_way(g, fault);

	if (error != 0)
		return error;
	if (!gateway_is_ours(g))
		end_unreachable(t, s);
	gateway_close(g);
	error = launch_gateway(t, fault);
	if (error != 0)
		return error;
	service_target(t, &target);
	gateway_probe(g, &target, true);
	if (g->state == GATEWAY_SERVING)
		return 0;
	return fault_set(fault, "the gateway was started, but is %s",
	    gateway_describe(g->state));
}

/* With the project's lock held. */
static enum service
ensure_locked(const struct trust *t, bool is_hook, struct gateway *g,
    struct state *s, struct fault *fault)
{
	struct gateway_target target;
	int error;

	service_target(t, &target);
	gateway_probe(g, &target, true);
	if (g->state == GATEWAY_SERVING)
		return SERVICE_RUNNING;
	state_read(s);
	if (is_hook && state_backs_off(s)) {
		fault_set(fault, "%s", s->failure);
		return SERVICE_BACKOFF;
	}
	error = start_gateway(t, g, s, fault);
	state_set_failure(s, error != 0 ? fault->text : NULL);
	s->pid = error == 0 ? g->pid : 0;
	s->pid_start = harness_start_time(s->pid);
	snprintf(s->run_dir, sizeof(s->run_dir), "%s", t->rundir.path);
	state_write(s);
	return error == 0 ? SERVICE_STARTED : SERVICE_FAILED;
}

enum service
service_ensure(const struct trust *t, bool is_hook, struct gateway *g,
    struct fault *fault)
{
	struct gateway_target target;
	enum service result;
	struct state s;

	service_target(t, &target);
	gateway_probe(g, &target, true);
	if (g->state == GATEWAY_SERVING)
		return SERVICE_RUNNING;
	gateway_close(g);
	state_open(&s, &t->home, t->subject.project);
	if (is_hook && state_backs_off(&s)) {
		fault_set(fault, "%s", s.failure);
		result = SERVICE_BACKOFF;
	} else if (state_lock(&s, SERVICE_LOCK_MS) != 0) {
		fault_set(fault, "another hookctl has been starting the "
		    "gateway for %d s", SERVICE_LOCK_MS / 1000);
		result = SERVICE_FAILED;
	} else
		result = ensure_locked(t, is_hook, g, &s, fault);
	state_close(&s);
	if (result != SERVICE_RUNNING && result != SERVICE_STARTED)
		gateway_close(g);
	return result;
}
