/*
 * Judges the daemon's answers: learns new ids, and keeps foreign ids out of
 * conflict texts.
 */
#include <json-c/json.h>

#include "policyd/checks.h"
#include "policyd/parse.h"
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

/* what: of plain characters, but for quotes that are escaped already. */
static void
tell(const struct answer_memo *memo, struct arena *arena,
    struct msg_answer *answer, enum reason reason, struct str what)
{
	const char *key = reason_find((int)reason)->key;
	struct str text = arena_printf(arena, "container-gateway: %s: %.*s",
	    key, STR_FMT(what));

	answer->flags = 0;
	answer->status = 409;
	answer->body = memo->is_libpod ? arena_printf(arena,
	    "{\"cause\":\"%s\",\"message\":\"%.*s\",\"response\":409}\n", key,
	    STR_FMT(text)) : arena_printf(arena, "{\"message\":\"%.*s\"}\n",
	    STR_FMT(text));
}

/*
 * A conflict names the container that has the name, by id: whose it is has not
 * been looked at, so the daemon's text does not pass.
 */
static void
tell_conflict(const struct answer_memo *memo, struct arena *arena,
    struct msg_answer *answer)
{
	tell(memo, arena, answer, R_CONFLICT, arena_printf(arena, "the name "
	    "\\\"%.*s\\\" is already in use; remove or rename what has it, or "
	    "take another name", STR_FMT(memo->subject)));
}

static bool
mentions(struct str text, const char *word)
{
	for (; text.len > 0; text = str_skip(text, 1))
		if (str_starts(text, word))
			return true;
	return false;
}

/* docker says 409; libpod 500, and why in words. */
static bool
is_conflict(const struct msg_response *response)
{
	if (response->status == 409)
		return true;
	return response->status == 500 && (mentions(response->body,
	    "already in use") || mentions(response->body, "already exists"));
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
	struct json_object *object = parse_said(response->body);
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

#define IN_USE	"a container, or an image made from it, uses the image; " \
	"remove those of this project first, or leave it to the operator"

/* Of several images: a list of what went wrong, as text. */
static int
tell_errors(const struct msg_response *response, struct arena *arena,
    struct msg_answer *answer)
{
	struct json_object *object = parse_said(response->body);
	struct json_object *errors = check_member(object, "Errors");
	size_t n = json_object_is_type(errors, json_type_array) ?
	    json_object_array_length(errors) : 0;

	if (object == NULL)
		return -R_BACKEND_ANSWER;
	for (size_t i = 0; i < n; i++)
		if (mentions(judge_str(json_object_array_get_idx(errors, i)),
		    "container"))
			json_object_array_put_idx(errors, i,
			    json_object_new_string("container-gateway: "
			    "image-in-use: " IN_USE));
	answer->flags = 0;
	answer->body = arena_str(arena, str_from(
	    json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
	    JSON_C_TO_STRING_NOSLASHESCAPE)));
	json_object_put(object);
	return 0;
}

/* Images are shared: who uses one may be another project's container. */
int
answer_image_remove(const struct case_file *file,
    const struct answer_memo *memo, const struct msg_response *response,
    struct arena *arena, struct id_set *learnt, struct msg_answer *answer)
{
	(void)file;
	(void)learnt;
	answer->flags = ANSWER_UNCHANGED;
	if (response->status == 409 || (!is_success(response) &&
	    mentions(response->body, "container")))
		tell(memo, arena, answer, R_IN_USE, STR(IN_USE));
	else if (memo->is_libpod && is_success(response))
		return tell_errors(response, arena, answer);
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

/* The image's id alone on its line: podman's last word of a build. */
static bool
is_built(struct str text)
{
	if (!str_ends(text, "\n"))
		return false;
	text.len--;
	return text.len == 64 && check_is_hex(text);
}

/*
 * docker's clients look for the id in docker's own sentence; podman's service
 * says that one on docker's API alone.
 */
int
answer_build(const struct case_file *file, const struct answer_memo *memo,
    const struct msg_response *response, struct arena *arena,
    struct id_set *learnt, struct msg_answer *answer)
{
	struct json_object *line;
	struct str id;

	(void)file;
	(void)memo;
	(void)learnt;
	answer->flags = ANSWER_UNCHANGED;
	if (!is_success(response))
		return 0;
	line = parse_said(response->body);
	id = check_member_str(line, "stream");
	if (is_built(id)) {
		id.len--;
		answer->flags = 0;
		answer->body = arena_printf(arena, "{\"aux\":{\"ID\":"
		    "\"sha256:%.*s\"}}\n{\"stream\":\"Successfully built "
		    "%.12s\\n\"}\n", STR_FMT(id), id.data);
	}
	json_object_put(line);
	return 0;
}
