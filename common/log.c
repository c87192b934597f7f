/*
 * Writes log lines.  Knows no event by name; takes care that no value, however
 * hostile, can forge a second line or a second pair.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/log.h"

enum { LOG_LINE = 4096, LOG_VALUE = 1024 };

static const char *const level_names[] = { "error", "warn", "info", "debug" };

static struct {
	const char	*process;
	enum log_level	 level;
	int		 fd;
	pid_t		 pid;		/* 0: ask each time */
	void		(*writer)(enum log_level, const char *, size_t);
} state = { "?", LOG_INFO, STDERR_FILENO, 0, NULL };

void
log_init(const char *process, enum log_level level)
{
	state.process = process;
	state.level = level;
}

void
log_set_level(enum log_level level)
{
	state.level = level;
}

void
log_set_fd(int fd)
{
	state.fd = fd;
}

int
log_get_fd(void)
{
	return state.fd;
}

void
log_keep_pid(void)
{
	state.pid = getpid();
}

void
log_set_writer(void (*fn)(enum log_level, const char *, size_t))
{
	state.writer = fn;
}

int
log_level_parse(const char *text, enum log_level *level)
{
	for (size_t i = 0; i < sizeof(level_names) / sizeof(*level_names); i++)
		if (strcmp(text, level_names[i]) == 0) {
			*level = (enum log_level)i;
			return 0;
		}
	return -1;
}

void
log_escape(char *out, size_t size, struct str s)
{
	static const char hex[] = "0123456789abcdef";
	bool quote = s.len == 0;
	size_t n = 0;

	for (size_t i = 0; i < s.len && !quote; i++)
		quote = s.data[i] == ' ' || s.data[i] == '=';
	if (size < 8) {
		if (size > 0)
			out[0] = '\0';
		return;
	}
	if (quote)
		out[n++] = '"';
	for (size_t i = 0; i < s.len && n + 6 < size; i++) {
		unsigned char c = (unsigned char)s.data[i];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') {
			out[n++] = '\\';
			out[n++] = 'x';
			out[n++] = hex[c >> 4];
			out[n++] = hex[c & 15];
		} else
			out[n++] = (char)c;
	}
	if (quote)
		out[n++] = '"';
	out[n] = '\0';
}

static size_t
log_prefix(char *line, size_t size, enum log_level level)
{
	static char stamp[32];
	static time_t stamped;
	struct timespec now;
	struct tm tm;
	int n;

	clock_gettime(CLOCK_REALTIME, &now);
	/* Many lines fall into one second. */
	if (now.tv_sec != stamped) {
		gmtime_r(&now.tv_sec, &tm);
		strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &tm);
		stamped = now.tv_sec;
	}
	n = snprintf(line, size, "%s.%03ldZ %s[%d] %s", stamp,
	    now.tv_nsec / 1000000, state.process,
	    (int)(state.pid != 0 ? state.pid : getpid()),
	    level_names[level]);
	return n > 0 ? (size_t)n : 0;
}

static size_t
log_append(char *line, size_t n, const char *key, const char *value)
{
	int more;

	/* One byte is kept for the newline. */
	if (n + 2 >= LOG_LINE)
		return n;
	more = snprintf(line + n, LOG_LINE - n - 1, " %s=%s", key, value);
	if (more < 0)
		return n;
	n += (size_t)more;
	return n > LOG_LINE - 2 ? LOG_LINE - 2 : n;
}

void
log_event(enum log_level level, const char *event,
    const struct log_pair *pairs, size_t count)
{
	char line[LOG_LINE], value[LOG_VALUE];
	int saved = errno;
	ssize_t done;
	size_t n;

	if (level > state.level)
		return;
	n = log_prefix(line, sizeof(line), level);
	n = log_append(line, n, "event", event);
	for (size_t i = 0; i < count; i++) {
		log_escape(value, sizeof(value), pairs[i].value);
		n = log_append(line, n, pairs[i].key, value);
	}
	line[n++] = '\n';
	/* A log that cannot be written must not stop the work. */
	if (state.writer != NULL)
		state.writer(level, line, n);
	else {
		done = write(state.fd, line, n);
		(void)done;
	}
	errno = saved;
}

static void __attribute__((format(printf, 3, 0)))
log_vtext(enum log_level level, const char *event, const char *fmt, va_list ap)
{
	char text[LOG_VALUE];
	struct log_pair pair;
	int saved = errno;

	vsnprintf(text, sizeof(text), fmt, ap);
	pair = LOG_TEXT("text", text);
	errno = saved;
	log_event(level, event, &pair, 1);
}

void
log_text(enum log_level level, const char *event, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_vtext(level, event, fmt, ap);
	va_end(ap);
}

void
log_fatal(const char *event, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_vtext(LOG_ERROR, event, fmt, ap);
	va_end(ap);
	exit(1);
}

void
log_panic(const char *where, const char *what)
{
	log_text(LOG_ERROR, "panic", "%s: %s", where, what);
	abort();
}
