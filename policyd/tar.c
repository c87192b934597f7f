/*
 * The reader's states and the header block.  PAX records are tar_pax.c's.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "policyd/tar.h"
#include "policyd/tar_pax.h"

/* Where the fields of a header stand. */
enum {
	NAME_AT = 0, NAME_LEN = 100,
	MODE_AT = 100, UID_AT = 108, GID_AT = 116, ID_LEN = 8,
	SIZE_AT = 124, MTIME_AT = 136, NUMBER_LEN = 12,
	SUM_AT = 148, SUM_LEN = 8,
	TYPE_AT = 156,
	LINK_AT = 157, LINK_LEN = 100,
	MAGIC_AT = 257, MAGIC_LEN = 8,
	MAJOR_AT = 329, MINOR_AT = 337,
	PREFIX_AT = 345, PREFIX_LEN = 155,
	ATIME_AT = 345, CTIME_AT = 357, SPARSE_AT = 369,
	TAIL_AT = 500
};

/* What eight octal gigabytes need: more does not fit the size field. */
static const uint64_t octal_max = UINT64_C(077777777777);

int
tar_refuse(struct tar *t, enum reason reason, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->why, sizeof(t->why), fmt, ap);
	va_end(ap);
	return -(int)reason;
}

void
tar_init(struct tar *t)
{
	memset(t, 0, sizeof(*t));
	buf_init(&t->meta, TAR_PAX_MAX);
	buf_init(&t->long_name, TAR_PAX_MAX);
	buf_init(&t->long_link, TAR_PAX_MAX);
}

void
tar_free(struct tar *t)
{
	buf_free(&t->meta);
	buf_free(&t->long_name);
	buf_free(&t->long_link);
}

size_t
tar_held(const struct tar *t)
{
	return t->meta.cap + t->long_name.cap + t->long_link.cap;
}

/* The next entry starts without meta headers. */
static void
forget_meta(struct tar *t)
{
	tar_free(t);
	t->has_pax = t->has_pax_size = false;
	t->name_by = t->link_by = '\0';
}

static bool
has_meta(const struct tar *t)
{
	return t->has_pax || t->name_by != '\0' || t->link_by != '\0';
}

/* ---- numbers ------------------------------------------------------------ */

/* GNU's base 256: a sign bit, then big-endian. */
static int
binary_number(const uint8_t *field, size_t len, int64_t *out)
{
	bool negative = (field[0] & 0x40) != 0;
	uint64_t n = negative ? UINT64_MAX : 0;

	for (size_t i = 0; i < len; i++) {
		uint8_t byte = field[i];

		if (i == 0)
			byte = negative ? byte : byte & 0x7f;
		if (n >> 56 != (negative ? 0xff : 0))
			return -R_ARCHIVE;
		n = n << 8 | byte;
	}
	if ((n >> 63 != 0) != negative)
		return -R_ARCHIVE;
	*out = (int64_t)n;
	return 0;
}

int
tar_number(const uint8_t *field, size_t len, int64_t *out)
{
	size_t i = 0;
	int64_t n = 0;

	if ((field[0] & 0x80) != 0)
		return binary_number(field, len, out);
	while (i < len && field[i] == ' ')
		i++;
	for (; i < len && field[i] >= '0' && field[i] <= '7'; i++)
		n = n * 8 + (field[i] - '0');
	/* Spaces and NULs may follow; readers differ on anything else. */
	for (; i < len; i++)
		if (field[i] != ' ' && field[i] != '\0')
			return -R_ARCHIVE;
	*out = n;
	return 0;
}

static bool
is_blank(const uint8_t *field, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (field[i] != '\0' && field[i] != ' ')
			return false;
	return true;
}

static bool
is_zero(const uint8_t *p, size_t len)
{
	return len == 0 || (p[0] == 0 && memcmp(p, p + 1, len - 1) == 0);
}

/* ---- the header --------------------------------------------------------- */

/* One row a format that is not tar and that daemons would unpack first. */
static const struct {
	const char	*magic;
	size_t		 len;
	const char	*name;
} compressed[] = {
	{ "\x1f\x8b", 2, "gzip" },
	{ "BZh", 3, "bzip2" },
	{ "\xfd" "7zXZ", 5, "xz" },
	{ "\x28\xb5\x2f\xfd", 4, "zstd" },
	{ "\x5d\x00\x00", 3, "lzma" },
	{ "\x1f\x9d", 2, "compress" },
	{ "\x04\x22\x4d\x18", 4, "lz4" },
	{ "PK\x03\x04", 4, "zip" },
};

static int
check_plain(struct tar *t)
{
	for (size_t i = 0; i < sizeof(compressed) / sizeof(*compressed); i++)
		if (memcmp(t->block, compressed[i].magic,
		    compressed[i].len) == 0)
			return tar_refuse(t, R_ARCHIVE, "it is compressed "
			    "with %s; send a plain tar", compressed[i].name);
	/* zstd skips frames of these marks in front of its data. */
	if ((t->block[0] & 0xf0) == 0x50 && memcmp(t->block + 1,
	    "\x2a\x4d\x18", 3) == 0)
		return tar_refuse(t, R_ARCHIVE, "it is compressed with zstd; "
		    "send a plain tar");
	return 0;
}

static int
check_sum(struct tar *t)
{
	int64_t want;
	int64_t sum = SUM_LEN * ' ';

	for (size_t i = 0; i < TAR_BLOCK; i++)
		if (i < SUM_AT || i >= SUM_AT + SUM_LEN)
			sum += t->block[i];
	if (tar_number(t->block + SUM_AT, SUM_LEN, &want) != 0 || want != sum)
		return tar_refuse(t, R_ARCHIVE, t->at == TAR_BLOCK ?
		    "it is no tar archive" : "a header's checksum is wrong");
	return 0;
}

static bool
is_gnu(const struct tar *t)
{
	return memcmp(t->block + MAGIC_AT, "ustar  \0", MAGIC_LEN) == 0;
}

/*
 * Fields that one format uses and the other does not have: a reader that
 * mistakes the format would build another name from them.
 */
static int
check_format(struct tar *t)
{
	const uint8_t *b = t->block;
	int64_t n;

	if (is_gnu(t)) {
		if (tar_number(b + ATIME_AT, NUMBER_LEN, &n) != 0 ||
		    tar_number(b + CTIME_AT, NUMBER_LEN, &n) != 0 ||
		    !is_zero(b + SPARSE_AT, TAR_BLOCK - SPARSE_AT))
			return tar_refuse(t, R_ARCHIVE, "a GNU header has "
			    "sparse or multi-volume fields");
		return 0;
	}
	if (memcmp(b + MAGIC_AT, "ustar\0" "00", MAGIC_LEN) != 0)
		return tar_refuse(t, R_ARCHIVE, "a header is neither ustar "
		    "nor GNU tar");
	if (!is_zero(b + TAIL_AT, TAR_BLOCK - TAIL_AT))
		return tar_refuse(t, R_ARCHIVE, "a header has fields of the "
		    "star format");
	return 0;
}

static const struct {
	const char	*name;
	size_t		 at, len;
} numbers[] = {
	{ "mode", MODE_AT, ID_LEN }, { "uid", UID_AT, ID_LEN },
	{ "gid", GID_AT, ID_LEN }, { "mtime", MTIME_AT, NUMBER_LEN },
	{ "devmajor", MAJOR_AT, ID_LEN }, { "devminor", MINOR_AT, ID_LEN },
};

static int
check_numbers(struct tar *t, uint64_t *size)
{
	int64_t n;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (tar_number(t->block + numbers[i].at, numbers[i].len,
		    &n) != 0)
			return tar_refuse(t, R_ARCHIVE, "the %s of a header "
			    "is not a plain number", numbers[i].name);
	if (is_blank(t->block + SIZE_AT, NUMBER_LEN) ||
	    tar_number(t->block + SIZE_AT, NUMBER_LEN, &n) != 0 || n < 0 ||
	    n > INT64_MAX - 2 * TAR_BLOCK)
		return tar_refuse(t, R_ARCHIVE, "the size of a header is not "
		    "a plain number");
	*size = (uint64_t)n;
	return 0;
}

static struct str
field_text(const uint8_t *field, size_t max)
{
	struct str s = { (const char *)field, max };

	s.len = str_find(s, '\0');
	return s;
}

/* The header's own name, built in scratch where it has a prefix. */
static struct str
header_name(const struct tar *t, char *scratch, size_t size)
{
	struct str name = field_text(t->block + NAME_AT, NAME_LEN);
	struct str prefix = field_text(t->block + PREFIX_AT, PREFIX_LEN);
	int n;

	if (is_gnu(t) || prefix.len == 0)
		return name;
	n = snprintf(scratch, size, "%.*s/%.*s", STR_FMT(prefix),
	    STR_FMT(name));
	return (struct str){ scratch, (size_t)n };
}

/* ---- entries ------------------------------------------------------------ */

static void
start_data(struct tar *t, enum tar_state state, uint64_t size)
{
	t->left = size;
	t->padding = (uint32_t)(-size % TAR_BLOCK);
	t->state = state;
}

static int	 end_data(struct tar *);

static int
start_meta(struct tar *t, char type, uint64_t size)
{
	bool is_pax = type == 'x' || type == 'g';

	if (size > (is_pax ? TAR_PAX_MAX : TAR_NAME_MAX))
		return tar_refuse(t, R_TOO_LARGE, "a %s header is larger than "
		    "%d bytes", is_pax ? "PAX" : "GNU long name",
		    is_pax ? TAR_PAX_MAX : TAR_NAME_MAX);
	/* Readers differ on which of two holds, and on what a global header
	 * between them does. */
	if ((type == 'g' && has_meta(t)) || (type == 'x' && t->has_pax) ||
	    (type == 'L' && t->name_by != '\0') ||
	    (type == 'K' && t->link_by != '\0'))
		return tar_refuse(t, R_ARCHIVE, "two extended headers name "
		    "one entry");
	if (size == 0)
		return tar_refuse(t, R_ARCHIVE, "an extended header is empty");
	t->meta_type = type;
	start_data(t, TAR_META, size);
	return 0;
}

static int
merge_size(struct tar *t, uint64_t *size)
{
	if (!t->has_pax_size || t->pax_size == *size)
		return 0;
	/* Only what does not fit the field may differ from it. */
	if (t->pax_size <= octal_max || (*size != 0 && *size != octal_max))
		return tar_refuse(t, R_ARCHIVE, "two sizes are given for one "
		    "entry");
	*size = t->pax_size;
	return 0;
}

/* What only some readers would take for data, or for a directory. */
static int
check_entry(struct tar *t, const struct tar_entry *e)
{
	bool has_data = e->type == '0';
	bool is_link = e->type == '1' || e->type == '2';

	if (e->name.len == 0 || memchr(e->name.data, '\0', e->name.len))
		return tar_refuse(t, R_ARCHIVE, "an entry has no name");
	if (!has_data && e->size > 0)
		return tar_refuse(t, R_ARCHIVE, "an entry that is no file has "
		    "data");
	if (has_data && e->name.data[e->name.len - 1] == '/')
		return tar_refuse(t, R_ARCHIVE, "a file's name ends in a "
		    "slash");
	if (is_link ? e->link.len == 0 : t->link_by != '\0')
		return tar_refuse(t, R_ARCHIVE, "a link has no target, or "
		    "what is no link has one");
	return 0;
}

static int
start_entry(struct tar *t, char type, uint64_t size)
{
	char scratch[NAME_LEN + PREFIX_LEN + 8];
	struct tar_entry e = { .type = type };
	int wanted;
	int error;

	if (++t->entries > TAR_ENTRIES_MAX)
		return tar_refuse(t, R_TOO_LARGE, "it has more than %d "
		    "entries", TAR_ENTRIES_MAX);
	if ((error = merge_size(t, &size)) != 0)
		return error;
	e.size = size;
	e.short_name = header_name(t, scratch, sizeof(scratch));
	e.name = t->name_by != '\0' ? buf_str(&t->long_name) : e.short_name;
	e.link = t->link_by != '\0' ? buf_str(&t->long_link) :
	    field_text(t->block + LINK_AT, LINK_LEN);
	if ((error = check_entry(t, &e)) != 0)
		return error;
	wanted = t->on_entry(t->arg, &e);
	if (wanted < 0)
		return wanted;
	forget_meta(t);
	t->wanted = wanted > 0;
	start_data(t, TAR_DATA, size);
	return size == 0 ? end_data(t) : 0;
}

static int
on_header(struct tar *t)
{
	char type = (char)t->block[TYPE_AT];
	uint64_t size = 0;
	int error;

	if (t->at == TAR_BLOCK && (error = check_plain(t)) != 0)
		return error;
	if (is_zero(t->block, TAR_BLOCK)) {
		if (has_meta(t))
			return tar_refuse(t, R_ARCHIVE, "an extended header "
			    "has no entry");
		t->state = TAR_END;
		t->end_at = t->at - TAR_BLOCK;
		return 0;
	}
	if ((error = check_sum(t)) != 0 || (error = check_format(t)) != 0 ||
	    (error = check_numbers(t, &size)) != 0)
		return error;
	switch (type) {
	case 'x': case 'g': case 'L': case 'K':
		return start_meta(t, type, size);
	case '\0':
		return start_entry(t, '0', size);
	case '0': case '1': case '2': case '3': case '4': case '5': case '6':
		return start_entry(t, type, size);
	case 'S':
		return tar_refuse(t, R_ARCHIVE, "a file is stored sparse");
	default:
		return tar_refuse(t, R_ARCHIVE, "an entry is of the unknown "
		    "type 0x%02x", (unsigned)(uint8_t)type);
	}
}

/* ---- the data of meta headers ------------------------------------------- */

static int
take_name(struct tar *t, struct buf *name, char *by)
{
	struct str text = buf_str(&t->meta);

	if (text.len > 0 && text.data[text.len - 1] == '\0')
		text.len--;
	if (text.len == 0 || memchr(text.data, '\0', text.len) != NULL)
		return tar_refuse(t, R_ARCHIVE, "a GNU long name is empty or "
		    "holds a NUL");
	if (*by != '\0')
		return tar_refuse(t, R_ARCHIVE, "two extended headers name "
		    "one entry");
	buf_put_str(name, text);
	*by = t->meta_type;
	return 0;
}

static int
end_meta(struct tar *t)
{
	int error;

	switch (t->meta_type) {
	case 'L':
		error = take_name(t, &t->long_name, &t->name_by);
		break;
	case 'K':
		error = take_name(t, &t->long_link, &t->link_by);
		break;
	default:
		error = tar_pax_read(t, buf_str(&t->meta),
		    t->meta_type == 'g');
		break;
	}
	buf_free(&t->meta);
	return error;
}

/* The data is complete: what it was for, and on to the padding. */
static int
end_data(struct tar *t)
{
	int error = 0;

	if (t->state == TAR_META)
		error = end_meta(t);
	else if (t->wanted)
		error = t->on_data(t->arg, STR_NONE);
	t->wanted = false;
	t->left = t->padding;
	/* Padding of a meta header belongs to what is not judged yet. */
	t->state = t->left == 0 ? TAR_HEADER : TAR_PADDING;
	return error;
}

/* ---- the states --------------------------------------------------------- */

static int
feed_header(struct tar *t, struct str *bytes)
{
	struct str part = str_first(*bytes, TAR_BLOCK - t->filled);

	memcpy(t->block + t->filled, part.data, part.len);
	t->filled += part.len;
	t->at += part.len;
	*bytes = str_skip(*bytes, part.len);
	if (t->filled < TAR_BLOCK)
		return 0;
	t->filled = 0;
	return on_header(t);
}

static int
feed_data(struct tar *t, struct str *bytes)
{
	struct str part = str_first(*bytes, t->left < bytes->len ?
	    (size_t)t->left : bytes->len);
	int error;

	t->left -= part.len;
	t->at += part.len;
	*bytes = str_skip(*bytes, part.len);
	if (t->state == TAR_META)
		buf_put_str(&t->meta, part);
	else if (t->state == TAR_DATA && t->wanted &&
	    (error = t->on_data(t->arg, part)) != 0)
		return error;
	if (t->left > 0)
		return 0;
	if (t->state != TAR_PADDING)
		return end_data(t);
	t->state = TAR_HEADER;
	return 0;
}

static int
feed_end(struct tar *t, struct str *bytes)
{
	if (!is_zero((const uint8_t *)bytes->data, bytes->len))
		return tar_refuse(t, R_ARCHIVE, "something follows the end of "
		    "the archive");
	t->at += bytes->len;
	*bytes = STR_NONE;
	return 0;
}

/* Everything so far belongs to entries that were judged. */
static bool
is_judged(const struct tar *t)
{
	return t->state != TAR_META && t->filled == 0 && !has_meta(t);
}

int
tar_feed(struct tar *t, struct str bytes)
{
	int error = 0;

	while (bytes.len > 0 && error == 0) {
		switch (t->state) {
		case TAR_HEADER:
			error = feed_header(t, &bytes);
			break;
		case TAR_DATA:
		case TAR_META:
		case TAR_PADDING:
			error = feed_data(t, &bytes);
			break;
		case TAR_END:
			error = feed_end(t, &bytes);
			break;
		}
		if (error == 0 && is_judged(t))
			t->judged = t->at;
	}
	return error;
}

int
tar_finish(struct tar *t)
{
	/*
	 * Without its end marker, or the padding of its last entry, but whole:
	 * readers take that alike, and the docker CLI leaves both away when
	 * it puts a Dockerfile from elsewhere into a context.
	 */
	if (t->state == TAR_END || ((t->state == TAR_HEADER ||
	    t->state == TAR_PADDING) && t->filled == 0 && !has_meta(t)))
		return 0;
	return tar_refuse(t, R_ARCHIVE, t->at < TAR_BLOCK ?
	    "it is no tar archive" : "it ends in the middle of an entry");
}
