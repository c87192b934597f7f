/*
 * Runs the program embedded.  It lives from the first request that needs it to
 * the gateway's end: a machine with a daemon of its own never has it.
 */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/reason.h"
#include "master/channel.h"
#include "master/clock.h"
#include "master/config.h"
#include "master/embedded.h"
#include "master/master.h"
#include "master/podman.h"

static bool
is_permitted(const struct master *m)
{
	const struct candidates *c = &m->discovery.candidates;

	return c->count > 0 && c->at[c->count - 1].is_embedded;
}

/* A directory of the user's own, or NULL. */
static const char *
own_directory(const char *path, mode_t forbidden)
{
	struct stat st;

	return path != NULL && path[0] == '/' && stat(path, &st) == 0 &&
	    S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	    (st.st_mode & forbidden) == 0 ? path : NULL;
}

static const char *
find_home(void)
{
	const char *home = own_directory(getenv("HOME"), S_IWOTH);
	const struct passwd *pw;

	if (home != NULL)
		return home;
	pw = getpwuid(geteuid());
	return pw != NULL ? pw->pw_dir : "/";
}

static const char *
find_runtime_dir(char usual[32])
{
	const char *dir = own_directory(getenv("XDG_RUNTIME_DIR"), 077);

	if (dir != NULL)
		return dir;
	snprintf(usual, 32, "/run/user/%u", (unsigned)geteuid());
	return own_directory(usual, 077);
}

void
embedded_init(struct master *m)
{
	struct embedded *e = &m->embedded;
	struct fault fault = { 0 };
	char path[PATH_MAX];

	e->child.master = m;
	e->child.role = PROTO_EMBEDDED;
	e->child.link.fd = -1;
	buf_init(&e->config, CONFIG_MAX);
	if (!is_permitted(m))
		return;
	m->discovery.serve = embedded_serve;
	if (podman_find(&m->project, path, &fault) != 0)
		snprintf(m->discovery.note, sizeof(m->discovery.note),
		    "%.300s", fault.text);
}

void
embedded_close(struct master *m)
{
	buf_free(&m->embedded.config);
}

static void
connect_all(struct master *m)
{
	for (unsigned i = 1; i < m->child_count; i++)
		embedded_connect(m, &m->child[i]);
}

/* Starts the program: 0, or negative with a fault. */
static int
start(struct master *m, struct fault *fault)
{
	struct embedded *e = &m->embedded;
	char path[PATH_MAX], usual[32];
	int error = podman_find(&m->project, path, fault);

	if (error != 0)
		return error;
	if (m->programs.embedded.fd < 0)
		return fault_set(fault, "the gateway's program embedded is not "
		    "installed");
	if (clock_ms() < e->not_before_ms)
		return fault_set(fault, "the gateway's program embedded ended "
		    "again and again");
	buf_clear(&e->config);
	if (config_write_embedded(m, path, find_home(), find_runtime_dir(
	    usual), &e->config) != 0 || child_start(&e->child) != 0)
		return fault_set(fault, "the gateway's program embedded does "
		    "not start: %s", strerror(errno));
	connect_all(m);
	return 0;
}

/* What discovery waits for, or news. */
static void
report(struct master *m, bool is_answer, int error, struct str head,
    const char *what, struct str why)
{
	char note[DISCOVER_NOTE];

	snprintf(note, sizeof(note), "%s%.*s", what, STR_FMT(why));
	if (is_answer)
		m->embedded.is_asked = false;
	discover_served(&m->discovery, is_answer, error, head,
	    str_from(note));
}

void
embedded_serve(void *arg)
{
	struct master *m = arg;
	struct embedded *e = &m->embedded;
	struct buf payload = BUF_INIT(64);
	struct fault fault = { 0 };
	struct msg_serve serve;

	e->is_asked = true;
	if (e->child.pid == 0 && start(m, &fault) != 0) {
		report(m, true, ECONNREFUSED, STR_NONE, "",
		    str_from(fault.text));
		return;
	}
	serve.serial = ++e->serial;
	if (msg_put_serve(&payload, &serve) == 0)
		child_send(&e->child, PROTO_SERVE, buf_str(&payload));
	buf_free(&payload);
}

void
embedded_introduce(struct master *m)
{
	struct embedded *e = &m->embedded;

	child_send(&e->child, PROTO_CONFIG, buf_str(&e->config));
}

int
embedded_take(struct master *m, struct str payload)
{
	struct embedded *e = &m->embedded;
	struct msg_service service;
	bool is_answer;

	if (msg_get_service(payload, &service) != 0)
		return -R_INTERNAL;
	is_answer = e->is_asked && service.serial == e->serial;
	e->podman_pid = service.pid;
	if (service.pid != 0)
		report(m, is_answer, 0, service.head, "", STR_NONE);
	else
		report(m, is_answer, ECONNREFUSED, STR_NONE,
		    "podman system service, started by the gateway, failed: ",
		    service.note);
	return 0;
}

void
embedded_connect(struct master *m, struct child *worker)
{
	channel_join(&m->embedded.child, worker, PROTO_SERVICE_CHANNEL);
}

/* Podman ends with it; who needs it next starts both again. */
void
embedded_ended(struct master *m)
{
	struct embedded *e = &m->embedded;
	uint64_t now = clock_ms();

	e->podman_pid = 0;
	e->not_before_ms = now + throttle_next(&e->child.throttle, now -
	    e->child.started_ms);
	report(m, e->is_asked, ECONNREFUSED, STR_NONE, "",
	    STR("the gateway's program embedded has ended"));
}
