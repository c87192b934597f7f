/*
 * Egress probe.  A container reaches the host by another address than the
 * host itself does, so loopback is never the answer: it is only asked to be
 * able to say that the proxy listens there alone.
 */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include <event2/event.h>

#include "common/log.h"
#include "common/reason.h"
#include "master/clock.h"
#include "master/egress.h"
#include "master/probe.h"

enum { EGRESS_MS = 2000, EGRESS_AGE_MS = 30 * 1000 };

/* Any HTTP answer will do.  The target is one that a proxy refuses, or fails
 * at, without asking a name server. */
static const char question[] = "CONNECT 127.0.0.1:1 HTTP/1.1\r\n"
    "Host: 127.0.0.1:1\r\nUser-Agent: container-gateway\r\n\r\n";

/* The first IPv4 address of an interface that is up: of the one named, or of
 * any that is neither loopback nor an engine's bridge. */
static bool
find_address(const char *name, struct in_addr *out)
{
	struct ifaddrs *all, *i;
	bool found = false;

	if (getifaddrs(&all) != 0)
		return false;
	for (i = all; i != NULL && !found; i = i->ifa_next) {
		if (i->ifa_addr == NULL || i->ifa_addr->sa_family != AF_INET ||
		    (i->ifa_flags & IFF_UP) == 0)
			continue;
		if (name != NULL ? strcmp(i->ifa_name, name) != 0 :
		    (i->ifa_flags & IFF_LOOPBACK) != 0 ||
		    strncmp(i->ifa_name, "br-", 3) == 0 ||
		    strncmp(i->ifa_name, "docker", 6) == 0 ||
		    strncmp(i->ifa_name, "podman", 6) == 0 ||
		    strncmp(i->ifa_name, "cni-podman", 10) == 0)
			continue;
		memcpy(out, (const char *)i->ifa_addr +
		    offsetof(struct sockaddr_in, sin_addr), sizeof(*out));
		found = true;
	}
	freeifaddrs(all);
	return found;
}

/* podman takes its bridge down with the last container on it. */
static bool
find_bridge(uint8_t kind, struct in_addr *at)
{
	if (kind == BACKEND_DOCKER)
		return find_address("docker0", at);
	return find_address("podman0", at) ||
	    find_address("cni-podman0", at) || find_address(NULL, at);
}

bool
egress_find_host(uint8_t kind, uint8_t place, char host[64],
    struct in_addr *at)
{
	if (kind == BACKEND_NONE)
		return false;
	snprintf(host, 64, kind == BACKEND_DOCKER ? "host.docker.internal" :
	    "host.containers.internal");
	/* A machine forwards that name to this host's loopback. */
	if (place == CANDIDATE_MACHINE) {
		at->s_addr = htonl(INADDR_LOOPBACK);
		return true;
	}
	/* Without root podman's containers may have the host's own address:
	 * only the name leads out of them. */
	if (kind == BACKEND_PODMAN && place != CANDIDATE_NATIVE)
		return find_address(NULL, at);
	/* From a bridge of this host every address of the host is reached.  The
	 * name is no help: docker has none, podman's means another address on
	 * each network, and steps of a build lack it before podman 5. */
	if (!(place == CANDIDATE_NATIVE ? find_bridge(kind, at) :
	    find_address(NULL, at)))
		return false;
	return inet_ntop(AF_INET, at, host, 64) != NULL;
}

static void
warn_down(struct egress_face *f)
{
	char address[INET_ADDRSTRLEN] = "";

	inet_ntop(AF_INET, &f->at.sin_addr, address, sizeof(address));
	if (f->only_loopback)
		log_text(LOG_WARN, "egress-loopback", "the proxy listens on "
		    "127.0.0.1 only, which no container reaches: bind it to "
		    "%s", address);
	else
		log_text(LOG_WARN, "egress-down", "no proxy answers at %s:%u",
		    address, f->owner->port);
}

static void
finish_round(struct egress *e)
{
	bool changed = e->changed, again = e->is_stale;

	e->changed = e->is_stale = false;
	e->rounds++;
	e->known(e->arg, changed);
	if (again)
		egress_renew(e);
}

static void
settle(struct egress_face *f, bool answers, bool only_loopback)
{
	struct egress *e = f->owner;
	bool is_new = !f->is_told || f->answers != answers ||
	    f->only_loopback != only_loopback;

	e->changed |= f->answers != answers;
	f->answers = answers;
	f->only_loopback = only_loopback;
	f->is_told = f->url[0] != '\0';
	if (is_new && answers)
		log_text(LOG_INFO, "egress", "the proxy answers; containers "
		    "reach it as %s", f->url);
	else if (is_new && f->url[0] != '\0')
		warn_down(f);
	if (--e->pending == 0)
		finish_round(e);
}

static void
on_loopback(void *arg, int error, struct str head)
{
	struct egress_face *f = arg;

	f->loopback = NULL;
	settle(f, false, error == 0 && probe_status(head) != 0);
}

static struct probe *
ask(struct egress_face *f, struct in_addr address, probe_done done)
{
	struct sockaddr_in to = f->at;

	to.sin_addr = address;
	return probe_start(f->owner->base, (struct sockaddr *)&to, sizeof(to),
	    str_from(question), EGRESS_MS, done, f);
}

static void
on_answer(void *arg, int error, struct str head)
{
	struct in_addr loopback = { htonl(INADDR_LOOPBACK) };
	struct egress_face *f = arg;

	f->probe = NULL;
	if (error == 0 && probe_status(head) != 0) {
		settle(f, true, false);
		return;
	}
	if (f->at.sin_addr.s_addr != loopback.s_addr)
		f->loopback = ask(f, loopback, on_loopback);
	if (f->loopback == NULL)
		settle(f, false, false);
}

/* Where this face's containers look for the proxy, by now. */
static void
place(struct egress *e, int face)
{
	const struct discover_face *b = &e->backends->face[face];
	uint8_t where = b->at >= 0 ? e->backends->candidates.at[b->at].place :
	    CANDIDATE_NATIVE;
	struct egress_face *f = &e->face[face];
	char host[64], url[sizeof(f->url)] = "";

	memset(&f->at, 0, sizeof(f->at));
	f->at.sin_family = AF_INET;
	f->at.sin_port = htons((uint16_t)e->port);
	if (egress_find_host(b->is.kind, where, host, &f->at.sin_addr))
		snprintf(url, sizeof(url), "http://%.40s:%u", host, e->port);
	if (strcmp(url, f->url) != 0)
		e->changed = true;
	memcpy(f->url, url, sizeof(url));
}

void
egress_renew(struct egress *e)
{
	struct timeval age = clock_interval(EGRESS_AGE_MS);

	if (e->pending > 0) {
		e->is_stale = true;
		return;
	}
	if (e->mode == EGRESS_OFF) {
		e->rounds++;
		e->known(e->arg, false);
		return;
	}
	event_add(e->renewal, &age);
	/* Counted first: a face that settles at once must not end the round. */
	e->pending = FACE_COUNT;
	for (int face = 0; face < FACE_COUNT; face++) {
		struct egress_face *f = &e->face[face];

		f->owner = e;
		place(e, face);
		if (f->url[0] != '\0')
			f->probe = ask(f, f->at.sin_addr, on_answer);
		if (f->probe == NULL)
			settle(f, false, false);
	}
}

static void
on_renewal(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	egress_renew(arg);
}

int
egress_init(struct egress *e, struct event_base *base, egress_known known,
    void *arg)
{
	e->base = base;
	e->known = known;
	e->arg = arg;
	e->renewal = evtimer_new(base, on_renewal, e);
	return e->renewal != NULL ? 0 : -R_INTERNAL;
}

void
egress_stop(struct egress *e)
{
	for (int face = 0; face < FACE_COUNT; face++) {
		probe_cancel(e->face[face].probe);
		probe_cancel(e->face[face].loopback);
		e->face[face].probe = e->face[face].loopback = NULL;
	}
	if (e->renewal != NULL)
		event_free(e->renewal);
	e->renewal = NULL;
	e->pending = 0;
}

void
egress_fill(const struct egress *e, struct msg_egress *m)
{
	m->mode = (uint8_t)e->mode;
	for (int face = 0; face < FACE_COUNT; face++) {
		m->answers[face] = e->face[face].answers;
		m->url[face] = str_from(e->face[face].url);
	}
}
