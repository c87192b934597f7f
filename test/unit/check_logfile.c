/*
 * The log file: what it is never written into, its bound, its rotation.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <check.h>

#include "master/logfile.h"
#include "test/unit/tree.h"

static struct logfile log_file;
static struct fault fault;

static void
set_up(void)
{
	tree_make();
	memset(&fault, 0, sizeof(fault));
	log_file.fd = -1;
}

static void
tear_down(void)
{
	logfile_close(&log_file);
	tree_remove();
}

static int
open_at(const char *given)
{
	static const struct rundir nowhere = { .fd = -1 };
	static char path[512];	/* the name is kept */

	strncpy(path, given, sizeof(path) - 1);
	rundir_file(&nowhere, path, "", &log_file.at);
	return logfile_open(&log_file, &fault);
}

static int
open_log(const char *name)
{
	return open_at(tree_path(name));
}

static void
say(const char *text)
{
	ck_assert_int_eq(write(log_file.fd, text, strlen(text)),
	    (ssize_t)strlen(text));
}

static void
refused(const char *says)
{
	ck_assert_int_lt(open_log("log"), 0);
	ck_assert_int_eq(fault.code, FAULT_FAILED);
	ck_assert_msg(strstr(fault.text, says) != NULL, "\"%s\"", fault.text);
}

START_TEST(appends)
{
	struct stat st;

	tree_file("log", "old\n");
	tree_mode("log", 0600);
	ck_assert_int_eq(open_log("log"), 0);
	say("new\n");
	ck_assert_str_eq(tree_read("log"), "old\nnew\n");
	ck_assert_int_eq(fstat(log_file.fd, &st), 0);
	ck_assert_int_eq(fcntl(log_file.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}
END_TEST

START_TEST(refusals)
{
	tree_file("victim", "precious\n");
	tree_link("log", "victim");
	refused("symbolic link");
	unlink(tree_path("log"));
	ck_assert_int_eq(link(tree_path("victim"), tree_path("log")), 0);
	refused("hard link");
	unlink(tree_path("log"));
	ck_assert_int_eq(mkfifo(tree_path("log"), 0600), 0);
	/* Without a reader the open itself fails; never does it wait. */
	refused("");
	unlink(tree_path("log"));
	tree_dir("log");
	refused("directory");
	ck_assert_str_eq(tree_read("victim"), "precious\n");
	ck_assert_int_lt(open_log("none/log"), 0);
}
END_TEST

START_TEST(of_another_user)
{
	tree_file("log", "");
	if (!tree_give("log"))
		return;
	refused("belongs to somebody else");
}
END_TEST

START_TEST(bounded)
{
	int fd;

	ck_assert_int_eq(open_log("log"), 0);
	ck_assert_int_eq(log_file.max, LOGFILE_MAX);
	log_file.max = 8;
	say("1234567\n");
	ck_assert(!logfile_is_due(&log_file));
	say("first\n");
	ck_assert(logfile_is_due(&log_file));
	fd = log_file.fd;
	ck_assert(logfile_renew(&log_file));
	/* The same number, so that nobody has to be told in this process. */
	ck_assert_int_eq(log_file.fd, fd);
	ck_assert_int_eq(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	say("second\n");
	ck_assert_str_eq(tree_read("log"), "second\n");
	ck_assert_str_eq(tree_read("log.1"), "1234567\nfirst\n");
	/* One copy, never two. */
	say("third\n");
	ck_assert(logfile_renew(&log_file));
	ck_assert_str_eq(tree_read("log.1"), "second\nthird\n");
	ck_assert_str_eq(tree_read("log"), "");
}
END_TEST

START_TEST(bounded_where_it_cannot_be_renamed)
{
	ck_assert_int_eq(open_log("log"), 0);
	log_file.max = 8;
	tree_dir("log.1/x");
	say("1234567890\n");
	ck_assert(logfile_renew(&log_file));
	ck_assert_str_eq(tree_read("log"), "");
}
END_TEST

START_TEST(opened_again_when_it_is_gone)
{
	ck_assert_int_eq(open_log("log"), 0);
	say("lost\n");
	ck_assert(!logfile_is_due(&log_file));
	unlink(tree_path("log"));
	ck_assert(logfile_is_due(&log_file));
	ck_assert(logfile_renew(&log_file));
	say("kept\n");
	ck_assert_str_eq(tree_read("log"), "kept\n");
	ck_assert_int_ne(access(tree_path("log.1"), F_OK), 0);
}
END_TEST

START_TEST(a_link_put_there_later)
{
	tree_file("victim", "precious\n");
	ck_assert_int_eq(open_log("log"), 0);
	unlink(tree_path("log"));
	tree_link("log", "victim");
	ck_assert(!logfile_renew(&log_file));
	say("to the old file\n");
	ck_assert_str_eq(tree_read("victim"), "precious\n");
}
END_TEST

START_TEST(standard_error)
{
	ck_assert_int_eq(open_at("-"), 0);
	ck_assert_int_eq(log_file.fd, STDERR_FILENO);
	ck_assert(!logfile_is_due(&log_file));
	ck_assert(!logfile_renew(&log_file));
	logfile_close(&log_file);
	ck_assert_int_ge(fcntl(STDERR_FILENO, F_GETFD), 0);
}
END_TEST

Suite *logfile_suite(void);

Suite *
logfile_suite(void)
{
	Suite *s = suite_create("logfile");
	TCase *c = tcase_create("logfile");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, appends);
	tcase_add_test(c, refusals);
	tcase_add_test(c, of_another_user);
	tcase_add_test(c, bounded);
	tcase_add_test(c, bounded_where_it_cannot_be_renamed);
	tcase_add_test(c, opened_again_when_it_is_gone);
	tcase_add_test(c, a_link_put_there_later);
	tcase_add_test(c, standard_error);
	suite_add_tcase(s, c);
	return s;
}
