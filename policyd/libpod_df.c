/*
 * libpod's system/df: its containers and volumes carry no labels, so that what
 * is ours is asked for before and kept of the answer.  Images are shared.
 */
#include "common/setting.h"
#include "policyd/checks.h"
#include "policyd/owner.h"
#include "policyd/parse.h"
#include "policyd/rules/rules.h"

/* One row a list: where ours are asked for, and the answer's part. */
static const struct part {
	const char	*collection;	/* labels are read there */
	const char	*id;		/* member that names an element */
	const char	*answer;	/* the list in the answer */
	const char	*answer_id;
} parts[] = {
	{ "/containers/json?all=true", "Id", "Containers", "ContainerID" },
	{ "/volumes/json", "Name", "Volumes", "VolumeName" },
};
enum { PARTS = sizeof(parts) / sizeof(*parts) };

/* "id id ": none of them holds a blank. */
static int
name_ours(struct judge *j, const struct part *part, struct str *names)
{
	const struct fact *fact = owner_get_libpod(j, str_from(
	    part->collection));
	struct json_object *list;
	struct buf out = BUF_INIT(PROTO_FACT_MAX);

	if (fact == NULL)
		return 0;
	list = fact->status == 200 ? parse_said(fact->text) : NULL;
	if (!json_object_is_type(list, json_type_array)) {
		json_object_put(list);
		return judge_refuse(j, R_FACTS, STR("path"),
		    "the service did not list what the project has");
	}
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (!owner_has_label(j, check_member(one, "Labels")))
			continue;
		buf_put_str(&out, check_member_str(one, part->id));
		buf_put_char(&out, ' ');
	}
	*names = arena_str(j->arena, buf_str(&out));
	buf_free(&out);
	json_object_put(list);
	return 0;
}

int
prepare_libpod_df(struct judge *j)
{
	int error = name_ours(j, &parts[0], &j->subject);

	return error != 0 ? error : name_ours(j, &parts[1], &j->object);
}

static bool
is_named(struct str names, struct str name)
{
	while (names.len > 0) {
		struct str one = str_first(names, str_find(names, ' '));

		if (one.len > 0 && str_equal(one, name))
			return true;
		names = str_skip(names, one.len + 1);
	}
	return false;
}

static struct json_object *
keep(const struct part *part, struct str names, struct json_object *in)
{
	struct json_object *list = check_member(in, part->answer);
	struct json_object *kept = json_object_new_array();
	size_t n = json_object_is_type(list, json_type_array) ?
	    json_object_array_length(list) : 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (is_named(names, check_member_str(one, part->answer_id)))
			json_object_array_add(kept, json_object_get(one));
	}
	return kept;
}

/* Anything that a newer service adds is left out. */
int
answer_libpod_df(const struct case_file *file, const struct answer_memo *memo,
    const struct msg_response *response, struct arena *arena,
    struct id_set *learnt, struct msg_answer *answer)
{
	static const char *const whole[] = { "ImagesSize", "Images" };
	const struct str names[PARTS] = { memo->subject, memo->object };
	struct json_object *in, *out;

	(void)file;
	(void)learnt;
	answer->flags = ANSWER_UNCHANGED;
	if (response->status != 200)
		return 0;
	in = parse_said(response->body);
	if (!json_object_is_type(in, json_type_object)) {
		json_object_put(in);
		return -R_BACKEND_ANSWER;
	}
	out = json_object_new_object();
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		json_object_object_add(out, whole[i], json_object_get(
		    check_member(in, whole[i])));
	for (size_t i = 0; i < PARTS; i++)
		json_object_object_add(out, parts[i].answer, keep(&parts[i],
		    names[i], in));
	answer->flags = 0;
	answer->body = arena_str(arena, str_from(json_object_to_json_string_ext(
	    out, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)));
	json_object_put(out);
	json_object_put(in);
	return 0;
}
