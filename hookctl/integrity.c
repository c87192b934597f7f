/*
 * One walk answers both questions: who can write each step, and is a step one
 * of the sandbox's writable directories.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "hookctl/integrity.h"

struct inspection {
	const struct roots	*roots;
	const char		*path;		/* as asked for */
	const char		*remedy;
	struct fault		*fault;
	bool			 open_parent;	/* the step before lets others write */
	char			 parent[PATH_MAX];
};

static int
refuse(struct inspection *in, const char *path, const char *what)
{
	if (strcmp(in->path, path) == 0)
		return fault_set(in->fault, "%s %s: %s", path, what,
		    in->remedy);
	return fault_set(in->fault, "%s: %s %s: %s", in->path, path, what,
	    in->remedy);
}

static int
refuse_root(struct inspection *in, const struct root *root)
{
	return fault_set(in->fault, "%s is inside a sandbox write grant: %s "
	    "(%s): %s", in->path, root->path, root->source, in->remedy);
}

/* The group bits are then the mask of a list that names others. */
static bool
has_acl(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return getxattr(path, "system.posix_acl_access", NULL, 0) >= 0 ||
	    (errno != ENODATA && errno != EOPNOTSUPP);
}

/* Others can exchange what a directory of this kind holds. */
static bool
is_open_ancestor(const struct pathwalk_step *step)
{
	const struct stat *st = step->st;

	/* With the sticky bit, everybody's entries are safe from the others. */
	if ((st->st_mode & S_ISVTX) != 0 && st->st_uid == 0)
		return false;
	if ((st->st_mode & S_IWOTH) != 0)
		return true;
	if ((st->st_mode & S_IWGRP) == 0)
		return false;
	return (st->st_gid != 0 && st->st_gid != getegid()) ||
	    has_acl(step->fd);
}

static int
inspect(const struct pathwalk_step *step, void *arg)
{
	struct inspection *in = arg;
	const struct root *root = roots_find(in->roots, step);

	if (root != NULL)
		return refuse_root(in, root);
	if (step->st->st_uid != 0 && step->st->st_uid != geteuid())
		return refuse(in, step->path, "belongs to neither you nor root");
	if (step->is_last)
		return 0;
	if (is_open_ancestor(step))
		return refuse(in, step->path, "can be written by others");
	in->open_parent = (step->st->st_mode & 022) != 0;
	snprintf(in->parent, sizeof(in->parent), "%s", step->path);
	return 0;
}

static int
check_object(struct inspection *in, const struct pathwalk *w, enum integrity kind)
{
	mode_t mode = w->st.st_mode;

	if (in->open_parent)
		return refuse(in, in->parent, "can be written by its group or "
		    "others (chmod go-w)");
	if ((mode & 022) != 0)
		return refuse(in, w->path, "can be written by its group or "
		    "others (chmod go-w)");
	if (kind == INTEGRITY_DIRECTORY)
		return S_ISDIR(mode) ? 0 : refuse(in, w->path,
		    "is not a directory");
	if (!S_ISREG(mode))
		return refuse(in, w->path, "is not a regular file");
	if ((mode & (S_ISUID | S_ISGID)) != 0)
		return refuse(in, w->path, "is setuid or setgid");
	if (kind == INTEGRITY_PROGRAM && (mode & 0111) == 0)
		return refuse(in, w->path, "is not executable");
	return 0;
}

int
integrity_check(const struct roots *roots, const char *path, enum integrity kind,
    const char *remedy, struct pathwalk *out, struct fault *fault)
{
	struct inspection in = { roots, path, remedy, fault, false, "" };
	const struct root *root;
	struct pathwalk w;
	int error;

	fault->code = 0;
	error = pathwalk_run(&w, path, inspect, &in);
	if (error != 0)
		return fault->code != 0 ? error : fault_set(fault,
		    "%s: %s: %s", path, strerror(-error), remedy);
	root = roots_find_missing(roots, w.path);
	if (root != NULL)
		error = refuse_root(&in, root);
	else if (w.is_missing)
		error = refuse(&in, w.path, "does not exist");
	else
		error = check_object(&in, &w, kind);
	if (error != 0 || out == NULL)
		pathwalk_end(&w);
	else
		*out = w;
	return error;
}
