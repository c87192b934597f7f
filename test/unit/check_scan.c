/*
 * Scans of archives and build contexts: what is refused, and how much of what
 * is good may go on, in every cut of the stream.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <check.h>

#include "policyd/scan.h"
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

static struct scan_options
context_of(enum backend_kind engine)
{
	return (struct scan_options){ .kind = SCAN_CONTEXT,
		.engine = (uint8_t)engine, .major = 5 };
}

/* Check notes each assertion by a write: too slow for each byte. */
static void
must(bool holds, const char *what)
{
	if (!holds)
		ck_abort_msg("%s", what);
}

/* What a scan came to. */
struct outcome {
	int		 error;
	uint64_t	 released;	/* before the end was let go */
	uint64_t	 taken;
	struct scan_refusal refusal;
};

static struct outcome
scan_in(const struct scan_options *o, struct str bytes, size_t step)
{
	struct scan *s = scan_new(o);
	struct outcome out = { .error = 0 };

	while (bytes.len > 0 && out.error == 0) {
		struct str part = str_first(bytes, step);
		size_t used, done = 0;
		char *copy = malloc(part.len);

		memcpy(copy, part.data, part.len);
		do {
			out.error = scan_feed(s, (struct str){ copy + done,
			    part.len - done }, &used);
			done += used;
			must(scan_released(s) >= out.released,
			    "a release was taken back");
			out.released = scan_released(s);
			must(out.released <= out.taken + done,
			    "released what did not come");
		} while (out.error == 1);
		free(copy);
		must(out.error != 0 || done == part.len, "bytes are left");
		out.taken += done;
		bytes = str_skip(bytes, part.len);
	}
	if (out.error == 0)
		out.error = scan_finish(s);
	out.refusal = *scan_refusal(s);
	scan_free(s);
	return out;
}

static const size_t steps[] = { 1, 100, 512, 65536 };

/* Good in every cut. */
static void
expect_good(const struct scan_options *o, struct str bytes)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct outcome out = scan_in(o, bytes, steps[i]);

		ck_assert_msg(out.error == 0, "step %zu: %s", steps[i],
		    out.refusal.text);
	}
}

/* Refused in every cut, with that piece of text. */
static void
expect_refused(const struct scan_options *o, struct str bytes, int reason,
    const char *text)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct outcome out = scan_in(o, bytes, steps[i]);

		ck_assert_msg(out.error == -reason && (int)out.refusal.reason
		    == reason && strstr(out.refusal.text, text) != NULL,
		    "step %zu: %d, \"%s\" is not in: %s", steps[i], out.error,
		    text, out.refusal.text);
		for (const char *c = out.refusal.text; *c != '\0'; c++)
			must(*c >= ' ' && *c <= '~', "not printable");
	}
}

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
	expect_good(&archive, buf_str(&b));
	expect_good(&archive, STR_NONE);
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
		expect_refused(&archive, buf_str(&b), R_ARCHIVE, "device");
		out = scan_in(&archive, buf_str(&b), 1);
		ck_assert_uint_eq(out.released, 1024);
	}
}
END_TEST

START_TEST(archive_compressed)
{
	tarball_file(&b, "a", "x");
	tarball_end(&b);
	tarball_gzip(&packed, buf_str(&b), 0);
	expect_refused(&archive, buf_str(&packed), R_ARCHIVE, "compressed");
	expect_refused(&archive, STR("BZh91AY"), R_ARCHIVE, "no tar");
	expect_refused(&archive, STR("{}"), R_ARCHIVE, "no tar");
}
END_TEST

/* ---- contexts: which Dockerfile ----------------------------------------- */

/* A step of a context: 'f' file, 'd' directory, 's' link, 'h' hard link. */
struct member {
	char		 kind;
	const char	*name;
	const char	*text;		/* of the file, or the link's target */
};

#define GOOD	"FROM busybox\nRUN true\n"
#define BAD	"FROM busybox\nADD http://h/x /x\n"

/* One row a context. */
static const struct {
	const char	*engines;	/* d: docker, p: podman */
	const char	*refusal;	/* or NULL */
	const char	*names[3];	/* the dockerfile parameter */
	struct member	 members[5];
} contexts[] = {
	{ "dp", NULL, { "Dockerfile" }, { { 'f', "Dockerfile", GOOD } } },
	{ "dp", NULL, { NULL }, { { 'f', "Dockerfile", GOOD } } },
	{ "dp", NULL, { "Dockerfile" }, { { 'd', "./", "" },
	    { 'd', "./a/", "" }, { 'f', "./a/x", "x" },
	    { 'f', "./Dockerfile", GOOD }, { 's', "l", "/etc/passwd" } } },
	{ "dp", NULL, { "a/b/D" }, { { 'd', "a", "" }, { 'd', "a/b", "" },
	    { 'f', "a/b/D", GOOD } } },
	{ "dp", NULL, { "./a//D" }, { { 'f', "a/D", GOOD } } },
	{ "dp", NULL, { "Dockerfile" }, { { 'f', "Dockerfile", GOOD },
	    { 'f', ".dockerignore", "*\n!x" }, { 'f', "z", BAD } } },
	{ "dp", "network", { "Dockerfile" }, { { 'f', "Dockerfile", BAD } } },
	{ "dp", "network", { "Dockerfile" }, { { 'f', "/Dockerfile", BAD } } },
	{ "dp", "network", { "Dockerfile" }, { { 'f', "//./Dockerfile",
	    BAD } } },
	{ "dp", "network", { "a/D" }, { { 'f', "Dockerfile", GOOD },
	    { 'f', "a/D", BAD } } },
	/* The last of two holds; both are judged. */
	{ "dp", "network", { "Dockerfile" }, { { 'f', "Dockerfile", GOOD },
	    { 'f', "Dockerfile", BAD } } },
	{ "dp", "network", { "Dockerfile" }, { { 'f', "Dockerfile", BAD },
	    { 'f', "Dockerfile", GOOD } } },
	{ "dp", NULL, { "Dockerfile" }, { { 'f', "Dockerfile", GOOD },
	    { 'f', "Dockerfile", GOOD } } },
	/* What the daemon falls back to. */
	{ "d", NULL, { "Dockerfile" }, { { 'f', "dockerfile", GOOD } } },
	{ "d", "network", { "Dockerfile" }, { { 'f', "dockerfile", BAD } } },
	{ "p", "no such file", { "Dockerfile" }, { { 'f', "dockerfile",
	    GOOD } } },
	{ "p", NULL, { NULL }, { { 'f', "Containerfile", GOOD } } },
	{ "p", "network", { NULL }, { { 'f', "Dockerfile", GOOD },
	    { 'f', "Containerfile", BAD } } },
	{ "d", "no such file", { NULL }, { { 'f', "Containerfile", GOOD } } },
	/* Missing, or not a file. */
	{ "dp", "no such file", { "Dockerfile" }, { { 'f', "x", GOOD } } },
	{ "dp", "no such file", { "D" }, { { 'f', "Dockerfile", GOOD } } },
	{ "dp", "link or a directory", { "Dockerfile" }, { { 'd',
	    "Dockerfile", "" } } },
	{ "dp", "link or a directory", { "Dockerfile" }, { { 'f', "x", GOOD },
	    { 'h', "Dockerfile", "x" } } },
	{ "p", "link or a directory", { "Dockerfile" }, { { 's', "Dockerfile",
	    "x" }, { 'f', "x", GOOD } } },
	{ "p", "link or a directory", { "Dockerfile" }, { { 's', "Dockerfile",
	    "/etc/passwd" } } },
	{ "dp", "link or a directory", { "Dockerfile" }, { { 'f',
	    "Dockerfile", GOOD }, { 'd', "Dockerfile/", "" } } },
	{ "dp", "something lies below", { "Dockerfile" }, { { 'f',
	    "Dockerfile", GOOD }, { 'f', "Dockerfile/x", "" } } },
	/* docker follows a link inside the context, and so do we. */
	{ "d", NULL, { "Dockerfile" }, { { 's', "Dockerfile", "x/D" },
	    { 'f', "x/D", GOOD } } },
	{ "d", NULL, { "Dockerfile" }, { { 's', "Dockerfile", "/x/D" },
	    { 'f', "x/D", GOOD } } },
	{ "d", NULL, { "a/D" }, { { 's', "a/D", "../../../x" },
	    { 'f', "x", GOOD } } },
	{ "d", "network", { "Dockerfile" }, { { 's', "Dockerfile", "x/D" },
	    { 'f', "x/D", BAD } } },
	{ "d", "network", { "Dockerfile" }, { { 's', "Dockerfile", "x" },
	    { 's', "x", "y" }, { 'f', "y", BAD } } },
	{ "d", "does not follow", { "Dockerfile" }, { { 'f', "D", BAD },
	    { 's', "Dockerfile", "D" } } },
	{ "d", "does not follow", { "Dockerfile" }, { { 's', "Dockerfile",
	    "Dockerfile" } } },
	{ "d", "through others", { "Dockerfile" }, { { 'd', "y", "" },
	    { 's', "x", "y" }, { 's', "Dockerfile", "x/D" },
	    { 'f', "y/D", BAD } } },
	{ "d", "through others", { "Dockerfile" }, { { 's', "x", "y" },
	    { 's', "Dockerfile", "x" }, { 'f', "y", BAD } } },
	{ "d", "lies behind it", { "Dockerfile" }, { { 's', "Dockerfile",
	    "x/D" }, { 's', "x", "y" }, { 'f', "y/D", BAD } } },
	/* Directories above it that lead elsewhere. */
	{ "dp", "lies behind it", { "a/D" }, { { 'f', "a/D", GOOD },
	    { 's', "a", "b" } } },
	{ "dp", "lies behind it", { "a/D" }, { { 's', "a", "b" },
	    { 'f', "b/D", BAD } } },
	{ "dp", "lies behind it", { "a/D" }, { { 'f', "a/D", GOOD },
	    { 'f', "a", "x" } } },
	{ "dp", "behind a link", { "Dockerfile" }, { { 'f', "Dockerfile",
	    GOOD }, { 's', "x", "." }, { 'f', "x/Dockerfile", BAD } } },
	{ "dp", "behind a link", { "Dockerfile" }, { { 's', "x", "." },
	    { 'h', "y", "x" }, { 'f', "y/a/b", "" } } },
	{ "dp", "has to be a directory", { "Dockerfile" }, { { 's', ".",
	    "/etc" } } },
	{ "dp", "leads out", { "Dockerfile" }, { { 'f', "../x", GOOD } } },
	{ "dp", "leads out", { "Dockerfile" }, { { 'f', "a/../Dockerfile",
	    GOOD } } },
	/* Names in the query. */
	{ "dp", "inside the context", { "../D" }, { { 'f', "D", GOOD } } },
	{ "dp", "inside the context", { "/etc/passwd" }, { { 'f', "D",
	    GOOD } } },
	{ "dp", "inside the context", { "" }, { { 'f', "D", GOOD } } },
	{ "dp", "inside the context", { "http://h/D" }, { { 'f', "D",
	    GOOD } } },
	{ "p", "cpp", { "Containerfile.in" }, { { 'f', "Containerfile.in",
	    GOOD } } },
	{ "d", NULL, { "Dockerfile.in" }, { { 'f', "Dockerfile.in",
	    GOOD } } },
	{ "p", NULL, { "a", "b" }, { { 'f', "b", "FROM busybox\n" },
	    { 'f', "a", GOOD } } },
	{ "p", "transport", { "a", "b" }, { { 'f', "b", "FROM $T:/x\n" },
	    { 'f', "a", "ARG T=dir\nFROM busybox\n" } } },
	{ "p", "no such file", { "a", "b" }, { { 'f', "a", GOOD } } },
	{ "p", "a file and a directory", { "a", "a/b" }, { { 'f', "a",
	    GOOD } } },
	/* Ignore files: podman follows them on the host. */
	{ "p", "ignore file", { "Dockerfile" }, { { 'f', "Dockerfile", GOOD },
	    { 's', ".dockerignore", "/etc/shadow" } } },
	{ "p", "ignore file", { "D" }, { { 'f', "D", GOOD },
	    { 's', "D.containerignore", "/etc/shadow" } } },
	{ "d", NULL, { "Dockerfile" }, { { 'f', "Dockerfile", GOOD },
	    { 's', ".dockerignore", "x" } } },
};

static void
add_members(const struct member *m)
{
	for (size_t i = 0; i < 5 && m[i].kind != '\0'; i++)
		switch (m[i].kind) {
		case 'f':
			tarball_file(&b, m[i].name, m[i].text);
			break;
		case 'd':
			tarball_entry(&b, m[i].name, '5', "");
			break;
		case 's':
			tarball_entry(&b, m[i].name, '2', m[i].text);
			break;
		default:
			tarball_entry(&b, m[i].name, '1', m[i].text);
			break;
		}
}

START_TEST(context_has_its_verdict)
{
	struct str bytes[2];

	add_members(contexts[_i].members);
	tarball_end(&b);
	tarball_gzip(&packed, buf_str(&b), 0);
	bytes[0] = buf_str(&b);
	bytes[1] = buf_str(&packed);
	for (const char *e = contexts[_i].engines; *e != '\0'; e++) {
		struct scan_options o = context_of(*e == 'd' ?
		    BACKEND_DOCKER : BACKEND_PODMAN);

		for (; o.dockerfile_count < 3 && contexts[_i].names[
		    o.dockerfile_count] != NULL; o.dockerfile_count++)
			o.dockerfile[o.dockerfile_count] = str_from(
			    contexts[_i].names[o.dockerfile_count]);
		for (int k = 0; k < 2; k++) {
			if (contexts[_i].refusal == NULL)
				expect_good(&o, bytes[k]);
			else
				expect_refused(&o, bytes[k], R_BUILD_CONTEXT,
				    contexts[_i].refusal);
		}
	}
}
END_TEST

START_TEST(context_arguments_count)
{
	static const struct pair args[] = { { { "B", 1 }, { "dir:/x", 6 } } };
	struct scan_options o = context_of(BACKEND_PODMAN);

	tarball_file(&b, "Dockerfile", "ARG B=busybox\nFROM $B\n");
	tarball_end(&b);
	expect_good(&o, buf_str(&b));
	o.arg = args;
	o.arg_count = 1;
	expect_refused(&o, buf_str(&b), R_BUILD_CONTEXT, "transport");
}
END_TEST

/* The headers of one entry name two files. */
START_TEST(context_names_that_disagree)
{
	struct scan_options o = context_of(BACKEND_DOCKER);

	tarball_file(&b, "Dockerfile", GOOD);
	tarball_meta(&b, 'x', STR("12 path=abc\n"));
	tarball_file(&b, "Dockerfile", BAD);
	tarball_end(&b);
	expect_refused(&o, buf_str(&b), R_BUILD_CONTEXT, "two names");

	setup();
	tarball_meta(&b, 'x', STR("19 path=Dockerfile\n"));
	tarball_file(&b, "other", GOOD);
	tarball_end(&b);
	expect_refused(&o, buf_str(&b), R_BUILD_CONTEXT, "two names");

	/* Writers that give long names put anything into the header. */
	setup();
	tarball_meta(&b, 'x', STR("12 path=\xc3\xa4" "b\n"));
	tarball_file(&b, "PaxHeader", "");
	tarball_meta(&b, 'x', STR("19 path=Dockerfile\n"));
	tarball_file(&b, "./Dockerfile", GOOD);
	tarball_end(&b);
	expect_good(&o, buf_str(&b));
}
END_TEST

START_TEST(context_bounds)
{
	struct scan_options o = context_of(BACKEND_DOCKER);
	static char zeros[SCAN_TAIL_MAX];

	tarball_header(&b, "Dockerfile", '0', 1024 * 1024 + 1, "");
	expect_refused(&o, buf_str(&b), R_TOO_LARGE, "larger than");

	setup();
	tarball_file(&b, "Dockerfile", GOOD);
	buf_put(&b, zeros, sizeof(zeros));
	expect_good(&o, buf_str(&b));
	buf_put(&b, zeros, 1);
	expect_refused(&o, buf_str(&b), R_TOO_LARGE, "zeros follow");
}
END_TEST

START_TEST(context_of_devices)
{
	struct scan_options o = context_of(BACKEND_DOCKER);

	tarball_file(&b, "Dockerfile", GOOD);
	tarball_entry(&b, "pipe\x1b[31m", '6', "");
	expect_refused(&o, buf_str(&b), R_BUILD_CONTEXT, "fifos");
}
END_TEST

/* ---- contexts: the stream ----------------------------------------------- */

/* All but what tells the daemon that the archive has ended. */
START_TEST(context_end_is_held)
{
	struct scan_options o = context_of(BACKEND_DOCKER);
	size_t end;

	tarball_file(&b, "Dockerfile", GOOD);
	tarball_file(&b, "x", "y");
	end = b.len;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		ck_assert_uint_eq(scan_in(&o, buf_str(&b), steps[i]).released,
		    end - 1);
	tarball_end(&b);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		uint64_t released = scan_in(&o, buf_str(&b),
		    steps[i]).released;

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
	struct scan_options o = context_of(BACKEND_PODMAN);
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
		struct outcome out = scan_in(&o, buf_str(&packed), step);

		ck_assert_int_eq(out.error, 0);
		ck_assert_uint_lt(out.released, packed.len);
		ck_assert_uint_lt(inflated_len(str_first(buf_str(&packed),
		    (size_t)out.released)), end + 1024);
	}
}
END_TEST

START_TEST(context_gzip_is_strict)
{
	struct scan_options o = context_of(BACKEND_PODMAN);

	tarball_file(&b, "Dockerfile", GOOD);
	tarball_end(&b);
	tarball_gzip(&packed, buf_str(&b), 0);
	expect_good(&o, buf_str(&packed));
	/* Cut, a second member, something behind it, a wrong sum. */
	expect_refused(&o, str_first(buf_str(&packed), packed.len - 1),
	    R_BUILD_CONTEXT, "ends early");
	packed.data[packed.len - 5] ^= 1;
	expect_refused(&o, buf_str(&packed), R_BUILD_CONTEXT, "broken");
	packed.data[packed.len - 5] ^= 1;
	buf_put_text(&packed, "x");
	expect_refused(&o, buf_str(&packed), R_BUILD_CONTEXT, "follows");
	packed.len--;
	tarball_gzip(&packed, STR("x"), 0);
	expect_refused(&o, buf_str(&packed), R_BUILD_CONTEXT, "follows");

	/* gzip inside gzip; zlib's own wrapping. */
	setup();
	tarball_gzip(&packed, STR("\x1f\x8b\x08 and so on"), 0);
	expect_refused(&o, buf_str(&packed), R_BUILD_CONTEXT, "no tar");
	expect_refused(&o, STR("\x1f\x9d\x90"), R_BUILD_CONTEXT, "broken");
}
END_TEST

START_TEST(context_growth_is_bounded)
{
	struct scan_options o = context_of(BACKEND_PODMAN);
	struct outcome out;

	/* A file of zeros, as people have them, is fine. */
	tarball_file(&b, "Dockerfile", GOOD);
	tarball_header(&b, "zeros", '0', 200 * 1024 * 1024, "");
	tarball_gzip(&packed, buf_str(&b), 200 * 1024 * 1024 + 1024);
	out = scan_in(&o, buf_str(&packed), 65536);
	ck_assert_msg(out.error == 0, "%s", out.refusal.text);

	/* But not without end. */
	setup();
	tarball_header(&b, "zeros", '0', UINT64_C(1) << 30, "");
	tarball_gzip(&packed, buf_str(&b), 300 * 1024 * 1024);
	out = scan_in(&o, buf_str(&packed), 65536);
	ck_assert_int_eq(out.error, -R_TOO_LARGE);
	ck_assert(strstr(out.refusal.text, "200 times") != NULL);
}
END_TEST

/* The scanner lets others have a turn, however much there is to inflate. */
START_TEST(context_takes_turns)
{
	struct scan_options o = context_of(BACKEND_PODMAN);
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
	struct scan_options o = context_of(BACKEND_DOCKER);

	tarball_file(&b, "Dockerfile", GOOD);
	for (size_t len = 0; len < b.len; len++)
		ck_assert_int_lt(scan_in(&o, str_first(buf_str(&b), len),
		    4096).error, 0);
}
END_TEST

/* Refused as soon as the Dockerfile is there, not at the end of the upload. */
START_TEST(context_is_refused_early)
{
	struct scan_options o = context_of(BACKEND_DOCKER);
	struct outcome out;
	size_t known;

	tarball_file(&b, "Dockerfile", BAD);
	known = b.len;
	tarball_file(&b, "other", "and more");
	out = scan_in(&o, buf_str(&b), 100);
	ck_assert_int_eq(out.error, -R_BUILD_CONTEXT);
	ck_assert_uint_le(out.taken, known + 100);
	ck_assert_str_eq(out.refusal.field, "Dockerfile:2");
}
END_TEST

/* Ten thousand links are remembered, and others are not mistaken for them. */
START_TEST(many_links)
{
	struct scan_options o = context_of(BACKEND_DOCKER);
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
	out = scan_in(&o, buf_str(&b), 65536);
	ck_assert_msg(out.error == 0, "%s", out.refusal.text);
	b.len -= 1024;
	tarball_file(&b, "bin/7777/x/y", "");
	out = scan_in(&o, buf_str(&b), 65536);
	ck_assert_int_eq(out.error, -R_BUILD_CONTEXT);
}
END_TEST

Suite *
scan_suite(void)
{
	Suite *suite = suite_create("scan");
	TCase *rows = tcase_create("rows"), *rest = tcase_create("rest");

	tcase_add_checked_fixture(rows, setup, setup);
	tcase_add_loop_test(rows, context_has_its_verdict, 0,
	    sizeof(contexts) / sizeof(*contexts));
	suite_add_tcase(suite, rows);
	tcase_add_checked_fixture(rest, setup, setup);
	tcase_add_test(rest, archive_of_plain_entries);
	tcase_add_test(rest, archive_with_devices);
	tcase_add_test(rest, archive_compressed);
	tcase_add_test(rest, context_arguments_count);
	tcase_add_test(rest, context_names_that_disagree);
	tcase_add_test(rest, context_bounds);
	tcase_add_test(rest, context_of_devices);
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
