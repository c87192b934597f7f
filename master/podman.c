/*
 * Finds podman.  PATH is not asked: it may lead into the project, and what lies
 * there could have been written by whoever is to be kept in.  A program of the
 * user's own does not do either: a sandbox runs as the user, and its grants are
 * not known here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/reason.h"
#include "master/podman.h"

static const char *const places[] = { "/usr/local/bin/podman",
	"/usr/bin/podman", "/bin/podman" };

static bool
is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && (path[n] == '/' || n == 1);
}

/* What the project's containers can write, nobody outside may execute. */
static bool
is_exposed(const struct project *p, const char *path)
{
	if (is_below(path, p->path) || is_below(path, p->bind_root))
		return true;
	for (uint32_t i = 0; i < p->extra_count; i++)
		if (is_below(path, p->extra_root[i]))
			return true;
	return false;
}

static bool
is_sound(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_uid == 0 &&
	    (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* The first part of a resolved path that is not sound is left in path. */
static bool
find_unsound(char *path)
{
	char *slash = path;

	while ((slash = strchr(slash + 1, '/')) != NULL) {
		*slash = '\0';
		if (!is_sound(path))
			return true;
		*slash = '/';
	}
	return !is_sound(path);
}

const char *
podman_place(size_t i)
{
	return i < sizeof(places) / sizeof(*places) ? places[i] : NULL;
}

int
podman_check(const struct project *p, const char *name, char path[PATH_MAX],
    struct fault *fault)
{
	char part[PATH_MAX];

	if (realpath(name, path) == NULL)
		return fault_set(fault, "%s: %s", name, strerror(errno));
	memcpy(part, path, strlen(path) + 1);
	if (find_unsound(part))
		return fault_set(fault, "%s is not started: others than root "
		    "may write %s", name, part);
	if (is_exposed(p, path))
		return fault_set(fault, "%s is not started: containers may "
		    "mount it", path);
	if (access(path, X_OK) != 0)
		return fault_set(fault, "%s: %s", path, strerror(errno));
	return 0;
}

int
podman_find(const struct project *p, char path[PATH_MAX], struct fault *fault)
{
	struct stat st;

	fault_set(fault, "podman is not installed (no /usr/bin/podman, no "
	    "/usr/local/bin/podman)");
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (stat(places[i], &st) == 0 && podman_check(p, places[i],
		    path, fault) == 0) {
			memset(fault, 0, sizeof(*fault));
			return 0;
		}
	return -R_BACKEND_DOWN;
}
