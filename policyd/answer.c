/*
 * Judges the daemon's answers: learns new ids, and keeps foreign ids out of
 * conflict texts.
 */
#include <json-c/json.h>

#include "policyd/checks.h"
#include "policyd/rules/rules.h"

int
decide_answer(const struct case_file *file, const struct answer_memo *memo,
    const struct msg_response *response, struct arena *arena,
    struct id_set *learnt, struct msg_answer *answer)
{
	memset(answer, 0, sizeof(*answer));
	if (memo->route == NULL || memo->route->answer == NULL)
		return -R_INTERNAL;
	return memo->route->answer(file, memo, response, arena, learnt, answer);
}

struct json_object *
answer_parse(const struct msg_response *response)
{
	struct json_tokener *tokener = json_tokener_new_ex(64);
	struct json_object *object;

	if (tokener == NULL)
		return NULL;
	object = json_tokener_parse_ex(tokener, response->body.data,
	    (int)response->body.len);
	json_tokener_free(tokener);
	return object;
}

/*
 * A conflict names the container that has the name, by id: whose it is has not
 * been looked at, so the daemon's text does not pass.
 */
static void
tell_conflict(const struct answer_memo *memo, struct arena *arena,
    struct msg_answer *answer)
{
	const char *key = reason_find(R_CONFLICT)->key;
	struct str text = arena_printf(arena, "container-gateway: %s: the "
	    "name \\\"%.*s\\\" is already in use; remove or rename what has "
	    "it, or take another name", key, STR_FMT(memo->subject));

	answer->status = 409;
	answer->body = memo->is_libpod ? arena_printf(arena,
	    "{\"cause\":\"%s\",\"message\":\"%.*s\",\"response\":409}\n", key,
	    STR_FMT(text)) : arena_printf(arena, "{\"message\":\"%.*s\"}\n",
	    STR_FMT(text));
}

/* docker says 409; libpod 500, and why in words. */
static bool
is_conflict(const struct msg_response *response)
{
	struct str left = response->body;

	if (response->status == 409)
		return true;
	if (response->status != 500)
		return false;
	for (; left.len > 0; left = str_skip(left, 1))
		if (str_starts(left, "already in use") || str_starts(left,
		    "already exists"))
			return true;
	return false;
}

static bool
is_success(const struct msg_response *response)
{
	return response->status >= 200 && response->status < 300;
}

static int
learn_id(const struct msg_response *response, struct id_set *learnt,
    struct str parent)
{
	struct json_object *object = answer_parse(response);
	struct str id = check_member_str(object, "Id");
	int error = id.len > 0 ? 0 : -R_BACKEND_ANSWER;

	if (error == 0)
		ids_add(learnt, id, parent);
	json_object_put(object);
	return error;
}

int
answer_create(const struct case_file *file, const struct answer_memo *memo,
    const struct msg_response *response, struct arena *arena,
    struct id_set *learnt, struct msg_answer *answer)
{
	(void)file;
	answer->flags = ANSWER_UNCHANGED;
	if (is_conflict(response)) {
		answer->flags = 0;
		tell_conflict(memo, arena, answer);
		return 0;
	}
	/* A rename answers without a body. */
	if (!is_success(response) || response->status == 204)
		return 0;
	return learn_id(response, learnt, STR_NONE);
}

int
answer_conflict(const struct case_file *file, const struct answer_memo *memo,
    const struct msg_response *response, struct arena *arena,
    struct id_set *learnt, struct msg_answer *answer)
{
	(void)file;
	(void)learnt;
	if (is_conflict(response))
		tell_conflict(memo, arena, answer);
	else
		answer->flags = ANSWER_UNCHANGED;
	return 0;
}

int
answer_exec_create(const struct case_file *file,
    const struct answer_memo *memo, const struct msg_response *response,
    struct arena *arena, struct id_set *learnt, struct msg_answer *answer)
{
	(void)file;
	(void)arena;
	answer->flags = ANSWER_UNCHANGED;
	if (!is_success(response))
		return 0;
	return learn_id(response, learnt, memo->object);
}
