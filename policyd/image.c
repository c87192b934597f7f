/*
 * Image references.  Tags are shared by all projects: one that exists is only
 * moved by its own project.
 */
#include "common/setting.h"
#include "policyd/checks.h"
#include "policyd/image.h"
#include "policyd/image_ref.h"
#include "policyd/owner.h"
#include "policyd/query.h"

static bool
is_path_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
	    c == '_' || c == '-';
}

static bool
is_host_char(char c)
{
	return is_path_char(c) || (c >= 'A' && c <= 'Z') || c == ':' ||
	    c == '[' || c == ']';
}

static bool
is_tag(struct str s)
{
	if (s.len == 0 || s.len > 128 || s.data[0] == '.' || s.data[0] == '-')
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (!is_path_char(s.data[i]) && !(s.data[i] >= 'A' &&
		    s.data[i] <= 'Z'))
			return false;
	return true;
}

/* algorithm:hex */
static bool
is_digest(struct str s)
{
	size_t colon = str_find(s, ':');
	struct str hex = str_skip(s, colon + 1);

	if (colon == 0 || hex.len < 32)
		return false;
	for (size_t i = 0; i < hex.len; i++)
		if (strchr("0123456789abcdef", hex.data[i]) == NULL)
			return false;
	return true;
}

static bool
is_component(struct str s, bool host)
{
	if (s.len == 0 || s.data[0] == '.' || s.data[0] == '-' ||
	    s.data[s.len - 1] == '.' || s.data[s.len - 1] == '-')
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (host ? !is_host_char(s.data[i]) : !is_path_char(s.data[i]))
			return false;
	return true;
}

/* NAME[:PORT]: with nothing behind the colon it would be a transport. */
static bool
is_host_and_port(struct str s)
{
	size_t end = str_starts(s, "[") ? str_find(s, ']') + 1 :
	    str_find(s, ':');
	struct str port = str_skip(s, end);

	for (size_t i = 1; i < port.len; i++)
		if (port.data[i] < '0' || port.data[i] > '9')
			return false;
	return (port.len == 0 || (port.data[0] == ':' && port.len > 1)) &&
	    is_component(str_first(s, end), true);
}

/* The first component is a host when it could be none else. */
static bool
is_host(struct str s)
{
	return str_is(s, "localhost") || str_find(s, '.') < s.len ||
	    str_find(s, ':') < s.len;
}

static bool
is_repository(struct str s)
{
	bool first = true;

	if (s.len == 0 || s.len > 255)
		return false;
	while (s.len > 0) {
		struct str one = str_first(s, str_find(s, '/'));
		bool host = first && one.len < s.len && is_host(one);

		if (host ? !is_host_and_port(one) : !is_component(one, false))
			return false;
		if (one.len + 1 == s.len)
			return false;
		s = str_skip(s, one.len + 1);
		first = false;
	}
	return true;
}

bool
image_is_id(struct str s)
{
	if (str_starts(s, "sha256:"))
		s = str_skip(s, strlen("sha256:"));
	if (s.len == 0 || s.len > 64)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (strchr("0123456789abcdef", s.data[i]) == NULL)
			return false;
	return true;
}

/* Position of the colon before the tag, or len. */
static size_t
tag_colon(struct str s)
{
	for (size_t i = s.len; i > 0 && s.data[i - 1] != '/'; i--)
		if (s.data[i - 1] == ':')
			return i - 1;
	return s.len;
}

bool
image_is_reference(struct str s)
{
	size_t at = str_find(s, '@');
	struct str name = str_first(s, at);
	size_t colon;

	if (image_is_id(s))
		return true;
	if (at < s.len && !is_digest(str_skip(s, at + 1)))
		return false;
	colon = tag_colon(name);
	if (colon < name.len && !is_tag(str_skip(name, colon + 1)))
		return false;
	return is_repository(str_first(name, colon));
}

bool
image_is_plain(const struct judge *j, struct str s)
{
	return image_is_reference(s) && (j->request->backend.kind !=
	    BACKEND_PODMAN || image_is_id(s) || image_ref_check(s) == NULL);
}

static int
refuse_name(struct judge *j, struct str name)
{
	return judge_refuse(j, R_IMAGE_NAME, STR("image"),
	    "\"%s\" is not a plain image reference; write NAME[:TAG]",
	    judge_show(j, name));
}

struct str
image_qualify(struct judge *j, struct str name)
{
	struct str first = str_first(name, str_find(name, '/'));

	if (!j->target.is_libpod || name.len == 0 || (first.len < name.len &&
	    is_host(first)))
		return name;
	return arena_printf(j->arena, "localhost/%.*s", STR_FMT(name));
}

/* The last part is what a short name is taken by; one of hex digits for an id. */
static struct str
last_part(struct str repo)
{
	while (str_find(repo, '/') < repo.len)
		repo = str_skip(repo, str_find(repo, '/') + 1);
	return repo;
}

static int
refuse_taken(struct judge *j, struct str reference)
{
	return judge_refuse(j, R_TAG, STR("tag"),
	    "tag %s exists and is not this project's; take another, or let the "
	    "operator free it on the host: docker rmi %s",
	    judge_show(j, reference), judge_show(j, reference));
}

/*
 * podman takes a short name for one of several registries: what it means now
 * for everybody is not to become ours.
 */
static int
check_short_name(struct judge *j, struct str repo, struct str tag)
{
	static const char *const hosts[] = { "docker.io/library/",
		"docker.io/", "index.docker.io/library/", "index.docker.io/",
		"localhost/" };
	const struct fact *fact;
	struct json_object *image;
	struct str name = repo;
	bool absent;

	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts) && name.len ==
	    repo.len; i++)
		if (str_starts(repo, hosts[i]))
			name = str_skip(repo, strlen(hosts[i]));
	if (j->request->backend.kind != BACKEND_PODMAN || name.len == repo.len)
		return 0;
	name = arena_printf(j->arena, "%.*s:%.*s", STR_FMT(name),
	    STR_FMT(tag));
	fact = owner_get_libpod(j, arena_printf(j->arena, "/images/%.*s/json",
	    STR_FMT(target_encode(j, name, true))));
	if (fact == NULL)
		return 0;
	image = owner_fact_json(j, fact, &absent);
	if (image == NULL)
		return absent ? 0 : -R_FACTS;
	return owner_has_label(j, check_member(check_member(image, "Config"),
	    "Labels")) ? 0 : refuse_taken(j, name);
}

int
image_check_target(struct judge *j, struct str repo, struct str tag)
{
	size_t colon = tag_colon(repo);
	struct str reference;

	if (tag.len == 0 && colon < repo.len) {
		tag = str_skip(repo, colon + 1);
		repo = str_first(repo, colon);
	}
	/* A name of hex digits would win over the id that begins with it. */
	if (!is_repository(repo) || check_is_hex(last_part(repo)) ||
	    (tag.len > 0 && !is_tag(tag)))
		return refuse_name(j, repo);
	if (tag.len == 0)
		tag = STR("latest");
	repo = image_qualify(j, repo);
	reference = arena_printf(j->arena, "%.*s:%.*s", STR_FMT(repo),
	    STR_FMT(tag));
	switch (owner_image(j, reference)) {
	case OWNER_OURS:
	case OWNER_ABSENT:
	case OWNER_ASKED:
		return check_short_name(j, repo, tag);
	case OWNER_FOREIGN:
	case OWNER_PREDEFINED:
		return refuse_taken(j, reference);
	case OWNER_REFUSED:
		break;
	}
	return -R_FACTS;
}

int
param_image(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	(void)row;
	if (value.len == 0)
		return 0;
	if (!image_is_plain(j, value))
		return refuse_name(j, value);
	*out = value;
	return 0;
}

/*
 * The name half of a tag.  Unqualified, a commit by libpod would move a tag of
 * any registry that the service happens to have under that name.
 */
int
param_repo(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	return param_any(j, row, image_qualify(j, value), out);
}

/* podman would also remove the containers that use it, whoever's they are. */
int
param_image_force(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	if (j->request->backend.kind == BACKEND_PODMAN)
		return param_unset(j, row, value, out);
	return param_bool(j, row, value, out);
}

/* podman takes a name with a transport for a file of the host. */
int
check_image_ref(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	struct str name = judge_str(value);

	if (j->request->backend.kind != BACKEND_PODMAN || name.len == 0 ||
	    image_is_plain(j, name))
		return 0;
	return judge_refuse_at(j, row->reason, at, "%.*s is \"%s\": %s",
	    STR_FMT(judge_path(j, at)), judge_show(j, name), row->text);
}

/* What docker's API means by a name; podman's own would take it otherwise. */
static struct str
qualify_as_docker(struct judge *j, struct str name)
{
	size_t slash = str_find(name, '/');

	if (slash < name.len && is_host(str_first(name, slash)))
		return name;
	return arena_printf(j->arena, "docker.io/%s%.*s", slash == name.len ?
	    "library/" : "", STR_FMT(name));
}

/* t= of build: a whole reference. */
int
param_target(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	int error;

	(void)row;
	if (value.len == 0)
		return 0;
	if (j->request->backend.kind == BACKEND_PODMAN && !j->target.is_libpod)
		value = qualify_as_docker(j, value);
	if ((error = image_check_target(j, value, STR_NONE)) != 0)
		return error;
	*out = image_qualify(j, value);
	return 0;
}

/* One row an instruction that a commit may change. */
static const char *const change_words[] = { "CMD", "ENTRYPOINT", "ENV",
	"EXPOSE", "HEALTHCHECK", "LABEL", "SHELL", "STOPSIGNAL", "USER",
	"VOLUME", "WORKDIR", NULL };

static struct str
trim_blanks(struct str s)
{
	while (s.len > 0 && (s.data[0] == ' ' || s.data[0] == '\t' ||
	    s.data[0] == '\r'))
		s = str_skip(s, 1);
	while (s.len > 0 && strchr(" \t\r", s.data[s.len - 1]) != NULL)
		s.len--;
	return s;
}

static bool
mentions_label(struct str line)
{
	for (; line.len > 0; line = str_skip(line, 1))
		if (str_starts(line, PROJECT_LABEL))
			return true;
	return false;
}

/*
 * As create's WorkingDir.  Daemons expand variables, take quotes off and join a
 * relative path to the one before: none of these can be judged here.
 */
static int
check_change_workdir(struct judge *j, struct str path)
{
	struct str clean;

	for (size_t i = 0; i < path.len; i++)
		if (strchr("$\\\"'`", path.data[i]) != NULL)
			path.len = 0;
	if (check_is_workdir(j, path, &clean))
		return 0;
	return judge_refuse(j, R_WORKDIR, STR("changes"),
	    "a change sets WORKDIR; write an absolute path that is not under "
	    "/proc, /sys or /dev, without variables or quotes");
}

static int
check_change(struct judge *j, struct str line)
{
	struct str word = str_first(line, str_find(line, ' '));

	word = str_first(word, str_find(word, '\t'));
	for (const char *const *known = change_words; *known != NULL; known++) {
		if (!str_equal_nocase(word, str_from(*known)))
			continue;
		/* A line that goes on would swallow the label behind it. */
		if (str_ends(line, "\\") || str_ends(line, "`"))
			return judge_refuse(j, R_COMMIT_CHANGE, STR("changes"),
			    "a change ends in a continuation; write it on one "
			    "line");
		if (str_is(str_from(*known), "LABEL") && mentions_label(line))
			return judge_refuse(j, R_COMMIT_CHANGE, STR("changes"),
			    "the label %s is set by the gateway; leave it out",
			    PROJECT_LABEL);
		if (str_is(str_from(*known), "WORKDIR"))
			return check_change_workdir(j, trim_blanks(str_skip(
			    line, word.len)));
		return 0;
	}
	return judge_refuse(j, R_COMMIT_CHANGE, STR("changes"),
	    "a change begins with \"%s\"; CMD, ENTRYPOINT, ENV, EXPOSE, "
	    "HEALTHCHECK, LABEL, SHELL, STOPSIGNAL, USER, VOLUME and WORKDIR "
	    "pass", judge_show(j, word));
}

int
param_changes(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	struct str left = value;
	int error;

	(void)row;
	while (left.len > 0) {
		struct str line = trim_blanks(str_first(left, str_find(left,
		    '\n')));

		left = str_skip(left, str_find(left, '\n') + 1);
		if (line.len == 0)
			continue;
		if ((error = check_change(j, line)) != 0)
			return error;
	}
	if (value.len > 0)
		*out = value;
	return 0;
}
