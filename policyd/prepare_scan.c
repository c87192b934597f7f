/*
 * What the scanner is told of a streamed body.
 */
#include "policyd/checks.h"
#include "policyd/egress.h"
#include "policyd/parse.h"
#include "policyd/query.h"
#include "policyd/rules/rules.h"

static struct scan_options *
options(struct judge *j, enum scan_kind kind)
{
	struct scan_options *scan = &j->out->scan;

	scan->kind = (uint8_t)kind;
	scan->engine = j->request->backend.kind;
	scan->major = j->request->backend.libpod[0];
	return scan;
}

int
prepare_archive_put(struct judge *j)
{
	options(j, SCAN_ARCHIVE);
	return prepare_archive(j);
}

static int
add_dockerfile(struct judge *j, struct scan_options *scan, struct str name)
{
	if (scan->dockerfile_count == SCAN_DOCKERFILES_MAX)
		return judge_refuse(j, R_BUILD_CONTEXT, STR("dockerfile"),
		    "more than %d Dockerfiles", SCAN_DOCKERFILES_MAX);
	scan->dockerfile[scan->dockerfile_count++] = name;
	return 0;
}

static int
name_dockerfiles(struct judge *j, struct scan_options *scan)
{
	struct str value = query_value(j, "dockerfile");
	struct json_object *list = str_starts(value, "[") ? parse_value(j, value) :
	    NULL;
	size_t n = json_object_is_type(list, json_type_array) ?
	    json_object_array_length(list) : 0;

	if (value.len > 0 && list == NULL)
		return add_dockerfile(j, scan, value);
	for (size_t i = 0; i < n; i++) {
		int error = add_dockerfile(j, scan, arena_str(j->arena,
		    judge_str(json_object_array_get_idx(list, i))));

		if (error != 0)
			return error;
	}
	return 0;
}

static void
name_arguments(struct judge *j, struct scan_options *scan)
{
	struct json_object *map = parse_value(j, query_value(j, "buildargs"));
	struct pair *pair;

	if (!json_object_is_type(map, json_type_object) ||
	    json_object_object_length(map) == 0)
		return;
	pair = arena_alloc(j->arena, sizeof(*pair) *
	    (size_t)json_object_object_length(map));
	scan->arg = pair;
	json_object_object_foreach(map, key, value) {
		pair->name = arena_str(j->arena, str_from(key));
		pair->value = arena_str(j->arena, judge_str(value));
		pair++;
		scan->arg_count++;
	}
}

/*
 * podman runs the steps of a build that comes by docker's API in the service's
 * own network, whatever is asked for.  So it goes out on podman's own API, with
 * what docker's builder would have done said in that API's words.
 */
static int
go_as_libpod(struct judge *j)
{
	static const struct { const char *name, *value; } said[] = {
		{ "nsoptions", "[{\"Name\":\"network\",\"Host\":false,"
		    "\"Path\":\"\"}]" },
		{ "httpproxy", "0" },
		{ "layers", "1" },
		{ "outputformat", "application/vnd.docker.distribution."
		    "manifest.v2+json" },
	};

	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
		query_append(j, said[i].name, str_from(said[i].value));
	if (query_is_true(query_value(j, "pull")))
		query_append(j, "pullpolicy", STR("always"));
	j->as_libpod = true;
	/* Quiet, both say the same. */
	if (!query_is_true(query_value(j, "q")))
		j->response = FORWARD_JUDGE_LINES;
	return 0;
}

int
prepare_build(struct judge *j)
{
	struct scan_options *scan = options(j, SCAN_CONTEXT);
	int error;

	if ((error = egress_check(j)) != 0 || (error = name_dockerfiles(j,
	    scan)) != 0)
		return error;
	name_arguments(j, scan);
	if (j->request->backend.kind == BACKEND_PODMAN && !j->target.is_libpod)
		return go_as_libpod(j);
	return 0;
}
