/*
 * The order of checks, fixed: target, route, headers, query, body, whose it
 * is, fields, what is particular, and then what goes out.
 */
#include "policyd/checks.h"
#include "policyd/headers.h"
#include "policyd/image.h"
#include "policyd/lexer.h"
#include "policyd/owner.h"
#include "policyd/query.h"
#include "policyd/rules/rules.h"
#include "policyd/walk.h"

enum { STRAY_BODY_MAX = 64 * 1024 };	/* bytes read where none is taken */

static int
check_by(struct judge *j, enum owner owner,
    int (*refuse)(struct judge *, struct str))
{
	switch (owner) {
	case OWNER_OURS:
	case OWNER_ASKED:
		return 0;
	case OWNER_ABSENT:
	case OWNER_FOREIGN:
	case OWNER_PREDEFINED:
		return refuse(j, j->subject);
	case OWNER_REFUSED:
		break;
	}
	return -R_FACTS;
}

static int
check_container(struct judge *j)
{
	return check_by(j, owner_container(j, j->subject, &j->object),
	    owner_refuse_container);
}

static int
check_exec(struct judge *j)
{
	j->object = j->subject;
	return check_by(j, owner_exec(j, j->subject), owner_refuse_exec);
}

static int
check_network(struct judge *j)
{
	struct str name;
	enum owner owner = owner_network(j, j->subject, &j->object, &name);

	/*
	 * podman looks for containers on a network by the word that it is
	 * called by: by id, one in use would be removed.  A full name wins
	 * over ids there.
	 */
	if (owner == OWNER_OURS && str_is(j->request->method, "DELETE") &&
	    j->request->backend.kind == BACKEND_PODMAN)
		j->object = name;
	if (owner != OWNER_PREDEFINED)
		return check_by(j, owner, owner_refuse_network);
	if ((j->route->flags & ROUTE_PREDEFINED) != 0 ||
	    ((j->route->flags & ROUTE_BRIDGE) != 0 && str_is(name,
	    "bridge"))) {
		j->is_predefined = true;
		return 0;
	}
	return judge_refuse(j, R_PREDEFINED, STR("network"),
	    "network %s is predefined and belongs to nobody; use a network of "
	    "the project", judge_show(j, name));
}

static int
check_volume(struct judge *j)
{
	j->object = j->subject;
	return check_by(j, owner_volume(j, j->subject), owner_refuse_volume);
}

static int
check_image(struct judge *j)
{
	enum owner owner;

	j->object = j->subject;
	if ((j->route->flags & ROUTE_ANY_OWNER) != 0)
		return 0;
	owner = owner_image_spelled(j, j->subject, &j->object);
	if (owner != OWNER_FOREIGN)
		return check_by(j, owner, owner_refuse_image);
	return judge_refuse(j, R_IMAGE, STR("image"),
	    "image %s is not this project's; it is shared, and only the "
	    "operator changes it on the host", judge_show(j, j->subject));
}

static int
check_pod(struct judge *j)
{
	return check_by(j, owner_pod(j, j->subject, &j->object),
	    owner_refuse_pod);
}

/* One row a kind of object in the path. */
static const struct object_check {
	enum object_kind kind;
	int		(*check)(struct judge *);
} object_checks[] = {
	{ OBJECT_CONTAINER,	check_container },
	{ OBJECT_EXEC,		check_exec },
	{ OBJECT_NETWORK,	check_network },
	{ OBJECT_VOLUME,	check_volume },
	{ OBJECT_IMAGE,		check_image },
	{ OBJECT_POD,		check_pod },
};

static bool
is_grammatical(struct str name)
{
	/* A digest is no name of anything but images; it is merely not found. */
	if (str_starts(name, "sha256:"))
		name = str_skip(name, strlen("sha256:"));
	return check_is_name(name);
}

static int
check_object_grammar(struct judge *j, enum object_kind kind)
{
	if (kind == OBJECT_NONE || (kind == OBJECT_IMAGE ?
	    image_is_plain(j, j->subject) : is_grammatical(j->subject)))
		return 0;
	return judge_refuse(j, R_BAD_TARGET, STR("path"),
	    "\"%s\" is neither a name nor an id (invalid reference format)",
	    judge_show(j, j->subject));
}

static int
check_whose(struct judge *j)
{
	enum object_kind kind = route_object(j->route);

	for (size_t i = 0; i < sizeof(object_checks) / sizeof(*object_checks);
	    i++)
		if (object_checks[i].kind == kind)
			return object_checks[i].check(j);
	return 0;
}

static bool
has_body(const struct judge *j)
{
	return j->request->body_kind == BODY_CHUNKED ||
	    (j->request->body_kind == BODY_LENGTH &&
	    j->request->body_length > 0);
}

/* An import takes the body, a pull does not. */
static enum body_rule
body_rule(const struct judge *j)
{
	if (j->route->body != BODY_RULE_IMPORT)
		return j->route->body;
	return query_value(j, "fromSrc").len > 0 ? BODY_RULE_STREAM :
	    BODY_RULE_NONE;
}

/* Asks for the body where it has to be read: 1 asked, 0 there or not needed. */
static int
need_body(struct judge *j)
{
	enum body_rule rule = body_rule(j);
	uint64_t max = rule == BODY_RULE_NONE ? STRAY_BODY_MAX :
	    PROTO_JSON_MAX;

	if (rule == BODY_RULE_STREAM || rule == BODY_RULE_SCAN ||
	    !has_body(j) || j->file->has_body)
		return 0;
	j->out->kind = VERDICT_NEED_BODY;
	j->out->need_body.max = max;
	return 1;
}

static struct str
trim(struct str s)
{
	while (s.len > 0 && strchr(" \t\r\n", s.data[0]) != NULL)
		s = str_skip(s, 1);
	while (s.len > 0 && strchr(" \t\r\n", s.data[s.len - 1]) != NULL)
		s.len--;
	return s;
}

static int
parse_body(struct judge *j, struct str text)
{
	struct json_tokener *tokener;
	struct lexer_error where;
	int error = lexer_check(text, &where);
	bool is_read;

	if (error != 0)
		return judge_refuse(j, (enum reason)-error, STR("body"),
		    "%s at byte %zu of the body", where.what, where.offset);
	tokener = json_tokener_new_ex(LEXER_DEPTH_MAX + 2);
	if (tokener == NULL)
		return judge_refuse(j, R_INTERNAL, STR("body"), "no memory");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	j->tree = json_tokener_parse_ex(tokener, text.data, (int)text.len);
	/* A bare word or number could go on: only a blank ends it. */
	if (json_tokener_get_error(tokener) == json_tokener_continue)
		j->tree = json_tokener_parse_ex(tokener, " ", 1);
	is_read = json_tokener_get_error(tokener) == json_tokener_success;
	json_tokener_free(tokener);
	return is_read ? 0 : judge_refuse(j, R_BAD_JSON, STR("body"),
	    "the body cannot be read");
}

/*
 * A route without a body gets none.  SDKs repeat the query there: an object
 * whose every key is a parameter of the route is dropped like an empty one.
 */
static int
check_stray_body(struct judge *j)
{
	struct str text = trim(j->file->body);
	int error;

	if (text.len == 0)
		return 0;
	if ((error = parse_body(j, text)) != 0)
		return error;
	if (j->tree == NULL || (!json_object_is_type(j->tree,
	    json_type_object)))
		return j->tree == NULL ? 0 : judge_refuse(j, R_BAD_BODY,
		    STR("body"), "this route takes no body; send none");
	json_object_object_foreach(j->tree, key, value) {
		const struct param *row = j->route->params;

		(void)value;
		while (row != NULL && row->name != NULL && strcmp(row->name,
		    key) != 0)
			row++;
		if (row == NULL || row->name == NULL)
			return judge_refuse(j, R_BAD_BODY, STR("body"),
			    "this route takes no body, and %s is none of its "
			    "parameters; send none", judge_show(j,
			    str_from(key)));
	}
	return 0;
}

static int
check_json_body(struct judge *j)
{
	struct str text = trim(j->file->body);
	int error;

	if (!has_body(j) || text.len == 0) {
		if (j->route->body == BODY_RULE_OPTIONAL) {
			j->tree = json_object_new_object();
			return 0;
		}
		return judge_refuse(j, R_BAD_BODY, STR("body"),
		    "this route takes a JSON object; send one");
	}
	if ((error = parse_body(j, text)) != 0)
		return error;
	if (j->tree == NULL && j->route->body == BODY_RULE_OPTIONAL)
		j->tree = json_object_new_object();
	if (!json_object_is_type(j->tree, json_type_object))
		return judge_refuse(j, R_BAD_JSON, STR("body"),
		    "the body is not a JSON object");
	return 0;
}

static int
check_body(struct judge *j)
{
	int error;

	switch (body_rule(j)) {
	case BODY_RULE_NONE:
		error = check_stray_body(j);
		json_object_put(j->tree);
		j->tree = NULL;
		return error;
	case BODY_RULE_JSON:
	case BODY_RULE_OPTIONAL:
		return check_json_body(j);
	case BODY_RULE_STREAM:
	case BODY_RULE_SCAN:
	case BODY_RULE_IMPORT:
		break;
	}
	return 0;
}

/*
 * docker 20.10 reads HostConfig's keys at the top when it is missing, so it
 * always goes out.  In another spelling it is judged, and refused for that.
 */
static struct json_object *
find_host_config(struct judge *j)
{
	json_object_object_foreach(j->tree, key, value) {
		bool exact;
		const struct field *row = walk_find(container_create_fields,
		    str_from(key), &exact);

		if (value != NULL && row != NULL && strcmp(row->name,
		    "HostConfig") == 0)
			return value;
	}
	return check_force_object(j->tree, "HostConfig");
}

static int
check_fields(struct judge *j)
{
	int error;

	if (j->tree == NULL || j->route->fields == NULL)
		return 0;
	if (j->route->fields == container_create_fields)
		j->host_config = find_host_config(j);
	if ((error = walk_object(j, NULL, j->route->fields, j->tree)) != 0)
		return error;
	if (j->misspelled.len > 0 && j->fact_count == 0)
		return judge_refuse(j, R_FIELD_SPELLING, j->misspelled,
		    "field %.*s: write %s", STR_FMT(j->misspelled),
		    j->spelling);
	return 0;
}

static struct str
body_text(struct judge *j)
{
	if (j->tree == NULL)
		return STR_NONE;
	return arena_str(j->arena, str_from(json_object_to_json_string_ext(
	    j->tree, JSON_C_TO_STRING_PLAIN |
	    JSON_C_TO_STRING_NOSLASHESCAPE)));
}

static bool
is_stream(const struct judge *j)
{
	return has_body(j) && (body_rule(j) == BODY_RULE_STREAM ||
	    body_rule(j) == BODY_RULE_SCAN);
}

static struct str
emit_head(struct judge *j, struct str body)
{
	struct str prefix = j->as_libpod ? STR(LIBPOD_PREFIX) :
	    target_emit_prefix(j);
	struct str path = route_emit_path(j);
	struct buf head = BUF_INIT(PROTO_HEAD_MAX * 4);
	struct str copy;

	if ((j->route->flags & ROUTE_UNVERSIONED) != 0 &&
	    !j->target.has_version)
		prefix = STR_NONE;
	buf_put_str(&head, j->request->method);
	buf_put_char(&head, ' ');
	buf_put_str(&head, prefix);
	buf_put_str(&head, path);
	if (j->query_out.len > 0) {
		buf_put_char(&head, '?');
		buf_put_str(&head, j->query_out);
	}
	buf_put_text(&head, " HTTP/1.1\r\nHost: docker\r\n"
	    "User-Agent: container-gateway\r\n");
	if (j->wants_upgrade)
		buf_put_text(&head, "Connection: Upgrade\r\n"
		    "Upgrade: tcp\r\n");
	if (j->tree != NULL)
		buf_put_text(&head, "Content-Type: application/json\r\n");
	if (is_stream(j))
		buf_put_text(&head, "Content-Type: application/x-tar\r\n");
	else {
		if (body.len > 0 || !str_is(j->request->method, "GET"))
			buf_printf(&head, "Content-Length: %zu\r\n", body.len);
		buf_put_text(&head, "\r\n");
	}
	copy = arena_str(j->arena, buf_str(&head));
	if (head.failed)
		judge_refuse(j, R_TOO_LARGE, STR("query"),
		    "the request is too large once rewritten");
	buf_free(&head);
	return copy;
}

static void
forward(struct judge *j)
{
	struct msg_forward *f = &j->out->forward;

	f->body = body_text(j);
	f->head = emit_head(j, f->body);
	if (j->refused)
		return;
	f->body_mode = f->body.len > 0 ? FORWARD_BODY_BYTES :
	    FORWARD_BODY_NONE;
	if (is_stream(j))
		f->body_mode = body_rule(j) == BODY_RULE_SCAN ?
		    FORWARD_BODY_SCAN : FORWARD_BODY_STREAM;
	f->response_mode = (uint8_t)j->response;
	if (!j->used_facts && !has_body(j) &&
	    j->response == FORWARD_RELAY)
		f->flags |= FORWARD_REUSABLE;
	if ((j->route->flags & ROUTE_CREATES) != 0)
		f->flags |= FORWARD_CREATES;
	/* Whoever refuses it later does so in the client's dialect. */
	j->out->deny.shape = judge_deny_shape(j);
	j->out->memo.route = j->route;
	/* They may be views into facts or the body, which go with this run. */
	j->out->memo.subject = arena_str(j->arena, j->subject);
	j->out->memo.object = arena_str(j->arena, j->object);
	j->out->memo.is_predefined = j->is_predefined;
	j->out->memo.is_libpod = j->target.is_libpod;
	j->out->kind = VERDICT_FORWARD;
}

/* What was asked for; effects only when nothing else is open. */
static void
need_facts(struct judge *j)
{
	struct msg_need_facts *need = &j->out->need_facts;
	bool effects = j->fact_count == 0;

	j->out->kind = VERDICT_NEED_FACTS;
	need->count = (uint32_t)(effects ? j->effect_count : j->fact_count);
	memcpy(need->ask, effects ? j->effects : j->facts,
	    need->count * sizeof(need->ask[0]));
}

static int
judge_head(struct judge *j)
{
	int error;

	if ((error = target_parse(j)) != 0 ||
	    (error = target_check_version(j)) != 0 ||
	    (error = route_match(j)) != 0)
		return error;
	j->response = j->route->response;
	if (j->route->refused != R_NONE)
		return judge_refuse(j, j->route->refused, STR("path"), "%s",
		    j->route->text);
	if ((error = check_object_grammar(j, route_object(j->route))) != 0 ||
	    (error = headers_check(j)) != 0 ||
	    (error = query_parse(j)) != 0)
		return error;
	return query_check(j);
}

static void
run(struct judge *j)
{
	if (judge_head(j) != 0 || need_body(j) != 0)
		return;
	if (check_body(j) != 0 || check_whose(j) != 0 || check_fields(j) != 0)
		return;
	if (j->route->prepare != NULL && j->route->prepare(j) != 0)
		return;
	if (j->refused || j->out->kind == VERDICT_ANSWER)
		return;
	if (judge_is_pending(j))
		need_facts(j);
	else
		forward(j);
}

void
decide(const struct case_file *file, struct arena *arena, struct verdict *out)
{
	struct judge *j = arena_alloc(arena, sizeof(*j));

	memset(out, 0, sizeof(*out));
	j->file = file;
	j->settings = file->settings;
	j->request = file->request;
	j->arena = arena;
	j->out = out;
	j->garbage = json_object_new_array();
	/* Unless something below says otherwise: no. */
	out->kind = VERDICT_DENY;
	out->deny.reason = R_INTERNAL;
	out->deny.status = 500;
	out->deny.text = STR("container-gateway: internal: no verdict");
	run(j);
	json_object_put(j->tree);
	json_object_put(j->garbage);
}
