/*
 * Reads JSON that was written by others: payloads, settings, our own records.
 * json-c made strict and bounded; a key or string with U+0000 is refused,
 * since json-c would cut keys there and C code would cut values.
 */
#ifndef HOOKCTL_JSON_H
#define HOOKCTL_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>

#include "common/str.h"

enum {
	JSON_DEPTH = 32,		/* payloads and records */
	JSON_DEPTH_SETTINGS = 64
};

/* One value and nothing after it, or NULL.  The caller puts it. */
struct json_object *json_read(struct str text, int depth);
/* A member; NULL when there is none or `object` is no object. */
struct json_object *json_get(struct json_object *object, const char *key);
/* A member's text; NULL unless it is a string without NUL. */
const char *json_get_text(struct json_object *object, const char *key);
/* A string value's text, on the same terms. */
const char *json_text(struct json_object *);
bool	 json_get_int(struct json_object *object, const char *key, int64_t *);
bool	 json_is_true(struct json_object *);
/* Text on one line, as written into a file or to a program. */
const char *json_line(struct json_object *);

/* Builders: what cannot be allocated is left out. */
void	 json_put_text(struct json_object *, const char *key, const char *);
void	 json_put_int(struct json_object *, const char *key, int64_t);
void	 json_put_bool(struct json_object *, const char *key, bool);

#endif
