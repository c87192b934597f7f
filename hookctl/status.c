/*
 * status: what the gateway says of itself, once it is known to be one.
 */
#include <stdio.h>
#include <string.h>

#include "hookctl/json.h"
#include "hookctl/paint.h"
#include "hookctl/person.h"
#include "hookctl/service.h"

static void
print_row(const char *name, const char *text)
{
	printf("%-12s %s\n", name, text);
}

static void
print_duration(const char *name, int64_t seconds)
{
	static const struct {
		int64_t		 seconds;
		const char	*unit;
	} units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "m" }, { 1, "s" } };
	char text[64];
	size_t i = 0;

	while (i < 3 && seconds < units[i].seconds)
		i++;
	if (i < 3)
		snprintf(text, sizeof(text), "%lld%s %lld%s",
		    (long long)(seconds / units[i].seconds), units[i].unit,
		    (long long)(seconds % units[i].seconds /
		    units[i + 1].seconds), units[i + 1].unit);
	else
		snprintf(text, sizeof(text), "%llds", (long long)seconds);
	print_row(name, text);
}

static const char *
text_of(struct json_object *object, const char *key)
{
	const char *text = json_get_text(object, key);

	return text != NULL ? text : "-";
}

static void
print_backends(struct json_object *status)
{
	struct json_object *list = json_get(status, "backends");
	const char *note = json_get_text(json_get(status, "service"), "note");

	if (!json_object_is_type(list, json_type_array))
		return;
	if (note == NULL)
		note = "";
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *b = json_object_array_get_idx(list, i);
		char name[64], text[1024];

		snprintf(name, sizeof(name), "%.20s.sock", text_of(b, "face"));
		if (strcmp(text_of(b, "kind"), "none") == 0 &&
		    json_is_true(json_get(b, "embedded")))
			snprintf(text, sizeof(text), "%s: started by the first "
			    "request", text_of(b, "path"));
		else if (strcmp(text_of(b, "kind"), "none") == 0)
			snprintf(text, sizeof(text), "no daemon found yet: "
			    "start docker or podman%s%s", note[0] != '\0' ?
			    "; " : "", note);
		else
			snprintf(text, sizeof(text), "%s %s at %s%s",
			    text_of(b, "kind"), json_get_text(b,
			    "libpod_version") != NULL ? text_of(b,
			    "libpod_version") : text_of(b, "api_version"),
			    text_of(b, "path"), json_is_true(json_get(b,
			    "reachable")) ? "" : " (does not answer)");
		print_row(name, text);
	}
}

static void
print_egress(struct json_object *status)
{
	static const char *const faces[] = { "docker", "podman" };
	struct json_object *egress = json_get(status, "egress");
	char text[1024];
	size_t n;

	n = (size_t)snprintf(text, sizeof(text), "%.64s",
	    text_of(egress, "mode"));
	for (size_t i = 0; i < 2 && n < sizeof(text); i++) {
		struct json_object *face = json_get(egress, faces[i]);
		const char *url = json_get_text(face, "url");

		if (url != NULL && url[0] != '\0')
			n += (size_t)snprintf(text + n, sizeof(text) - n,
			    "; %s: %.200s %s", faces[i], url,
			    json_is_true(json_get(face, "answers")) ?
			    "answers" : json_is_true(json_get(face,
			    "only_loopback")) ? "is on loopback only" :
			    "does not answer");
	}
	print_row("egress", text);
}

static void
print_counters(struct json_object *status)
{
	struct json_object *counters = json_get(status, "counters"),
	    *refusals = json_get(status, "refusals");
	int64_t requests = 0, active = 0, connections = 0;

	json_get_int(counters, "requests", &requests);
	json_get_int(counters, "active", &active);
	json_get_int(counters, "connections", &connections);
	printf("%-12s %lld, %lld under way, %lld connections\n", "requests",
	    (long long)requests, (long long)active, (long long)connections);
	if (!json_object_is_type(refusals, json_type_object))
		return;
	for (struct json_object_iterator at = json_object_iter_begin(refusals),
	    end = json_object_iter_end(refusals);
	    !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
		printf("%-12s %lld %s\n", "refused",
		    (long long)json_object_get_int64(
		    json_object_iter_peek_value(&at)),
		    json_object_iter_peek_name(&at));
}

static void
print_table(const struct trust *t, const struct gateway *g)
{
	int64_t seconds;

	printf("%-12s %s%s%s\n", "state", paint(g->state == GATEWAY_SERVING ?
	    PAINT_GOOD : PAINT_BAD), gateway_describe(g->state),
	    paint(PAINT_NONE));
	print_row("project", t->subject.project);
	print_row("label", t->project.slug);
	print_row("sockets in", t->rundir.path);
	if (g->status == NULL)
		return;
	printf("%-12s %d, version %s\n", "pid", (int)g->pid,
	    text_of(g->status, "version"));
	print_row("mountable", text_of(g->status, "bind_root"));
	print_row("log", text_of(g->status, "log_file"));
	print_backends(g->status);
	print_egress(g->status);
	if (json_get_int(g->status, "uptime_seconds", &seconds))
		print_duration("up for", seconds);
	if (json_get_int(g->status, "idle_left_seconds", &seconds))
		print_duration("idle end in", seconds);
	print_counters(g->status);
}

static void
print_json(const struct trust *t, const struct gateway *g)
{
	struct json_object *json = json_object_new_object();

	json_put_text(json, "state", gateway_state_name(g->state));
	json_put_text(json, "text", gateway_describe(g->state));
	json_put_text(json, "project", t->subject.project);
	json_put_text(json, "slug", t->project.slug);
	json_put_text(json, "run_dir", t->rundir.path);
	if (g->pid > 0)
		json_put_int(json, "pid", g->pid);
	if (g->status != NULL)
		json_object_object_add(json, "gateway",
		    json_object_get(g->status));
	puts(json_line(json));
	json_object_put(json);
}

int
status_run(const struct cli *cli)
{
	static struct subject subject;
	static struct trust t;
	struct gateway_target target;
	struct gateway g;
	int status = person_find(cli, &t, &subject);

	if (status != CLI_OK)
		return status;
	service_target(&t, &target);
	gateway_probe(&g, &target, false);
	if (cli->json)
		print_json(&t, &g);
	else
		print_table(&t, &g);
	status = g.state == GATEWAY_SERVING ? CLI_OK : CLI_FAILED;
	gateway_close(&g);
	trust_free(&t);
	return status;
}
