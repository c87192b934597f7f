/*
 * One HTTP request, judged by policyd's own code, not sent.  What the judge has
 * to look up on the host or the daemon is looked up; what it would have made is
 * not made.
 *
 * A program of its own, run by hookctl explain: in hookctl the judge's tables
 * would have to be relocated before each shell command of the agent.
 *
 *	explain GATEWAY-PROGRAM PROJECT docker|podman text|json [FILE]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/setting.h"
#include "hookctl/cli.h"
#include "hookctl/explain/lookup.h"
#include "hookctl/explain/print.h"
#include "hookctl/json.h"
#include "hookctl/paint.h"
#include "hookctl/service.h"
#include "worker/http_head.h"

enum { EXPLAIN_UNDECIDED = 3 };

/* All that one explanation holds. */
struct explaining {
	struct trust		 trust;
	struct gateway		 gateway;
	struct arena		 arena;
	struct settings		 settings;
	struct msg_request	 request;
	struct case_file	 file;
	struct fact_store	 facts;
	struct verdict		 verdict;
	const char		*backend;	/* socket, or NULL */
	struct str		 unanswered;	/* a look-up that was not made */
};

static int
read_all(const struct cli *cli, struct buf *text)
{
	const char *name = cli->rest[0];
	char chunk[16 * 1024];
	ssize_t n;
	int fd = name == NULL || strcmp(name, "-") == 0 ? STDIN_FILENO :
	    open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		buf_put(text, chunk, (size_t)n);
	if (fd != STDIN_FILENO)
		close(fd);
	return n < 0 || text->failed ? -1 : 0;
}

/*
 * Requests written by hand end their lines with LF, and count no bytes: made
 * into what a client would have sent.  Others stay as they are.
 */
static void
normalise(struct str text, struct buf *out)
{
	size_t first = str_find(text, '\n');
	bool has_framing = false;

	if (first > 0 && first < text.len && text.data[first - 1] == '\r') {
		buf_put_str(out, text);
		return;
	}
	while (text.len > 0 && text.data[0] != '\n') {
		struct str line = str_first(text, str_find(text, '\n'));

		has_framing = has_framing || str_equal_nocase(str_first(line,
		    15), STR("Content-Length:")) || str_equal_nocase(
		    str_first(line, 18), STR("Transfer-Encoding:"));
		buf_put_str(out, line);
		/* GET /path is enough. */
		if (out->len == line.len && memmem(line.data, line.len,
		    " HTTP/", 6) == NULL)
			buf_put_text(out, " HTTP/1.1");
		buf_put_text(out, "\r\n");
		text = str_skip(text, line.len + 1);
	}
	text = str_skip(text, 1);
	while (str_ends(text, "\n"))
		text.len--;
	if (memmem(out->data, out->len, "\nHost:", 6) == NULL)
		buf_put_text(out, "Host: docker\r\n");
	if (text.len > 0 && !has_framing)
		buf_printf(out, "Content-Length: %zu\r\n", text.len);
	buf_put_text(out, "\r\n");
	buf_put_str(out, text);
}

/* Head and body of the text; 0, or a negative reason. */
static int
parse_request(struct explaining *e, struct str text)
{
	static struct http_head head;
	struct msg_request *r = &e->request;
	int got;

	http_head_init(&head);
	got = http_head_feed(&head, text);
	if (got <= 0)
		return got < 0 ? got : -R_BAD_REQUEST;
	r->method = http_span_str(text.data, head.method);
	r->target = http_span_str(text.data, head.target);
	r->header_count = head.field_count;
	for (uint32_t i = 0; i < head.field_count; i++) {
		r->header[i].name = http_span_str(text.data,
		    head.field[i].name);
		r->header[i].value = http_span_str(text.data,
		    head.field[i].value);
	}
	r->body_kind = head.body_kind;
	r->body_length = head.body_length;
	e->file.body = str_skip(text, head.size);
	if (r->body_kind == BODY_LENGTH)
		e->file.body = str_first(e->file.body, head.body_length);
	/* A file holds bodies as they are, not in chunks. */
	r->body_length = e->file.body.len;
	return 0;
}

static void
add_path(struct path_list *list, const char *path)
{
	if (list->count < SETTINGS_PATHS_MAX)
		list->path[list->count++] = str_from(path);
}

/* Off where no gateway serves: whether a proxy answers, nobody asked. */
static void
make_egress(struct explaining *e)
{
	static const char *const modes[] = {
		[EGRESS_INJECT] = "inject-if-available",
		[EGRESS_REQUIRE] = "require",
	}, *const faces[FACE_COUNT] = { "docker", "podman" };
	struct json_object *status = json_get(e->gateway.status, "egress");
	const char *mode = json_get_text(status, "mode");
	struct msg_egress *egress = &e->settings.egress;

	egress->mode = EGRESS_OFF;
	for (uint8_t i = 0; i < 2 && mode != NULL; i++)
		if (strcmp(mode, modes[i]) == 0)
			egress->mode = i;
	for (int face = 0; face < FACE_COUNT; face++) {
		struct json_object *at = json_get(status, faces[face]);
		const char *url = json_get_text(at, "url");

		egress->answers[face] = json_is_true(json_get(at, "answers"));
		egress->url[face] = str_from(url != NULL ? url : "");
	}
}

/* As the gateway of this project would be set up, or is. */
static void
make_settings(struct explaining *e)
{
	static char personal[2][PATH_MAX];
	struct settings *s = &e->settings;
	struct json_object *extra = json_get(e->gateway.status,
	    "extra_bind_roots");
	struct json_object *port = json_get(json_get(e->gateway.status,
	    "egress"), "port");
	const char *root = json_get_text(e->gateway.status, "bind_root");
	unsigned count = project_personal(&e->trust.project, personal);

	s->slug = str_from(e->trust.project.slug);
	s->project = str_from(e->trust.project.path);
	s->image_load = json_is_true(json_get(e->gateway.status,
	    "allow_image_load"));
	make_egress(e);
	s->egress_port = port == NULL ? STR(EGRESS_PORT_DEFAULT) :
	    str_from(json_object_get_string(port));
	add_path(&s->roots, root != NULL ? root : e->trust.project.bind_root);
	if (json_object_is_type(extra, json_type_array))
		for (size_t i = 0; i < json_object_array_length(extra); i++)
			add_path(&s->roots, json_object_get_string(
			    json_object_array_get_idx(extra, i)));
	add_path(&s->hidden, e->trust.rundir.path);
	for (unsigned i = 0; i < count; i++)
		add_path(&s->hidden, personal[i]);
}

static void
read_version(const char *text, uint16_t *part, size_t count)
{
	for (size_t i = 0; i < count && text != NULL && *text != '\0'; i++) {
		char *end;

		part[i] = (uint16_t)strtoul(text, &end, 10);
		text = *end == '.' ? end + 1 : NULL;
	}
}

/* The daemon behind the face, as the gateway knows it; else a usual one. */
static void
make_backend(struct explaining *e, enum face face)
{
	struct json_object *list = json_get(e->gateway.status, "backends"),
	    *b = json_object_is_type(list, json_type_array) ?
	    json_object_array_get_idx(list, face) : NULL;
	struct backend *to = &e->request.backend;
	const char *kind = json_get_text(b, "kind");
	uint16_t api[2] = { 1, 41 };

	to->kind = face == FACE_PODMAN ? BACKEND_PODMAN : BACKEND_DOCKER;
	if (kind != NULL && strcmp(kind, "none") != 0) {
		to->kind = strcmp(kind, "podman") == 0 ? BACKEND_PODMAN :
		    BACKEND_DOCKER;
		read_version(json_get_text(b, "api_version"), api, 2);
		read_version(json_get_text(b, "libpod_version"), to->libpod,
		    3);
		/* The gateway's own service can be reached by itself alone. */
		if (!json_is_true(json_get(b, "embedded")))
			e->backend = json_get_text(b, "path");
	}
	to->api_major = api[0];
	to->api_minor = api[1];
	if (to->kind == BACKEND_PODMAN && to->libpod[0] == 0)
		to->libpod[0] = 4;
}

static bool
is_known(const struct explaining *e, const struct fact_ask *ask)
{
	for (size_t i = 0; i < e->facts.count; i++)
		if (e->facts.known[i].kind == (enum fact_kind)ask->kind &&
		    str_equal(e->facts.known[i].text, ask->text))
			return true;
	return false;
}

/*
 * Answers what can be told from here: false when that is nothing new.  One
 * unanswered question does not hide a refusal that hangs on another.
 */
static bool
answer_facts(struct explaining *e)
{
	const struct msg_need_facts *need = &e->verdict.need_facts;
	bool is_new = false;

	e->unanswered = STR_NONE;
	for (uint32_t i = 0; i < need->count; i++) {
		struct known_fact *known = &e->facts.known[e->facts.count];

		if (e->facts.count == JUDGE_FACTS_MAX)
			return false;
		if (is_known(e, &need->ask[i]))
			continue;
		known->kind = (enum fact_kind)need->ask[i].kind;
		known->text = arena_str(&e->arena, need->ask[i].text);
		if (lookup_answer(&need->ask[i], e->backend, &e->arena,
		    &known->fact)) {
			e->facts.count++;
			is_new = true;
		} else
			e->unanswered = known->text;
	}
	return is_new;
}

/* To the verdict: false when it hangs on what cannot be looked up. */
static bool
judge(struct explaining *e)
{
	for (int round = 0; round <= PROTO_ROUNDS_MAX; round++) {
		decide(&e->file, &e->arena, &e->verdict);
		if (e->verdict.kind == VERDICT_NEED_BODY)
			e->file.has_body = true;
		else if (e->verdict.kind != VERDICT_NEED_FACTS)
			return true;
		else if (!answer_facts(e))
			return false;
	}
	return false;
}

static int
explain_text(struct explaining *e, struct str text, const struct cli *cli)
{
	int error = parse_request(e, text);
	enum explain_result result = EXPLAIN_UNDECIDED_HERE;

	if (error != 0) {
		explain_print_malformed(error, cli->json);
		return CLI_FAILED;
	}
	e->file.settings = &e->settings;
	e->file.request = &e->request;
	e->file.facts = &e->facts;
	if (judge(e))
		result = e->verdict.kind == VERDICT_DENY ? EXPLAIN_REFUSED :
		    EXPLAIN_PASSES;
	explain_print(&e->verdict, result, e->unanswered, cli->json);
	return result == EXPLAIN_PASSES ? CLI_OK : result == EXPLAIN_REFUSED ?
	    CLI_FAILED : EXPLAIN_UNDECIDED;
}

/* The whole work on one request: an exit status. */
static int
explain(struct explaining *e, const struct cli *cli, enum face face)
{
	struct buf raw = BUF_INIT(PROTO_HEAD_MAX + PROTO_JSON_MAX),
	    text = BUF_INIT(PROTO_HEAD_MAX + PROTO_JSON_MAX + 1024);
	struct gateway_target target;
	int status = CLI_USAGE;

	if (read_all(cli, &raw) != 0 || raw.len == 0)
		cli_complain("explain: a request is expected, in a file or on "
		    "standard input: its head as HTTP/1.1 has it, an empty "
		    "line, its body");
	else {
		service_target(&e->trust, &target);
		gateway_probe(&e->gateway, &target, false);
		make_backend(e, face);
		make_settings(e);
		normalise(buf_str(&raw), &text);
		status = explain_text(e, buf_str(&text), cli);
		gateway_close(&e->gateway);
	}
	buf_free(&raw);
	buf_free(&text);
	return status;
}

int
main(int argc, char **argv)
{
	static struct explaining e;
	static struct subject subject;
	struct fault fault = { 0 };
	struct cli cli = { 0 };
	enum face face;
	int status;

	if (argc < 5) {
		cli_complain("this program is run by hookctl explain");
		return CLI_USAGE;
	}
	cli.json = strcmp(argv[4], "json") == 0;
	cli.rest = argv + 5;
	face = strcmp(argv[3], "podman") == 0 ? FACE_PODMAN : FACE_DOCKER;
	if (subject_begin(&subject, argv[2], &fault) != 0 ||
	    trust_place(&e.trust, &subject, &fault) != 0) {
		cli_complain("%s", fault.text);
		return CLI_FAILED;
	}
	snprintf(e.trust.install.gateway_real,
	    sizeof(e.trust.install.gateway_real), "%s", argv[1]);
	arena_init(&e.arena, JUDGE_ARENA_MAX);
	e.request.face = (uint8_t)face;
	e.request.peer_uid = geteuid();
	status = explain(&e, &cli, face);
	arena_free(&e.arena);
	trust_free(&e.trust);
	return status;
}
