/*
 * Filters.  The daemon's own reading of them varies (empty, null, key without
 * value, false); what goes out is {"key":{"value":true}} and nothing else.
 */
#include "common/setting.h"
#include "policyd/checks.h"
#include "policyd/filters.h"
#include "policyd/lexer.h"
#include "policyd/owner.h"

static int
bad(struct judge *j, const char *what)
{
	return judge_refuse(j, R_BAD_QUERY, STR("filters"),
	    "query parameter filters %s; write {\"key\":[\"value\"]}", what);
}

static const struct filter *
find(const struct filter *rows, const char *key)
{
	for (; rows->name != NULL; rows++)
		if (strcmp(rows->name, key) == 0)
			return rows;
	return NULL;
}

static int
add_value(struct judge *j, const struct filter *row, struct json_object *out,
    struct str value)
{
	struct json_object *set = check_force_object(out, row->name);
	int error;

	if (check_has_control(value))
		return bad(j, "holds a control character");
	if ((error = row->check(j, row, &value)) != 0)
		return error;
	json_object_object_add(set, arena_text(j->arena, value),
	    json_object_new_boolean(1));
	return 0;
}

static int
add_list(struct judge *j, const struct filter *row, struct json_object *out,
    struct json_object *values)
{
	size_t n = json_object_array_length(values);

	for (size_t i = 0; i < n; i++) {
		struct json_object *value = json_object_array_get_idx(values,
		    i);
		int error;

		if (!json_object_is_type(value, json_type_string))
			return bad(j, "holds a value that is no string");
		error = add_value(j, row, out, judge_str(value));
		if (error != 0)
			return error;
	}
	return 0;
}

static int
add_map(struct judge *j, const struct filter *row, struct json_object *out,
    struct json_object *values)
{
	json_object_object_foreach(values, key, value) {
		int error;

		if (!json_object_is_type(value, json_type_boolean))
			return bad(j, "holds a value that is no boolean");
		error = add_value(j, row, out, str_from(key));
		if (error != 0)
			return error;
	}
	return 0;
}

static int
add_key(struct judge *j, const struct filter *rows, struct json_object *out,
    const char *key, struct json_object *values)
{
	const struct filter *row = find(rows, key);

	if (row == NULL)
		return judge_refuse(j, R_FILTER, STR("filters"),
		    "filter \"%s\" has no rule on %s",
		    judge_show(j, str_from(key)), j->route->path);
	switch (json_object_get_type(values)) {
	case json_type_array:
		return add_list(j, row, out, values);
	case json_type_object:
		return add_map(j, row, out, values);
	case json_type_null:
		return 0;
	case json_type_boolean:
	case json_type_double:
	case json_type_int:
	case json_type_string:
		break;
	}
	return bad(j, "holds a key without a list of values");
}

static int
parse(struct judge *j, struct str text, struct json_object **object)
{
	struct lexer_error error;

	*object = NULL;
	if (text.len == 0)
		return 0;
	if (lexer_check(text, &error) != 0)
		return bad(j, error.what);
	*object = json_tokener_parse(text.data);
	if (*object == NULL)
		return 0;
	json_object_array_add(j->garbage, *object);
	if (!json_object_is_type(*object, json_type_object))
		return bad(j, "is not an object");
	return 0;
}

static bool
is_podman(const struct judge *j)
{
	return j->request->backend.kind == BACKEND_PODMAN;
}

/* Nothing, or what we would write ourselves. */
static bool
is_only_ours(struct judge *j, struct json_object *all)
{
	struct json_object *labels = check_member(all, "label");
	struct str ours = arena_printf(j->arena, "%s=%.*s", PROJECT_LABEL,
	    STR_FMT(j->settings->slug));
	int n = json_object_object_length(all);

	/* Which also says that there are labels to be counted. */
	return n == 0 || (n == 1 && check_member(labels, ours.data) != NULL &&
	    json_object_object_length(labels) == 1);
}

/* docker's clients send it without being asked. */
static void
drop_implied(const struct filter_set *set, struct json_object *all)
{
	struct json_object *values = set->implied == NULL ? NULL :
	    check_member(all, set->implied);

	if (values != NULL && json_object_object_length(values) == 1 &&
	    (check_member(values, "true") != NULL || check_member(values,
	    "1") != NULL))
		json_object_object_del(all, set->implied);
}

int
param_filters(struct judge *j, const struct param *row, struct str value,
    struct str *out)
{
	const struct filter_set *set = row->arg;
	struct json_object *in, *all;
	int error;

	if ((error = parse(j, value, &in)) != 0)
		return error;
	all = json_object_new_object();
	json_object_array_add(j->garbage, all);
	if (in != NULL) {
		json_object_object_foreach(in, key, values) {
			error = add_key(j, set->filters, all, key, values);
			if (error != 0)
				return error;
		}
	}
	if (is_podman(j) && set->on_podman == PODMAN_LABEL_ONLY)
		drop_implied(set, all);
	if (is_podman(j) && set->on_podman == PODMAN_LABEL_ONLY &&
	    !is_only_ours(j, all))
		return judge_refuse(j, R_PRUNE_FILTER, STR("filters"),
		    "podman takes filters as alternatives, so this one would "
		    "reach beyond the project; leave it out");
	if (set->force_label && !(is_podman(j) && set->on_podman ==
	    PODMAN_ANSWER))
		json_object_object_add(check_force_object(all, "label"),
		    arena_printf(j->arena, "%s=%.*s", PROJECT_LABEL,
		    STR_FMT(j->settings->slug)).data,
		    json_object_new_boolean(1));
	if (json_object_object_length(all) > 0)
		*out = str_from(json_object_to_json_string_ext(all,
		    JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	return 0;
}

int
filter_any(struct judge *j, const struct filter *row, struct str *value)
{
	(void)j;
	(void)row;
	(void)value;
	return 0;
}

int
filter_refuse(struct judge *j, const struct filter *row, struct str *value)
{
	(void)value;
	return judge_refuse(j, row->reason, STR("filters"), "filter %s: %s; "
	    "leave it out", row->name, row->text);
}

int
filter_container(struct judge *j, const struct filter *row, struct str *value)
{
	enum owner owner;

	(void)row;
	owner = owner_container(j, *value, value);
	if (owner == OWNER_OURS || owner == OWNER_ASKED)
		return 0;
	return owner == OWNER_REFUSED ? -R_FACTS :
	    owner_refuse_container(j, *value);
}

/* podman takes `*` in a label's key for a pattern, and `key=` for any value. */
int
filter_label(struct judge *j, const struct filter *row, struct str *value)
{
	struct str key = str_first(*value, str_find(*value, '='));
	struct str ours = STR(PROJECT_LABEL);

	if (key.len == 0 || str_find(key, '*') < key.len ||
	    (str_equal(key, ours) && key.len + 1 == value->len))
		return judge_refuse(j, R_BAD_QUERY, STR("filters"),
		    "filter %s=%s: write a key, or key=value", row->name,
		    judge_show(j, *value));
	return 0;
}
