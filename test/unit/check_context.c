/*
 * Build contexts: which of their files is the Dockerfile, and that it is what
 * was judged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "scanning.h"
#include "tarball.h"

Suite	*context_suite(void);

static struct buf b = BUF_INIT(TARBALL_MAX);
static struct buf packed = BUF_INIT(TARBALL_MAX);

static void
setup(void)
{
	buf_free(&b);
	buf_free(&packed);
}

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
		struct scan_options o = scanning_context(*e == 'd' ?
		    BACKEND_DOCKER : BACKEND_PODMAN);

		for (; o.dockerfile_count < 3 && contexts[_i].names[
		    o.dockerfile_count] != NULL; o.dockerfile_count++)
			o.dockerfile[o.dockerfile_count] = str_from(
			    contexts[_i].names[o.dockerfile_count]);
		for (int k = 0; k < 2; k++) {
			if (contexts[_i].refusal == NULL)
				scanning_good(&o, bytes[k]);
			else
				scanning_refused(&o, bytes[k], R_BUILD_CONTEXT,
				    contexts[_i].refusal);
		}
	}
}
END_TEST

START_TEST(context_arguments_count)
{
	static const struct pair args[] = { { { "B", 1 }, { "dir:/x", 6 } } };
	struct scan_options o = scanning_context(BACKEND_PODMAN);

	tarball_file(&b, "Dockerfile", "ARG B=busybox\nFROM $B\n");
	tarball_end(&b);
	scanning_good(&o, buf_str(&b));
	o.arg = args;
	o.arg_count = 1;
	scanning_refused(&o, buf_str(&b), R_BUILD_CONTEXT, "transport");
}
END_TEST

/* The headers of one entry name two files. */
START_TEST(context_names_that_disagree)
{
	struct scan_options o = scanning_context(BACKEND_DOCKER);

	tarball_file(&b, "Dockerfile", GOOD);
	tarball_meta(&b, 'x', STR("12 path=abc\n"));
	tarball_file(&b, "Dockerfile", BAD);
	tarball_end(&b);
	scanning_refused(&o, buf_str(&b), R_BUILD_CONTEXT, "two names");

	setup();
	tarball_meta(&b, 'x', STR("19 path=Dockerfile\n"));
	tarball_file(&b, "other", GOOD);
	tarball_end(&b);
	scanning_refused(&o, buf_str(&b), R_BUILD_CONTEXT, "two names");

	/* Writers that give long names put anything into the header. */
	setup();
	tarball_meta(&b, 'x', STR("12 path=\xc3\xa4" "b\n"));
	tarball_file(&b, "PaxHeader", "");
	tarball_meta(&b, 'x', STR("19 path=Dockerfile\n"));
	tarball_file(&b, "./Dockerfile", GOOD);
	tarball_end(&b);
	scanning_good(&o, buf_str(&b));
}
END_TEST

START_TEST(context_bounds)
{
	struct scan_options o = scanning_context(BACKEND_DOCKER);
	static char zeros[SCAN_TAIL_MAX];

	tarball_header(&b, "Dockerfile", '0', 1024 * 1024 + 1, "");
	scanning_refused(&o, buf_str(&b), R_TOO_LARGE, "larger than");

	setup();
	tarball_file(&b, "Dockerfile", GOOD);
	buf_put(&b, zeros, sizeof(zeros));
	scanning_good(&o, buf_str(&b));
	buf_put(&b, zeros, 1);
	scanning_refused(&o, buf_str(&b), R_TOO_LARGE, "zeros follow");
}
END_TEST

START_TEST(context_of_devices)
{
	struct scan_options o = scanning_context(BACKEND_DOCKER);

	tarball_file(&b, "Dockerfile", GOOD);
	tarball_entry(&b, "pipe\x1b[31m", '6', "");
	scanning_refused(&o, buf_str(&b), R_BUILD_CONTEXT, "fifos");
}
END_TEST

Suite *
context_suite(void)
{
	Suite *suite = suite_create("context");
	TCase *rows = tcase_create("rows"), *rest = tcase_create("rest");

	tcase_add_checked_fixture(rows, setup, setup);
	tcase_add_loop_test(rows, context_has_its_verdict, 0,
	    sizeof(contexts) / sizeof(*contexts));
	suite_add_tcase(suite, rows);
	tcase_add_checked_fixture(rest, setup, setup);
	tcase_add_test(rest, context_arguments_count);
	tcase_add_test(rest, context_names_that_disagree);
	tcase_add_test(rest, context_bounds);
	tcase_add_test(rest, context_of_devices);
	tcase_set_timeout(rest, 60);
	suite_add_tcase(suite, rest);
	return suite;
}
