/*
 * A thin layer over json-c.
 */
#include <string.h>

#include "hookctl/json.h"

/*
 * An escaped NUL, in any string.  A backslash that is itself escaped starts
 * none.
 */
static bool
holds_nul(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] == '\0')
			return true;
		if (text.data[i] != '\\')
			continue;
		i++;
		if (text.len - i >= 5 &&
		    memcmp(text.data + i, "u0000", 5) == 0)
			return true;
	}
	return false;
}

static bool
is_space_to_end(struct str rest)
{
	for (size_t i = 0; i < rest.len; i++)
		if (rest.data[i] != '\0' && strchr(" \t\r\n",
		    rest.data[i]) == NULL)
			return false;
	return true;
}

struct json_object *
json_read(struct str text, int depth)
{
	struct json_tokener *tok;
	struct json_object *value;
	bool ok;

	if (text.len == 0 || text.len > INT32_MAX || holds_nul(text))
		return NULL;
	tok = json_tokener_new_ex(depth);
	if (tok == NULL)
		return NULL;
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT |
	    JSON_TOKENER_ALLOW_TRAILING_CHARS | JSON_TOKENER_VALIDATE_UTF8);
	value = json_tokener_parse_ex(tok, text.data, (int)text.len);
	ok = json_tokener_get_error(tok) == json_tokener_success &&
	    is_space_to_end(str_skip(text, json_tokener_get_parse_end(tok)));
	json_tokener_free(tok);
	if (ok)
		return value;
	json_object_put(value);
	return NULL;
}

struct json_object *
json_get(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	if (!json_object_is_type(object, json_type_object))
		return NULL;
	json_object_object_get_ex(object, key, &value);
	return value;
}

const char *
json_text(struct json_object *value)
{
	const char *text;

	if (!json_object_is_type(value, json_type_string))
		return NULL;
	text = json_object_get_string(value);
	if (strlen(text) != (size_t)json_object_get_string_len(value))
		return NULL;
	return text;
}

const char *
json_get_text(struct json_object *object, const char *key)
{
	return json_text(json_get(object, key));
}

bool
json_get_int(struct json_object *object, const char *key, int64_t *out)
{
	struct json_object *value = json_get(object, key);

	if (!json_object_is_type(value, json_type_int))
		return false;
	*out = json_object_get_int64(value);
	return true;
}

bool
json_is_true(struct json_object *value)
{
	return json_object_is_type(value, json_type_boolean) &&
	    json_object_get_boolean(value);
}

const char *
json_line(struct json_object *value)
{
	return json_object_to_json_string_ext(value,
	    JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

static void
put(struct json_object *object, const char *key, struct json_object *value)
{
	if (value != NULL && json_object_object_add(object, key, value) != 0)
		json_object_put(value);
}

void
json_put_text(struct json_object *object, const char *key, const char *text)
{
	put(object, key, json_object_new_string(text));
}

void
json_put_int(struct json_object *object, const char *key, int64_t number)
{
	put(object, key, json_object_new_int64(number));
}

void
json_put_bool(struct json_object *object, const char *key, bool value)
{
	put(object, key, json_object_new_boolean(value));
}
