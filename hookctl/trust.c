/*
 * The trust checks.  The sandbox may write the project, the run directory and
 * whatever the settings grant; what hookctl runs, reads as its own or passes
 * on must lie outside of all that, and nobody else may be able to write it.
 */
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hookctl/integrity.h"
#include "hookctl/trust.h"
#include "master/podman.h"

#define REMEDY_INSTALL	"install it as root, or under ~/.local, outside of " \
			"every directory that the sandbox may write"
#define REMEDY_SETTINGS	"a session could rewrite its own sandbox: narrow " \
			"the grant, or repair the file's owner and mode"
#define REMEDY_STATE	"narrow the grant, so that sessions cannot write " \
			"hookctl's records"

static int
check_user(struct trust *t, struct fault *fault)
{
	const char *env = getenv("HOME");
	struct stat st;

	if (geteuid() != getuid())
		return fault_set(fault, "hookctl is not to be run setuid");
	if (geteuid() == 0 && env != NULL && stat(env, &st) == 0 &&
	    st.st_uid != 0)
		return fault_set(fault, "you are root in the home directory of "
		    "another user (%s): run hookctl as yourself, or set HOME",
		    env);
	return home_find(&t->home, fault);
}

static int
check_project(struct trust *t, struct fault *fault)
{
	struct options options = { .project = t->subject.project,
		.bind_root = t->subject.start_dir };
	int error = project_find(&t->project, &options, fault);

	if (error == 0)
		error = rundir_place(&t->rundir, NULL, &t->project, fault);
	return error;
}

static int
check_settings(struct trust *t, struct fault *fault)
{
	int error = settings_find(&t->places, &t->home, &t->subject, fault);

	if (error == 0)
		error = grants_collect(&t->grants, &t->home, &t->subject,
		    &t->places, fault);
	return error;
}

static int
check_hookctl(struct trust *t, struct fault *fault)
{
	int error = install_find(&t->install, fault);

	if (error == 0)
		error = integrity_check(&t->grants.roots, t->install.hookctl,
		    INTEGRITY_PROGRAM, REMEDY_INSTALL, NULL, fault);
	return error;
}

/* The name that the hook's registration gives: a link can be exchanged. */
static int
check_invocation(struct trust *t, struct fault *fault)
{
	const char *name = program_invocation_name;

	if (name[0] != '/')
		return 0;
	return integrity_check(&t->grants.roots, name, INTEGRITY_PROGRAM,
	    REMEDY_INSTALL, NULL, fault);
}

struct libraries {
	const struct roots	*roots;
	struct fault		*fault;
};

static int
check_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct libraries *l = arg;

	(void)size;
	/* The program itself has no name, the kernel's page no path. */
	if (info->dlpi_name == NULL || info->dlpi_name[0] != '/')
		return 0;
	return integrity_check(l->roots, info->dlpi_name, INTEGRITY_FILE,
	    REMEDY_INSTALL, NULL, l->fault);
}

static int
check_loader(struct trust *t, struct fault *fault)
{
	static const char *const names[] = { "LD_PRELOAD", "LD_AUDIT",
		"LD_LIBRARY_PATH" };
	struct libraries libraries = { &t->grants.roots, fault };

	if (t->install.is_static)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (getenv(names[i]) != NULL)
			return fault_set(fault, "%s is set, and this hookctl "
			    "is not a static program: unset it, or build "
			    "hookctl static", names[i]);
	return dl_iterate_phdr(check_library, &libraries);
}

static int
check_gateway(struct trust *t, struct fault *fault)
{
	return integrity_check(&t->grants.roots, t->install.gateway, INTEGRITY_PROGRAM,
	    REMEDY_INSTALL, &t->gateway, fault);
}

static int
check_programs(struct trust *t, struct fault *fault)
{
	int error = integrity_check(&t->grants.roots, t->install.worker,
	    INTEGRITY_PROGRAM, REMEDY_INSTALL, NULL, fault);

	if (error == 0)
		error = integrity_check(&t->grants.roots, t->install.policyd,
		    INTEGRITY_PROGRAM, REMEDY_INSTALL, NULL, fault);
	if (error == 0 && t->install.has_embedded)
		error = integrity_check(&t->grants.roots,
		    t->install.embedded, INTEGRITY_PROGRAM, REMEDY_INSTALL,
		    NULL, fault);
	return error;
}

/* Who is not root writes nothing there, whatever is granted. */
static int
check_podman(struct trust *t, struct fault *fault)
{
	const struct root *root = NULL;
	const char *place;

	for (size_t i = 0; geteuid() == 0 && root == NULL &&
	    (place = podman_place(i)) != NULL; i++)
		root = roots_cover(&t->grants.roots, place);
	if (root == NULL)
		return 0;
	return fault_set(fault, "%s, which the gateway may start, is inside a "
	    "sandbox write grant: %s (%s): narrow the grant", place,
	    root->path, root->source);
}

static int
check_state(struct trust *t, struct fault *fault)
{
	char path[PATH_MAX];
	int error = home_open(&t->home, true, fault);

	for (int i = 0; i < HOME_DIRS && error == 0; i++) {
		home_path(&t->home, (enum home_dir)i, path);
		error = integrity_check(&t->grants.roots, path, INTEGRITY_DIRECTORY,
		    REMEDY_STATE, NULL, fault);
	}
	return error;
}

/* One that does not exist yet could be made by whoever may write there. */
static int
check_settings_file(const char *path, void *arg, struct fault *fault)
{
	struct trust *t = arg;
	const struct root *root;

	if (access(path, F_OK) == 0)
		return integrity_check(&t->grants.roots, path, INTEGRITY_FILE,
		    REMEDY_SETTINGS, NULL, fault);
	root = roots_cover(&t->grants.roots, path);
	if (root == NULL)
		return 0;
	return fault_set(fault, "%s is inside a sandbox write grant: %s (%s): "
	    REMEDY_SETTINGS, path, root->path, root->source);
}

static int
check_settings_files(struct trust *t, struct fault *fault)
{
	return settings_each_trusted(&t->places, check_settings_file, t, fault);
}

static int
check_arguments(struct trust *t, struct fault *fault)
{
	struct argvet_facts facts = { &t->grants.roots, &t->home,
		t->rundir.path };

	if (t->grants.args_file[0] != '\0')
		return fault_set(fault, "%s sets " GRANTS_ARGS ", which a "
		    "project may not: set it in your own settings file",
		    t->grants.args_file);
	return argvet_read(&t->args, getenv(GRANTS_ARGS), &facts, fault);
}

static int
check_run_directory(struct trust *t, struct fault *fault)
{
	return rundir_open(&t->rundir, fault);
}

static const struct {
	const char	*name;
	int		(*check)(struct trust *, struct fault *);
} checks[] = {
	{ "user",		check_user },
	{ "project",		check_project },
	{ "settings",		check_settings },
	{ "hookctl",		check_hookctl },
	{ "invocation",		check_invocation },
	{ "loader",		check_loader },
	{ "gateway",		check_gateway },
	{ "programs",		check_programs },
	{ "podman",		check_podman },
	{ "state",		check_state },
	{ "settings-files",	check_settings_files },
	{ "arguments",		check_arguments },
	{ "run-directory",	check_run_directory }
};

static void
trust_init(struct trust *t, const struct subject *subject)
{
	memset(t, 0, sizeof(*t));
	t->subject = *subject;
	t->gateway.fd = -1;
	t->rundir.fd = -1;
	for (int i = 0; i < HOME_DIRS; i++)
		t->home.fd[i] = -1;
}

int
trust_check(struct trust *t, const struct subject *subject,
    struct fault *fault)
{
	int error = 0;

	trust_init(t, subject);
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks) && error == 0;
	    i++) {
		t->check = checks[i].name;
		error = checks[i].check(t, fault);
	}
	if (error == 0)
		t->check = NULL;
	return error;
}

int
trust_place(struct trust *t, const struct subject *subject,
    struct fault *fault)
{
	int error;

	trust_init(t, subject);
	error = home_find(&t->home, fault);
	return error != 0 ? error : check_project(t, fault);
}

int
trust_find(struct trust *t, const struct subject *subject,
    struct fault *fault)
{
	int error = trust_place(t, subject, fault);

	return error != 0 ? error : install_find(&t->install, fault);
}

void
trust_free(struct trust *t)
{
	home_close(&t->home);
	pathwalk_end(&t->gateway);
	settings_free(&t->places);
	grants_free(&t->grants);
	project_free(&t->project);
	rundir_close(&t->rundir);
}
