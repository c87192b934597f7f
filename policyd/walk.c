/*
 * The walker.  Go's decoder folds case (with U+017F for s and U+212A for k),
 * so a key that folds to a row's name is judged by that row, for its reason's
 * sake, and refused for its spelling in the end.
 */
#include "policyd/walk.h"

/* Values are looked up by key when their turn comes: checks may replace them. */
struct slot {
	const struct field	*row;
	const char		*key;
};

static size_t
count_rows(const struct field *table)
{
	size_t n = 0;

	while (table[n].name != NULL)
		n++;
	return n;
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Whether key folds to name as encoding/json compares them. */
static bool
folds_to(struct str key, const char *name)
{
	size_t i = 0;

	for (; *name != '\0'; name++) {
		struct str left = str_skip(key, i);

		if (left.len > 0 && lower(left.data[0]) == lower(*name))
			i += 1;
		else if (lower(*name) == 's' && str_starts(left, "\xc5\xbf"))
			i += 2;
		else if (lower(*name) == 'k' && str_starts(left,
		    "\xe2\x84\xaa"))
			i += 3;
		else
			return false;
	}
	return i == key.len;
}

const struct field *
walk_find(const struct field *table, struct str key, bool *exact)
{
	*exact = true;
	for (const struct field *row = table; row->name != NULL; row++)
		if (str_is(key, row->name))
			return row;
	*exact = false;
	for (const struct field *row = table; row->name != NULL; row++)
		if (folds_to(key, row->name))
			return row;
	return NULL;
}

bool
walk_is_zero(struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_null:
		return true;
	case json_type_boolean:
		return !json_object_get_boolean(value);
	case json_type_int:
		return json_object_get_int64(value) == 0;
	case json_type_double:
		return false;
	case json_type_string:
		return json_object_get_string_len(value) == 0;
	case json_type_array:
		return json_object_array_length(value) == 0;
	case json_type_object:
		return json_object_object_length(value) == 0;
	}
	return false;
}

static unsigned
kind_of(struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_boolean:
		return K_BOOL;
	case json_type_int:
		return K_INT;
	case json_type_string:
		return K_STRING;
	case json_type_array:
		return K_ARRAY;
	case json_type_object:
		return K_OBJECT;
	case json_type_null:
	case json_type_double:
		break;
	}
	return 0;
}

static const char *
kind_names(struct judge *j, unsigned kinds)
{
	static const char *const names[] = { "a string", "a boolean",
		"an integer", "an array", "an object" };
	struct str text = STR_NONE;

	for (unsigned i = 0; i < 5; i++)
		if ((kinds & 1u << i) != 0)
			text = arena_printf(j->arena, "%.*s%s%s",
			    STR_FMT(text), text.len > 0 ? " or " : "",
			    names[i]);
	return text.data != NULL ? text.data : "nothing";
}

int
walk_value(struct judge *j, const struct at *at, const struct field *row,
    struct json_object *value)
{
	if (value == NULL)
		return 0;
	if ((kind_of(value) & row->kinds) == 0)
		return judge_refuse_at(j, R_BAD_VALUE, at,
		    "%.*s must be %s", STR_FMT(judge_path(j, at)),
		    kind_names(j, row->kinds));
	return row->check(j, at, row, value);
}

static void
note_spelling(struct judge *j, const struct at *at, const struct field *row)
{
	if (j->misspelled.len > 0)
		return;
	j->misspelled = judge_path(j, at);
	j->spelling = row->name;
}

static int
refuse_unknown(struct judge *j, const struct at *at)
{
	return judge_refuse_at(j, R_UNKNOWN_FIELD, at,
	    "field %.*s has no rule; leave it out",
	    STR_FMT(judge_path(j, at)));
}

/* Puts every key to its row; two keys at one row are one key twice. */
static int
sort_keys(struct judge *j, const struct at *up, const struct field *table,
    struct json_object *object, struct slot *slots)
{
	json_object_object_foreach(object, key, value) {
		struct at at = { up, key, 0, object };
		bool exact;
		const struct field *row = walk_find(table, str_from(key),
		    &exact);
		struct slot *slot;

		(void)value;
		if (row == NULL)
			continue;
		slot = &slots[row - table];
		if (slot->key != NULL)
			return judge_refuse_at(j, R_DUPLICATE_KEY, &at,
			    "%.*s stands in two spellings; write %s once",
			    STR_FMT(judge_path(j, &at)), row->name);
		if (!exact)
			note_spelling(j, &at, row);
		*slot = (struct slot){ row, key };
	}
	return 0;
}

/* Keys that no row names: to the "*" row, dropped when null, else refused. */
static int
walk_rest(struct judge *j, const struct at *up, const struct field *table,
    struct json_object *object)
{
	size_t n = count_rows(table);
	const struct field *rest = n > 0 && strcmp(table[n - 1].name, "*") ==
	    0 ? &table[n - 1] : NULL;
	struct json_object_iterator it = json_object_iter_begin(object);
	struct json_object_iterator end = json_object_iter_end(object);

	while (!json_object_iter_equal(&it, &end)) {
		const char *key = json_object_iter_peek_name(&it);
		struct json_object *value = json_object_iter_peek_value(&it);
		struct at at = { up, key, 0, object };
		bool exact;
		int error = 0;

		json_object_iter_next(&it);
		if (walk_find(table, str_from(key), &exact) != NULL)
			continue;
		if (value == NULL)
			json_object_object_del(object, key);
		else if (rest != NULL)
			error = walk_value(j, &at, rest, value);
		else
			error = refuse_unknown(j, &at);
		if (error != 0)
			return error;
	}
	return 0;
}

int
walk_object(struct judge *j, const struct at *up, const struct field *table,
    struct json_object *object)
{
	size_t n = count_rows(table);
	struct slot *slots = arena_alloc(j->arena, (n + 1) * sizeof(*slots));
	int error;

	if ((error = sort_keys(j, up, table, object, slots)) != 0)
		return error;
	for (size_t i = 0; i < n; i++) {
		struct at at = { up, slots[i].key, 0, object };
		struct json_object *value = NULL;

		if (slots[i].key == NULL || !json_object_object_get_ex(object,
		    slots[i].key, &value))
			continue;
		error = walk_value(j, &at, slots[i].row, value);
		if (error != 0)
			return error;
	}
	return walk_rest(j, up, table, object);
}
