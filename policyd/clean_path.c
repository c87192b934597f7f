/*
 * Absolute paths without "//", "." and "..", as daemons and builders clean
 * them.  Looks at no file: links are no matter here.
 */
#include <string.h>

#include "policyd/clean_path.h"

/* Drops the last segment of a path being built. */
static size_t
pop_segment(const char *text, size_t n)
{
	while (n > 0 && text[n - 1] != '/')
		n--;
	return n > 0 ? n - 1 : 0;
}

struct str
clean_path(struct arena *arena, struct str path)
{
	char *text = arena_alloc(arena, path.len + 2);
	size_t n = 0;

	while (path.len > 0) {
		struct str part = str_first(path, str_find(path, '/'));

		path = str_skip(path, part.len + 1);
		if (part.len == 0 || str_is(part, "."))
			continue;
		if (str_is(part, "..")) {
			n = pop_segment(text, n);
			continue;
		}
		text[n++] = '/';
		memcpy(text + n, part.data, part.len);
		n += part.len;
	}
	if (n == 0)
		text[n++] = '/';
	return (struct str){ text, n };
}

bool
clean_path_is_kernel(struct str clean)
{
	static const char *const roots[] = { "/proc", "/sys", "/dev" };

	if (str_is(clean, "/dev/shm") || str_starts(clean, "/dev/shm/"))
		return false;
	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++) {
		struct str rest = str_skip(clean, strlen(roots[i]));

		if (str_starts(clean, roots[i]) && (rest.len == 0 ||
		    rest.data[0] == '/'))
			return true;
	}
	return false;
}
