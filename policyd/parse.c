/*
 * Text into json-c's objects.  Knows no field and no route.
 */
#include "policyd/lexer.h"
#include "policyd/parse.h"

/* Answers nest deeper than anything that a client may send. */
enum { SAID_DEPTH = 64 };

struct json_object *
parse_value(struct judge *j, struct str text)
{
	struct lexer_error error;
	struct json_object *object;

	if (text.len == 0 || lexer_check(text, &error) != 0)
		return NULL;
	object = json_tokener_parse(text.data);
	json_object_array_add(j->garbage, object);
	return object;
}

struct json_object *
parse_said(struct str text)
{
	struct json_tokener *tokener = json_tokener_new_ex(SAID_DEPTH);
	struct json_object *object;

	if (tokener == NULL)
		return NULL;
	object = json_tokener_parse_ex(tokener, text.data, (int)text.len);
	json_tokener_free(tokener);
	return object;
}
