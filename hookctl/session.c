/*
 * Keeps session records.  An id is checked before it becomes a name; a record
 * is believed only if the id in it is the one that it is filed under and the
 * project is still the directory that it was.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "hookctl/harness.h"
#include "hookctl/json.h"
#include "hookctl/record.h"
#include "hookctl/session.h"
#include "master/clock.h"

#define SUFFIX	".json"

static void
file_name(const char *id, char out[NAME_MAX + 1])
{
	snprintf(out, NAME_MAX + 1, "%.*s" SUFFIX, PAYLOAD_ID_MAX, id);
}

/* The id that a file's name stands for. */
static bool
parse_name(const char *name, char id[PAYLOAD_ID_MAX + 1])
{
	size_t n = strlen(name), suffix = strlen(SUFFIX);

	if (n <= suffix || n - suffix > PAYLOAD_ID_MAX ||
	    strcmp(name + n - suffix, SUFFIX) != 0)
		return false;
	snprintf(id, PAYLOAD_ID_MAX + 1, "%.*s", (int)(n - suffix), name);
	return payload_is_id(id);
}

void
session_make(struct session *s, const char *id, const struct subject *subject,
    const char *run_dir)
{
	struct stat st = { 0 };

	memset(s, 0, sizeof(*s));
	(void)!stat(subject->project, &st);
	snprintf(s->id, sizeof(s->id), "%s", id);
	snprintf(s->project, sizeof(s->project), "%s", subject->project);
	snprintf(s->start_dir, sizeof(s->start_dir), "%s", subject->start_dir);
	snprintf(s->run_dir, sizeof(s->run_dir), "%s", run_dir);
	s->project_dev = st.st_dev;
	s->project_ino = st.st_ino;
	s->created = (int64_t)time(NULL);
	s->claude_pid = harness_pid();
	s->claude_start = harness_start_time((pid_t)s->claude_pid);
}

int
session_write(const struct home *home, const struct session *s)
{
	struct json_object *json = json_object_new_object();
	char name[NAME_MAX + 1];
	int error;

	json_put_int(json, "v", 1);
	json_put_text(json, "session_id", s->id);
	record_put_path(json, "project", s->project);
	json_put_int(json, "project_dev", (int64_t)s->project_dev);
	json_put_int(json, "project_ino", (int64_t)s->project_ino);
	record_put_path(json, "start_dir", s->start_dir);
	record_put_path(json, "run_dir", s->run_dir);
	json_put_int(json, "created", s->created);
	json_put_int(json, "claude_pid", s->claude_pid);
	json_put_int(json, "claude_start", (int64_t)s->claude_start);
	file_name(s->id, name);
	error = record_write(home->fd[HOME_SESSIONS], name, json);
	json_object_put(json);
	return error;
}

static bool
get_number(struct json_object *json, const char *key, uint64_t *out)
{
	int64_t value;

	if (!json_get_int(json, key, &value))
		return false;
	*out = (uint64_t)value;
	return true;
}

static bool
take_fields(struct session *s, struct json_object *json, const char *id)
{
	const char *own = json_get_text(json, "session_id");
	int64_t version;

	if (own == NULL || strcmp(own, id) != 0 ||
	    !json_get_int(json, "v", &version) || version != 1)
		return false;
	snprintf(s->id, sizeof(s->id), "%s", id);
	return record_get_path(json, "project", s->project) &&
	    record_get_path(json, "start_dir", s->start_dir) &&
	    record_get_path(json, "run_dir", s->run_dir) &&
	    get_number(json, "project_dev", &s->project_dev) &&
	    get_number(json, "project_ino", &s->project_ino) &&
	    json_get_int(json, "created", &s->created) &&
	    json_get_int(json, "claude_pid", &s->claude_pid) &&
	    get_number(json, "claude_start", &s->claude_start);
}

static bool
is_same_project(const struct session *s)
{
	struct stat st;

	return lstat(s->project, &st) == 0 && S_ISDIR(st.st_mode) &&
	    st.st_dev == s->project_dev && st.st_ino == s->project_ino;
}

int
session_read(const struct home *home, const char *id, struct session *s)
{
	char name[NAME_MAX + 1];
	struct json_object *json;
	bool ok;

	memset(s, 0, sizeof(*s));
	if (!payload_is_id(id))
		return -1;
	file_name(id, name);
	json = record_read(home->fd[HOME_SESSIONS], name, SESSION_FILE_MAX);
	ok = json != NULL && take_fields(s, json, id) && is_same_project(s);
	json_object_put(json);
	return ok ? 0 : -1;
}

void
session_remove(const struct home *home, const char *id)
{
	char name[NAME_MAX + 1];

	if (!payload_is_id(id))
		return;
	file_name(id, name);
	unlinkat(home->fd[HOME_SESSIONS], name, 0);
}

void
session_touch(const struct home *home, const char *id)
{
	char name[NAME_MAX + 1];

	file_name(id, name);
	utimensat(home->fd[HOME_SESSIONS], name, NULL, AT_SYMLINK_NOFOLLOW);
}

static DIR *
open_sessions(const struct home *home)
{
	int fd = openat(home->fd[HOME_SESSIONS], ".", O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	if (dir == NULL && fd >= 0)
		close(fd);
	return dir;
}

static bool
is_old(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_mtime < time(NULL) - SESSION_DAYS * 24 * 3600;
}

void
session_prune(const struct home *home)
{
	uint64_t end = clock_ms() + SESSION_PRUNE_MS;
	DIR *dir = open_sessions(home);
	char id[PAYLOAD_ID_MAX + 1];
	struct dirent *entry;

	if (dir == NULL)
		return;
	for (int i = 0; i < SESSION_PRUNE_MAX && clock_ms() < end &&
	    (entry = readdir(dir)) != NULL; i++) {
		const char *name = entry->d_name;

		/* Ours are records, and ".NAME.PID" of a write cut short. */
		if (!parse_name(name, id) && (name[0] != '.' ||
		    strstr(name, SUFFIX ".") == NULL))
			continue;
		if (is_old(home->fd[HOME_SESSIONS], name))
			unlinkat(home->fd[HOME_SESSIONS], name, 0);
	}
	closedir(dir);
}

/*
 * A harness that is known to be gone.  One that lives proves little (several
 * sessions may share it), so this is only ever a reason not to count.
 */
static bool
is_dead(const struct session *s)
{
	return s->claude_pid > 0 && s->claude_start > 0 &&
	    harness_start_time((pid_t)s->claude_pid) != s->claude_start;
}

unsigned
session_count_others(const struct home *home, const struct session *own,
    const char *id)
{
	DIR *dir = open_sessions(home);
	char other_id[PAYLOAD_ID_MAX + 1];
	struct dirent *entry;
	struct session other;
	unsigned count = 0;

	if (dir == NULL)
		return 0;
	while ((entry = readdir(dir)) != NULL) {
		if (!parse_name(entry->d_name, other_id) ||
		    (id != NULL && strcmp(other_id, id) == 0) ||
		    is_old(home->fd[HOME_SESSIONS], entry->d_name) ||
		    session_read(home, other_id, &other) != 0)
			continue;
		if (other.project_dev == own->project_dev &&
		    other.project_ino == own->project_ino && !is_dead(&other))
			count++;
	}
	closedir(dir);
	return count;
}
