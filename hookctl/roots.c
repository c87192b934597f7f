/*
 * Keeps the writable directories.  Counting one too many refuses a start;
 * missing one would trust what the sandbox wrote: errors go the first way.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hookctl/roots.h"

static const struct root everything = {
	.path = (char[]){ "/" },
	.source = (char[]){ "too many write grants to keep count of" }
};

static bool
is_known(const struct roots *r, const struct pathwalk *w)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct root *root = &r->root[i];

		if (w->is_missing ? !root->exists &&
		    strcmp(root->path, w->path) == 0 : root->exists &&
		    root->dev == w->st.st_dev && root->ino == w->st.st_ino)
			return true;
	}
	return false;
}

static bool
append(struct roots *r, const struct pathwalk *w, const char *source)
{
	struct root *grown;
	struct root root = { !w->is_missing, w->st.st_dev, w->st.st_ino,
		strdup(w->path), strdup(source) };

	grown = r->count < ROOTS_MAX ? reallocarray(r->root, r->count + 1,
	    sizeof(root)) : NULL;
	if (grown == NULL || root.path == NULL || root.source == NULL) {
		if (grown != NULL)
			r->root = grown;
		free(root.path);
		free(root.source);
		return false;
	}
	r->root = grown;
	r->root[r->count++] = root;
	return true;
}

void
roots_add(struct roots *r, const char *path, const char *source, ...)
{
	char text[PATH_MAX + 128];
	struct pathwalk w;
	va_list ap;

	/* What cannot be walked cannot be written either, but for a loop or a
	 * name that is too long: both lead nowhere. */
	if (pathwalk_run(&w, path, NULL, NULL) != 0)
		return;
	va_start(ap, source);
	vsnprintf(text, sizeof(text), source, ap);
	va_end(ap);
	if (!is_known(r, &w) && !append(r, &w, text))
		r->failed = true;
	pathwalk_end(&w);
}

void
roots_free(struct roots *r)
{
	for (size_t i = 0; i < r->count; i++) {
		free(r->root[i].path);
		free(r->root[i].source);
	}
	free(r->root);
	memset(r, 0, sizeof(*r));
}

const struct root *
roots_find(const struct roots *r, const struct pathwalk_step *step)
{
	if (r->failed)
		return &everything;
	for (size_t i = 0; i < r->count; i++)
		if (r->root[i].exists && r->root[i].dev == step->st->st_dev &&
		    r->root[i].ino == step->st->st_ino)
			return &r->root[i];
	return NULL;
}

static bool
is_inside(const char *path, const char *root)
{
	size_t n = strlen(root);

	return strncmp(path, root, n) == 0 && (path[n] == '\0' ||
	    path[n] == '/');
}

const struct root *
roots_find_missing(const struct roots *r, const char *path)
{
	for (size_t i = 0; i < r->count; i++)
		if (!r->root[i].exists && is_inside(path, r->root[i].path))
			return &r->root[i];
	return NULL;
}

struct search {
	const struct roots	*roots;
	const struct root	*found;
};

static int
search_step(const struct pathwalk_step *step, void *arg)
{
	struct search *s = arg;

	s->found = roots_find(s->roots, step);
	return s->found != NULL;
}

const struct root *
roots_cover(const struct roots *r, const char *path)
{
	struct search s = { r, NULL };
	struct pathwalk w;

	if (pathwalk_run(&w, path, search_step, &s) != 0)
		return s.found;
	if (s.found == NULL && w.is_missing)
		s.found = roots_find_missing(r, w.path);
	pathwalk_end(&w);
	return s.found;
}
