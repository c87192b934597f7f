/*
 * Remembers projects.  The key is made from what identifies the directory and
 * from its path, so that neither a renamed nor a replaced one is confused.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "hookctl/json.h"
#include "hookctl/record.h"
#include "hookctl/state.h"
#include "master/clock.h"
#include "master/sha256.h"

enum { LOCK_RETRY_MS = 20 };

#define FILE_SUFFIX	".json"

static void
make_key(struct state *s)
{
	static const char digits[] = "0123456789abcdef";
	char text[PATH_MAX + 64];
	uint8_t hash[SHA256_BYTES];
	struct stat st = { 0 };
	int n;

	(void)!stat(s->project, &st);
	n = snprintf(text, sizeof(text), "%ju:%ju:%s", (uintmax_t)st.st_dev,
	    (uintmax_t)st.st_ino, s->project);
	sha256((struct str){ text, (size_t)n }, hash);
	for (size_t i = 0; i < STATE_KEY_DIGITS; i++)
		s->key[i] = digits[i % 2 == 0 ? hash[i / 2] >> 4 :
		    hash[i / 2] & 15];
	s->key[STATE_KEY_DIGITS] = '\0';
}

static void
file_name(const struct state *s, const char *suffix, char out[NAME_MAX + 1])
{
	snprintf(out, NAME_MAX + 1, "%s%s", s->key, suffix);
}

static void
take_fields(struct state *s, struct json_object *json)
{
	const char *failure = json_get_text(json, "failure");
	int64_t pid = 0, start = 0;

	record_get_path(json, "run_dir", s->run_dir);
	if (json_get_int(json, "pid", &pid) && json_get_int(json, "pid_start",
	    &start)) {
		s->pid = (pid_t)pid;
		s->pid_start = (uint64_t)start;
	}
	if (!json_get_int(json, "failed", &s->failed))
		s->failed = 0;
	snprintf(s->failure, sizeof(s->failure), "%s",
	    failure != NULL ? failure : "");
}

void
state_read(struct state *s)
{
	char name[NAME_MAX + 1];
	struct json_object *json;

	s->pid = 0;
	s->failed = 0;
	s->failure[0] = '\0';
	file_name(s, FILE_SUFFIX, name);
	json = record_read(s->dir, name, STATE_FILE_MAX);
	take_fields(s, json);
	json_object_put(json);
}

void
state_open(struct state *s, const struct home *home, const char *project)
{
	memset(s, 0, sizeof(*s));
	s->dir = home->fd[HOME_STATE];
	s->lock = -1;
	snprintf(s->project, sizeof(s->project), "%s", project);
	make_key(s);
	state_read(s);
}

void
state_close(struct state *s)
{
	if (s->lock >= 0)
		close(s->lock);
	s->lock = -1;
}

int
state_lock(struct state *s, int ms)
{
	char name[NAME_MAX + 1];
	uint64_t end = clock_ms() + (uint64_t)ms;

	file_name(s, ".lock", name);
	s->lock = openat(s->dir, name, O_RDWR | O_CREAT | O_NOFOLLOW |
	    O_CLOEXEC, 0600);
	if (s->lock < 0)
		return -1;
	while (flock(s->lock, LOCK_EX | LOCK_NB) != 0) {
		if ((errno != EWOULDBLOCK && errno != EINTR) ||
		    clock_ms() >= end) {
			state_close(s);
			return -1;
		}
		poll(NULL, 0, LOCK_RETRY_MS);
	}
	return 0;
}

int
state_write(const struct state *s)
{
	struct json_object *json = json_object_new_object();
	char name[NAME_MAX + 1];
	int error;

	json_put_int(json, "v", 1);
	record_put_path(json, "project", s->project);
	record_put_path(json, "run_dir", s->run_dir);
	json_put_int(json, "pid", s->pid);
	json_put_int(json, "pid_start", (int64_t)s->pid_start);
	json_put_int(json, "failed", s->failed);
	json_put_text(json, "failure", s->failure);
	file_name(s, FILE_SUFFIX, name);
	error = record_write(s->dir, name, json);
	json_object_put(json);
	return error;
}

int
state_backs_off(const struct state *s)
{
	int64_t now = (int64_t)time(NULL);

	/* A clock that was set back ends it. */
	return s->failed > 0 && s->failed <= now &&
	    now - s->failed < STATE_BACKOFF_SECONDS;
}

void
state_set_failure(struct state *s, const char *text)
{
	s->failed = text != NULL ? (int64_t)time(NULL) : 0;
	snprintf(s->failure, sizeof(s->failure), "%s",
	    text != NULL ? text : "");
}

static void
show_file(const struct home *home, const char *name,
    void (*show)(struct state *, void *), void *arg)
{
	struct json_object *json;
	char project[PATH_MAX];
	struct state s;

	json = record_read(home->fd[HOME_STATE], name, STATE_FILE_MAX);
	if (record_get_path(json, "project", project)) {
		state_open(&s, home, project);
		/* The file is this project's only if the key says so. */
		if (strncmp(name, s.key, STATE_KEY_DIGITS) == 0)
			show(&s, arg);
		state_close(&s);
	}
	json_object_put(json);
}

void
state_each(const struct home *home, void (*show)(struct state *, void *),
    void *arg)
{
	int fd = openat(home->fd[HOME_STATE], ".", O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (dir == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)) != NULL)
		if (strlen(entry->d_name) == STATE_KEY_DIGITS +
		    strlen(FILE_SUFFIX) && strcmp(entry->d_name +
		    STATE_KEY_DIGITS, FILE_SUFFIX) == 0)
			show_file(home, entry->d_name, show, arg);
	closedir(dir);
}
