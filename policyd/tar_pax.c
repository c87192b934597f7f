/*
 * PAX records.  The table names what may stand in one: the rest either changes
 * where data lies (sparse files of three kinds) or is read by some readers
 * only.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "policyd/tar_pax.h"

enum pax_kind {
	PAX_PATH, PAX_LINK, PAX_SIZE,	/* change the entry */
	PAX_NUMBER,	/* an integer, perhaps with a fraction */
	PAX_TEXT,
	PAX_REFUSED
};

static const struct pax_row {
	const char	*key;		/* a last '*' stands for any rest */
	enum pax_kind	 kind;
	bool		 global;	/* harmless in a global header, too */
} rows[] = {
	{ "path",		PAX_PATH,	false },
	{ "linkpath",		PAX_LINK,	false },
	{ "size",		PAX_SIZE,	false },
	{ "mtime",		PAX_NUMBER,	false },
	{ "atime",		PAX_NUMBER,	false },
	{ "ctime",		PAX_NUMBER,	false },
	{ "uid",		PAX_NUMBER,	false },
	{ "gid",		PAX_NUMBER,	false },
	{ "uname",		PAX_TEXT,	false },
	{ "gname",		PAX_TEXT,	false },
	{ "comment",		PAX_TEXT,	true },
	{ "hdrcharset",		PAX_TEXT,	false },
	{ "LIBARCHIVE.*",	PAX_TEXT,	false },
	{ "MSWINDOWS.*",	PAX_TEXT,	false },
	{ "RHT.security.selinux", PAX_TEXT,	false },
	{ "SCHILY.dev",		PAX_TEXT,	false },
	{ "SCHILY.ino",		PAX_TEXT,	false },
	{ "SCHILY.nlink",	PAX_TEXT,	false },
	{ "SCHILY.fflags",	PAX_TEXT,	false },
	{ "SCHILY.acl.*",	PAX_TEXT,	false },
	/* Overlay file systems keep their own marks in attributes. */
	{ "SCHILY.xattr.user.overlay.*", PAX_REFUSED, false },
	{ "SCHILY.xattr.user.*", PAX_TEXT,	false },
	{ "SCHILY.xattr.com.apple.*", PAX_TEXT,	false },
	{ "SCHILY.xattr.security.capability", PAX_TEXT, false },
	{ "SCHILY.xattr.security.selinux", PAX_TEXT, false },
	{ "SCHILY.xattr.system.posix_acl_*", PAX_TEXT, false },
};

static const struct pax_row *
find_row(struct str key)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct str want = str_from(rows[i].key);

		if (want.data[want.len - 1] == '*') {
			want.len--;
			if (key.len > want.len && memcmp(key.data, want.data,
			    want.len) == 0)
				return &rows[i];
		} else if (str_equal(key, want))
			return &rows[i];
	}
	return NULL;
}

/* A key of the client's for a message. */
static const char *
show(struct str key, char *out, size_t size)
{
	size_t n = 0;

	for (; n < key.len && n + 1 < size; n++)
		out[n] = key.data[n] >= '!' && key.data[n] <= '~' ?
		    key.data[n] : '?';
	out[n] = '\0';
	return out;
}

static int
take_decimal(struct str s, uint64_t *out)
{
	uint64_t n = 0;

	if (s.len == 0 || s.len > 18 || (s.len > 1 && s.data[0] == '0'))
		return -R_ARCHIVE;
	for (size_t i = 0; i < s.len; i++) {
		if (s.data[i] < '0' || s.data[i] > '9')
			return -R_ARCHIVE;
		n = n * 10 + (uint64_t)(s.data[i] - '0');
	}
	*out = n;
	return 0;
}

/* -12.345: what every reader takes for the same time. */
static bool
is_number(struct str s)
{
	size_t digits = 0, dots = 0;

	if (s.len > 0 && s.data[0] == '-')
		s = str_skip(s, 1);
	for (size_t i = 0; i < s.len; i++) {
		if (s.data[i] == '.')
			dots++;
		else if (isdigit((unsigned char)s.data[i]))
			digits++;
		else
			return false;
	}
	return digits > 0 && digits < 40 && dots <= 1 && s.data[0] != '.';
}

static int
take_name(struct tar *t, struct str value, struct buf *name, char *by)
{
	if (*by != '\0')
		return tar_refuse(t, R_ARCHIVE, "two extended headers name "
		    "one entry");
	if (value.len == 0 || memchr(value.data, '\0', value.len) != NULL)
		return tar_refuse(t, R_ARCHIVE, "a PAX name is empty or holds "
		    "a NUL");
	buf_put_str(name, value);
	*by = 'x';
	return 0;
}

static int
take_size(struct tar *t, struct str value)
{
	if (t->has_pax_size || take_decimal(value, &t->pax_size) != 0)
		return tar_refuse(t, R_ARCHIVE, "a PAX size stands twice or "
		    "is no plain number");
	t->has_pax_size = true;
	return 0;
}

static int
take_record(struct tar *t, struct str key, struct str value, bool global)
{
	const struct pax_row *row = find_row(key);
	char name[80];

	if (row == NULL || row->kind == PAX_REFUSED || (global &&
	    !row->global))
		return tar_refuse(t, R_ARCHIVE, "the PAX key %s is not read "
		    "in a%s header", show(key, name, sizeof(name)),
		    global ? " global" : "n extended");
	switch (row->kind) {
	case PAX_PATH:
		return take_name(t, value, &t->long_name, &t->name_by);
	case PAX_LINK:
		return take_name(t, value, &t->long_link, &t->link_by);
	case PAX_SIZE:
		return take_size(t, value);
	case PAX_NUMBER:
		if (is_number(value))
			return 0;
		return tar_refuse(t, R_ARCHIVE, "the PAX value of %s is no "
		    "number", show(key, name, sizeof(name)));
	case PAX_TEXT:
	case PAX_REFUSED:
		break;
	}
	return 0;
}

/* One "LENGTH KEY=VALUE\n"; the length counts all of it. */
static int
next_record(struct str *left, struct str *key, struct str *value)
{
	size_t space = str_find(*left, ' ');
	struct str record;
	uint64_t len;

	if (space > 8 || take_decimal(str_first(*left, space), &len) != 0 ||
	    len > left->len || len < space + 4)
		return -R_ARCHIVE;
	record = str_first(*left, (size_t)len);
	*left = str_skip(*left, (size_t)len);
	if (record.data[record.len - 1] != '\n')
		return -R_ARCHIVE;
	record.len--;
	record = str_skip(record, space + 1);
	*key = str_first(record, str_find(record, '='));
	if (key->len == 0 || key->len == record.len ||
	    memchr(key->data, '\0', key->len) != NULL)
		return -R_ARCHIVE;
	*value = str_skip(record, key->len + 1);
	return 0;
}

int
tar_pax_read(struct tar *t, struct str left, bool global)
{
	struct str key, value;
	int error;

	while (left.len > 0) {
		if (next_record(&left, &key, &value) != 0)
			return tar_refuse(t, R_ARCHIVE, "a PAX record is "
			    "malformed");
		if ((error = take_record(t, key, value, global)) != 0)
			return error;
	}
	t->has_pax |= !global;
	return 0;
}
