/*
 * The gateway's own podman service: a socket that no path leads to, a worker
 * that dials it, and which podman may be started at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <check.h>

#include "common/log.h"
#include "common/reason.h"
#include "common/sandbox.h"
#include "embedded/unnamed.h"
#include "master/podman.h"
#include "scene.h"
#include "tree.h"

Suite	*embedded_suite(void);

/* ---- the socket ----------------------------------------------------------- */

static void
set_up_tree(void)
{
	tree_make();
	log_init("unit", LOG_ERROR);
}

static int
dial(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strncpy(to.sun_path, path, sizeof(to.sun_path) - 1);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	close(fd);
	return -errno;
}

/* A system that grants no mount: the socket has a name, for an instant. */
static void
forbid_mounts(void)
{
	static const struct sandbox_call calls[] = { { "fsopen" } };

	ck_assert_int_ge(sandbox_load(SANDBOX_DENY, calls, 1), 0);
}

START_TEST(handle_is_the_only_way)
{
	struct sockaddr_un at;
	socklen_t len = sizeof(at);
	struct unnamed u;
	char path[UNNAMED_PATH];
	struct stat st;
	int fd;

	/* As embedded is, for good. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (_i == 1)
		forbid_mounts();
	ck_assert_int_eq(unnamed_make(tree_path(""), &u), 0);
	ck_assert_int_eq(fstat(u.handle, &st), 0);
	ck_assert(S_ISSOCK(st.st_mode));
	ck_assert_uint_eq(st.st_nlink, 0);
	ck_assert_uint_eq(st.st_uid, geteuid());
	ck_assert_int_eq(getsockname(u.socket, (struct sockaddr *)&at, &len),
	    0);
	ck_assert_int_ne(access(at.sun_path, F_OK), 0);
	/* Not even that, before somebody listens. */
	unnamed_path(u.handle, path);
	ck_assert_int_eq(dial(path), -ECONNREFUSED);
	ck_assert_int_eq(listen(u.socket, 1), 0);
	fd = dial(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_lt(dial(at.sun_path), 0);
	close(u.socket);
	ck_assert_int_eq(dial(path), -ECONNREFUSED);
	close(u.handle);
	/* Where it was made, nothing is left. */
	ck_assert_int_eq(rmdir(tree_path("")), 0);
}
END_TEST

START_TEST(nowhere_to_make_it)
{
	struct unnamed u;

	forbid_mounts();
	if (unnamed_make(tree_path("absent"), &u) == 0) {
		/* Built without seccomp: nothing was forbidden. */
		close(u.socket);
		close(u.handle);
		return;
	}
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(u.socket, -1);
	ck_assert_int_eq(u.handle, -1);
}
END_TEST

/* ---- a worker ------------------------------------------------------------- */

/* The daemon of the rig gets a socket without a name; its handle. */
static int
unname_daemon(void)
{
	struct unnamed u;

	ck_assert_int_eq(unnamed_make("/tmp", &u), 0);
	ck_assert_int_eq(listen(u.socket, 8), 0);
	if (rig.daemon >= 0)
		close(rig.daemon);
	rig.daemon = u.socket;
	return u.handle;
}

static void
is_asked_for(enum face face)
{
	struct rig_frame f = rig_master_expect(PROTO_REDISCOVER);
	struct msg_rediscover m;

	ck_assert_int_eq(msg_get_rediscover(f.payload, &m), 0);
	ck_assert_uint_eq(m.face, face);
}

static void
serve_once(struct scene *s)
{
	s->daemon = rig_daemon();
	rig_want(s->daemon, SCENE_GET);
	rig_put(s->daemon, SCENE_OK);
	rig_answer(s->client, 200);
	close(s->daemon);
	close(s->client);
}

/* Confined as it is, it dials by its descriptor alone. */
START_TEST(worker_dials_the_handle)
{
	int channel = rig_service_channel(), handle = unname_daemon();
	struct scene s;

	rig_service(channel, handle);
	rig_backends(BACKEND_EMBEDDED, BACKEND_PODMAN, 41);
	rig_ping();
	s = scene_asked();
	rig_forward(s.id, FORWARD_BODY_NONE, FORWARD_RELAY, 0, SCENE_GET, "");
	serve_once(&s);
	close(handle);

	/* The service dies and comes back elsewhere. */
	rig_daemon_stop();
	s = scene_asked();
	rig_forward(s.id, FORWARD_BODY_NONE, FORWARD_RELAY, 0, SCENE_GET, "");
	is_asked_for(FACE_DOCKER);
	handle = unname_daemon();
	rig_service(channel, handle);
	rig_backends(BACKEND_EMBEDDED, BACKEND_PODMAN, 41);
	serve_once(&s);
	close(handle);
	close(channel);
}
END_TEST

START_TEST(worker_without_a_handle)
{
	static const char *const wanted[] = { "does not answer yet",
		"no storage; see what podman info says" };
	struct msg_backends m = { .generation = 99 };
	struct buf b = BUF_INIT(4096);
	struct scene s;

	for (int i = 0; i < FACE_COUNT; i++)
		m.face[i] = (struct backend){ BACKEND_PODMAN, 1, 41,
			{ 4, 3, 1 }, STR(BACKEND_EMBEDDED) };
	if (_i == 1)
		m.note = STR("no storage");
	msg_put_backends(&b, &m);
	rig_master_send(PROTO_BACKENDS, buf_str(&b));
	rig_ping();
	s = scene_asked();
	rig_forward(s.id, FORWARD_BODY_NONE, FORWARD_RELAY, 0, SCENE_GET, "");
	is_asked_for(FACE_DOCKER);
	rig_master_send(PROTO_BACKENDS, buf_str(&b));
	scene_refused(s.client, 503, wanted[_i]);
	buf_free(&b);
	close(s.client);
}
END_TEST

/* embedded's end, a new one, and one that breaks the contract. */
START_TEST(channels_come_and_go)
{
	int channel = rig_service_channel(), handle = unname_daemon();
	int before, again;

	rig_service(channel, handle);
	rig_ping();
	before = rig_descriptors();
	again = rig_service_channel();
	ck_assert(rig_is_gone(channel));
	close(channel);
	rig_service(again, handle);
	rig_ping();
	ck_assert_int_eq(rig_descriptors(), before);
	rig_put(again, "this is no frame of the contract");
	ck_assert(rig_is_gone(again));
	close(again);
	close(handle);
	rig_ping();
	ck_assert_int_eq(rig_descriptors(), before - 2);
}
END_TEST

/* ---- which podman --------------------------------------------------------- */

static struct project project;
static struct fault fault;
static char found[PATH_MAX];

static int
check(const char *name)
{
	memset(&fault, 0, sizeof(fault));
	return podman_check(&project, name, found, &fault);
}

static void
refused_for(const char *name, const char *why)
{
	ck_assert_int_lt(check(name), 0);
	ck_assert_msg(strstr(fault.text, why) != NULL, "%s", fault.text);
}

START_TEST(which_podman)
{
	char real[PATH_MAX], *extra[] = { (char[]){ "/usr" } };

	snprintf(project.path, sizeof(project.path), "%s", tree_path("p"));
	snprintf(project.bind_root, sizeof(project.bind_root), "%s",
	    tree_path("p"));
	project.extra_count = 0;
	ck_assert_ptr_nonnull(realpath("/usr/bin/env", real));
	ck_assert_int_eq(check("/usr/bin/env"), 0);
	ck_assert_str_eq(found, real);
	refused_for(tree_path("absent"), strerror(ENOENT));
	/* Anybody may make files in /tmp. */
	tree_file("podman", "#!/bin/sh\n");
	tree_mode("podman", 0755);
	refused_for(tree_path("podman"), "others than root may write /tmp");
	refused_for("/etc/passwd", strerror(EACCES));
	/* A link does not help. */
	tree_link("link", "/usr/bin/env");
	ck_assert_int_eq(check(tree_path("link")), 0);
	ck_assert_str_eq(found, real);
	project.extra_root[0] = extra[0];
	project.extra_count = 1;
	refused_for("/usr/bin/env", "containers may mount it");
	project.extra_count = 0;
	snprintf(project.bind_root, sizeof(project.bind_root), "/");
	refused_for("/usr/bin/env", "containers may mount it");
}
END_TEST

START_TEST(places)
{
	size_t n = 0;

	while (podman_place(n) != NULL)
		ck_assert_int_eq(podman_place(n++)[0], '/');
	ck_assert_uint_ge(n, 2);
}
END_TEST

Suite *
embedded_suite(void)
{
	Suite *s = suite_create("embedded");
	TCase *alone = tcase_create("alone"), *worker = tcase_create("worker");

	tcase_add_checked_fixture(alone, set_up_tree, tree_remove);
	tcase_add_loop_test(alone, handle_is_the_only_way, 0, 2);
	tcase_add_test(alone, nowhere_to_make_it);
	tcase_add_test(alone, which_podman);
	tcase_add_test(alone, places);
	suite_add_tcase(s, alone);
	tcase_add_checked_fixture(worker, rig_start, rig_stop);
	tcase_add_test(worker, worker_dials_the_handle);
	tcase_add_loop_test(worker, worker_without_a_handle, 0, 2);
	tcase_add_test(worker, channels_come_and_go);
	suite_add_tcase(s, worker);
	return s;
}
