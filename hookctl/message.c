/*
 * Says each thing once: what a session has heard is kept beside the state.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/log.h"
#include "hookctl/json.h"
#include "hookctl/message.h"
#include "hookctl/record.h"

enum { HEARD_MAX = 4096, HEARD_DAYS = 30 };

#define HEARD_PREFIX	"heard-"

#define LOG_NAME	"hookctl.log"

/* True when the session has heard key before; from now on it has. */
static bool
was_heard(const struct message *m, const char *key)
{
	char name[NAME_MAX + 1], have[HEARD_MAX], line[128];
	ssize_t n;
	int fd, len;

	if (m->home == NULL || m->home->fd[HOME_STATE] < 0)
		return false;
	snprintf(name, sizeof(name), HEARD_PREFIX "%.200s", m->session);
	fd = openat(m->home->fd[HOME_STATE], name, O_RDWR | O_APPEND | O_CREAT |
	    O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	if (fd < 0)
		return false;
	n = read(fd, have + 1, sizeof(have) - 2);
	have[0] = '\n';
	have[n > 0 ? n + 1 : 1] = '\0';
	len = snprintf(line, sizeof(line), "\n%.100s\n", key);
	if (strstr(have, line) != NULL) {
		close(fd);
		return true;
	}
	/* Full or failing: then it is said again. */
	(void)!write(fd, line + 1, (size_t)len - 1);
	close(fd);
	return false;
}

void
message_add(struct message *m, const char *key, const char *fmt, ...)
{
	char text[MESSAGE_MAX / 2];
	struct log_pair pairs[3];
	va_list ap;
	int n;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pairs[0] = LOG_TEXT("reason", key);
	pairs[1] = LOG_TEXT("session", m->session);
	pairs[2] = LOG_TEXT("text", text);
	log_event(LOG_WARN, "message", pairs, 3);
	if (was_heard(m, key))
		return;
	n = snprintf(m->text + m->len, sizeof(m->text) - m->len,
	    "%scontainer-gateway: %s", m->len > 0 ? "\n" : "", text);
	if (n > 0)
		m->len += (size_t)n;
	if (m->len >= sizeof(m->text))
		m->len = sizeof(m->text) - 1;
}

static void
write_out(int fd, const char *text)
{
	size_t len = strlen(text);

	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n <= 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

/* Paths may hold bytes that are no UTF-8, which JSON may not. */
static void
make_sendable(char *text)
{
	if (record_is_utf8(text))
		return;
	for (; *text != '\0'; text++)
		if ((unsigned char)*text >= 0x80)
			*text = '?';
}

void
message_send(const struct message *m)
{
	struct json_object *json, *output;
	char text[MESSAGE_MAX];

	if (m->len == 0)
		return;
	memcpy(text, m->text, sizeof(text));
	make_sendable(text);
	json = json_object_new_object();
	json_put_text(json, "systemMessage", text);
	output = json_object_new_object();
	json_put_text(output, "hookEventName", m->event);
	json_put_text(output, "additionalContext", text);
	json_object_object_add(json, "hookSpecificOutput", output);
	write_out(STDOUT_FILENO, json_line(json));
	write_out(STDOUT_FILENO, "\n");
	json_object_put(json);
}

void
message_open_log(const struct home *home)
{
	int dir = home->fd[HOME_LOG], fd;
	struct stat st;

	if (fstatat(dir, LOG_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_size > MESSAGE_LOG_MAX)
		renameat(dir, LOG_NAME, dir, LOG_NAME ".1");
	fd = openat(dir, LOG_NAME, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW |
	    O_CLOEXEC | O_NONBLOCK, 0600);
	if (fd < 0)
		return;
	log_init("hookctl", LOG_INFO);
	log_set_fd(fd);
}

void
message_prune(const struct home *home)
{
	int fd = openat(home->fd[HOME_STATE], ".", O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	struct stat st;

	if (dir == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)) != NULL)
		if (strncmp(entry->d_name, HEARD_PREFIX,
		    sizeof(HEARD_PREFIX) - 1) == 0 && fstatat(fd,
		    entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_mtime < time(NULL) - HEARD_DAYS * 24 * 3600)
			unlinkat(fd, entry->d_name, 0);
	closedir(dir);
}
