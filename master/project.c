/*
 * Resolves the project, the bind roots and the slug.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/str.h"
#include "master/project.h"
#include "master/sha256.h"

static bool
is_safe(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

static bool
is_alnum(char c)
{
	return is_safe(c) && c != '.' && c != '_' && c != '-';
}

void
project_slug(const char *path, char slug[PROJECT_SLUG_MAX])
{
	static const char hex[] = "0123456789abcdef";
	const char *name = strrchr(path, '/') + 1;
	uint8_t hash[SHA256_BYTES];
	size_t n = 0;

	/* Daemons want names to begin with a letter or a digit. */
	for (; *name != '\0' && n < PROJECT_NAME_MAX; name++)
		if (n > 0 || is_alnum(*name))
			slug[n++] = is_safe(*name) ? *name : '_';
	if (n == 0)
		n = (size_t)snprintf(slug, PROJECT_NAME_MAX, "project");
	slug[n++] = '-';
	sha256(str_from(path), hash);
	for (size_t i = 0; i < PROJECT_HASH_DIGITS; i++)
		slug[n++] = hex[i % 2 == 0 ? hash[i / 2] >> 4 :
		    hash[i / 2] & 15];
	slug[n] = '\0';
}

/* A directory that a flag names, canonical. */
static int
resolve(const char *flag, const char *given, char out[PATH_MAX],
    struct fault *fault)
{
	struct stat st;

	if (realpath(given, out) == NULL || stat(out, &st) != 0)
		return fault_usage(fault, "--%s %s: %s", flag, given,
		    strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fault_usage(fault, "--%s %s: not a directory", flag,
		    given);
	if (strcmp(out, "/") == 0)
		return fault_usage(fault, "--%s %s: the whole file system is "
		    "not a project; name a directory", flag, given);
	return 0;
}

static bool
is_inside(const char *path, const char *root)
{
	size_t n = strlen(root);

	return strncmp(path, root, n) == 0 && (path[n] == '\0' ||
	    path[n] == '/');
}

static int
find_extra(struct project *p, const struct option_list *list,
    struct fault *fault)
{
	char path[PATH_MAX];
	int error;

	for (uint32_t i = 0; i < list->count; i++) {
		error = resolve("extra-bind-root", list->text[i], path, fault);
		if (error != 0)
			return error;
		p->extra_root[i] = strdup(path);
		if (p->extra_root[i] == NULL)
			return fault_set(fault, "out of memory");
		p->extra_count++;
	}
	return 0;
}

static bool
has_lock(const char *top)
{
	char path[PATH_MAX];
	struct stat st;
	int n = snprintf(path, sizeof(path), "%s/" PROJECT_LOCK, top);

	return n > 0 && n < (int)sizeof(path) && lstat(path, &st) == 0 &&
	    S_ISREG(st.st_mode);
}

int
project_find(struct project *p, const struct options *o, struct fault *fault)
{
	char given[PATH_MAX];
	int error;

	memset(p, 0, sizeof(*p));
	error = resolve("project", o->project, given, fault);
	if (error != 0)
		return error;
	p->is_git = worktree_find_top(given, p->path) == 0;
	if (!p->is_git)
		snprintf(p->path, sizeof(p->path), "%s", given);
	p->is_adopted = has_lock(p->path);
	/* Of a project given by a part of it, only that part is mountable. */
	error = resolve("bind-root", o->bind_root != NULL ? o->bind_root :
	    given, p->bind_root, fault);
	if (error == 0 && !is_inside(p->bind_root, p->path))
		error = fault_usage(fault, "--bind-root %s is not inside the "
		    "project %s (--extra-bind-root may lie elsewhere)",
		    p->bind_root, p->path);
	if (error == 0)
		error = find_extra(p, &o->extra_root, fault);
	project_slug(p->path, p->slug);
	return error;
}

void
project_free(struct project *p)
{
	for (uint32_t i = 0; i < p->extra_count; i++)
		free(p->extra_root[i]);
	p->extra_count = 0;
}

unsigned
project_personal(const struct project *p, char out[2][PATH_MAX])
{
	struct worktree wt;
	struct fault ignored;

	snprintf(out[0], PATH_MAX, "%.*s/" PROJECT_PERSONAL,
	    PATH_MAX - 32, p->path);
	/* A layout that is not sound names no main checkout to protect. */
	if (!p->is_git || worktree_read(p->path, &wt, &ignored) != 0 ||
	    wt.main_top[0] == '\0')
		return 1;
	snprintf(out[1], PATH_MAX, "%.*s/" PROJECT_PERSONAL, PATH_MAX - 32,
	    wt.main_top);
	return 2;
}
