/*
 * doctor's checks of the machine: installation, gateway, daemons, project.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hookctl/doctor.h"
#include "hookctl/json.h"
#include "hookctl/session.h"
#include "master/clock.h"

enum {
	LEFTOVER_DEPTH = 32,
	LEFTOVER_MS = 3000	/* a project can be large */
};

void
check_trust(struct doctor *d, struct finding *f)
{
	if (d->is_trusted)
		finding_set(f, MARK_OK, "", "%s lies outside of every write "
		    "grant (%zu directories)", d->trust.install.gateway_real,
		    d->trust.grants.roots.count);
	else
		finding_set(f, MARK_BAD, "until then no hook starts a gateway",
		    "%s: %s", d->trust.check, d->refusal.text);
}

void
check_serving(struct doctor *d, struct finding *f)
{
	const struct gateway *g = &d->gateway;
	const char *version = json_get_text(g->status, "version");

	if (d->trust.rundir.path[0] == '\0')
		finding_set(f, MARK_BAD, "", "there is no run directory");
	else if (g->state == GATEWAY_SERVING)
		finding_set(f, MARK_OK, "", "version %s, pid %d, %s",
		    version != NULL ? version : "?", (int)g->pid,
		    d->trust.rundir.path);
	else if (g->state == GATEWAY_ABSENT)
		finding_set(f, MARK_DRIFT, d->settings.hook_file[1][0] !=
		    '\0' ? "the ensure hook starts it at the next docker "
		    "command; hookctl ensure --project . does at once" :
		    "the ensure hook would start it at the next docker "
		    "command, and is missing (see hooks)", "no gateway serves "
		    "%s", d->trust.rundir.path);
	else
		finding_set(f, MARK_BAD, "", "%s", gateway_describe(g->state));
}

/* What stands behind one face; false when nothing does. */
static bool
describe_backend(struct json_object *b, char *text, size_t size)
{
	const char *path = json_get_text(b, "path"),
	    *kind = json_get_text(b, "kind"),
	    *version = json_get_text(b, "libpod_version");

	if (path == NULL || kind == NULL)
		return false;
	if (strcmp(kind, "none") == 0 && json_is_true(json_get(b,
	    "embedded"))) {
		snprintf(text, size, "%.150s, started by the first request",
		    path);
		return true;
	}
	if (version == NULL)
		version = json_get_text(b, "api_version");
	snprintf(text, size, "%s %s at %.150s", kind, version != NULL ?
	    version : "?", path);
	return json_is_true(json_get(b, "reachable"));
}

void
check_backends(struct doctor *d, struct finding *f)
{
	struct json_object *list = json_get(d->gateway.status, "backends");
	const char *note = json_get_text(json_get(d->gateway.status,
	    "service"), "note");
	char text[512] = "", one[256];

	if (!json_object_is_type(list, json_type_array)) {
		finding_set(f, MARK_DRIFT, "start the gateway: it looks for "
		    "them", "not known while no gateway serves");
		return;
	}
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		size_t n = strlen(text);

		/* Often it is one for both. */
		if (describe_backend(json_object_array_get_idx(list, i), one,
		    sizeof(one)) && strstr(text, one) == NULL)
			snprintf(text + n, sizeof(text) - n, "%s%s",
			    n > 0 ? "; " : "", one);
	}
	if (text[0] != '\0')
		finding_set(f, MARK_OK, "", "%s", text);
	else
		finding_set(f, MARK_BAD, "start docker or podman, or name a "
		    "socket with --backend", "no daemon answers%s%s",
		    note != NULL && note[0] != '\0' ? "; " : "",
		    note != NULL ? note : "");
}

void
check_egress(struct doctor *d, struct finding *f)
{
	static const char *const faces[] = { "docker", "podman" };
	struct json_object *egress = json_get(d->gateway.status, "egress");
	const char *mode = json_get_text(egress, "mode");
	char remedy[256];

	if (mode == NULL) {
		finding_set(f, MARK_DRIFT, "", "not known while no gateway "
		    "serves");
		return;
	}
	if (strcmp(mode, "off") == 0) {
		finding_set(f, MARK_DRIFT, "--egress inject-if-available turns "
		    "it on", "off: containers reach every host");
		return;
	}
	for (size_t i = 0; i < 2; i++) {
		struct json_object *face = json_get(egress, faces[i]);
		const char *url = json_get_text(face, "url");

		if (url == NULL || url[0] == '\0' ||
		    json_is_true(json_get(face, "answers")))
			continue;
		if (json_is_true(json_get(face, "only_loopback"))) {
			snprintf(remedy, sizeof(remedy), "let the proxy listen "
			    "on %.200s", url);
			finding_set(f, MARK_BAD, remedy, "the proxy listens on "
			    "loopback only, out of a container's reach");
		} else
			finding_set(f, strcmp(mode, "require") == 0 ?
			    MARK_BAD : MARK_DRIFT, "start the egress proxy, "
			    "outside of the sandbox", "nothing answers at "
			    "%.200s (mode %.40s)", url, mode);
		return;
	}
	finding_set(f, MARK_OK, "", "answers (mode %.40s)", mode);
}

void
check_run_dir(struct doctor *d, struct finding *f)
{
	struct rundir *r = &d->trust.rundir;
	struct fault fault = { 0 };

	if (r->path[0] == '\0')
		finding_set(f, MARK_BAD, "", "%s", d->refusal.text);
	else if (r->fd >= 0 || rundir_open(r, &fault) == 0)
		finding_set(f, MARK_OK, "", "%s", r->path);
	else
		finding_set(f, MARK_BAD, "", "%s", fault.text);
}

void
check_worktree(struct doctor *d, struct finding *f)
{
	static struct worktree wt;
	struct fault fault = { 0 };
	char top[PATH_MAX];

	if (worktree_find_top(d->subject.start_dir, top) != 0)
		finding_set(f, d->trust.project.is_adopted ? MARK_OK :
		    MARK_BAD, d->trust.project.is_adopted ? "" : "use git, "
		    "adopt the project, or start the gateway with --run-dir",
		    "%s is not in a git checkout", d->subject.start_dir);
	else if (worktree_read(top, &wt, &fault) != 0)
		finding_set(f, MARK_BAD, "", "%s", fault.text);
	else
		finding_set(f, MARK_OK, "", wt.is_linked ? "%s, a linked "
		    "worktree of %s" : "%s, git directory %s", top, wt.common);
}

void
check_session(struct doctor *d, struct finding *f)
{
	const char *id = getenv("CLAUDE_CODE_SESSION_ID");
	static struct session s;
	struct fault ignored;

	if (id == NULL || !payload_is_id(id)) {
		finding_set(f, MARK_OK, "", "not asked from within a session");
		return;
	}
	if (d->trust.home.fd[HOME_SESSIONS] < 0)
		(void)!home_open(&d->trust.home, false, &ignored);
	if (d->trust.home.fd[HOME_SESSIONS] < 0 ||
	    session_read(&d->trust.home, id, &s) != 0)
		finding_set(f, MARK_DRIFT, "restart the session: start records "
		    "it, and ensure serves recorded sessions only",
		    "session %.60s has no record", id);
	else if (strcmp(s.project, d->subject.project) != 0)
		finding_set(f, MARK_DRIFT, "hooks serve the recorded project, "
		    "not this directory", "session %.60s began in %s", id,
		    s.project);
	else
		finding_set(f, MARK_OK, "", "session %.60s is recorded for %s",
		    id, s.project);
}

void
check_parent(struct doctor *d, struct finding *f)
{
	char parent[PATH_MAX];
	const struct root *root;

	snprintf(parent, sizeof(parent), "%s", d->subject.project);
	*(strrchr(parent, '/') + (strrchr(parent, '/') == parent)) = '\0';
	root = roots_cover(&d->trust.grants.roots, parent);
	if (root == NULL)
		finding_set(f, MARK_OK, "", "the sandbox cannot exchange %s",
		    d->subject.project);
	else
		finding_set(f, MARK_DRIFT, "narrow the grant, or move the "
		    "project: a session could put another directory in its "
		    "place", "the sandbox may write %s (%s)", parent,
		    root->source);
}

struct search {
	uint64_t	 end;
	dev_t		 device;	/* other file systems are not entered */
	unsigned	 count;
	bool		 was_cut;
	char		 first[PATH_MAX];
};

static bool
is_leftover(const struct stat *st)
{
	if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode))
		return true;
	return S_ISREG(st->st_mode) && st->st_uid == 0 &&
	    (st->st_mode & (S_ISUID | S_ISGID)) != 0;
}

/* fd is closed. */
static void
search_dir(struct search *s, int fd, const char *path, unsigned depth)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	struct stat st;

	if (dir == NULL) {
		close(fd);
		return;
	}
	while ((entry = readdir(dir)) != NULL && !s->was_cut) {
		char *below;
		int sub;

		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0 || fstatat(dirfd(dir),
		    entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		s->was_cut = clock_ms() > s->end;
		if (is_leftover(&st) && s->count++ == 0)
			snprintf(s->first, sizeof(s->first), "%s/%s", path,
			    entry->d_name);
		if (!S_ISDIR(st.st_mode) || st.st_dev != s->device ||
		    depth == LEFTOVER_DEPTH)
			continue;
		sub = openat(dirfd(dir), entry->d_name, O_RDONLY |
		    O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub < 0)
			continue;
		if (asprintf(&below, "%s/%s", path, entry->d_name) < 0) {
			close(sub);
			continue;
		}
		search_dir(s, sub, below, depth + 1);
		free(below);
	}
	closedir(dir);
}

/* Root in a container is root in a bind: it can leave what root runs. */
void
check_leftovers(struct doctor *d, struct finding *f)
{
	struct search s = { .end = clock_ms() + LEFTOVER_MS };
	struct stat st;
	int fd = open(d->subject.project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) != 0) {
		finding_set(f, MARK_BAD, "", "%s: %s", d->subject.project,
		    strerror(errno));
		if (fd >= 0)
			close(fd);
		return;
	}
	s.device = st.st_dev;
	search_dir(&s, fd, d->subject.project, 0);
	if (s.count > 0)
		finding_set(f, MARK_BAD, "remove them: a container can have "
		    "left them through a bind", "%u setuid or device files of "
		    "root, the first is %s", s.count, s.first);
	else if (s.was_cut)
		finding_set(f, MARK_DRIFT, "", "none found within %d s; the "
		    "project is larger than that", LEFTOVER_MS / 1000);
	else
		finding_set(f, MARK_OK, "", "no setuid or device files of root "
		    "in the project");
}
