/*
 * Answers out of which other projects' objects are taken.
 */
#include <json-c/json.h>

#include "common/setting.h"
#include "policyd/checks.h"
#include "policyd/parse.h"
#include "policyd/rules/rules.h"

static bool
is_success(const struct msg_response *response)
{
	return response->status >= 200 && response->status < 300;
}

static void
set_body(struct arena *arena, struct msg_answer *answer,
    struct json_object *object)
{
	answer->flags = 0;
	answer->body = arena_str(arena, str_from(json_object_to_json_string_ext(
	    object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)));
}

static bool
is_ours(const struct case_file *file, struct json_object *object)
{
	return str_equal(check_member_str(check_member(object, "Labels"),
	    PROJECT_LABEL), file->settings->slug);
}

/* Keeps the elements of an array that carry the label. */
static struct json_object *
keep_ours(const struct case_file *file, struct json_object *list)
{
	struct json_object *kept = json_object_new_array();
	size_t n = json_object_is_type(list, json_type_array) ?
	    json_object_array_length(list) : 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if (is_ours(file, one))
			json_object_array_add(kept, json_object_get(one));
	}
	return kept;
}

int
answer_volume_create(const struct case_file *file,
    const struct answer_memo *memo, const struct msg_response *response,
    struct arena *arena, struct id_set *learnt, struct msg_answer *answer)
{
	struct json_object *object;
	int error = 0;

	(void)memo;
	(void)arena;
	(void)learnt;
	answer->flags = ANSWER_UNCHANGED;
	if (!is_success(response))
		return 0;
	/* Another project may have taken the name since it was looked up. */
	object = parse_said(response->body);
	if (!is_ours(file, object))
		error = -R_CONFLICT;
	json_object_put(object);
	return error;
}

int
answer_network_inspect(const struct case_file *file,
    const struct answer_memo *memo, const struct msg_response *response,
    struct arena *arena, struct id_set *learnt, struct msg_answer *answer)
{
	struct json_object *object;

	(void)file;
	(void)learnt;
	answer->flags = ANSWER_UNCHANGED;
	if (!is_success(response) || !memo->is_predefined)
		return 0;
	object = parse_said(response->body);
	if (!json_object_is_type(object, json_type_object)) {
		json_object_put(object);
		return -R_BACKEND_ANSWER;
	}
	json_object_object_add(object, "Containers", json_object_new_object());
	json_object_object_del(object, "Peers");
	json_object_object_del(object, "Services");
	json_object_object_del(object, "Status");
	set_body(arena, answer, object);
	json_object_put(object);
	return 0;
}

/* What is kept of system/df; anything that a newer daemon adds is left out. */
int
answer_df(const struct case_file *file, const struct answer_memo *memo,
    const struct msg_response *response, struct arena *arena,
    struct id_set *learnt, struct msg_answer *answer)
{
	static const char *const whole[] = { "LayersSize", "Images" };
	static const char *const narrowed[] = { "Containers", "Volumes" };
	struct json_object *in, *out;

	(void)memo;
	(void)learnt;
	answer->flags = ANSWER_UNCHANGED;
	if (!is_success(response))
		return 0;
	in = parse_said(response->body);
	if (!json_object_is_type(in, json_type_object)) {
		json_object_put(in);
		return -R_BACKEND_ANSWER;
	}
	out = json_object_new_object();
	for (size_t i = 0; i < 2; i++)
		json_object_object_add(out, whole[i], json_object_get(
		    check_member(in, whole[i])));
	for (size_t i = 0; i < 2; i++)
		json_object_object_add(out, narrowed[i], keep_ours(file,
		    check_member(in, narrowed[i])));
	json_object_object_add(out, "BuildCache", json_object_new_array());
	json_object_object_add(out, "BuilderSize", json_object_new_int(0));
	set_body(arena, answer, out);
	json_object_put(out);
	json_object_put(in);
	return 0;
}

/* compat: {"Volumes": [...]}, libpod: [...]. */
int
answer_volume_list(const struct case_file *file,
    const struct answer_memo *memo, const struct msg_response *response,
    struct arena *arena, struct id_set *learnt, struct msg_answer *answer)
{
	struct json_object *in, *kept;

	(void)memo;
	(void)learnt;
	answer->flags = ANSWER_UNCHANGED;
	if (!is_success(response))
		return 0;
	in = parse_said(response->body);
	if (json_object_is_type(in, json_type_object)) {
		kept = keep_ours(file, check_member(in, "Volumes"));
		json_object_object_add(in, "Volumes", kept);
		set_body(arena, answer, in);
	} else {
		kept = keep_ours(file, in);
		set_body(arena, answer, kept);
		json_object_put(kept);
	}
	json_object_put(in);
	return 0;
}

/*
 * podman's events carry the object's labels among the actor's attributes.
 * What has none (volumes, images, the system) is nobody's: not passed on.
 */
int
answer_event(const struct case_file *file, const struct answer_memo *memo,
    const struct msg_response *response, struct arena *arena,
    struct id_set *learnt, struct msg_answer *answer)
{
	struct json_object *event;

	(void)memo;
	(void)arena;
	(void)learnt;
	if (!is_success(response)) {
		answer->flags = ANSWER_UNCHANGED;
		return 0;
	}
	event = parse_said(response->body);
	answer->flags = str_equal(check_member_str(check_member(check_member(
	    event, "Actor"), "Attributes"), PROJECT_LABEL),
	    file->settings->slug) ? ANSWER_UNCHANGED : ANSWER_DROP;
	json_object_put(event);
	return 0;
}
