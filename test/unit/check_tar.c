/*
 * The tar reader: what it gives out, what it refuses, and that neither depends
 * on how the bytes are cut.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "policyd/tar.h"
#include "tarball.h"

Suite	*tar_suite(void);

/* What the reader said, as text: one line an entry. */
struct listing {
	struct buf	 text;
	int		 refuse_at;	/* entry that the callback refuses */
	int		 count;
};

static int
note_entry(void *arg, const struct tar_entry *e)
{
	struct listing *l = arg;

	if (++l->count == l->refuse_at)
		return -R_BUILD_CONTEXT;
	buf_printf(&l->text, "%c %llu %.*s", e->type,
	    (unsigned long long)e->size, STR_FMT(e->name));
	if (e->link.len > 0)
		buf_printf(&l->text, " -> %.*s", STR_FMT(e->link));
	if (!str_equal(e->name, e->short_name))
		buf_printf(&l->text, " (%.*s)", STR_FMT(e->short_name));
	buf_put_text(&l->text, "\n");
	return str_ends(e->name, ".txt");
}

static int
note_data(void *arg, struct str bytes)
{
	struct listing *l = arg;

	if (bytes.len == 0)
		buf_put_text(&l->text, "|\n");
	else
		buf_put_str(&l->text, bytes);
	return 0;
}

/* Reads it in pieces of `step`; what was said goes to out, why to why. */
static int
read_in(struct str bytes, size_t step, char *out, size_t size, char *why)
{
	struct listing l = { .text = BUF_INIT(1024 * 1024) };
	struct tar t;
	int error = 0;

	tar_init(&t);
	t.on_entry = note_entry;
	t.on_data = note_data;
	t.arg = &l;
	while (bytes.len > 0 && error == 0) {
		/* A copy of its own: a byte read too far is seen. */
		struct str part = str_first(bytes, step);
		char *copy = malloc(part.len);

		memcpy(copy, part.data, part.len);
		error = tar_feed(&t, (struct str){ copy, part.len });
		free(copy);
		bytes = str_skip(bytes, part.len);
		if (t.judged > t.at)
			ck_abort_msg("judged what did not come");
	}
	if (error == 0)
		error = tar_finish(&t);
	snprintf(out, size, "%.*s", STR_FMT(buf_str(&l.text)));
	memcpy(why, t.why, sizeof(t.why));
	tar_free(&t);
	buf_free(&l.text);
	return error;
}

/* The same in every cut; expected NULL: refused, with that piece of why. */
static void
expect(const struct buf *b, const char *expected, const char *refusal)
{
	static const size_t steps[] = { 1, 7, 511, 512, 513, 65536 };
	static char out[256 * 1024], first[256 * 1024];
	char why[256];
	int error = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		error = read_in(buf_str(b), steps[i], out, sizeof(out), why);
		if (expected != NULL) {
			ck_assert_msg(error == 0, "%s", why);
			/* Data comes in pieces, but is the same. */
			ck_assert_str_eq(out, expected);
		} else {
			ck_assert_msg(error < 0, "not refused: %s", out);
			ck_assert_msg(strstr(why, refusal) != NULL,
			    "%s, not: %s", refusal, why);
			if (i > 0)
				ck_assert_str_eq(out, first);
			memcpy(first, out, sizeof(out));
		}
	}
}

static struct buf b = BUF_INIT(TARBALL_MAX);
static struct buf records = BUF_INIT(4 * 1024 * 1024);

static void
setup(void)
{
	buf_free(&b);
	buf_free(&records);
}

START_TEST(ordinary_archive)
{
	tarball_entry(&b, "d/", '5', "");
	tarball_file(&b, "d/a.txt", "hello");
	tarball_file(&b, "d/b", "other");
	tarball_file(&b, "empty.txt", "");
	tarball_entry(&b, "l", '2', "/etc/passwd");
	tarball_entry(&b, "h", '1', "d/a.txt");
	tarball_end(&b);
	expect(&b, "5 0 d/\n0 5 d/a.txt\nhello|\n0 5 d/b\n0 0 empty.txt\n|\n"
	    "2 0 l -> /etc/passwd\n1 0 h -> d/a.txt\n", NULL);
}
END_TEST

/* Readers take these alike, too. */
START_TEST(end_without_marker)
{
	tarball_file(&b, "a", "x");
	expect(&b, "0 1 a\n", NULL);
	buf_put(&b, "\0", 1);
	expect(&b, NULL, "middle");
	buf_free(&b);
	expect(&b, "", NULL);
	tarball_end(&b);
	buf_put(&b, "\0\0\0", 3);
	expect(&b, "", NULL);
}
END_TEST

START_TEST(long_names)
{
	char name[300];

	memset(name, 'n', sizeof(name));
	name[299] = '\0';
	tarball_meta(&b, 'L', (struct str){ name, 300 });
	tarball_meta(&b, 'K', STR("target\0"));
	tarball_entry(&b, "short", '2', "t");
	tarball_record(&records, "path", "p\xc3\xa4th");
	tarball_record(&records, "mtime", "12.5");
	tarball_record(&records, "SCHILY.xattr.user.a", "b");
	tarball_meta(&b, 'x', buf_str(&records));
	tarball_file(&b, "pth", "x");
	tarball_file(&b, "last", "");
	tarball_end(&b);
	{
		char expected[512];

		snprintf(expected, sizeof(expected), "2 0 %s -> target "
		    "(short)\n0 1 p\xc3\xa4th (pth)\n0 0 last\n", name);
		expect(&b, expected, NULL);
	}
}
END_TEST

START_TEST(ustar_prefix)
{
	tarball_file(&b, "name", "");
	tarball_patch(&b, 0, 345, "pre/fix", 7);
	tarball_end(&b);
	expect(&b, "0 0 pre/fix/name\n", NULL);
}
END_TEST

START_TEST(gnu_header)
{
	tarball_file(&b, "name", "");
	tarball_patch(&b, 0, 257, "ustar  ", 8);
	tarball_patch(&b, 0, 345, "00000000001", 12);
	tarball_end(&b);
	expect(&b, "0 0 name\n", NULL);
	/* What old Go took for a prefix there. */
	tarball_patch(&b, 0, 345, "Docker/file\0", 12);
	expect(&b, NULL, "sparse or multi-volume");
}
END_TEST

START_TEST(git_comment)
{
	tarball_record(&records, "comment", "0123456789");
	tarball_meta(&b, 'g', buf_str(&records));
	tarball_file(&b, "a", "");
	tarball_end(&b);
	expect(&b, "0 0 a\n", NULL);
}
END_TEST

/* One row a field that is changed in an otherwise good header. */
static const struct {
	size_t		 at, len;
	const char	*bytes;
	const char	*refusal;	/* NULL: it is good */
} patches[] = {
	{ 0, 1, "\0", "no name" },
	{ 148, 8, "0000000\0", "checksum" },
	{ 148, 1, "x", "checksum" },
	{ 124, 12, "\0\0\0\0\0\0\0\0\0\0\0\0", "size" },
	{ 124, 12, "0000000001x", "size" },
	{ 124, 12, "00000\0" "00001", "size" },
	{ 124, 12, "-0000000001", "size" },
	{ 124, 12, "+0000000001", "size" },
	{ 124, 12, "0000000009 ", "size" },
	{ 124, 12, "\x80\0\0\0\0\0\0\0\0\0\0\x01", NULL },
	{ 124, 12, "          1", NULL },
	{ 124, 12, "1          ", NULL },
	{ 124, 12, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "size" },
	{ 124, 12, "\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", "size" },
	{ 124, 12, "\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", "size" },
	{ 124, 12, "\x80\0\0\x01\0\0\0\0\0\0\0\x01", "size" },
	{ 100, 8, "rwxr-xr", "mode" },
	{ 108, 8, "\x80\0\0\0\0\x0f\xff\xff", NULL },
	{ 116, 8, "00x0000", "gid" },
	{ 136, 12, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", NULL },
	{ 136, 12, "0x000000000", "mtime" },
	{ 156, 1, "\0", NULL },
	{ 156, 1, "1", "data" },
	{ 156, 1, "2", "data" },
	{ 156, 1, "5", "data" },
	{ 156, 1, "3", "data" },
	{ 156, 1, "7", "unknown type" },
	{ 156, 1, "S", "sparse" },
	{ 156, 1, "X", "unknown type" },
	{ 156, 1, "D", "unknown type" },
	{ 156, 1, "M", "unknown type" },
	{ 156, 1, "V", "unknown type" },
	{ 257, 8, "\0\0\0\0\0\0\0\0", "neither ustar" },
	{ 257, 8, "ustar\0\0\0", "neither ustar" },
	{ 257, 8, "ustar \0\0", "neither ustar" },
	{ 329, 1, "x", "devmajor" },
	{ 337, 1, "x", "devminor" },
	{ 508, 4, "tar\0", "star format" },
	{ 0, 2, "\x1f\x8b", "gzip" },
	{ 0, 3, "BZh", "bzip2" },
	{ 0, 6, "\xfd" "7zXZ\0", "xz" },
	{ 0, 4, "\x28\xb5\x2f\xfd", "zstd" },
	{ 0, 4, "\x53\x2a\x4d\x18", "zstd" },
};

START_TEST(field_is_judged)
{
	tarball_file(&b, "a", "x");
	tarball_patch(&b, 0, patches[_i].at, patches[_i].bytes,
	    patches[_i].len);
	tarball_end(&b);
	expect(&b, patches[_i].refusal == NULL ? "0 1 a\n" : NULL,
	    patches[_i].refusal == NULL ? NULL :
	    patches[_i].at == 148 ? "no tar" : patches[_i].refusal);
}
END_TEST

/* One row a PAX header; the entry behind it is the file "a" of one byte. */
static const struct {
	const char	*records;
	const char	*expected;	/* or NULL */
	const char	*refusal;
	char		 type;
} paxes[] = {
	{ "9 path=b\n", "0 1 b (a)\n", NULL, 'x' },
	{ "10 size=1\n", "0 1 a\n", NULL, 'x' },
	{ "10 size=0\n", NULL, "two sizes", 'x' },
	{ "10 size=2\n", NULL, "two sizes", 'x' },
	{ "11 size=01\n", NULL, "no plain number", 'x' },
	{ "10 size=1\n10 size=1\n", NULL, "stands twice", 'x' },
	{ "9 path=b\n9 path=b\n", NULL, "name one entry", 'x' },
	{ "8 path=\n", NULL, "empty", 'x' },
	{ "11 path=b\n", NULL, "malformed", 'x' },
	{ "09 path=b\n", NULL, "malformed", 'x' },
	{ "+9 path=b\n", NULL, "malformed", 'x' },
	{ " 9 path=b\n", NULL, "malformed", 'x' },
	{ "9\tpath=b\n", NULL, "malformed", 'x' },
	{ "9 path=bx", NULL, "malformed", 'x' },
	{ "9 pathxb\n", NULL, "malformed", 'x' },
	{ "5 =b\n", NULL, "malformed", 'x' },
	{ "999999999999 path=b\n", NULL, "malformed", 'x' },
	{ "9 Path=b\n", NULL, "Path", 'x' },
	{ "13 linkpath=b\n", NULL, "malformed", 'x' },
	{ "14 linkpath=b\n", NULL, "what is no link", 'x' },
	{ "22 GNU.sparse.major=1\n", NULL, "GNU.sparse.major", 'x' },
	{ "25 GNU.sparse.realsize=9\n", NULL, "GNU.sparse.realsize", 'x' },
	{ "21 SCHILY.realsize=9\n", NULL, "SCHILY.realsize", 'x' },
	{ "37 SCHILY.xattr.trusted.overlay.re=x\n", NULL, "trusted", 'x' },
	{ "34 SCHILY.xattr.user.overlay.re=x\n", NULL, "overlay", 'x' },
	{ "36 SCHILY.xattr.security.capability\n", NULL, "malformed", 'x' },
	{ "38 SCHILY.xattr.security.capability=x\n", "0 1 a\n", NULL, 'x' },
	{ "11 mtime=x\n", NULL, "no number", 'x' },
	{ "13 mtime=1.5\n", "0 1 a\n", NULL, 'x' },
	{ "15 mtime=1.5.5\n", NULL, "no number", 'x' },
	{ "12 mtime=-1\n", "0 1 a\n", NULL, 'x' },
	{ "12 comment=\n", "0 1 a\n", NULL, 'g' },
	{ "9 path=b\n", NULL, "global", 'g' },
	{ "10 size=1\n", NULL, "global", 'g' },
	{ "16 hdrcharset=x\n", NULL, "global", 'g' },
};

START_TEST(pax_is_judged)
{
	tarball_meta(&b, paxes[_i].type, str_from(paxes[_i].records));
	tarball_file(&b, "a", "x");
	tarball_end(&b);
	expect(&b, paxes[_i].expected, paxes[_i].refusal);
}
END_TEST

START_TEST(headers_that_disagree)
{
	tarball_meta(&b, 'x', STR("9 path=b\n"));
	tarball_meta(&b, 'L', STR("c"));
	tarball_file(&b, "a", "x");
	expect(&b, NULL, "name one entry");

	setup();
	tarball_meta(&b, 'L', STR("c"));
	tarball_meta(&b, 'x', STR("9 path=b\n"));
	tarball_file(&b, "a", "x");
	expect(&b, NULL, "name one entry");

	setup();
	tarball_meta(&b, 'L', STR("c"));
	tarball_meta(&b, 'L', STR("c"));
	tarball_file(&b, "a", "x");
	expect(&b, NULL, "name one entry");

	setup();
	tarball_meta(&b, 'x', STR("11 mtime=1\n"));
	tarball_meta(&b, 'x', STR("11 mtime=1\n"));
	tarball_file(&b, "a", "x");
	expect(&b, NULL, "name one entry");

	setup();
	tarball_meta(&b, 'x', STR("11 mtime=1\n"));
	tarball_meta(&b, 'g', STR("12 comment=\n"));
	tarball_file(&b, "a", "x");
	expect(&b, NULL, "name one entry");
}
END_TEST

START_TEST(headers_without_entry)
{
	tarball_meta(&b, 'x', STR("11 mtime=1\n"));
	expect(&b, NULL, "middle");
	tarball_end(&b);
	expect(&b, NULL, "no entry");

	setup();
	tarball_meta(&b, 'L', STR("a\0b"));
	expect(&b, NULL, "NUL");

	setup();
	tarball_header(&b, "m", 'x', 0, "");
	expect(&b, NULL, "empty");

	setup();
	tarball_header(&b, "m", 'x', TAR_PAX_MAX + 1, "");
	expect(&b, NULL, "larger");

	setup();
	tarball_header(&b, "m", 'L', TAR_NAME_MAX + 1, "");
	expect(&b, NULL, "larger");
}
END_TEST

START_TEST(bytes_behind_the_end)
{
	tarball_file(&b, "a", "x");
	tarball_end(&b);
	tarball_file(&b, "b", "x");
	expect(&b, NULL, "follows the end");

	/* One block of zeros is an end, too: no reader goes on behind it. */
	setup();
	tarball_file(&b, "a", "x");
	tarball_data(&b, STR("\0"));
	tarball_file(&b, "b", "x");
	expect(&b, NULL, "follows the end");
}
END_TEST

START_TEST(cut_anywhere_is_refused)
{
	static char out[4096];
	char why[256];
	size_t whole;

	tarball_meta(&b, 'x', STR("9 path=b\n"));
	tarball_file(&b, "a", "hello");
	/* The padding behind the data is no part of the entry. */
	whole = b.len - (512 - strlen("hello"));
	for (size_t len = 1; len < whole; len++)
		ck_assert_int_lt(read_in(str_first(buf_str(&b), len), len,
		    out, sizeof(out), why), 0);
	for (size_t len = whole; len <= b.len; len++)
		ck_assert_int_eq(read_in(str_first(buf_str(&b), len), len,
		    out, sizeof(out), why), 0);
}
END_TEST

START_TEST(links_have_targets)
{
	tarball_entry(&b, "l", '2', "");
	expect(&b, NULL, "no target");
	setup();
	tarball_header(&b, "dir/", '0', 0, "");
	expect(&b, NULL, "slash");
}
END_TEST

START_TEST(nine_gigabytes)
{
	struct listing l = { .text = BUF_INIT(4096) };
	const uint64_t size = UINT64_C(9) << 30;
	char *zeros = calloc(1, 1024 * 1024);
	struct tar t;
	char digits[32];

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)size);
	tarball_record(&records, "size", digits);
	tarball_meta(&b, 'x', buf_str(&records));
	tarball_header(&b, "big", '0', 0, "");
	tar_init(&t);
	t.on_entry = note_entry;
	t.on_data = note_data;
	t.arg = &l;
	ck_assert_int_eq(tar_feed(&t, buf_str(&b)), 0);
	for (uint64_t left = size; left > 0; left -= 1024 * 1024)
		ck_assert_int_eq(tar_feed(&t, (struct str){ zeros,
		    1024 * 1024 }), 0);
	ck_assert_int_eq(tar_finish(&t), 0);
	ck_assert(str_is(buf_str(&l.text), "0 9663676416 big\n"));
	ck_assert_uint_eq(t.judged, t.at);
	tar_free(&t);
	buf_free(&l.text);
	free(zeros);
}
END_TEST

/* An archive's bytes go on as soon as, and not before, they are judged. */
START_TEST(judged_follows_headers)
{
	struct listing l = { .text = BUF_INIT(4096), .refuse_at = 2 };
	struct tar t;
	size_t second;

	tarball_file(&b, "a", "hello");
	second = b.len;
	tarball_meta(&b, 'x', STR("9 path=b\n"));
	tarball_file(&b, "a", "hello");
	tar_init(&t);
	t.on_entry = note_entry;
	t.on_data = note_data;
	t.arg = &l;
	for (size_t i = 0; i < b.len; i++) {
		int error = tar_feed(&t, str_first(str_skip(buf_str(&b), i),
		    1));

		if (i + 1 < 512)
			ck_assert_uint_eq(t.judged, 0);
		else if (i + 1 <= second)
			ck_assert_uint_eq(t.judged, i + 1);
		else
			ck_assert_uint_eq(t.judged, second);
		if (error != 0) {
			ck_assert_int_eq(error, -R_BUILD_CONTEXT);
			ck_assert_uint_eq(i + 1, second + 3 * 512);
			break;
		}
	}
	ck_assert_int_eq(l.count, 2);
	tar_free(&t);
	buf_free(&l.text);
}
END_TEST

Suite *
tar_suite(void)
{
	Suite *suite = suite_create("tar");
	TCase *rows = tcase_create("rows"), *rest = tcase_create("rest");

	tcase_add_checked_fixture(rows, setup, setup);
	tcase_add_loop_test(rows, field_is_judged, 0,
	    sizeof(patches) / sizeof(*patches));
	tcase_add_loop_test(rows, pax_is_judged, 0,
	    sizeof(paxes) / sizeof(*paxes));
	suite_add_tcase(suite, rows);
	tcase_add_checked_fixture(rest, setup, setup);
	tcase_add_test(rest, ordinary_archive);
	tcase_add_test(rest, end_without_marker);
	tcase_add_test(rest, long_names);
	tcase_add_test(rest, ustar_prefix);
	tcase_add_test(rest, gnu_header);
	tcase_add_test(rest, git_comment);
	tcase_add_test(rest, headers_that_disagree);
	tcase_add_test(rest, headers_without_entry);
	tcase_add_test(rest, bytes_behind_the_end);
	tcase_add_test(rest, cut_anywhere_is_refused);
	tcase_add_test(rest, links_have_targets);
	tcase_add_test(rest, nine_gigabytes);
	tcase_add_test(rest, judged_follows_headers);
	tcase_set_timeout(rest, 30);
	suite_add_tcase(suite, rest);
	return suite;
}
