/*
 * Reads and writes record files.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hookctl/json.h"
#include "hookctl/record.h"

static bool
is_ours(int fd, size_t max)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_nlink == 1 && st.st_uid == geteuid() &&
	    (st.st_mode & 077) == 0 && (size_t)st.st_size <= max;
}

struct json_object *
record_read(int dir, const char *name, size_t max)
{
	struct json_object *value = NULL;
	char *text;
	ssize_t got;
	int fd;

	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC |
	    O_NOCTTY);
	if (fd < 0)
		return NULL;
	text = is_ours(fd, max) ? malloc(max) : NULL;
	if (text != NULL) {
		got = read(fd, text, max);
		if (got > 0)
			value = json_read((struct str){ text, (size_t)got },
			    JSON_DEPTH);
		free(text);
	}
	close(fd);
	if (json_object_is_type(value, json_type_object))
		return value;
	json_object_put(value);
	return NULL;
}

static int
write_all(int fd, const char *text)
{
	size_t len = strlen(text), done = 0;

	while (done < len) {
		ssize_t n = write(fd, text + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		done += (size_t)n;
	}
	return 0;
}

int
record_write(int dir, const char *name, struct json_object *value)
{
	char temporary[NAME_MAX + 1];
	int fd, error, n;

	/* A dot first: no name of a record starts so. */
	n = snprintf(temporary, sizeof(temporary), ".%.200s.%d", name,
	    (int)getpid());
	if (n < 0 || n >= (int)sizeof(temporary))
		return -1;
	unlinkat(dir, temporary, 0);
	fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
	    O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	error = write_all(fd, json_line(value));
	if (close(fd) != 0 || error != 0 ||
	    renameat(dir, temporary, dir, name) != 0) {
		unlinkat(dir, temporary, 0);
		return -1;
	}
	return 0;
}

/* Well-formed UTF-8, as far as json-c's own check looks. */
bool
record_is_utf8(const char *s)
{
	while (*s != '\0') {
		unsigned char c = (unsigned char)*s++;
		int more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 :
		    c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : -1;

		if (more < 0)
			return false;
		for (; more > 0; more--)
			if (((unsigned char)*s++ & 0xc0) != 0x80)
				return false;
	}
	return true;
}

void
record_put_path(struct json_object *object, const char *key, const char *path)
{
	static const char digits[] = "0123456789abcdef";
	char name[64], hex[2 * PATH_MAX];
	size_t n = 0;

	if (record_is_utf8(path)) {
		json_put_text(object, key, path);
		return;
	}
	for (; *path != '\0' && n + 2 < sizeof(hex); path++) {
		hex[n++] = digits[(unsigned char)*path >> 4];
		hex[n++] = digits[(unsigned char)*path & 15];
	}
	hex[n] = '\0';
	snprintf(name, sizeof(name), "%s_hex", key);
	json_put_text(object, name, hex);
}

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
decode_hex(const char *hex, char out[PATH_MAX])
{
	size_t n = 0;

	for (; hex[0] != '\0'; hex += 2) {
		int high = hex_value(hex[0]), low = hex_value(hex[1]);

		if (high < 0 || low < 0 || (high | low) == 0 ||
		    n == PATH_MAX - 1)
			return false;
		out[n++] = (char)(high << 4 | low);
	}
	out[n] = '\0';
	return true;
}

bool
record_get_path(struct json_object *object, const char *key,
    char out[PATH_MAX])
{
	const char *text = json_get_text(object, key);
	char name[64];

	if (text == NULL) {
		snprintf(name, sizeof(name), "%s_hex", key);
		text = json_get_text(object, name);
		if (text == NULL || !decode_hex(text, out))
			return false;
	} else {
		if (strlen(text) >= PATH_MAX)
			return false;
		snprintf(out, PATH_MAX, "%s", text);
	}
	return out[0] == '/';
}
