/*
 * The known sockets.  DOCKER_HOST and CONTAINER_HOST are not looked at: where
 * the gateway is used they name the gateway's own sockets.
 */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "master/candidate.h"

enum { BASE_NONE, BASE_RUNTIME, BASE_HOME, BASE_COUNT };

struct row {
	uint8_t		 kind;
	uint8_t		 place;
	uint8_t		 base;
	const char	*path;		/* after the base directory */
};

#define D	BACKEND_DOCKER
#define P	BACKEND_PODMAN
#define PODMAN_MACHINE	"/.local/share/containers/podman/machine/"

/* A user's own daemon before the system's, and those before any machine's. */
/* clang-format off */
static const struct row rows[] = {
	{ D, CANDIDATE_ROOTLESS, BASE_RUNTIME,	"/docker.sock" },
	{ D, CANDIDATE_NATIVE,	 BASE_NONE,	"/var/run/docker.sock" },
	{ D, CANDIDATE_NATIVE,	 BASE_NONE,	"/run/docker.sock" },
	{ D, CANDIDATE_MACHINE,	 BASE_HOME,	"/.docker/desktop/docker.sock" },
	{ D, CANDIDATE_MACHINE,	 BASE_HOME,	"/.docker/run/docker.sock" },
	{ D, CANDIDATE_MACHINE,	 BASE_HOME,	"/.colima/default/docker.sock" },
	{ D, CANDIDATE_MACHINE,	 BASE_HOME,	"/.colima/docker.sock" },
	{ D, CANDIDATE_MACHINE,	 BASE_HOME,	"/.orbstack/run/docker.sock" },
	{ D, CANDIDATE_MACHINE,	 BASE_HOME,	"/.rd/docker.sock" },
	{ P, CANDIDATE_ROOTLESS, BASE_RUNTIME,	"/podman/podman.sock" },
	{ P, CANDIDATE_NATIVE,	 BASE_NONE,	"/run/podman/podman.sock" },
	{ P, CANDIDATE_NATIVE,	 BASE_NONE,	"/var/run/podman/podman.sock" },
	{ P, CANDIDATE_MACHINE,	 BASE_RUNTIME,	"/podman/podman-machine-default-api.sock" },
	{ P, CANDIDATE_MACHINE,	 BASE_HOME,	PODMAN_MACHINE "podman.sock" },
	{ P, CANDIDATE_MACHINE,	 BASE_HOME,	PODMAN_MACHINE "qemu/podman.sock" },
	{ P, CANDIDATE_MACHINE,	 BASE_HOME,	PODMAN_MACHINE "podman-machine-default/podman.sock" },
};
/* clang-format on */

struct bases {
	char	path[BASE_COUNT][CANDIDATE_PATH];
};

static void
find_bases(struct bases *b)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	const char *home = getenv("HOME");
	const struct passwd *pw;

	memset(b, 0, sizeof(*b));
	if (runtime != NULL && runtime[0] == '/')
		snprintf(b->path[BASE_RUNTIME], CANDIDATE_PATH, "%s", runtime);
	else
		snprintf(b->path[BASE_RUNTIME], CANDIDATE_PATH, "/run/user/%u",
		    (unsigned)geteuid());
	if (home == NULL || home[0] != '/') {
		pw = getpwuid(geteuid());
		home = pw != NULL ? pw->pw_dir : "";
	}
	snprintf(b->path[BASE_HOME], CANDIDATE_PATH, "%s", home);
}

/* What to name to somebody who has no daemon: root's podman is the system's,
 * anybody else's their own; docker is the system's for all. */
static bool
is_usual(const struct row *row)
{
	uint8_t usual = row->kind == P && geteuid() != 0 ? CANDIDATE_ROOTLESS :
	    CANDIDATE_NATIVE;

	return row->place == usual;
}

static void
add_rows(struct candidates *c, const struct bases *b, uint8_t kind)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		struct candidate *at = &c->at[c->count];
		int n;

		if (row->kind != kind || c->count == CANDIDATE_MAX)
			continue;
		n = snprintf(at->path, sizeof(at->path), "%s%s",
		    b->path[row->base], row->path);
		/* What no socket address holds cannot be dialled either. */
		if (n >= (int)sizeof(at->path) || at->path[0] != '/')
			continue;
		at->is_embedded = false;
		at->kind = kind;
		at->place = row->place;
		at->is_usual = is_usual(row);
		c->count++;
	}
}

/* Where a named socket's containers run: as at the known place of that path. */
static uint8_t
guess_place(const struct bases *b, const char *path)
{
	static struct candidates known;
	size_t n = strlen(b->path[BASE_RUNTIME]);

	known.count = 0;
	add_rows(&known, b, D);
	add_rows(&known, b, P);
	for (unsigned i = 0; i < known.count; i++)
		if (strcmp(known.at[i].path, path) == 0)
			return known.at[i].place;
	return strncmp(path, b->path[BASE_RUNTIME], n) == 0 &&
	    path[n] == '/' ? CANDIDATE_ROOTLESS : CANDIDATE_NATIVE;
}

/* One --backend: KIND or KIND=SOCKET. */
struct wish {
	uint8_t		 kind;		/* BACKEND_NONE: auto */
	const char	*socket;	/* NULL: the known places */
};

static int
parse_wish(struct wish *w, const char *text, struct fault *fault)
{
	struct str all = str_from(text);
	struct str kind = str_first(all, str_find(all, '='));
	char shown[128];

	log_escape(shown, sizeof(shown), all);
	w->socket = kind.len < all.len ? text + kind.len + 1 : NULL;
	if (str_is(kind, "auto") && w->socket == NULL)
		w->kind = BACKEND_NONE;
	else if (str_is(kind, "docker"))
		w->kind = BACKEND_DOCKER;
	else if (str_is(kind, "podman"))
		w->kind = BACKEND_PODMAN;
	else
		return fault_usage(fault, "--backend: %s is not auto, docker, "
		    "podman, docker=SOCKET or podman=SOCKET", shown);
	if (w->socket == NULL)
		return 0;
	if (strncmp(w->socket, "unix://", 7) == 0)
		w->socket += 7;
	if (w->socket[0] != '/')
		return fault_usage(fault, "--backend: %s: the socket's path is "
		    "not absolute", shown);
	if (strlen(w->socket) >= CANDIDATE_PATH)
		return fault_usage(fault, "--backend: %s: the socket's path is "
		    "longer than %d bytes", shown, CANDIDATE_PATH - 1);
	return 0;
}

static void
add_wish(struct candidates *c, const struct bases *b, const struct wish *w)
{
	struct candidate *at = &c->at[c->count];

	if (w->socket == NULL) {
		if (w->kind != BACKEND_PODMAN)
			add_rows(c, b, BACKEND_DOCKER);
		if (w->kind != BACKEND_DOCKER)
			add_rows(c, b, BACKEND_PODMAN);
		return;
	}
	if (c->count == CANDIDATE_MAX)
		return;
	at->kind = w->kind;
	at->place = guess_place(b, w->socket);
	at->is_usual = true;
	at->is_embedded = false;
	snprintf(at->path, sizeof(at->path), "%s", w->socket);
	c->count++;
}

/* Behind everything that runs already. */
static void
add_embedded(struct candidates *c)
{
	struct candidate *at = &c->at[c->count];

	if (c->count == CANDIDATE_MAX)
		return;
	memset(at, 0, sizeof(*at));
	at->kind = BACKEND_PODMAN;
	at->place = geteuid() == 0 ? CANDIDATE_NATIVE : CANDIDATE_ROOTLESS;
	at->is_embedded = true;
	snprintf(at->path, sizeof(at->path), "%s", BACKEND_EMBEDDED);
	c->count++;
}

/* Somebody who names a socket, or docker, means that and nothing else. */
static bool
permits_embedded(const struct wish *w)
{
	return w->socket == NULL && w->kind != BACKEND_DOCKER;
}

int
candidate_list(struct candidates *c, const struct option_list *backend,
    struct fault *fault)
{
	struct wish wish = { BACKEND_NONE, NULL };
	bool embedded = backend->count == 0;
	struct bases bases;
	int error;

	c->count = 0;
	find_bases(&bases);
	if (backend->count == 0)
		add_wish(c, &bases, &wish);
	for (uint32_t i = 0; i < backend->count; i++) {
		error = parse_wish(&wish, backend->text[i], fault);
		if (error != 0)
			return error;
		add_wish(c, &bases, &wish);
		embedded |= permits_embedded(&wish);
	}
	if (embedded)
		add_embedded(c);
	return 0;
}

void
candidate_list_known(struct candidates *c)
{
	struct wish any = { BACKEND_NONE, NULL };
	struct bases bases;

	c->count = 0;
	find_bases(&bases);
	add_wish(c, &bases, &any);
}
