/*
 * Ownership by facts.  An answer counts only when it is what was asked for: a
 * full id of 64 hex digits, a volume of exactly that name.  The id of what is
 * not ours goes no further than this file: a refusal could tell it.
 */
#include "common/setting.h"
#include "policyd/checks.h"
#include "policyd/owner.h"
#include "policyd/parse.h"

static bool
is_full_id(struct str s)
{
	if (s.len != 64)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (!((s.data[i] >= '0' && s.data[i] <= '9') ||
		    (s.data[i] >= 'a' && s.data[i] <= 'f')))
			return false;
	return true;
}

bool
owner_has_label(struct judge *j, struct json_object *labels)
{
	struct json_object *value = check_member(labels, PROJECT_LABEL);

	return json_object_is_type(value, json_type_string) &&
	    str_equal(judge_str(value), j->settings->slug);
}

static int
refuse_facts(struct judge *j, const struct fact *fact)
{
	static const char *const faults[FAULT_COUNT] = {
		[FAULT_NONE] = "did not answer",
		[FAULT_BROKEN] = "broke off its answer to",
		[FAULT_LARGE] = "answered too much to",
	};

	if (fact->status == FAULT_LATE)
		return judge_refuse(j, R_FACTS, j->subject, "the daemon did "
		    "not answer a look-up that the decision needs within %d "
		    "seconds; try again", PROTO_FACT_SECONDS);
	if (fact->status < FAULT_COUNT)
		return judge_refuse(j, R_FACTS, j->subject,
		    "the daemon %s a look-up that the decision needs; try "
		    "again", faults[fact->status]);
	return judge_refuse(j, R_FACTS, j->subject,
	    "the daemon answered %u to a look-up that the decision needs",
	    fact->status);
}

static struct json_object *
find_parsed(const struct judge *j, const struct fact *fact)
{
	for (size_t i = 0; i < j->parsed_count; i++)
		if (j->parsed[i].fact == fact)
			return j->parsed[i].object;
	return NULL;
}

static void
keep_parsed(struct judge *j, const struct fact *fact,
    struct json_object *object)
{
	json_object_array_add(j->garbage, object);
	if (j->parsed_count == JUDGE_FACTS_MAX)
		return;
	j->parsed[j->parsed_count].fact = fact;
	j->parsed[j->parsed_count++].object = object;
}

struct json_object *
owner_fact_json(struct judge *j, const struct fact *fact, bool *absent)
{
	struct json_object *object = find_parsed(j, fact);

	*absent = fact->status >= 400 && fact->status < 500;
	if (object != NULL)
		return object;
	if (fact->status < 200 || fact->status > 299) {
		if (!*absent)
			refuse_facts(j, fact);
		return NULL;
	}
	object = parse_said(fact->text);
	if (!json_object_is_type(object, json_type_object)) {
		json_object_put(object);
		judge_refuse(j, R_FACTS, j->subject,
		    "the daemon's answer to a look-up is not JSON");
		return NULL;
	}
	keep_parsed(j, fact, object);
	return object;
}

const struct fact *
owner_get_libpod(struct judge *j, struct str path)
{
	return judge_ask(j, FACT_HTTP, arena_printf(j->arena,
	    "GET " LIBPOD_PREFIX "%.*s HTTP/1.1\r\nHost: d\r\n\r\n",
	    STR_FMT(path)));
}

/*
 * libpod and docker's API read short names of images differently.  What podman
 * starts before a container it tells on its own API alone.
 */
static bool
is_for_libpod(const struct judge *j, const char *collection)
{
	if (strcmp(collection, "images") == 0)
		return j->target.is_libpod;
	return strcmp(collection, "containers") == 0 &&
	    j->request->backend.kind == BACKEND_PODMAN;
}

/* Looks ref up below a collection; the outcome in *owner unless read. */
static struct json_object *
look_up(struct judge *j, const char *collection, struct str ref,
    const char *tail, enum owner *owner)
{
	struct str encoded = target_encode(j, ref, true);
	struct str path = arena_printf(j->arena, "/%s/%.*s%s", collection,
	    STR_FMT(encoded), tail);
	const struct fact *fact = is_for_libpod(j, collection) ?
	    owner_get_libpod(j, path) : judge_get(j, path);
	struct json_object *object;
	bool absent;

	*owner = OWNER_ASKED;
	if (fact == NULL)
		return NULL;
	object = owner_fact_json(j, fact, &absent);
	if (object == NULL)
		*owner = absent ? OWNER_ABSENT : OWNER_REFUSED;
	return object;
}

static void
learn(struct judge *j, struct str id)
{
	if (j->out->learnt_count < VERDICT_LEARNT_MAX)
		j->out->learnt[j->out->learnt_count++] =
		    arena_str(j->arena, id);
}

static struct json_object *
read_container(struct judge *j, struct str ref, enum owner *owner,
    struct str *id)
{
	struct json_object *object = look_up(j, "containers", ref, "/json",
	    owner);
	struct str full;

	if (object == NULL)
		return NULL;
	full = check_member_str(object, "Id");
	*owner = OWNER_FOREIGN;
	if (!is_full_id(full) || !owner_has_label(j, check_member(check_member(
	    object, "Config"), "Labels")))
		return NULL;
	*owner = OWNER_OURS;
	*id = full;
	learn(j, full);
	return object;
}

enum owner
owner_container(struct judge *j, struct str ref, struct str *id)
{
	enum owner owner;
	struct str parent;

	*id = ref;
	if (!check_is_name(ref))
		return OWNER_ABSENT;
	if (ids_find(j->file->ids, ref, &parent) && parent.len == 0) {
		j->used_facts = true;
		return OWNER_OURS;
	}
	read_container(j, ref, &owner, id);
	return owner;
}

struct json_object *
owner_inspect_container(struct judge *j, struct str id, enum owner *owner)
{
	struct str full;

	return read_container(j, id, owner, &full);
}

enum owner
owner_exec(struct judge *j, struct str id)
{
	struct json_object *object;
	struct str container, full;
	enum owner owner;

	if (!check_is_name(id))
		return OWNER_ABSENT;
	if (ids_find(j->file->ids, id, &container) && container.len > 0) {
		j->used_facts = true;
		return OWNER_OURS;
	}
	object = look_up(j, "exec", id, "/json", &owner);
	if (object == NULL)
		return owner;
	container = check_member_str(object, "ContainerID");
	if (!is_full_id(container) || !str_equal(check_member_str(object,
	    "ID"), id))
		return OWNER_FOREIGN;
	return owner_container(j, container, &full);
}

static bool
is_predefined(struct str name)
{
	return str_is(name, "bridge") || str_is(name, "host") ||
	    str_is(name, "none") || str_is(name, "podman");
}

enum owner
owner_network(struct judge *j, struct str ref, struct str *id,
    struct str *name)
{
	struct str found_id, found_name;
	struct json_object *object;
	enum owner owner;

	*id = *name = ref;
	if (!check_is_name(ref))
		return OWNER_ABSENT;
	object = look_up(j, "networks", ref, "", &owner);
	if (object == NULL)
		return owner;
	found_id = check_member_str(object, "Id");
	found_name = check_member_str(object, "Name");
	if (owner_has_label(j, check_member(object, "Labels")))
		owner = OWNER_OURS;
	else
		owner = is_predefined(found_name) ? OWNER_PREDEFINED :
		    OWNER_FOREIGN;
	if (owner == OWNER_FOREIGN || !is_full_id(found_id))
		return OWNER_FOREIGN;
	*id = found_id;
	*name = found_name;
	return owner;
}

enum owner
owner_volume(struct judge *j, struct str name)
{
	struct json_object *object;
	enum owner owner;

	if (!check_is_name(name))
		return OWNER_ABSENT;
	object = look_up(j, "volumes", name, "", &owner);
	if (object == NULL)
		return owner;
	if (!str_equal(check_member_str(object, "Name"), name) ||
	    !owner_has_label(j, check_member(object, "Labels")))
		return OWNER_FOREIGN;
	return OWNER_OURS;
}

static bool
is_tagged_as(struct json_object *image, struct str name)
{
	struct json_object *tags = check_member(image, "RepoTags");
	size_t n = json_object_is_type(tags, json_type_array) ?
	    json_object_array_length(tags) : 0;

	for (size_t i = 0; i < n; i++) {
		struct str tag = judge_str(json_object_array_get_idx(tags, i));
		size_t at = tag.len - name.len;

		if (tag.len >= name.len && str_equal(str_skip(tag, at), name) &&
		    (at == 0 || tag.data[at - 1] == '/'))
			return true;
	}
	return false;
}

static struct str
spell_image(struct judge *j, struct json_object *image, struct str ref)
{
	struct str id = check_member_str(image, "Id"), rest = ref;
	struct str tagged = arena_printf(j->arena, "%.*s:latest",
	    STR_FMT(ref));

	if (str_starts(id, "sha256:"))
		id = str_skip(id, strlen("sha256:"));
	if (str_starts(ref, "sha256:"))
		rest = str_skip(ref, strlen("sha256:"));
	if (is_full_id(id) && rest.len <= id.len && str_equal(str_first(id,
	    rest.len), rest) && !is_tagged_as(image, tagged))
		return id;
	/* Neither of these is ever read as a name. */
	if (rest.len < ref.len || is_full_id(ref))
		return ref;
	while (rest.len > 0 && rest.data[rest.len - 1] != '/' &&
	    rest.data[rest.len - 1] != ':' && rest.data[rest.len - 1] != '@')
		rest.len--;
	return rest.len == 0 || rest.data[rest.len - 1] == '/' ? tagged : ref;
}

enum owner
owner_image_spelled(struct judge *j, struct str ref, struct str *out)
{
	enum owner owner;
	struct json_object *object = look_up(j, "images", ref, "/json",
	    &owner);

	*out = ref;
	if (object == NULL)
		return owner;
	*out = spell_image(j, object, ref);
	return owner_has_label(j, check_member(check_member(object, "Config"),
	    "Labels")) ? OWNER_OURS : OWNER_FOREIGN;
}

enum owner
owner_image(struct judge *j, struct str ref)
{
	struct str spelled;

	return owner_image_spelled(j, ref, &spelled);
}

enum owner
owner_pod(struct judge *j, struct str ref, struct str *id)
{
	struct str full, encoded = target_encode(j, ref, false);
	struct json_object *object;
	const struct fact *fact;
	bool absent;

	*id = ref;
	if (!check_is_name(ref))
		return OWNER_ABSENT;
	fact = owner_get_libpod(j, arena_printf(j->arena, "/pods/%.*s/json",
	    STR_FMT(encoded)));
	if (fact == NULL)
		return OWNER_ASKED;
	object = owner_fact_json(j, fact, &absent);
	if (object == NULL)
		return absent ? OWNER_ABSENT : OWNER_REFUSED;
	full = check_member_str(object, "Id");
	if (!is_full_id(full) || !owner_has_label(j, check_member(object,
	    "Labels")))
		return OWNER_FOREIGN;
	*id = full;
	return OWNER_OURS;
}

/* One row a kind of object: what each daemon says when it is not there. */
struct absent_row {
	const char	*docker;	/* one %s: the reference as given */
	const char	*podman;
};

static int
refuse_absent(struct judge *j, const struct absent_row *row, struct str ref)
{
	const char *text = j->request->backend.kind == BACKEND_PODMAN ?
	    row->podman : row->docker;
	const char *mark = strstr(text, "%s");
	struct str head = { text, (size_t)(mark - text) };

	return judge_refuse_raw(j, R_NOT_FOUND, arena_printf(j->arena,
	    "%.*s%s%s", STR_FMT(head), judge_show(j, ref), mark + 2));
}

int
owner_refuse_container(struct judge *j, struct str ref)
{
	static const struct absent_row row = { "No such container: %s",
		"no container with name or ID \"%s\" found: "
		"no such container" };

	return refuse_absent(j, &row, ref);
}

int
owner_refuse_exec(struct judge *j, struct str ref)
{
	static const struct absent_row row = { "No such exec instance: %s",
		"no exec session with ID %s found: no such exec session" };

	return refuse_absent(j, &row, ref);
}

int
owner_refuse_network(struct judge *j, struct str ref)
{
	static const struct absent_row row = { "network %s not found",
		"unable to find network with name or ID %s: "
		"network not found" };

	return refuse_absent(j, &row, ref);
}

int
owner_refuse_volume(struct judge *j, struct str ref)
{
	static const struct absent_row row = { "get %s: no such volume",
		"no such volume %s" };

	return refuse_absent(j, &row, ref);
}

int
owner_refuse_image(struct judge *j, struct str ref)
{
	static const struct absent_row row = { "No such image: %s",
		"%s: image not known" };

	return refuse_absent(j, &row, ref);
}

int
owner_refuse_pod(struct judge *j, struct str ref)
{
	static const struct absent_row row = { "No such pod: %s",
		"no pod with name or ID %s found: no such pod" };

	return refuse_absent(j, &row, ref);
}
