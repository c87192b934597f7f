/*
 * Small JSON files of our own in a directory of our own: read only when they
 * are what we would have written, written whole or not at all.
 */
#ifndef HOOKCTL_RECORD_H
#define HOOKCTL_RECORD_H

#include <limits.h>
#include <stddef.h>
#include <stdbool.h>

struct json_object;

/*
 * NULL unless it is a regular file of ours with one name, closed to others, at
 * most max bytes, one JSON object.
 */
struct json_object *record_read(int dir, const char *name, size_t max);
int	 record_write(int dir, const char *name, struct json_object *);
bool	 record_is_utf8(const char *);
/* A path as `key`, or in hex as `key`_hex where it is not UTF-8. */
void	 record_put_path(struct json_object *, const char *key, const char *);
bool	 record_get_path(struct json_object *, const char *key,
	    char out[PATH_MAX]);

#endif
