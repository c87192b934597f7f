/*
 * log: the gateway's log for people.  Decisions come as a line of words, all
 * else as it was written; --denied leaves the refusals.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/buf.h"
#include "hookctl/json.h"
#include "hookctl/launch.h"
#include "hookctl/logline.h"
#include "hookctl/paint.h"
#include "hookctl/person.h"
#include "hookctl/record.h"
#include "hookctl/service.h"

enum { FOLLOW_MS = 250, CHUNK = 64 * 1024 };

struct view {
	const struct cli	*cli;
	char			 path[PATH_MAX];
	int			 fd;
	struct buf		 line;		/* not ended yet */
	bool			 is_overlong;	/* skip to the next line */
};

static void
put_pair(struct json_object *json, const char *key, struct str value)
{
	char text[LOGLINE_MAX + 1];

	logline_unescape(text, sizeof(text), value);
	/* Bytes of another encoding stay escaped. */
	if (record_is_utf8(text))
		json_put_text(json, key, text);
	else
		json_object_object_add(json, key, json_object_new_string_len(
		    value.data, (int)value.len));
}

static void
print_json(const struct logline *l)
{
	struct json_object *json = json_object_new_object();
	char key[64];

	put_pair(json, "time", l->time);
	put_pair(json, "process", l->process);
	put_pair(json, "level", l->level);
	put_pair(json, "event", l->event);
	for (unsigned i = 0; i < l->count; i++) {
		snprintf(key, sizeof(key), "%.*s", STR_FMT(l->pair[i].key));
		put_pair(json, key, l->pair[i].value);
	}
	puts(json_line(json));
	json_object_put(json);
}

/* 2026-12-01T03:46:50.123Z: the time of day is enough for the eye. */
static struct str
clock_part(struct str time)
{
	return time.len == 24 ? str_first(str_skip(time, 11), 8) : time;
}

static void
print_decision(const struct logline *l, bool is_denied)
{
	struct str time = clock_part(l->time);
	struct str field = logline_get(l, "field");

	printf("%.*s  %s%-5.*s%s  %-6.*s %.*s", STR_FMT(time),
	    paint(is_denied ? PAINT_BAD : PAINT_GOOD), STR_FMT(l->event),
	    paint(PAINT_NONE), STR_FMT(logline_get(l, "method")),
	    STR_FMT(logline_get(l, "path")));
	if (is_denied)
		printf("  %s%.*s%s%s%.*s", paint(PAINT_MIDDLING),
		    STR_FMT(logline_get(l, "reason")), paint(PAINT_NONE),
		    field.len > 0 ? ": " : "", STR_FMT(field));
	putchar('\n');
}

static void
print_other(const struct logline *l)
{
	printf("%s%.*s  %.*s", paint(PAINT_DIM), STR_FMT(clock_part(l->time)),
	    STR_FMT(l->event));
	for (unsigned i = 0; i < l->count; i++)
		printf("  %.*s=%.*s", STR_FMT(l->pair[i].key),
		    STR_FMT(l->pair[i].value));
	printf("%s\n", paint(PAINT_NONE));
}

static void
show_line(const struct view *v, struct str text)
{
	struct logline l;
	bool is_denied;

	if (!logline_read(&l, text))
		return;
	is_denied = str_is(l.event, "deny");
	if (v->cli->denied && !is_denied)
		return;
	if (v->cli->json)
		print_json(&l);
	else if (is_denied || str_is(l.event, "allow"))
		print_decision(&l, is_denied);
	else
		print_other(&l);
}

static void
take_bytes(struct view *v, struct str chunk)
{
	while (chunk.len > 0) {
		size_t n = str_find(chunk, '\n');

		buf_put_str(&v->line, str_first(chunk, n));
		if (v->line.failed)
			v->is_overlong = true;
		if (n == chunk.len)
			return;
		if (!v->is_overlong)
			show_line(v, buf_str(&v->line));
		buf_clear(&v->line);
		v->line.failed = false;
		v->is_overlong = false;
		chunk = str_skip(chunk, n + 1);
	}
}

static bool
open_file(struct view *v)
{
	struct stat st;

	v->fd = open(v->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
	    O_NOCTTY);
	if (v->fd < 0)
		return false;
	if (fstat(v->fd, &st) == 0 && S_ISREG(st.st_mode))
		return true;
	close(v->fd);
	v->fd = -1;
	errno = EINVAL;
	return false;
}

static void
read_to_end(struct view *v)
{
	static char chunk[CHUNK];
	ssize_t n;

	while ((n = read(v->fd, chunk, sizeof(chunk))) > 0)
		take_bytes(v, (struct str){ chunk, (size_t)n });
	fflush(stdout);
}

/* The file was rotated, or cut: what stands under the name is another. */
static bool
is_replaced(const struct view *v)
{
	struct stat open_one, named;

	return lstat(v->path, &named) == 0 && fstat(v->fd, &open_one) == 0 &&
	    (named.st_ino != open_one.st_ino || named.st_dev !=
	    open_one.st_dev || named.st_size < lseek(v->fd, 0, SEEK_CUR));
}

static void
follow(struct view *v)
{
	while (!ferror(stdout)) {
		poll(NULL, 0, FOLLOW_MS);
		if (v->fd >= 0 && is_replaced(v)) {
			read_to_end(v);
			close(v->fd);
			v->fd = -1;
		}
		if (v->fd >= 0 || open_file(v))
			read_to_end(v);
	}
}

/* Where the serving gateway writes; else where one that hooks start would. */
static void
find_log(char path[PATH_MAX], const struct trust *t)
{
	struct gateway_target target;
	struct gateway g;
	const char *named;

	service_target(t, &target);
	gateway_probe(&g, &target, false);
	named = json_get_text(g.status, "log_file");
	if (named != NULL && named[0] == '/')
		snprintf(path, PATH_MAX, "%s", named);
	else {
		launch_log_path(t, path);
		if (access(path, F_OK) != 0)
			snprintf(path, PATH_MAX, "%.*s/" RUNDIR_LOG,
			    PATH_MAX - 16, t->rundir.path);
	}
	gateway_close(&g);
}

int
logview_run(const struct cli *cli)
{
	static struct subject subject;
	static struct trust t;
	static struct view v = { .fd = -1, .line = BUF_INIT(LOGLINE_MAX) };
	int status = person_find(cli, &t, &subject);

	if (status != CLI_OK)
		return status;
	v.cli = cli;
	find_log(v.path, &t);
	trust_free(&t);
	if (open_file(&v))
		read_to_end(&v);
	else if (!cli->follow) {
		cli_complain("no log at %s: %s", v.path, strerror(errno));
		status = CLI_FAILED;
	}
	if (cli->follow)
		follow(&v);
	if (v.fd >= 0)
		close(v.fd);
	buf_free(&v.line);
	return status;
}
