/*
 * realpath(3) with eyes open.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hookctl/pathwalk.h"

struct state {
	struct pathwalk	*walk;
	pathwalk_visit	 visit;
	void		*arg;
	unsigned	 links;
	char		 rest[2 * PATH_MAX];	/* components still to come */
};

static int
show(struct state *s, bool is_last)
{
	struct pathwalk_step step = { s->walk->path[0] != '\0' ? s->walk->path :
		"/", s->walk->fd, &s->walk->st, is_last };

	return s->visit != NULL ? s->visit(&step, s->arg) : 0;
}

/* Takes the next component off rest; false when there is none. */
static bool
next_component(struct state *s, char name[NAME_MAX + 1], int *error)
{
	size_t from = strspn(s->rest, "/"), n = strcspn(s->rest + from, "/");

	*error = n > NAME_MAX ? -ENAMETOOLONG : 0;
	if (n == 0 || *error != 0)
		return false;
	memcpy(name, s->rest + from, n);
	name[n] = '\0';
	memmove(s->rest, s->rest + from + n, strlen(s->rest + from + n) + 1);
	return true;
}

static bool
is_rest_empty(const struct state *s)
{
	return s->rest[strspn(s->rest, "/")] == '\0';
}

static int
path_push(struct pathwalk *w, const char *name)
{
	size_t n = strlen(w->path);

	if (n + 1 + strlen(name) >= sizeof(w->path))
		return -ENAMETOOLONG;
	snprintf(w->path + n, sizeof(w->path) - n, "/%s", name);
	return 0;
}

static void
path_pop(struct pathwalk *w)
{
	char *slash = strrchr(w->path, '/');

	if (slash != NULL)
		*slash = '\0';
}

/* Makes fd the place where the walk stands. */
static int
move_to(struct pathwalk *w, int fd)
{
	if (fd < 0)
		return -errno;
	if (w->fd >= 0)
		close(w->fd);
	w->fd = fd;
	return fstat(fd, &w->st) == 0 ? 0 : -errno;
}

static int
move_to_root(struct pathwalk *w)
{
	w->path[0] = '\0';
	return move_to(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* fd is a link in the directory where the walk stands; fd is closed. */
static int
follow_link(struct state *s, int fd)
{
	char target[PATH_MAX];
	size_t n, rest = strlen(s->rest);
	ssize_t got = readlinkat(fd, "", target, sizeof(target) - 1);

	close(fd);
	if (got <= 0 || ++s->links > PATHWALK_LINKS)
		return got <= 0 ? -ENOENT : -ELOOP;
	target[got] = '\0';
	n = (size_t)got;
	if (n + 1 + rest >= sizeof(s->rest))
		return -ENAMETOOLONG;
	memmove(s->rest + n + 1, s->rest, rest + 1);
	memcpy(s->rest, target, n);
	s->rest[n] = '/';
	return target[0] == '/' ? move_to_root(s->walk) : 0;
}

/* The component is not there: what is left is only text. */
static int
take_missing(struct state *s, const char *name)
{
	char next[NAME_MAX + 1];
	int error;

	s->walk->is_missing = true;
	error = path_push(s->walk, name);
	while (error == 0 && next_component(s, next, &error)) {
		if (strcmp(next, ".") == 0)
			continue;
		if (strcmp(next, "..") == 0)
			path_pop(s->walk);
		else
			error = path_push(s->walk, next);
	}
	return error;
}

static int
take_component(struct state *s, const char *name)
{
	struct pathwalk *w = s->walk;
	struct stat st;
	int fd, error;

	if (strcmp(name, ".") == 0)
		return 0;
	fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? take_missing(s, name) : -errno;
	if (fstat(fd, &st) != 0) {
		error = -errno;
		close(fd);
		return error;
	}
	if (S_ISLNK(st.st_mode))
		return follow_link(s, fd);
	error = move_to(w, fd);
	if (error != 0)
		return error;
	if (strcmp(name, "..") == 0)
		path_pop(w);
	else
		error = path_push(w, name);
	return error != 0 ? error : show(s, is_rest_empty(s));
}

int
pathwalk_run(struct pathwalk *w, const char *path, pathwalk_visit visit, void *arg)
{
	struct state s = { .walk = w, .visit = visit, .arg = arg };
	char name[NAME_MAX + 1];
	int error;

	memset(w, 0, sizeof(*w));
	w->fd = -1;
	if (path[0] != '/' || strlen(path) >= PATH_MAX)
		return path[0] != '/' ? -EINVAL : -ENAMETOOLONG;
	snprintf(s.rest, sizeof(s.rest), "%s", path);
	error = move_to_root(w);
	if (error == 0)
		error = show(&s, is_rest_empty(&s));
	while (error == 0 && !w->is_missing && next_component(&s, name, &error))
		error = take_component(&s, name);
	if (error == 0 && w->path[0] == '\0')
		snprintf(w->path, sizeof(w->path), "/");
	if (error != 0)
		pathwalk_end(w);
	return error;
}

void
pathwalk_end(struct pathwalk *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}
