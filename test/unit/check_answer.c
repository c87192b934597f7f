/*
 * The daemon's answers: what passes unchanged, what is told in our words, what
 * of others is taken out, which ids are learnt, and what nobody can judge.
 */
#include <check.h>

#include "common/setting.h"
#include "test/policy/cases.h"

Suite	*answer_suite(void);

#define ZEROES	"00000000000000000000000000000000000000000000000000000000"
#define NEW	"99990001" ZEROES
#define OTHER	"fe102938" ZEROES
#define OURS	"{\"" PROJECT_LABEL "\":\"" WORLD_SLUG "\"}"
#define OTHERS	"{\"" PROJECT_LABEL "\":\"otherproj\"}"
#define CREATE	"POST /v1.41/containers/create?name=web"
#define PODMAN	"DELETE /v4.3.1/libpod"
#define BUILD	"POST /v1.41/build?t=a"
#define EXEC	"POST /v1.41/containers/own/exec"

enum { UNCHANGED, CHANGED, REFUSED };

static const struct row {
	const char	*request;
	const char	*body;		/* of the request */
	uint16_t	 status;	/* of the answer */
	const char	*answer;
	int		 outcome;
	const char	*text;		/* CHANGED: in the body */
	const char	*learnt;	/* id, or NULL */
} rows[] = {
	/* Ids of what was made. */
	{ CREATE, "{\"Image\":\"a\"}", 201,
	    "{\"Id\":\"" NEW "\",\"Warnings\":[]}\n", UNCHANGED, NULL, NEW },
	{ EXEC, "{\"Cmd\":[\"id\"]}", 201, "{\"Id\":\"" NEW "\"}\n",
	    UNCHANGED, NULL, NEW },
	{ "POST /v1.41/containers/own/rename?name=b", "-", 204, "",
	    UNCHANGED, NULL, NULL },
	{ CREATE, "{\"Image\":\"a\"}", 404,
	    "{\"message\":\"No such image: a:latest\"}\n", UNCHANGED, NULL,
	    NULL },
	{ EXEC, "{\"Cmd\":[\"id\"]}", 409,
	    "{\"message\":\"Container is not running\"}\n", UNCHANGED, NULL,
	    NULL },
	/* Made, and not to be confirmed. */
	{ CREATE, "{\"Image\":\"a\"}", 201, "", REFUSED, NULL, NULL },
	{ CREATE, "{\"Image\":\"a\"}", 201, "<html>", REFUSED, NULL, NULL },
	{ CREATE, "{\"Image\":\"a\"}", 201, "[]", REFUSED, NULL, NULL },
	{ CREATE, "{\"Image\":\"a\"}", 201, "{\"Id\":", REFUSED, NULL, NULL },
	{ CREATE, "{\"Image\":\"a\"}", 201, "{\"Id\":7}", REFUSED, NULL,
	    NULL },
	{ EXEC, "{\"Cmd\":[\"id\"]}", 201, "{}", REFUSED, NULL, NULL },
	/* What is no full id is not remembered. */
	{ CREATE, "{\"Image\":\"a\"}", 201, "{\"Id\":\"abc\"}", UNCHANGED,
	    NULL, NULL },
	/* A conflict names whoever has the name. */
	{ CREATE, "{\"Image\":\"a\"}", 409, "{\"message\":\"Conflict. The "
	    "container name \\\"/web\\\" is already in use by container \\\""
	    OTHER "\\\".\"}\n", CHANGED, "name-conflict", NULL },
	{ "POST /v1.41/containers/own/rename?name=web", "-", 409,
	    "{\"message\":\"already in use by " OTHER "\"}\n", CHANGED,
	    "name-conflict", NULL },
	{ "POST /v1.41/networks/create", "{\"Name\":\"n\"}", 409,
	    "{\"message\":\"network with name n already exists\"}\n", CHANGED,
	    "name-conflict", NULL },
	{ "POST /v1.41/networks/create", "{\"Name\":\"n\"}", 201,
	    "{\"Id\":\"" NEW "\",\"Warning\":\"\"}\n", UNCHANGED, NULL, NULL },
	/* Whoever uses an image is not named. */
	{ "DELETE /v1.41/images/own-image:t", "-", 409, "{\"message\":"
	    "\"conflict: unable to delete 0c7f9df7c079 (cannot be forced) - "
	    "image is being used by running container " OTHER "\"}\n", CHANGED,
	    "{\"message\":\"container-gateway: image-in-use: a container", NULL },
	{ "DELETE /v1.41/images/own-image:t", "-", 500, "{\"message\":"
	    "\"container " OTHER " is in the way\"}\n", CHANGED,
	    "image-in-use", NULL },
	{ "DELETE /v1.41/images/own-image:t", "-", 500,
	    "{\"message\":\"no space left\"}\n", UNCHANGED, NULL, NULL },
	{ "DELETE /v1.41/images/own-image:t", "-", 200,
	    "[{\"Untagged\":\"container:t\"}]\n", UNCHANGED, NULL, NULL },
	{ PODMAN "/images/own-image:t", "-", 409, "{\"cause\":\"image is in "
	    "use by a container\",\"message\":\"image used by " OTHER
	    "\",\"response\":409}", CHANGED, "\"cause\":\"image-in-use\"",
	    NULL },
	{ PODMAN "/images/remove?images=own-image:t", "-", 200,
	    "{\"ExitCode\":2,\"Errors\":[\"image used by " OTHER
	    ": image is in use by a container\",\"x: image not known\"]}",
	    CHANGED, "leave it to the operator\",\"x: image not known\"]", NULL },
	{ PODMAN "/images/remove?images=own-image:t", "-", 200,
	    "{\"Untagged\":[\"a\"],\"ExitCode\":0,\"Errors\":null}", CHANGED,
	    "{\"Untagged\":[\"a\"],\"ExitCode\":0,\"Errors\":null}", NULL },
	{ PODMAN "/images/remove?images=own-image:t", "-", 200, "x", REFUSED,
	    NULL, NULL },
	/* A volume that somebody else was faster with. */
	{ "POST /v1.41/volumes/create", "{\"Name\":\"new\"}", 201,
	    "{\"Name\":\"new\",\"Labels\":" OURS "}", UNCHANGED, NULL, NULL },
	{ "POST /v1.41/volumes/create", "{\"Name\":\"new\"}", 201,
	    "{\"Name\":\"new\",\"Labels\":" OTHERS "}", REFUSED, NULL, NULL },
	{ "POST /v1.41/volumes/create", "{\"Name\":\"new\"}", 201,
	    "{\"Name\":\"new\",\"Labels\":null}", REFUSED, NULL, NULL },
	{ "POST /v1.41/volumes/create", "{\"Name\":\"new\"}", 201, "x",
	    REFUSED, NULL, NULL },
	{ "POST /v1.41/volumes/create", "{\"Name\":\"new\"}", 500,
	    "{\"message\":\"x\"}", UNCHANGED, NULL, NULL },
	/* Who is on a predefined network is nobody's business. */
	{ "GET /v1.41/networks/bridge", "-", 200, "{\"Name\":\"bridge\","
	    "\"Containers\":{\"" OTHER "\":{\"Name\":\"foreign\"}},"
	    "\"Peers\":[],\"Driver\":\"bridge\"}", CHANGED,
	    "{\"Name\":\"bridge\",\"Containers\":{},\"Driver\":\"bridge\"}",
	    NULL },
	{ "GET /v1.41/networks/bridge", "-", 200, "[]", REFUSED, NULL, NULL },
	{ "GET /v1.41/networks/bridge", "-", 404, "{\"message\":\"x\"}",
	    UNCHANGED, NULL, NULL },
	{ "GET /v1.41/networks/own-net", "-", 200,
	    "{\"Containers\":{\"" NEW "\":{}}}", UNCHANGED, NULL, NULL },
	/* The disk's use, without that of others. */
	{ "GET /v1.41/system/df", "-", 200, "{\"LayersSize\":5,\"Images\":"
	    "[{\"Id\":\"i\",\"Labels\":" OTHERS "}],\"Containers\":["
	    "{\"Id\":\"a\",\"Labels\":" OURS "},{\"Id\":\"" OTHER
	    "\",\"Labels\":" OTHERS "},{\"Id\":\"c\",\"Labels\":null},"
	    "{\"Id\":\"d\"}],\"Volumes\":[{\"Name\":\"v\",\"Labels\":" OURS
	    "},{\"Name\":\"foreign\",\"Labels\":{}}],\"BuildCache\":"
	    "[{\"ID\":\"foreign\"}],\"New\":[\"foreign\"]}", CHANGED,
	    "\"Containers\":[{\"Id\":\"a\",", NULL },
	{ "GET /v1.41/system/df", "-", 200, "nonsense", REFUSED, NULL, NULL },
	{ "GET /v1.41/system/df", "-", 500, "{\"message\":\"x\"}", UNCHANGED,
	    NULL, NULL },
	/* docker's clients look for the id in docker's own words. */
	{ BUILD, "x", 200, "{\"stream\":\"" NEW "\\n\"}", CHANGED,
	    "{\"aux\":{\"ID\":\"sha256:" NEW "\"}}\n{\"stream\":"
	    "\"Successfully built 999900010000\\n\"}\n", NULL },
	{ BUILD, "x", 200, "{\"stream\":\"STEP 1/2: FROM a\\n\"}", UNCHANGED,
	    NULL, NULL },
	{ BUILD, "x", 200, "{\"stream\":\"" NEW "\"}", UNCHANGED, NULL, NULL },
	{ BUILD, "x", 200, "{\"stream\":\"" NEW "0\\n\"}", UNCHANGED, NULL,
	    NULL },
	{ BUILD, "x", 200, "{\"error\":\"" NEW "\\n\"}", UNCHANGED, NULL,
	    NULL },
	{ BUILD, "x", 200, "\"stream\"", UNCHANGED, NULL, NULL },
	{ BUILD, "x", 200, "{\"stream\":", UNCHANGED, NULL, NULL },
	{ BUILD, "x", 500, "{\"stream\":\"" NEW "\\n\"}", UNCHANGED, NULL,
	    NULL },
};

static struct str
given_of(const char *request)
{
	if (str_is(str_from(request), BUILD))
		return STR("backend=podman");
	return str_starts(str_from(request), PODMAN) ? STR("face=podman | "
	    "backend=podman") : STR_NONE;
}

static bool
contains(struct str text, const char *part)
{
	return memmem(text.data, text.len, part, strlen(part)) != NULL;
}

START_TEST(answer_judged)
{
	const struct row *want = &rows[_i];
	struct policy_case c = { .file = "answer", .name = want->request,
		.request = str_from(want->request),
		.body = str_from(want->body),
		.given = given_of(want->request) };
	struct msg_response response = { .status = want->status,
		.body = str_from(want->answer) };
	struct id_set *learnt = ids_new(64);
	struct msg_answer answer;
	struct case_file file;
	struct case_run run;
	struct str parent;
	int error;

	cases_run(&c, &run);
	ck_assert_msg(run.verdict->kind == VERDICT_FORWARD, "%.*s",
	    STR_FMT(run.out));
	response.is_line = run.verdict->forward.response_mode ==
	    FORWARD_JUDGE_LINES;
	if (!response.is_line)
		ck_assert_uint_eq(run.verdict->forward.response_mode,
		    FORWARD_JUDGE);
	file = (struct case_file){ .settings = &run.world.settings,
		.request = &run.request, .facts = &run.world.facts };
	error = decide_answer(&file, &run.verdict->memo, &response, &run.arena,
	    learnt, &answer);
	if (want->outcome == REFUSED)
		ck_assert_int_lt(error, 0);
	else
		ck_assert_int_eq(error, 0);
	if (want->outcome == UNCHANGED) {
		ck_assert_uint_eq(answer.flags, ANSWER_UNCHANGED);
		ck_assert_uint_eq(answer.body.len, 0);
	}
	if (want->outcome == CHANGED) {
		ck_assert_msg(contains(answer.body, want->text), "%.*s",
		    STR_FMT(answer.body));
		ck_assert(!contains(answer.body, OTHER) &&
		    !contains(answer.body, "foreign"));
		ck_assert_uint_eq(answer.flags, 0);
	}
	if (want->learnt != NULL)
		ck_assert(ids_find(learnt, str_from(want->learnt), &parent));
	ck_assert(!ids_find(learnt, STR(OTHER), &parent));
	ids_free(learnt);
	cases_run_free(&run);
}
END_TEST

/* An exec is learnt with its container: else it would pass for one. */
START_TEST(exec_has_its_parent)
{
	struct policy_case c = { .file = "answer", .name = EXEC,
		.request = STR(EXEC), .body = STR("{\"Cmd\":[\"id\"]}") };
	struct msg_response response = { .status = 201,
		.body = STR("{\"Id\":\"" NEW "\"}") };
	struct id_set *learnt = ids_new(64);
	struct msg_answer answer;
	struct case_file file;
	struct case_run run;
	struct str parent;

	cases_run(&c, &run);
	file = (struct case_file){ .settings = &run.world.settings,
		.request = &run.request, .facts = &run.world.facts };
	ck_assert_int_eq(decide_answer(&file, &run.verdict->memo, &response,
	    &run.arena, learnt, &answer), 0);
	ck_assert(ids_find(learnt, STR(NEW), &parent));
	ck_assert(str_equal(parent, world_expand(&run.arena,
	    STR("{OWN_ID}"))));
	ids_free(learnt);
	cases_run_free(&run);
}
END_TEST

Suite *
answer_suite(void)
{
	Suite *suite = suite_create("answer");
	TCase *tc = tcase_create("answers");

	tcase_add_loop_test(tc, answer_judged, 0,
	    sizeof(rows) / sizeof(*rows));
	tcase_add_test(tc, exec_has_its_parent);
	suite_add_tcase(suite, tc);
	return suite;
}
