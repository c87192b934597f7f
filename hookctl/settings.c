/*
 * Finds and reads settings files.  Managed and user files may be reached
 * through links (the trust checks follow those); a project's files may not,
 * since whoever wrote the link would choose what is read.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hookctl/json.h"
#include "hookctl/settings.h"
#include "master/worktree.h"

#define MANAGED_DIR	"/etc/claude-code"
#define MANAGED_FILE	MANAGED_DIR "/managed-settings.json"
#define MANAGED_PARTS	MANAGED_DIR "/managed-settings.d"

static const char *const user_files[] = {
	"settings.json", "settings.local.json", "remote-settings.json", NULL
};
static const char *const project_files[] = {
	"settings.json", "settings.local.json", NULL
};

void
dir_list_add(struct dir_list *list, const char *path)
{
	if (path[0] == '\0')
		return;
	for (unsigned i = 0; i < list->count; i++)
		if (strcmp(list->path[i], path) == 0)
			return;
	if (list->count < SETTINGS_DIRS)
		list->path[list->count] = strdup(path);
	if (list->count == SETTINGS_DIRS || list->path[list->count] == NULL)
		list->is_full = true;
	else
		list->count++;
}

static void
dir_list_free(struct dir_list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		free(list->path[i]);
	list->count = 0;
}

/* dir, every directory above it in the same checkout, and the main one. */
static void
add_project_dirs(struct dir_list *list, const char *dir)
{
	char path[PATH_MAX], top[PATH_MAX];
	struct worktree wt;
	struct fault ignored;

	if (dir[0] == '\0')
		return;
	dir_list_add(list, dir);
	if (realpath(dir, path) == NULL)
		return;
	dir_list_add(list, path);
	if (worktree_find_top(path, top) != 0)
		return;
	while (strcmp(path, top) != 0) {
		*strrchr(path, '/') = '\0';
		dir_list_add(list, path);
	}
	if (worktree_read(top, &wt, &ignored) == 0 && wt.main_top[0] != '\0')
		dir_list_add(list, wt.main_top);
}

int
settings_find(struct settings_places *p, const struct home *home,
    const struct subject *s, struct fault *fault)
{
	const char *const dirs[] = { s->project, s->start_dir, s->claude_dir,
		s->cwd };
	const char *config = getenv("CLAUDE_CONFIG_DIR");
	char path[PATH_MAX];

	memset(p, 0, sizeof(*p));
	for (unsigned i = 0; i < home->count; i++) {
		snprintf(path, sizeof(path), "%.*s/.claude", PATH_MAX - 16,
		    home->all[i]);
		dir_list_add(&p->user, path);
	}
	if (config != NULL && config[0] == '/')
		dir_list_add(&p->user, config);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		dir_list_add(&p->current, dirs[i]);
		add_project_dirs(&p->project, dirs[i]);
	}
	if (p->user.is_full || p->project.is_full || p->current.is_full) {
		settings_free(p);
		return fault_set(fault, "the project lies too deep to find all "
		    "settings that apply to it");
	}
	return 0;
}

void
settings_free(struct settings_places *p)
{
	dir_list_free(&p->user);
	dir_list_free(&p->project);
	dir_list_free(&p->current);
}

static int
refuse(const char *path, const char *why, struct fault *fault)
{
	return fault_set(fault, "settings file %s: %s: repair or remove it, "
	    "since what it grants cannot be told", path, why);
}

/* A whole file into a string of *len bytes that the caller frees. */
static int
read_whole(int fd, const char *path, char **out, size_t *len,
    struct fault *fault)
{
	struct stat st;
	ssize_t got;

	if (fstat(fd, &st) != 0)
		return refuse(path, strerror(errno), fault);
	if (!S_ISREG(st.st_mode))
		return refuse(path, "not a regular file", fault);
	if (st.st_size > SETTINGS_FILE_MAX)
		return refuse(path, "larger than 1 MiB", fault);
	*out = malloc(SETTINGS_FILE_MAX + 1);
	if (*out == NULL)
		return refuse(path, "out of memory", fault);
	for (*len = 0; (got = read(fd, *out + *len,
	    SETTINGS_FILE_MAX + 1 - *len)) > 0; )
		*len += (size_t)got;
	if (got == 0 && *len <= SETTINGS_FILE_MAX)
		return 0;
	free(*out);
	return refuse(path, got < 0 ? strerror(errno) : "larger than 1 MiB",
	    fault);
}

/* Parses and shows what was read. */
static int
show_text(struct settings_file *file, struct str text, settings_visit visit,
    void *arg, struct fault *fault)
{
	int error;

	file->json = json_read(text, JSON_DEPTH_SETTINGS);
	if (!json_object_is_type(file->json, json_type_object)) {
		json_object_put(file->json);
		return refuse(file->path, "not strict JSON, or no object",
		    fault);
	}
	error = visit(file, arg, fault);
	json_object_put(file->json);
	return error;
}

/* fd is closed. */
static int
show_open_file(struct settings_file *file, int fd, settings_visit visit,
    void *arg, struct fault *fault)
{
	char *text = NULL;
	size_t len = 0;
	int error = read_whole(fd, file->path, &text, &len, fault);

	close(fd);
	if (error != 0)
		return error;
	error = show_text(file, (struct str){ text, len }, visit, arg, fault);
	free(text);
	return error;
}

/* Not there is well: settings are optional. */
static bool
is_absent(int error)
{
	return error == ENOENT || error == ENOTDIR;
}

static int
show_file(enum settings_kind kind, const char *path, const char *base,
    settings_visit visit, void *arg, struct fault *fault)
{
	struct settings_file file = { kind, path, base, NULL };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return is_absent(errno) ? 0 : refuse(path, strerror(errno),
		    fault);
	return show_open_file(&file, fd, visit, arg, fault);
}

static int
show_project_dir(const char *dir, settings_visit visit, void *arg,
    struct fault *fault)
{
	char path[PATH_MAX + 64];
	int claude, fd, error = 0;

	snprintf(path, sizeof(path), "%s/.claude", dir);
	claude = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (claude < 0) {
		if (errno == ENOENT)
			return 0;
		/* A link gives ENOTDIR with O_DIRECTORY. */
		return refuse(path, errno == ENOTDIR || errno == ELOOP ?
		    "not a directory (links are not followed)" :
		    strerror(errno), fault);
	}
	for (size_t i = 0; project_files[i] != NULL && error == 0; i++) {
		struct settings_file file = { SETTINGS_PROJECT, path, dir,
			NULL };

		snprintf(path, sizeof(path), "%s/.claude/%s", dir,
		    project_files[i]);
		fd = openat(claude, project_files[i], O_RDONLY | O_NOFOLLOW |
		    O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd >= 0)
			error = show_open_file(&file, fd, visit, arg, fault);
		else if (errno != ENOENT)
			error = refuse(path, errno == ELOOP ?
			    "a symbolic link, which is not followed" :
			    strerror(errno), fault);
	}
	close(claude);
	return error;
}

typedef int (*path_visit)(const char *, void *, struct fault *);

static int
each_managed_part(path_visit visit, void *arg, struct fault *fault)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir = opendir(MANAGED_PARTS);
	int error = 0;

	if (dir == NULL)
		return is_absent(errno) ? 0 : refuse(MANAGED_PARTS,
		    strerror(errno), fault);
	while (error == 0 && (entry = readdir(dir)) != NULL) {
		const char *dot = strrchr(entry->d_name, '.');

		if (entry->d_name[0] == '.' || dot == NULL ||
		    strcmp(dot, ".json") != 0)
			continue;
		snprintf(path, sizeof(path), MANAGED_PARTS "/%s",
		    entry->d_name);
		error = visit(path, arg, fault);
	}
	closedir(dir);
	return error;
}

int
settings_each_trusted(const struct settings_places *p, path_visit visit,
    void *arg, struct fault *fault)
{
	char path[PATH_MAX + 64];
	int error = visit(MANAGED_FILE, arg, fault);

	if (error == 0)
		error = each_managed_part(visit, arg, fault);
	for (unsigned i = 0; i < p->user.count; i++)
		for (size_t k = 0; user_files[k] != NULL && error == 0; k++) {
			snprintf(path, sizeof(path), "%s/%s", p->user.path[i],
			    user_files[k]);
			error = visit(path, arg, fault);
		}
	return error;
}

struct showing {
	settings_visit	 visit;
	void		*arg;
};

/* The settings directory that a trusted file stands for is its own. */
static int
show_trusted(const char *path, void *arg, struct fault *fault)
{
	struct showing *s = arg;
	char base[PATH_MAX + 64];

	snprintf(base, sizeof(base), "%s", path);
	*strrchr(base, '/') = '\0';
	return show_file(strncmp(path, MANAGED_DIR "/",
	    sizeof(MANAGED_DIR)) == 0 ? SETTINGS_MANAGED : SETTINGS_USER, path,
	    base, s->visit, s->arg, fault);
}

int
settings_each(const struct settings_places *p, settings_visit visit, void *arg,
    struct fault *fault)
{
	struct showing showing = { visit, arg };
	int error;

	error = settings_each_trusted(p, show_trusted, &showing, fault);
	for (unsigned i = 0; i < p->project.count && error == 0; i++)
		error = show_project_dir(p->project.path[i], visit, arg, fault);
	return error;
}

int
settings_given(const char *given, const struct settings_places *p,
    settings_visit visit, void *arg, struct fault *fault)
{
	struct settings_file file = { SETTINGS_CLI, "--settings",
		p->current.path[0], NULL };
	char path[PATH_MAX], base[PATH_MAX];
	int error = 0;

	if (given[strspn(given, " \t\r\n")] == '{')
		return show_text(&file, str_from(given), visit, arg, fault);
	for (unsigned i = 0; i < p->current.count && error == 0; i++) {
		int n = given[0] == '/' ? snprintf(path, sizeof(path), "%s",
		    given) : snprintf(path, sizeof(path), "%s/%s",
		    p->current.path[i], given);

		if (n < 0 || n >= (int)sizeof(path))
			continue;
		snprintf(base, sizeof(base), "%s", path);
		*strrchr(base, '/') = '\0';
		error = show_file(SETTINGS_CLI, path, base, visit, arg, fault);
	}
	return error;
}
