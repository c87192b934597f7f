/*
 * A whole request through the judge, with the world's facts or with broken
 * ones.  Beyond not crashing: every verdict is sound (one printable line, or a
 * head of one reading and strict JSON), what goes out comes out the same when
 * it is judged again, and whatever the input no container leaves here that
 * shares the host.
 *
 *	byte 0	what the world is	byte 1	seed of broken facts
 *	then	METHOD TARGET \n  (NAME: VALUE \n)*  \n  body
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/setting.h"
#include "policyd/checks.h"
#include "test/policy/sound.h"

int	 LLVMFuzzerTestOneInput(const uint8_t *, size_t);

enum {
	WORLD_PODMAN = 1, WORLD_PODMAN_SOCKET = 2, WORLD_EGRESS = 4,
	WORLD_KNOWN = 8, WORLD_CHUNKED = 16, WORLD_NEWER = 32,
	WORLD_LOADS = 64, WORLD_BROKEN = 128
};

static void
die(const char *what, const struct case_run *run)
{
	fprintf(stderr, "%s:\n%.*s\n", what, STR_FMT(run->out));
	abort();
}

static uint32_t
next(struct world *w)
{
	w->seed = w->seed * 1664525u + 1013904223u;
	return w->seed >> 8;
}

/* The same question gets the same answer, whenever it is asked. */
static void
seed_by(struct world *w, struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		w->seed = (w->seed ^ (unsigned char)text.data[i]) * 16777619u;
}

static void
break_path(struct world *w, struct fact *fact)
{
	static const char *const paths[] = { "/", "/etc", WORLD_PROJECT,
		WORLD_PROJECT "/sub", WORLD_RUN_DIR, "/run/docker.sock", "" };

	fact->path_kind = (uint8_t)(next(w) % 6);
	fact->text = str_from(paths[next(w) % 7]);
}

static void
break_http(struct world *w, struct fact *fact)
{
	static const uint16_t statuses[] = { 0, 200, 201, 204, 301, 404, 409,
		500 };
	char *copy = arena_text(&w->keep, fact->text);
	size_t n = fact->text.len;

	if (next(w) % 2 == 0)
		fact->status = statuses[next(w) % 8];
	if (n > 0 && next(w) % 4 == 0)
		n = next(w) % n;
	if (n > 0 && next(w) % 2 == 0)
		copy[next(w) % n] = (char)next(w);
	fact->text = (struct str){ copy, n };
}

static void
twist(struct world *w, const struct fact_ask *ask, struct fact *fact)
{
	uint32_t seed = w->seed;

	seed_by(w, ask->text);
	if (next(w) % 3 == 0) {
		if (ask->kind == FACT_PATH)
			break_path(w, fact);
		else if (ask->kind == EFFECT_MKDIR)
			fact->status = next(w) % 2 ? 200 : 0;
		else
			break_http(w, fact);
	}
	w->seed = seed;
}

static void
make_world(struct world *w, uint8_t what, uint8_t seed)
{
	struct msg_egress *e = &w->settings.egress;

	world_init(w);
	if ((what & WORLD_PODMAN) != 0) {
		w->backend.kind = BACKEND_PODMAN;
		w->backend.libpod[0] = 4;
		w->backend.libpod[1] = 3;
		w->backend.libpod[2] = 1;
	}
	if ((what & WORLD_PODMAN_SOCKET) != 0)
		w->face = FACE_PODMAN;
	if ((what & WORLD_EGRESS) != 0) {
		e->mode = EGRESS_INJECT;
		e->answers[FACE_DOCKER] = e->answers[FACE_PODMAN] = 1;
	}
	if ((what & WORLD_NEWER) != 0)
		w->backend.api_minor = 50;
	w->settings.image_load = (what & WORLD_LOADS) != 0;
	if ((what & WORLD_BROKEN) != 0)
		w->twist = twist;
	w->seed = seed;
}

static struct str
take_line(struct str *left)
{
	struct str line = str_first(*left, str_find(*left, '\n'));

	*left = str_skip(*left, line.len + 1);
	return line;
}

static void
make_request(struct case_run *run, uint8_t what, struct str left)
{
	struct msg_request *r = &run->request;
	struct str line = take_line(&left);

	r->method = str_first(line, str_find(line, ' '));
	r->target = str_skip(line, r->method.len + 1);
	while ((line = take_line(&left)).len > 0 && r->header_count < 16) {
		struct pair *h = &r->header[r->header_count++];

		h->name = str_first(line, str_find(line, ':'));
		h->value = str_skip(line, h->name.len + 2);
	}
	run->body = left;
	r->body_length = left.len;
	r->body_kind = (what & WORLD_CHUNKED) != 0 ? BODY_CHUNKED :
	    left.len > 0 ? BODY_LENGTH : BODY_NONE;
	r->face = run->world.face;
	r->backend = run->world.backend;
}

static bool
is_below_roots(struct str path)
{
	static const char *const roots[] = { WORLD_PROJECT, WORLD_EXTRA };

	for (size_t i = 0; i < 2; i++) {
		struct str rest = str_skip(path, strlen(roots[i]));

		if (str_starts(path, roots[i]) && (rest.len == 0 ||
		    rest.data[0] == '/' || rest.data[0] == ':'))
			return true;
	}
	return false;
}

static const char *const never[] = { "Privileged", "CapAdd", "Devices",
	"DeviceRequests", "DeviceCgroupRules", "Sysctls", "CgroupParent",
	"Runtime", "MaskedPaths", "ReadonlyPaths", "OomKillDisable" };

/* A container of the compat API as it goes out. */
static void
check_container(struct case_run *run)
{
	struct json_object *body = json_tokener_parse(arena_text(
	    &run->arena, run->verdict->forward.body));
	struct json_object *host = check_member(body, "HostConfig");
	struct json_object *binds = check_member(host, "Binds");
	struct json_object *mounts = check_member(host, "Mounts");

	if (!json_object_is_type(host, json_type_object))
		die("no HostConfig", run);
	if (!str_is(check_member_str(check_member(body, "Labels"),
	    PROJECT_LABEL), WORLD_SLUG))
		die("without the project's label", run);
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		if (!walk_is_zero(check_member(host, never[i])))
			die(never[i], run);
	for (size_t i = 0; binds != NULL && i < json_object_array_length(
	    binds); i++) {
		struct str bind = judge_str(json_object_array_get_idx(binds,
		    i));

		if (bind.len == 0 || (bind.data[0] == '/' &&
		    !is_below_roots(bind)))
			die("a bind outside", run);
	}
	for (size_t i = 0; mounts != NULL && i < json_object_array_length(
	    mounts); i++) {
		struct json_object *one = json_object_array_get_idx(mounts, i);

		if (str_is(check_member_str(one, "Type"), "bind") &&
		    !is_below_roots(check_member_str(one, "Source")))
			die("a mount outside", run);
	}
	if (str_is(check_member_str(host, "NetworkMode"), "host") ||
	    str_is(check_member_str(host, "PidMode"), "host") ||
	    str_is(check_member_str(host, "IpcMode"), "host"))
		die("a namespace of the host", run);
	json_object_put(body);
}

static void
check_forward(struct case_run *run)
{
	const struct verdict *v = run->verdict;

	if (v->row != NULL && strcmp(v->row, "/containers/create") == 0 &&
	    memmem(v->forward.head.data, v->forward.head.len, "/libpod/", 8) ==
	    NULL)
		check_container(run);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct case_run run;
	const char *bad;

	if (size < 2)
		return 0;
	memset(&run, 0, sizeof(run));
	arena_init(&run.arena, JUDGE_ARENA_MAX);
	make_world(&run.world, data[0], data[1]);
	make_request(&run, data[0], (struct str){ (const char *)data + 2,
	    size - 2 });
	run.verdict = world_decide(&run.world, &run.request, run.body);
	run.out = run.verdict->kind == VERDICT_DENY ? run.verdict->deny.text :
	    run.verdict->forward.head;
	bad = run.world.twist != NULL ? sound_verdict(run.verdict) : NULL;
	if (run.verdict->kind == VERDICT_FORWARD && run.world.twist == NULL)
		check_forward(&run);
	if (run.world.twist == NULL)
		bad = sound_check(&run);
	if (bad != NULL)
		die(bad, &run);
	cases_run_free(&run);
	return 0;
}
