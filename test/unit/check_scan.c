/*
 * Archives and the streams of contexts: how much of what is good may go on, and
 * when what is bad is known.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <check.h>

#include "scanning.h"
#include "tarball.h"

Suite	*scan_suite(void);

static struct buf b = BUF_INIT(TARBALL_MAX);
static struct buf packed = BUF_INIT(TARBALL_MAX);

static void
setup(void)
{
	buf_free(&b);
	buf_free(&packed);
}

#define GOOD	"FROM busybox\nRUN true\n"
#define BAD	"FROM busybox\nADD http://h/x /x\n"

/* ---- archives ----------------------------------------------------------- */

static const struct scan_options archive = { .kind = SCAN_ARCHIVE };

START_TEST(archive_of_plain_entries)
{
	tarball_entry(&b, "d/", '5', "");
	tarball_file(&b, "../../etc/passwd", "x");
	tarball_file(&b, "/abs", "x");
	tarball_entry(&b, "l", '2', "/etc/shadow");
	tarball_entry(&b, "h", '1', "/etc/shadow");
	tarball_end(&b);
	scanning_good(&archive, buf_str(&b));
	scanning_good(&archive, STR_NONE);
}
END_TEST

START_TEST(archive_with_devices)
{
	static const char types[] = { '3', '4', '6' };

	for (size_t i = 0; i < sizeof(types); i++) {
		struct outcome out;

		setup();
		tarball_file(&b, "a", "x");
		tarball_entry(&b, "dev", types[i], "");
		tarball_end(&b);
		scanning_refused(&archive, buf_str(&b), R_ARCHIVE, "device");
		out = scanning_run(&archive, buf_str(&b), 1);
		ck_assert_uint_eq(out.released, 1024);
	}
}
END_TEST

START_TEST(archive_compressed)
{
	tarball_file(&b, "a", "x");
	tarball_end(&b);
	tarball_gzip(&packed, buf_str(&b), 0);
	scanning_refused(&archive, buf_str(&packed), R_ARCHIVE, "compressed");
	scanning_refused(&archive, STR("BZh91AY"), R_ARCHIVE, "no tar");
	scanning_refused(&archive, STR("{}"), R_ARCHIVE, "no tar");
}
END_TEST

/* ---- contexts: the stream ----------------------------------------------- */

/* All but what tells the daemon that the archive has ended. */
START_TEST(context_end_is_held)
{
	struct scan_options o = scanning_context(BACKEND_DOCKER);
	size_t end;

	tarball_file(&b, "Dockerfile", GOOD);
	tarball_file(&b, "x", "y");
	end = b.len;
	for (size_t i = 0; i < SCANNING_STEPS; i++)
		ck_assert_uint_eq(scanning_run(&o, buf_str(&b),
		    scanning_steps[i]).released, end - 1);
	tarball_end(&b);
	for (size_t i = 0; i < SCANNING_STEPS; i++) {
		uint64_t released = scanning_run(&o, buf_str(&b),
		    scanning_steps[i]).released;

		ck_assert_uint_le(released, end + 512 - 1);
		ck_assert_uint_ge(released, end - 1);
	}
}
END_TEST

/* What can be inflated of what was released. */
static size_t
inflated_len(struct str bytes)
{
	z_stream z = { .zalloc = NULL };
	static unsigned char out[1024 * 1024];
	size_t n;

	inflateInit2(&z, 15 + 16);
	z.next_in = (unsigned char *)(uintptr_t)bytes.data;
	z.avail_in = (unsigned)bytes.len;
	z.next_out = out;
	z.avail_out = sizeof(out);
	inflate(&z, Z_SYNC_FLUSH);
	n = sizeof(out) - z.avail_out;
	inflateEnd(&z);
	return n;
}

START_TEST(context_end_is_held_inside_gzip)
{
	struct scan_options o = scanning_context(BACKEND_PODMAN);
	char noise[20000];
	size_t end;

	for (size_t i = 0; i < sizeof(noise) - 1; i++)
		noise[i] = (char)('a' + (i * 7919 % 9973) % 26);
	noise[sizeof(noise) - 1] = '\0';
	tarball_file(&b, "noise", noise);
	tarball_file(&b, "Dockerfile", GOOD);
	end = b.len;
	tarball_end(&b);
	tarball_gzip(&packed, buf_str(&b), 0);
	for (size_t step = 1; step < packed.len + 10; step += step / 7 + 1) {
		struct outcome out = scanning_run(&o, buf_str(&packed), step);

		ck_assert_int_eq(out.error, 0);
		ck_assert_uint_lt(out.released, packed.len);
		ck_assert_uint_lt(inflated_len(str_first(buf_str(&packed),
		    (size_t)out.released)), end + 1024);
	}
}
END_TEST

START_TEST(context_gzip_is_strict)
{
	struct scan_options o = scanning_context(BACKEND_PODMAN);

	tarball_file(&b, "Dockerfile", GOOD);
	tarball_end(&b);
	tarball_gzip(&packed, buf_str(&b), 0);
	scanning_good(&o, buf_str(&packed));
	/* Cut, a second member, something behind it, a wrong sum. */
	scanning_refused(&o, str_first(buf_str(&packed), packed.len - 1),
	    R_BUILD_CONTEXT, "ends early");
	packed.data[packed.len - 5] ^= 1;
	scanning_refused(&o, buf_str(&packed), R_BUILD_CONTEXT, "broken");
	packed.data[packed.len - 5] ^= 1;
	buf_put_text(&packed, "x");
	scanning_refused(&o, buf_str(&packed), R_BUILD_CONTEXT, "follows");
	packed.len--;
	tarball_gzip(&packed, STR("x"), 0);
	scanning_refused(&o, buf_str(&packed), R_BUILD_CONTEXT, "follows");

	/* gzip inside gzip; zlib's own wrapping. */
	setup();
	tarball_gzip(&packed, STR("\x1f\x8b\x08 and so on"), 0);
	scanning_refused(&o, buf_str(&packed), R_BUILD_CONTEXT, "no tar");
	scanning_refused(&o, STR("\x1f\x9d\x90"), R_BUILD_CONTEXT, "broken");
}
END_TEST

START_TEST(context_growth_is_bounded)
{
	struct scan_options o = scanning_context(BACKEND_PODMAN);
	struct outcome out;

	/* A file of zeros, as people have them, is fine. */
	tarball_file(&b, "Dockerfile", GOOD);
	tarball_header(&b, "zeros", '0', 200 * 1024 * 1024, "");
	tarball_gzip(&packed, buf_str(&b), 200 * 1024 * 1024 + 1024);
	out = scanning_run(&o, buf_str(&packed), 65536);
	ck_assert_msg(out.error == 0, "%s", out.refusal.text);

	/* But not without end. */
	setup();
	tarball_header(&b, "zeros", '0', UINT64_C(1) << 30, "");
	tarball_gzip(&packed, buf_str(&b), 300 * 1024 * 1024);
	out = scanning_run(&o, buf_str(&packed), 65536);
	ck_assert_int_eq(out.error, -R_TOO_LARGE);
	ck_assert(strstr(out.refusal.text, "200 times") != NULL);
}
END_TEST

/* The scanner lets others have a turn, however much there is to inflate. */
START_TEST(context_takes_turns)
{
	struct scan_options o = scanning_context(BACKEND_PODMAN);
	struct scan *s = scan_new(&o);
	struct str left;
	int turns = 0, more;
	size_t used;

	tarball_file(&b, "Dockerfile", GOOD);
	tarball_header(&b, "zeros", '0', 32 * 1024 * 1024, "");
	tarball_gzip(&packed, buf_str(&b), 32 * 1024 * 1024 + 1024);
	left = buf_str(&packed);
	do {
		more = scan_feed(s, left, &used);
		left = str_skip(left, used);
		turns++;
	} while (more == 1);
	ck_assert_int_eq(more, 0);
	ck_assert_uint_eq(left.len, 0);
	ck_assert_int_ge(turns, 30);
	ck_assert_int_eq(scan_finish(s), 0);
	ck_assert_uint_lt(scan_held(s), 512 * 1024);
	scan_free(s);
}
END_TEST

START_TEST(context_cut_anywhere_is_refused)
{
	struct scan_options o = scanning_context(BACKEND_DOCKER);

	tarball_file(&b, "Dockerfile", GOOD);
	/* Up to its last byte: the padding behind it may be missing. */
	for (size_t len = 0; len < 512 + strlen(GOOD); len++)
		ck_assert_int_lt(scanning_run(&o, str_first(buf_str(&b), len),
		    4096).error, 0);
}
END_TEST

/* Refused as soon as the Dockerfile is there, not at the end of the upload. */
START_TEST(context_is_refused_early)
{
	struct scan_options o = scanning_context(BACKEND_DOCKER);
	struct outcome out;
	size_t known;

	tarball_file(&b, "Dockerfile", BAD);
	known = b.len;
	tarball_file(&b, "other", "and more");
	out = scanning_run(&o, buf_str(&b), 100);
	ck_assert_int_eq(out.error, -R_BUILD_CONTEXT);
	ck_assert_uint_le(out.taken, known + 100);
	ck_assert_str_eq(out.refusal.field, "Dockerfile:2");
}
END_TEST

/* Ten thousand links are remembered, and others are not mistaken for them. */
START_TEST(many_links)
{
	struct scan_options o = scanning_context(BACKEND_DOCKER);
	struct outcome out;
	char name[64];

	tarball_file(&b, "Dockerfile", GOOD);
	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "bin/%d", i);
		tarball_entry(&b, name, '2', "../x");
		snprintf(name, sizeof(name), "lib/%d/x", i);
		tarball_file(&b, name, "");
	}
	tarball_end(&b);
	out = scanning_run(&o, buf_str(&b), 65536);
	ck_assert_msg(out.error == 0, "%s", out.refusal.text);
	b.len -= 1024;
	tarball_file(&b, "bin/7777/x/y", "");
	out = scanning_run(&o, buf_str(&b), 65536);
	ck_assert_int_eq(out.error, -R_BUILD_CONTEXT);
}
END_TEST

Suite *
scan_suite(void)
{
	Suite *suite = suite_create("scan");
	TCase *rest = tcase_create("rest");

	tcase_add_checked_fixture(rest, setup, setup);
	tcase_add_test(rest, archive_of_plain_entries);
	tcase_add_test(rest, archive_with_devices);
	tcase_add_test(rest, archive_compressed);
	tcase_add_test(rest, context_end_is_held);
	tcase_add_test(rest, context_end_is_held_inside_gzip);
	tcase_add_test(rest, context_gzip_is_strict);
	tcase_add_test(rest, context_growth_is_bounded);
	tcase_add_test(rest, context_takes_turns);
	tcase_add_test(rest, context_cut_anywhere_is_refused);
	tcase_add_test(rest, context_is_refused_early);
	tcase_add_test(rest, many_links);
	tcase_set_timeout(rest, 60);
	suite_add_tcase(suite, rest);
	return suite;
}
