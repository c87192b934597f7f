/*
 * Discovery.  All candidates are asked at once; the best that answers wins.
 *
 * docker.sock keeps the daemon that it first had: a project's containers live
 * in one daemon, and a second one would look like a loss of everything.
 *
 * The gateway's own service is the last resort, and started only when somebody
 * asks for a face that has nothing else.  That one waits a fifth of a second,
 * or one and a half the first time without root; a machine with a daemon of its
 * own, or a session without containers, spends neither that nor the memory.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "common/log.h"
#include "common/reason.h"
#include "master/discover.h"
#include "master/probe.h"

/* A socket-activated podman is started by the question and has to come up. */
enum { SEARCH_MS = 2500 };

static const char ping[] = "GET /_ping HTTP/1.1\r\nHost: d\r\n"
    "User-Agent: container-gateway\r\nConnection: close\r\n\r\n";

/* "1.41", "4.3.1-dev": up to count numbers; how many were there. */
static unsigned
parse_version(struct str text, uint16_t *out, unsigned count)
{
	unsigned n = 0;
	size_t at = 0;

	for (; n < count; n++) {
		unsigned value = 0;
		size_t from = at;

		for (; at < text.len && text.data[at] >= '0' &&
		    text.data[at] <= '9' && at - from < 4; at++)
			value = value * 10 + (unsigned)(text.data[at] - '0');
		if (at == from)
			break;
		out[n] = (uint16_t)value;
		if (at == text.len || text.data[at] != '.')
			return n + 1;
		at++;
	}
	return n;
}

int
discover_parse(struct str head, struct backend *is)
{
	struct str libpod = probe_header(head, "Libpod-API-Version");
	uint16_t api[2] = { 0 };

	memset(is, 0, sizeof(*is));
	if (probe_status(head) != 200 ||
	    parse_version(probe_header(head, "Api-Version"), api, 2) != 2)
		return -R_BACKEND_ANSWER;
	is->api_major = api[0];
	is->api_minor = api[1];
	is->kind = BACKEND_DOCKER;
	/* docker.sock may be a link to podman: the answer tells, not the name. */
	if (libpod.len > 0) {
		is->kind = BACKEND_PODMAN;
		if (parse_version(libpod, is->libpod, 3) < 2)
			return -R_BACKEND_ANSWER;
	}
	return 0;
}

static bool
is_same(const struct backend *a, const struct backend *b)
{
	return a->kind == b->kind && a->api_major == b->api_major &&
	    a->api_minor == b->api_minor &&
	    memcmp(a->libpod, b->libpod, sizeof(a->libpod)) == 0 &&
	    str_equal(a->path, b->path);
}

/* The first candidate, of those expected to be `expected` (NONE: any), that
 * answered as `kind`; or -1. */
static int
find_answer(const struct discovery *b, uint8_t expected, uint8_t kind)
{
	for (unsigned i = 0; i < b->candidates.count; i++)
		if (b->answer[i].error == 0 && b->answer[i].is.kind == kind &&
		    (expected == BACKEND_NONE ||
		    b->candidates.at[i].kind == expected))
			return (int)i;
	return -1;
}

static int
choose(const struct discovery *b, int face)
{
	int at = b->face[face].at;

	if (face == FACE_PODMAN)
		return find_answer(b, BACKEND_PODMAN, BACKEND_PODMAN);
	if (at >= 0)
		return b->answer[at].error == 0 && b->answer[at].is.kind ==
		    b->face[face].is.kind ? at : -1;
	at = find_answer(b, BACKEND_NONE, BACKEND_DOCKER);
	return at >= 0 ? at : find_answer(b, BACKEND_NONE, BACKEND_PODMAN);
}

/* The candidate that is no socket, or -1. */
static int
find_embedded(const struct discovery *b)
{
	for (unsigned i = 0; i < b->candidates.count; i++)
		if (b->candidates.at[i].is_embedded)
			return (int)i;
	return -1;
}

/* The path to name where nothing was ever found: one that exists but does not
 * answer, else the usual one. */
static struct str
suggest_path(const struct discovery *b, uint8_t kind)
{
	struct str usual = STR_NONE;
	int embedded = find_embedded(b);

	/* It will be there as soon as it is asked for. */
	if (embedded >= 0 && b->serve != NULL && b->note[0] == '\0')
		return str_from(b->candidates.at[embedded].path);
	for (unsigned i = 0; i < b->candidates.count; i++) {
		const struct candidate *c = &b->candidates.at[i];

		if (c->kind != kind || c->is_embedded)
			continue;
		if (b->answer[i].error != 0 && b->answer[i].error != ENOENT)
			return str_from(c->path);
		if (usual.len == 0 && c->is_usual)
			usual = str_from(c->path);
	}
	return usual;
}

static void
log_face(const struct discovery *b, int face)
{
	static const char *const kinds[] = { "none", "docker", "podman" };
	static const char *const faces[] = { "docker", "podman" };
	const struct discover_face *f = &b->face[face];
	char version[16];
	struct log_pair pairs[4];

	snprintf(version, sizeof(version), "%u.%u", f->is.api_major,
	    f->is.api_minor);
	pairs[0] = LOG_TEXT("face", faces[face]);
	pairs[1] = LOG_TEXT("kind", kinds[f->is.kind]);
	pairs[2] = LOG_STR("path", f->is.path);
	pairs[3] = LOG_TEXT("api", version);
	log_event(f->is_reachable ? LOG_INFO : LOG_WARN, f->is_reachable ?
	    "backend" : "backend-down", pairs, 4);
}

/* Settles one face after a search; true when the children must hear of it. */
static bool
settle(struct discovery *b, int face)
{
	struct discover_face *f = &b->face[face];
	struct backend was = f->is;
	bool was_reachable = f->is_reachable;
	int at = choose(b, face);

	f->is_reachable = at >= 0;
	if (at >= 0) {
		f->at = at;
		f->is = b->answer[at].is;
		f->is.path = str_from(b->candidates.at[at].path);
	} else if (f->at < 0) {
		f->is.path = suggest_path(b, face == FACE_DOCKER ?
		    BACKEND_DOCKER : BACKEND_PODMAN);
		if (f->is.path.len == 0)
			f->is.path = suggest_path(b, BACKEND_PODMAN);
	}
	if (is_same(&was, &f->is) && was_reachable == f->is_reachable &&
	    b->searches > 0)
		return false;
	log_face(b, face);
	return !is_same(&was, &f->is);
}

static void
finish_search(struct discovery *b)
{
	bool changed = false;

	for (int face = 0; face < FACE_COUNT; face++)
		changed |= settle(b, face);
	if (changed || b->generation == 0)
		b->generation++;
	b->searches++;
	b->needed = 0;
	b->is_served = false;
	b->found(b->arg, changed);
}

/* Would anybody who waits get the gateway's own service?  One that should be
 * there already and was not reached is asked for again. */
static bool
needs_service(const struct discovery *b)
{
	int embedded = find_embedded(b);

	if (embedded < 0 || b->serve == NULL || b->is_served)
		return false;
	for (int face = 0; face < FACE_COUNT; face++) {
		int at = choose(b, face), had = b->face[face].at;

		if ((b->needed & 1U << face) != 0 && (at == embedded ||
		    (at < 0 && (face == FACE_PODMAN || had < 0 ||
		    had == embedded))))
			return true;
	}
	return false;
}

/* Every socket has answered, or has not. */
static void
conclude(struct discovery *b)
{
	if (!needs_service(b)) {
		finish_search(b);
		return;
	}
	b->pending = 1;
	b->is_serving = b->is_served = true;
	b->serve(b->arg);
}

static void
on_answer(void *arg, int error, struct str head)
{
	struct discover_answer *a = arg;
	struct discovery *b = a->owner;

	a->probe = NULL;
	a->error = error;
	if (error == 0 && discover_parse(head, &a->is) != 0)
		a->error = EPROTO;
	if (--b->pending == 0)
		conclude(b);
}

static void
ask(struct discovery *b, unsigned i)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct discover_answer *a = &b->answer[i];

	memcpy(to.sun_path, b->candidates.at[i].path, sizeof(to.sun_path));
	a->owner = b;
	a->error = ENOMEM;
	a->probe = probe_start(b->base, (struct sockaddr *)&to, sizeof(to),
	    str_from(ping), SEARCH_MS, on_answer, a);
	if (a->probe != NULL)
		b->pending++;
}

void
discover_init(struct discovery *b, struct event_base *base, discover_found found,
    void *arg)
{
	b->base = base;
	b->found = found;
	b->arg = arg;
	for (int face = 0; face < FACE_COUNT; face++)
		b->face[face].at = -1;
}

void
discover_search(struct discovery *b)
{
	if (b->pending > 0)
		return;
	for (unsigned i = 0; i < b->candidates.count; i++)
		if (!b->candidates.at[i].is_embedded)
			ask(b, i);
	if (b->pending == 0)
		conclude(b);
}

void
discover_need(struct discovery *b, enum face face)
{
	b->needed |= 1U << face;
	discover_search(b);
}

void
discover_served(struct discovery *b, bool is_answer, int error,
    struct str head, struct str note)
{
	int embedded = find_embedded(b);
	struct discover_answer *a;

	if (embedded < 0)
		return;
	a = &b->answer[embedded];
	a->error = error;
	if (error == 0 && discover_parse(head, &a->is) != 0)
		a->error = EPROTO;
	snprintf(b->note, sizeof(b->note), "%.*s", STR_FMT(note));
	if (!is_answer)
		discover_search(b);
	else if (b->is_serving) {
		b->is_serving = false;
		b->pending = 0;
		finish_search(b);
	}
}

void
discover_stop(struct discovery *b)
{
	for (unsigned i = 0; i < b->candidates.count; i++) {
		probe_cancel(b->answer[i].probe);
		b->answer[i].probe = NULL;
	}
	b->pending = 0;
	b->is_serving = false;
}

void
discover_fill(const struct discovery *b, struct msg_backends *m)
{
	m->generation = b->generation;
	for (int face = 0; face < FACE_COUNT; face++)
		m->face[face] = b->face[face].is;
	m->note = str_from(b->note);
}
