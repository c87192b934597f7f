/*
 * The judge's workers and settings: links, polling, what master sent.  The
 * requests are docket.c's.
 */
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/log.h"
#include "common/setting.h"
#include "policyd/docket.h"
#include "policyd/server.h"

struct server {
	struct docket	*worker[SERVER_WORKERS_MAX];
	struct arena	 settings_arena;
	struct arena	 egress_arena;
	struct court	 court;
};

struct server *
server_new(void)
{
	struct server *s = calloc(1, sizeof(*s));

	if (s == NULL)
		log_panic("server", "out of memory");
	court_init(&s->court);
	arena_init(&s->settings_arena, 1024 * 1024);
	arena_init(&s->egress_arena, 1024 * 1024);
	s->court.settings.egress.mode = EGRESS_OFF;
	return s;
}

int
server_add_worker(struct server *s, int fd)
{
	for (size_t i = 0; i < SERVER_WORKERS_MAX; i++)
		if (s->worker[i] == NULL) {
			s->worker[i] = docket_new(&s->court, fd);
			return 0;
		}
	close(fd);
	return -R_BUSY;
}

static void
add_path(struct server *s, struct path_list *list, struct str path)
{
	if (list->count == SETTINGS_PATHS_MAX)
		log_fatal("config", "more than %d paths of one kind",
		    SETTINGS_PATHS_MAX);
	list->path[list->count++] = arena_str(&s->settings_arena, path);
}

/* One row a setting that the judge needs. */
static const struct setting_row {
	const char	*name;
	size_t		 offset;	/* of a str or path_list in settings */
	bool		 is_list;
} setting_rows[] = {
	{ SETTING_SLUG,		offsetof(struct settings, slug), false },
	{ SETTING_PROJECT,	offsetof(struct settings, project), false },
	{ SETTING_BIND_ROOT,	offsetof(struct settings, roots), true },
	{ SETTING_EXTRA_ROOT,	offsetof(struct settings, roots), true },
	{ SETTING_RUN_DIR,	offsetof(struct settings, hidden), true },
	{ SETTING_PERSONAL,	offsetof(struct settings, hidden), true },
	{ SETTING_EGRESS_PORT,	offsetof(struct settings, egress_port), false },
	{ SETTING_ENGINE_SOCKET, offsetof(struct settings, engine_sockets),
	    true },
};

static void
set_one(struct server *s, const struct pair *pair)
{
	char *base = (char *)&s->court.settings;

	if (str_is(pair->name, SETTING_IMAGE_LOAD))
		s->court.settings.image_load = str_is(pair->value, "1");
	for (size_t i = 0; i < sizeof(setting_rows) / sizeof(*setting_rows);
	    i++) {
		const struct setting_row *row = &setting_rows[i];

		if (!str_is(pair->name, row->name))
			continue;
		if (row->is_list)
			add_path(s, (struct path_list *)(void *)(base +
			    row->offset), pair->value);
		else
			*(struct str *)(void *)(base + row->offset) =
			    arena_str(&s->settings_arena, pair->value);
	}
}

/* The bind root comes first among the roots: it is what messages name. */
static void
set_named(struct server *s, const struct msg_config *m, const char *name,
    bool same)
{
	for (uint32_t i = 0; i < m->count; i++)
		if (str_is(m->pair[i].name, name) == same)
			set_one(s, &m->pair[i]);
}

void
server_set_config(struct server *s, const struct msg_config *m)
{
	struct msg_egress egress = s->court.settings.egress;

	memset(&s->court.settings, 0, sizeof(s->court.settings));
	s->court.settings.egress = egress;
	arena_free(&s->settings_arena);
	set_named(s, m, SETTING_BIND_ROOT, true);
	set_named(s, m, SETTING_BIND_ROOT, false);
	if (s->court.settings.slug.len == 0 ||
	    s->court.settings.roots.count == 0)
		log_fatal("config", "no project or bind root was given");
}

void
server_set_egress(struct server *s, const struct msg_egress *m)
{
	arena_free(&s->egress_arena);
	s->court.settings.egress = *m;
	for (int i = 0; i < FACE_COUNT; i++)
		s->court.settings.egress.url[i] = arena_str(&s->egress_arena,
		    m->url[i]);
}

void
server_count(const struct server *s, struct msg_pong *pong)
{
	pong->active = s->court.active;
	pong->requests = s->court.total;
}

static void
drop_worker(struct server *s, struct docket *d)
{
	for (size_t i = 0; i < SERVER_WORKERS_MAX; i++)
		if (s->worker[i] == d)
			s->worker[i] = NULL;
	docket_free(d);
}

size_t
server_poll_fill(struct server *s, struct pollfd *fds, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < SERVER_WORKERS_MAX && n < max; i++) {
		struct docket *d = s->worker[i];

		if (d == NULL)
			continue;
		fds[n].fd = d->link.fd;
		fds[n].events = (short)(POLLIN | (link_wants_write(&d->link) ?
		    POLLOUT : 0));
		fds[n++].revents = 0;
	}
	return n;
}

/* A worker that broke the contract is cut off: its requests are refused. */
static int
serve(struct docket *d, short revents)
{
	if ((revents & POLLOUT) != 0 && link_flush(&d->link) != 0)
		return -1;
	if ((revents & (POLLIN | POLLHUP | POLLERR)) != 0)
		return link_read(&d->link, docket_frame, d);
	return 0;
}

void
server_poll_done(struct server *s, const struct pollfd *fds, size_t count)
{
	struct docket *broken;

	for (size_t i = 0; i < SERVER_WORKERS_MAX; i++) {
		struct docket *d = s->worker[i];

		for (size_t k = 0; d != NULL && k < count; k++) {
			int error;

			if (fds[k].fd != d->link.fd || fds[k].revents == 0)
				continue;
			error = serve(d, fds[k].revents);
			if (error < 0)
				log_text(LOG_WARN, "worker-link",
				    "a worker's link failed (%s); cut off",
				    reason_find(-error)->key);
			if (error != 0)
				drop_worker(s, d);
			break;
		}
	}
	broken = court_work(&s->court);
	if (broken != NULL)
		drop_worker(s, broken);
}

bool
server_is_busy(const struct server *s)
{
	return court_is_busy(&s->court);
}
