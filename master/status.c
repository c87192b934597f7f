/*
 * Writes the status.  Nothing in it is secret: everybody who may dial
 * docker.sock may read it.
 */
#include <stdio.h>
#include <unistd.h>

#include "common/reason.h"
#include "master/clock.h"
#include "master/jsonout.h"
#include "master/master.h"
#include "master/status.h"

static const char *const face_names[] = { "docker", "podman" };

static void
put(struct jsonout *j, const char *key, const char *text)
{
	jsonout_text(j, key, str_from(text));
}

static void
put_identity(struct jsonout *j, const struct master *m)
{
	static const char *const states[] = { "starting", "serving",
		"draining" };

	put(j, "version", VERSION);
	put(j, "state", states[m->state]);
	jsonout_number(j, "pid", (uint64_t)getpid());
	put(j, "project", m->project.path);
	put(j, "slug", m->project.slug);
	put(j, "bind_root", m->project.bind_root);
	jsonout_open(j, "extra_bind_roots", '[');
	for (uint32_t i = 0; i < m->project.extra_count; i++)
		put(j, NULL, m->project.extra_root[i]);
	jsonout_close(j, '[');
	jsonout_bool(j, "allow_image_load", m->options.image_load != 0);
	put(j, "run_dir", m->rundir.path);
	put(j, "log_file", m->log.at.shown);
	put(j, "log_level", option_level_name(m->options.log_level));
}

static void
put_sockets(struct jsonout *j, const struct master *m)
{
	jsonout_open(j, "sockets", '{');
	for (int face = 0; face < FACE_COUNT; face++)
		put(j, face_names[face], m->listeners.face[face].path);
	put(j, "control", m->listeners.control.path);
	jsonout_close(j, '{');
}

static void
put_backend(struct jsonout *j, const struct discover_face *f, int face)
{
	static const char *const kinds[] = { "none", "docker", "podman" };
	const struct backend *is = &f->is;
	char version[24];

	jsonout_open(j, NULL, '{');
	put(j, "face", face_names[face]);
	put(j, "kind", kinds[is->kind]);
	jsonout_text(j, "path", is->path);
	jsonout_bool(j, "reachable", f->is_reachable);
	jsonout_bool(j, "embedded", str_is(is->path, BACKEND_EMBEDDED));
	if (is->kind != BACKEND_NONE) {
		snprintf(version, sizeof(version), "%u.%u", is->api_major,
		    is->api_minor);
		put(j, "api_version", version);
	}
	if (is->kind == BACKEND_PODMAN) {
		snprintf(version, sizeof(version), "%u.%u.%u", is->libpod[0],
		    is->libpod[1], is->libpod[2]);
		put(j, "libpod_version", version);
	}
	jsonout_close(j, '{');
}

static void
put_egress(struct jsonout *j, const struct egress *e)
{
	jsonout_open(j, "egress", '{');
	put(j, "mode", option_egress_name(e->mode));
	jsonout_number(j, "port", e->port);
	for (int face = 0; face < FACE_COUNT; face++) {
		jsonout_open(j, face_names[face], '{');
		put(j, "url", e->face[face].url);
		jsonout_bool(j, "answers", e->face[face].answers);
		jsonout_bool(j, "only_loopback", e->face[face].only_loopback);
		jsonout_close(j, '{');
	}
	jsonout_close(j, '{');
}

static void
put_child(struct jsonout *j, const char *key, const struct child *c)
{
	static const char *const states[] = { "down", "starting", "ready" };

	jsonout_open(j, key, '{');
	if (c->role == PROTO_WORKER)
		jsonout_number(j, "number", c->number);
	put(j, "state", states[c->state]);
	jsonout_number(j, "pid", (uint64_t)c->pid);
	jsonout_number(j, "restarts", c->starts > 0 ? c->starts - 1 : 0);
	jsonout_close(j, '{');
}

/* The gateway's own podman service, where it may be used. */
static void
put_service(struct jsonout *j, const struct master *m)
{
	if (m->discovery.serve == NULL)
		return;
	put_child(j, "embedded", &m->embedded.child);
	jsonout_open(j, "service", '{');
	jsonout_number(j, "pid", m->embedded.podman_pid);
	put(j, "note", m->discovery.note);
	jsonout_close(j, '{');
}

static void
put_counters(struct jsonout *j, const struct master *m)
{
	struct counters sum;

	counters_sum(m, &sum);
	jsonout_open(j, "counters", '{');
	jsonout_number(j, "requests", sum.requests);
	jsonout_number(j, "active", sum.active);
	jsonout_number(j, "connections", sum.connections);
	jsonout_close(j, '{');
	jsonout_open(j, "refusals", '{');
	for (int i = R_NONE + 1; i < R_COUNT; i++)
		if (sum.refused[i] > 0)
			jsonout_number(j, reason_find(i)->key, sum.refused[i]);
	jsonout_close(j, '{');
}

static void
put_times(struct jsonout *j, const struct master *m)
{
	jsonout_number(j, "uptime_seconds", (clock_ms() - m->started_ms) /
	    1000);
	jsonout_number(j, "idle_timeout_seconds", m->options.idle_seconds);
	if (m->options.idle_seconds == 0)
		jsonout_null(j, "idle_left_seconds");
	else
		jsonout_number(j, "idle_left_seconds", idle_left(&m->idle) /
		    1000);
}

void
status_write(const struct master *m, struct buf *to)
{
	struct jsonout j = { to, false };

	jsonout_open(&j, NULL, '{');
	put_identity(&j, m);
	put_sockets(&j, m);
	jsonout_open(&j, "backends", '[');
	for (int face = 0; face < FACE_COUNT; face++)
		put_backend(&j, &m->discovery.face[face], face);
	jsonout_close(&j, '[');
	put_egress(&j, &m->egress);
	put_child(&j, "policyd", &m->child[0]);
	jsonout_open(&j, "workers", '[');
	for (unsigned i = 1; i < m->child_count; i++)
		put_child(&j, NULL, &m->child[i]);
	jsonout_close(&j, '[');
	put_service(&j, m);
	put_counters(&j, m);
	put_times(&j, m);
	jsonout_close(&j, '{');
	buf_put_char(to, '\n');
}
