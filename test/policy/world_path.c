/*
 * The world's host: a list of files, and the resolution of links that a worker
 * does with the kernel's help.
 */
#include "test/policy/world.h"

enum { LINKS_MAX = 20 };

#define P WORLD_PROJECT

/* What is not listed does not exist. */
static const struct node {
	const char	*path;
	enum path_kind	 kind;
	const char	*to;		/* of a link; NULL: no link */
} nodes[] = {
	{ "/",				PATH_DIRECTORY,	NULL },
	{ "/dev",			PATH_DIRECTORY,	NULL },
	{ "/dev/kmsg",			PATH_OTHER,	NULL },
	{ "/dev/null",			PATH_OTHER,	NULL },
	{ "/dev/fd",			PATH_DIRECTORY,	"/proc/self/fd" },
	{ "/etc",			PATH_DIRECTORY,	NULL },
	{ "/etc/passwd",		PATH_FILE,	NULL },
	{ "/etc/shadow",		PATH_FILE,	NULL },
	{ "/home",			PATH_DIRECTORY,	NULL },
	{ "/proc",			PATH_DIRECTORY,	NULL },
	{ "/proc/1",			PATH_DIRECTORY,	NULL },
	{ "/proc/self",			PATH_DIRECTORY,	NULL },
	/* Magic links are errors, wherever they lead. */
	{ "/proc/1/root",		PATH_ERROR,	NULL },
	{ "/proc/self/root",		PATH_ERROR,	NULL },
	{ "/proc/self/cwd",		PATH_ERROR,	NULL },
	{ "/proc/self/fd",		PATH_DIRECTORY,	NULL },
	{ "/proc/self/fd/0",		PATH_ERROR,	NULL },
	{ "/root",			PATH_DIRECTORY,	NULL },
	{ "/run",			PATH_DIRECTORY,	NULL },
	{ "/run/docker.sock",		PATH_SOCKET,	NULL },
	{ "/run/host-services",		PATH_DIRECTORY,	NULL },
	{ "/sys",			PATH_DIRECTORY,	NULL },
	{ "/tmp",			PATH_DIRECTORY,	NULL },
	{ "/var",			PATH_DIRECTORY,	NULL },
	{ "/var/lib/docker",		PATH_DIRECTORY,	NULL },
	{ "/var/lib",			PATH_DIRECTORY,	NULL },
	{ "/var/run",			PATH_DIRECTORY,	"/run" },
	{ "/srv",			PATH_DIRECTORY,	NULL },
	{ "/srv/lab",			PATH_DIRECTORY,	NULL },
	{ WORLD_OUTSIDE,		PATH_DIRECTORY,	NULL },
	{ WORLD_OUTSIDE "/secret",	PATH_FILE,	NULL },
	/* Links of the host's own, above the root: followed. */
	{ "/srv/alias",			PATH_DIRECTORY,	P },
	{ WORLD_EXTRA,			PATH_DIRECTORY,	NULL },
	{ WORLD_EXTRA "/data",		PATH_DIRECTORY,	NULL },
	/* Begins as the project does, but is not below it. */
	{ P "-evil",			PATH_DIRECTORY,	NULL },
	{ P,				PATH_DIRECTORY,	NULL },
	{ P "/sub",			PATH_DIRECTORY,	NULL },
	{ P "/sub/file",		PATH_FILE,	NULL },
	{ P "/data",			PATH_DIRECTORY,	NULL },
	{ P "/file",			PATH_FILE,	NULL },
	{ P "/with:colon",		PATH_DIRECTORY,	NULL },
	{ P "/to-colon",		PATH_DIRECTORY,	"with:colon" },
	{ P "/fifo",			PATH_OTHER,	NULL },
	{ P "/app.sock",		PATH_SOCKET,	NULL },
	{ P "/docker.sock",		PATH_SOCKET,	NULL },
	{ P "/secret-dir",		PATH_ERROR,	NULL },
	{ P "/inside",			PATH_DIRECTORY,	"sub" },
	{ P "/lnk",			PATH_DIRECTORY,	WORLD_OUTSIDE },
	{ P "/rel",			PATH_DIRECTORY,	"../outside" },
	{ P "/chain",			PATH_DIRECTORY,	"lnk" },
	{ P "/to-root",			PATH_DIRECTORY,	"/" },
	{ P "/to-sock",			PATH_SOCKET,	"/run/docker.sock" },
	{ P "/to-run",			PATH_DIRECTORY,	WORLD_RUN_DIR },
	{ P "/to-extra",		PATH_DIRECTORY,	WORLD_EXTRA },
	{ P "/dangling",		PATH_DIRECTORY,	"gone/where" },
	{ P "/loop",			PATH_DIRECTORY,	"loop" },
	/* Directories of a container at its creation, links now. */
	{ P "/moved-out",		PATH_DIRECTORY,	WORLD_OUTSIDE },
	{ P "/moved-in",		PATH_DIRECTORY,	"sub" },
	{ WORLD_PERSONAL,		PATH_DIRECTORY,	NULL },
	{ WORLD_PERSONAL "/notes",	PATH_DIRECTORY,	NULL },
	{ WORLD_RUN_DIR,		PATH_DIRECTORY,	NULL },
	{ WORLD_RUN_DIR "/docker.sock",	PATH_SOCKET,	NULL },
};
#undef P

static const struct node *
find(struct str path)
{
	for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++)
		if (str_is(path, nodes[i].path))
			return &nodes[i];
	return NULL;
}

/* dir/part, both "." and ".." done. */
static struct str
enter(struct arena *a, struct str dir, struct str part)
{
	if (part.len == 0 || str_is(part, "."))
		return dir;
	if (!str_is(part, ".."))
		return arena_printf(a, "%.*s/%.*s", str_is(dir, "/") ? 0 :
		    (int)dir.len, dir.data, STR_FMT(part));
	while (dir.len > 1 && dir.data[dir.len - 1] != '/')
		dir.len--;
	if (dir.len > 1)
		dir.len--;
	return dir;
}

static void
set(struct fact *fact, enum path_kind kind, struct str path)
{
	fact->path_kind = (uint8_t)kind;
	fact->text = kind == PATH_ERROR ? STR_NONE : path;
	fact->device = 1;
	fact->inode = kind == PATH_MISSING ? 0 : 1000 + path.len;
}

/* What follows is missing: plain names only, or it cannot be said where. */
static void
set_missing(struct arena *a, struct fact *fact, struct str path,
    struct str rest)
{
	while (rest.len > 0) {
		struct str part = str_first(rest, str_find(rest, '/'));

		rest = str_skip(rest, part.len + 1);
		if (str_is(part, "..")) {
			set(fact, PATH_ERROR, path);
			return;
		}
		path = enter(a, path, part);
	}
	set(fact, PATH_MISSING, path);
}

void
world_answer_path(const struct world *w, struct arena *a, struct str path,
    struct fact *fact)
{
	struct str at = STR("/"), left = path;
	size_t tail = path.len + 1;	/* of left: behind the last link */
	int links = 0;

	while (left.len > 0) {
		struct str part = str_first(left, str_find(left, '/'));
		struct str next = enter(a, at, part);
		const struct node *node = find(next);

		left = str_skip(left, part.len + 1);
		if (node == NULL && w->generous && str_starts(next,
		    WORLD_PROJECT "/")) {
			at = next;
			continue;
		}
		if (node == NULL && left.len < tail) {
			set_missing(a, fact, next, left);
			return;
		}
		/* A link that leads nowhere is no place to make something. */
		if (node == NULL) {
			set(fact, PATH_ERROR, path);
			return;
		}
		if (node->kind == PATH_ERROR || (node->to == NULL &&
		    left.len > 0 && node->kind != PATH_DIRECTORY) ||
		    (node->to != NULL && ++links > LINKS_MAX)) {
			set(fact, PATH_ERROR, path);
			return;
		}
		if (node->to != NULL) {
			tail = left.len;
			left = arena_printf(a, "%s/%.*s", node->to,
			    STR_FMT(left));
			if (node->to[0] == '/')
				at = STR("/");
			continue;
		}
		at = next;
	}
	set(fact, find(at) != NULL ? find(at)->kind : PATH_DIRECTORY, at);
}

/* As the kernel prints them on a little-endian machine. */
static const char routes[] =
"Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
"tun0\t00000000\t0100080A\t0003\t0\t0\t0\t00000080\t0\t0\t0\n"
"eth0\t00000000\t01007B0A\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
"eth0\t00007B0A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n"
"docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n"
"br-0123456789ab\t000012AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n"
"podman1\t0000590A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
"br-lan\t0001A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
"00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
"fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth0\n"
"fd123456000000000000000000000000 40 00000000000000000000000000000000 00 "
"00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0\n"
"fd001234000000000000000000000001 80 00000000000000000000000000000000 00 "
"00000000000000000000000000000000 00000000 00000002 00000000 80200001       lo\n";

void
world_answer_routes(const struct world *w, struct fact *fact)
{
	fact->status = w->routeless ? 0 : 200;
	fact->text = w->routeless ? STR_NONE : STR(routes);
}

void
world_answer_mkdir(const struct world *w, struct str path, struct fact *fact)
{
	(void)w;
	fact->status = str_starts(path, WORLD_PROJECT "/") &&
	    !str_ends(path, "/unmakeable") ? 200 : 0;
}
