/*
 * Reads CONFIG.  Settings that it does not know are somebody else's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "common/setting.h"
#include "worker/settings.h"

static struct settings current;

static char *
copy_text(struct str value)
{
	char *text;

	if (memchr(value.data, '\0', value.len) != NULL ||
	    (text = strndup(value.data, value.len)) == NULL)
		log_fatal("config", "a value cannot be used");
	return text;
}

static void
set_uid(struct str value)
{
	char *text = copy_text(value), *end;
	unsigned long uid;

	errno = 0;
	uid = strtoul(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || uid >= (uid_t)-1)
		log_fatal("config", "uid is no number: %s", text);
	current.uid = (uid_t)uid;
	free(text);
}

static void
set_level(struct str value)
{
	char *text = copy_text(value);
	enum log_level level;

	if (log_level_parse(text, &level) != 0)
		log_fatal("config", "no log level: %s", text);
	log_set_level(level);
	free(text);
}

static void
add_listener(struct str value)
{
	if (str_is(value, "docker"))
		current.listens[FACE_DOCKER] = true;
	else if (str_is(value, "podman"))
		current.listens[FACE_PODMAN] = true;
	else
		log_fatal("config", "no listener has that name: %.*s",
		    STR_FMT(value));
}

static void
add_root(struct str value)
{
	struct settings_root *root;

	if (current.root_count == SETTINGS_ROOTS_MAX)
		log_fatal("config", "more than %d bind roots",
		    SETTINGS_ROOTS_MAX);
	root = &current.root[current.root_count++];
	root->path = copy_text(value);
	root->fd = open(root->path, O_PATH | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
}

static const struct {
	const char	*name;
	void		(*set)(struct str);
} rows[] = {
	{ SETTING_UID, set_uid },
	{ SETTING_LOG_LEVEL, set_level },
	{ SETTING_LISTENERS, add_listener },
	{ SETTING_BIND_ROOT, add_root },
	{ SETTING_EXTRA_ROOT, add_root },
};

static void
reset(void)
{
	for (size_t i = 0; i < current.root_count; i++) {
		free(current.root[i].path);
		if (current.root[i].fd >= 0)
			close(current.root[i].fd);
	}
	memset(&current, 0, sizeof(current));
	current.uid = (uid_t)-1;
}

void
settings_load(const struct msg_config *m)
{
	reset();
	for (uint32_t i = 0; i < m->count; i++)
		for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
			if (str_is(m->pair[i].name, rows[k].name))
				rows[k].set(m->pair[i].value);
	if (current.uid == (uid_t)-1)
		log_fatal("config", "no uid was given");
	if (!current.listens[FACE_DOCKER] && !current.listens[FACE_PODMAN])
		log_fatal("config", "no listener was given");
}

const struct settings *
settings_get(void)
{
	return &current;
}
