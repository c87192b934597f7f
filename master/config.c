/*
 * Writes PROTO_CONFIG.  Workers and the judge get the same one and take what
 * they know; embedded gets its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/reason.h"
#include "common/setting.h"
#include "master/candidate.h"
#include "master/config.h"
#include "master/master.h"

enum { TEXTS_MAX = 512 * 1024 };

struct writer {
	struct msg_config	 msg;
	struct arena		 texts;
	bool			 failed;
};

/* The text is copied: callers use buffers of their own. */
static void
add(struct writer *w, const char *name, const char *text)
{
	struct pair *pair = &w->msg.pair[w->msg.count];

	if (w->msg.count == MSG_CONFIG_MAX) {
		w->failed = true;
		return;
	}
	pair->name = str_from(name);
	pair->value = arena_str(&w->texts, str_from(text));
	w->msg.count++;
}

/* A daemon's socket under the name that is dialled and under its real one: a
 * bind source is compared after its links were followed. */
static void
add_socket(struct writer *w, const char *path)
{
	char real[PATH_MAX];

	add(w, SETTING_ENGINE_SOCKET, path);
	if (realpath(path, real) != NULL && strcmp(real, path) != 0)
		add(w, SETTING_ENGINE_SOCKET, real);
}

static void
add_sockets(struct writer *w, const struct candidates *used)
{
	struct candidates known;

	candidate_list_known(&known);
	for (unsigned i = 0; i < known.count; i++)
		add_socket(w, known.at[i].path);
	for (unsigned i = 0; i < used->count; i++) {
		bool is_known = used->at[i].is_embedded;

		for (unsigned k = 0; k < known.count; k++)
			is_known |= strcmp(known.at[k].path,
			    used->at[i].path) == 0;
		if (!is_known)
			add_socket(w, used->at[i].path);
	}
}

static void
add_project(struct writer *w, const struct project *p)
{
	char personal[2][PATH_MAX];
	unsigned count = project_personal(p, personal);

	add(w, SETTING_SLUG, p->slug);
	add(w, SETTING_PROJECT, p->path);
	add(w, SETTING_BIND_ROOT, p->bind_root);
	for (uint32_t i = 0; i < p->extra_count; i++)
		add(w, SETTING_EXTRA_ROOT, p->extra_root[i]);
	for (unsigned i = 0; i < count; i++)
		add(w, SETTING_PERSONAL, personal[i]);
}

int
config_write(const struct master *m, struct buf *to)
{
	struct writer *w = calloc(1, sizeof(*w));
	char uid[24], port[24];
	int error;

	if (w == NULL)
		return -R_INTERNAL;
	arena_init(&w->texts, TEXTS_MAX);
	add_project(w, &m->project);
	add(w, SETTING_RUN_DIR, m->rundir.path);
	add_sockets(w, &m->discovery.candidates);
	snprintf(uid, sizeof(uid), "%u", (unsigned)geteuid());
	add(w, SETTING_UID, uid);
	add(w, SETTING_LOG_LEVEL, option_level_name(m->options.log_level));
	snprintf(port, sizeof(port), "%u", (unsigned)m->options.egress_port);
	add(w, SETTING_EGRESS_PORT, port);
	if (m->options.image_load)
		add(w, SETTING_IMAGE_LOAD, "1");
	add(w, SETTING_LISTENERS, "docker");
	add(w, SETTING_LISTENERS, "podman");
	error = w->failed ? -R_INTERNAL : msg_put_config(to, &w->msg);
	arena_free(&w->texts);
	free(w);
	return error;
}

int
config_write_embedded(const struct master *m, const char *podman,
    const char *home, const char *runtime_dir, struct buf *to)
{
	static struct msg_config msg;
	const char *level = option_level_name(m->options.log_level);

	msg.count = 0;
	msg.pair[msg.count++] = (struct pair){ STR(SETTING_PODMAN),
		str_from(podman) };
	msg.pair[msg.count++] = (struct pair){ STR(SETTING_HOME),
		str_from(home) };
	if (runtime_dir != NULL)
		msg.pair[msg.count++] = (struct pair){
			STR(SETTING_RUNTIME_DIR), str_from(runtime_dir) };
	msg.pair[msg.count++] = (struct pair){ STR(SETTING_LOG_LEVEL),
		str_from(level) };
	return msg_put_config(to, &msg);
}
