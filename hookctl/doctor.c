/*
 * doctor: one row a check; all are made, whatever the one before found.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hookctl/cli.h"
#include "hookctl/doctor.h"
#include "hookctl/json.h"
#include "hookctl/paint.h"
#include "hookctl/service.h"

/* clang-format off */
static const struct {
	const char	*name;		/* for programs */
	const char	*title;
	doctor_check	 check;
} checks[] = {
	{ "hooks",		"hooks",		check_hooks },
	{ "trust",		"installation",		check_trust },
	{ "serving",		"gateway",		check_serving },
	{ "backends",		"daemons",		check_backends },
	{ "egress",		"egress proxy",		check_egress },
	{ "sockets",		"sandbox sockets",	check_sockets },
	{ "daemon-sockets",	"daemons' sockets",	check_daemon_sockets },
	{ "excluded",		"excluded commands",	check_excluded },
	{ "hosts",		"socket spellings",	check_hosts },
	{ "run-dir",		"run directory",	check_run_dir },
	{ "worktree",		"checkout",		check_worktree },
	{ "session",		"this session",		check_session },
	{ "restart",		"settings in force",	check_restart },
	{ "parent",		"project's parent",	check_parent },
	{ "leftovers",		"left by containers",	check_leftovers }
};

static const struct {
	const char	*sign;
	const char	*word;
	enum paint	 paint;
} marks[] = {
	[MARK_OK]	= { "\xe2\x9c\x93", "ok", PAINT_GOOD },
	[MARK_DRIFT]	= { "\xe2\x97\x90", "drift", PAINT_MIDDLING },
	[MARK_BAD]	= { "\xe2\x9c\x97", "bad", PAINT_BAD }
};
/* clang-format on */

void
finding_set(struct finding *f, enum mark mark, const char *remedy,
    const char *evidence, ...)
{
	va_list ap;

	f->mark = mark;
	snprintf(f->remedy, sizeof(f->remedy), "%s", remedy);
	va_start(ap, evidence);
	vsnprintf(f->evidence, sizeof(f->evidence), evidence, ap);
	va_end(ap);
	/* File names are in it. */
	for (char *at = f->evidence; *at != '\0'; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
}

static void
print_finding(const char *title, const struct finding *f)
{
	printf("%s%s%s %-18s %s\n", paint(marks[f->mark].paint),
	    marks[f->mark].sign, paint(PAINT_NONE), title, f->evidence);
	if (f->remedy[0] != '\0')
		printf("  %-18s %s%s%s\n", "", paint(PAINT_DIM), f->remedy,
		    paint(PAINT_NONE));
}

static struct json_object *
make_json(const char *name, const struct finding *f)
{
	struct json_object *json = json_object_new_object();

	json_put_text(json, "check", name);
	json_put_text(json, "mark", marks[f->mark].sign);
	json_put_text(json, "result", marks[f->mark].word);
	json_put_text(json, "evidence", f->evidence);
	json_put_text(json, "remedy", f->remedy);
	return json;
}

static void
examine(struct doctor *d)
{
	struct gateway_target target;

	d->is_trusted = trust_check(&d->trust, &d->subject, &d->refusal) == 0;
	service_target(&d->trust, &target);
	/* The place may not have been found. */
	if (d->trust.rundir.path[0] != '\0')
		gateway_probe(&d->gateway, &target, false);
	doctor_settings_read(d);
}

/* All checks in order; the worst mark. */
static enum mark
check_all(struct doctor *d, struct json_object *json)
{
	enum mark worst = MARK_OK;

	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
		struct finding f = { MARK_OK, "", "" };

		checks[i].check(d, &f);
		if (f.mark > worst)
			worst = f.mark;
		if (json != NULL)
			json_object_array_add(json, make_json(checks[i].name,
			    &f));
		else
			print_finding(checks[i].title, &f);
	}
	return worst;
}

int
doctor_run(const struct cli *cli)
{
	static struct doctor d;
	struct fault fault = { 0 };
	struct json_object *json = cli->json ? json_object_new_array() : NULL;
	enum mark worst;

	d.gateway.pidfd = -1;
	if (subject_begin(&d.subject, cli_project(cli), &fault) != 0) {
		cli_complain("%s", fault.text);
		json_object_put(json);
		return CLI_USAGE;
	}
	subject_extend(&d.subject, NULL, NULL);
	examine(&d);
	worst = check_all(&d, json);
	if (json != NULL)
		puts(json_line(json));
	json_object_put(json);
	doctor_settings_free(&d.settings);
	gateway_close(&d.gateway);
	trust_free(&d.trust);
	return worst == MARK_BAD ? CLI_FAILED : CLI_OK;
}
