/*
 * Predicates that know no field: kinds, lists, maps, zero values.
 */
#include "common/setting.h"
#include "policyd/checks.h"
#include "policyd/clean_path.h"

struct json_object *
check_member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	if (json_object_is_type(object, json_type_object))
		json_object_object_get_ex(object, name, &value);
	return value;
}

struct str
check_member_str(struct json_object *object, const char *name)
{
	return judge_str(check_member(object, name));
}

struct json_object *
check_force_object(struct json_object *parent, const char *key)
{
	struct json_object *value = check_member(parent, key);

	if (json_object_is_type(value, json_type_object))
		return value;
	value = json_object_new_object();
	json_object_object_add(parent, key, value);
	return value;
}

struct json_object *
check_force_array(struct json_object *parent, const char *key)
{
	struct json_object *value = check_member(parent, key);

	if (json_object_is_type(value, json_type_array))
		return value;
	value = json_object_new_array();
	json_object_object_add(parent, key, value);
	return value;
}

bool
check_has_control(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.data[i] < 0x20 || s.data[i] == 0x7f)
			return true;
	return false;
}

bool
check_is_name(struct str s)
{
	if (s.len == 0 || s.len > 255)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		char c = s.data[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (c >= '0' && c <= '9');

		if (!letter && (i == 0 || (c != '_' && c != '.' && c != '-')))
			return false;
	}
	return true;
}

/* A name wins over the id that begins with it, whoever's that is. */
bool
check_is_new_name(struct str s)
{
	return check_is_name(s) && !check_is_hex(s);
}

int
check_clean_path(struct judge *j, struct str path, struct str *out)
{
	if (!str_starts(path, "/") || check_has_control(path))
		return -1;
	*out = clean_path(j->arena, path);
	return 0;
}

bool
check_is_workdir(struct judge *j, struct str path, struct str *out)
{
	return check_clean_path(j, path, out) == 0 &&
	    !clean_path_is_kernel(*out);
}

static int
check_string_element(struct judge *j, const struct at *at,
    const struct field *row, struct json_object *value)
{
	(void)j;
	(void)at;
	(void)row;
	(void)value;
	return 0;
}

int
check_any(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	static const struct field element = { "[]", K_STRING | K_INT,
		check_string_element, NULL, R_BAD_VALUE, NULL };
	struct field array = *row;

	if (!json_object_is_type(value, json_type_array))
		return 0;
	array.arg = &element;
	return check_array(j, at, &array, value);
}

int
check_line(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	size_t n = json_object_is_type(value, json_type_array) ?
	    json_object_array_length(value) : 0;
	bool bad = check_has_control(judge_str(value));

	for (size_t i = 0; i < n; i++)
		bad = bad || check_has_control(judge_str(
		    json_object_array_get_idx(value, i)));
	if (bad)
		return judge_refuse_at(j, R_BAD_VALUE, at,
		    "%.*s holds a control character",
		    STR_FMT(judge_path(j, at)));
	return check_any(j, at, row, value);
}

int
check_unset(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	if (walk_is_zero(value))
		return 0;
	return judge_refuse_at(j, row->reason, at, "%.*s: %s; leave it out",
	    STR_FMT(judge_path(j, at)), row->text);
}

int
check_drop(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	(void)j;
	(void)row;
	(void)value;
	json_object_object_del(at->parent, at->key);
	return 0;
}

int
check_null(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	(void)value;
	return judge_refuse_at(j, row->reason, at,
	    "%.*s: %s; leave it out or send null",
	    STR_FMT(judge_path(j, at)), row->text);
}

int
check_false(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	if (!json_object_get_boolean(value))
		return 0;
	return judge_refuse_at(j, row->reason, at,
	    "%.*s is true: %s; leave it out", STR_FMT(judge_path(j, at)),
	    row->text);
}

int
check_at_least(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	const int64_t *least = row->arg;

	if (json_object_get_int64(value) >= *least)
		return 0;
	return judge_refuse_at(j, row->reason, at, "%.*s is below %lld: %s; "
	    "write %lld or more", STR_FMT(judge_path(j, at)),
	    (long long)*least, row->text, (long long)*least);
}

int
check_object(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	return walk_object(j, at, row->arg, value);
}

int
check_array(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	size_t n;

	/* Some fields take a bare string for a list of one. */
	if (!json_object_is_type(value, json_type_array))
		return walk_value(j, at, row->arg, value);
	n = json_object_array_length(value);
	for (size_t i = 0; i < n; i++) {
		struct at inner = { at, NULL, i, value };
		struct json_object *element = json_object_array_get_idx(value,
		    i);
		int error;

		if (element == NULL)
			return judge_refuse_at(j, R_BAD_VALUE, &inner,
			    "%.*s is null", STR_FMT(judge_path(j, &inner)));
		error = walk_value(j, &inner, row->arg, element);
		if (error != 0)
			return error;
	}
	return 0;
}

int
check_map(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	json_object_object_foreach(value, key, member) {
		struct at inner = { at, key, 0, value };
		int error = walk_value(j, &inner, row->arg, member);

		if (error != 0)
			return error;
	}
	return 0;
}

const char *
check_values(struct judge *j, const char *const *list)
{
	struct str text = STR_NONE;

	for (; *list != NULL; list++)
		if (**list != '\0')
			text = arena_printf(j->arena, "%.*s%s%s",
			    STR_FMT(text), text.len == 0 ? "" : list[1] ==
			    NULL ? " or " : ", ", *list);
	return text.len > 0 ? arena_text(j->arena, text) : "the default";
}

int
check_one_of(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	struct str s = judge_str(value);

	for (const char *const *list = row->arg; *list != NULL; list++)
		if (str_is(s, *list))
			return 0;
	return judge_refuse_at(j, row->reason, at,
	    "%.*s is \"%s\"; leave it out, or write %s",
	    STR_FMT(judge_path(j, at)), judge_show(j, s), check_values(j,
	    row->arg));
}

void
check_set_label(struct judge *j, struct json_object *parent, const char *key)
{
	struct json_object *labels = check_force_object(parent, key);

	json_object_object_add(labels, PROJECT_LABEL,
	    judge_new_str(j->settings->slug));
}
