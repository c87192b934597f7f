/*
 * Vets the arguments.  The environment variable may come from a settings file
 * that a project committed, so a flag that moves the project, the run
 * directory or a file is not on the list.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hookctl/argvet.h"
#include "hookctl/grants.h"
#include "master/option.h"

struct vetting {
	const struct argvet_facts	*facts;
	const char			*flag;
	struct fault			*fault;
};

/* 0, or negative with a fault. */
typedef int (*vet_value)(const struct vetting *, const char *value,
	    const char *words);

struct flag {
	const char	*name;
	vet_value	 check;		/* NULL: takes no value */
	const char	*words;		/* "|a|b|": what may be said */
};

static int
refuse(const struct vetting *v, const char *value, const char *why)
{
	return fault_set(v->fault, GRANTS_ARGS ": %s %s: %s", v->flag, value,
	    why);
}

static int
vet_word(const struct vetting *v, const char *value, const char *words)
{
	char wanted[64];
	int n = snprintf(wanted, sizeof(wanted), "|%s|", value);

	if (n < (int)sizeof(wanted) && strchr(value, '|') == NULL &&
	    strstr(words, wanted) != NULL)
		return 0;
	return refuse(v, value, words);
}

static int
vet_port(const struct vetting *v, const char *value, const char *words)
{
	unsigned long port;

	(void)words;
	port = strspn(value, "0123456789") == strlen(value) &&
	    strlen(value) <= 5 ? strtoul(value, NULL, 10) : 0;
	return port > 0 && port < 65536 ? 0 : refuse(v, value,
	    "not a port number");
}

static int
vet_duration(const struct vetting *v, const char *value, const char *words)
{
	uint64_t seconds;

	(void)words;
	return option_parse_duration(value, &seconds) == 0 ? 0 :
	    refuse(v, value, "not a duration, as 90s, 15m, 4h");
}

/* No writable directory lies above it: nobody but the host put it there. */
static int
vet_outside(const struct vetting *v, const char *value, const char *path)
{
	const struct root *root;
	char why[PATH_MAX + 512];

	if (path[0] != '/')
		return refuse(v, value, "the path is not absolute");
	root = roots_cover(v->facts->roots, path);
	if (root == NULL)
		return 0;
	snprintf(why, sizeof(why), "inside a sandbox write grant: %s (%s)",
	    root->path, root->source);
	return refuse(v, value, why);
}

static int
vet_backend(const struct vetting *v, const char *value, const char *words)
{
	char kind[16];
	const char *equals = strchr(value, '=');

	if (equals == NULL)
		return vet_word(v, value, words);
	snprintf(kind, sizeof(kind), "%.*s", (int)(equals - value), value);
	if (strcmp(kind, "docker") != 0 && strcmp(kind, "podman") != 0)
		return refuse(v, value, "the kind is docker or podman");
	return vet_outside(v, value, equals + 1);
}

/* Directory a lies in or is directory b; both canonical. */
static bool
is_inside(const char *a, const char *b)
{
	size_t n = strcmp(b, "/") == 0 ? 0 : strlen(b);

	return strncmp(a, b, n) == 0 && (a[n] == '/' || a[n] == '\0');
}

/* path lies in a directory of the home whose name starts with a dot. */
static bool
is_in_dot_directory(const char *path, const char *home)
{
	return is_inside(path, home) && strlen(path) > strlen(home) + 1 &&
	    path[strlen(home) + 1] == '.';
}

static int
vet_extra_root(const struct vetting *v, const char *value, const char *words)
{
	const struct argvet_facts *f = v->facts;
	char path[PATH_MAX], home[PATH_MAX];
	struct stat st;

	(void)words;
	if (value[0] != '/')
		return refuse(v, value, "the path is not absolute");
	if (realpath(value, path) == NULL || stat(path, &st) != 0)
		return refuse(v, value, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return refuse(v, value, "not a directory");
	if (st.st_uid != geteuid())
		return refuse(v, value, "it does not belong to you");
	if (is_inside(f->run_dir, path))
		return refuse(v, value, "it holds the run directory");
	for (unsigned i = 0; i < f->home->count; i++) {
		if (realpath(f->home->all[i], home) == NULL)
			continue;
		if (is_inside(home, path))
			return refuse(v, value, "it holds your home directory");
		if (is_in_dot_directory(path, home))
			return refuse(v, value, "it lies in a dot directory of "
			    "your home");
	}
	return 0;
}

/* A path that is only ever made read-only. */
static int
vet_path(const struct vetting *v, const char *value, const char *words)
{
	(void)words;
	return value[0] != '\0' && strlen(value) < PATH_MAX ? 0 :
	    refuse(v, value, "not a path");
}

/* clang-format off */
static const struct flag flags[] = {
	{ "--allow-image-load",	NULL,		NULL },
	{ "--backend",		vet_backend,	"|auto|docker|podman|" },
	{ "--egress",		vet_word,	"|inject-if-available|require|off|" },
	{ "--egress-port",	vet_port,	NULL },
	{ "--extra-bind-root",	vet_extra_root,	NULL },
	{ "--idle-timeout",	vet_duration,	NULL },
	{ "--log-level",	vet_word,	"|error|warn|info|debug|" },
	{ "--protect",		vet_path,	NULL },
	{ "--socket-bind",	vet_word,	"|deny|gateway|" }
};
/* clang-format on */

/* The row of "--flag" or "--flag=value"; *value is NULL for the first. */
static const struct flag *
find_flag(char *word, const char **value)
{
	char *equals = strchr(word, '=');
	size_t n = equals != NULL ? (size_t)(equals - word) : strlen(word);

	*value = equals != NULL ? equals + 1 : NULL;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (strlen(flags[i].name) == n &&
		    strncmp(word, flags[i].name, n) == 0)
			return &flags[i];
	return NULL;
}

/* The flag at argv[*at] and its value; *at moves past both. */
static int
vet_one(const struct argvet *a, unsigned *at, struct vetting *v)
{
	char *word = a->argv[(*at)++];
	const char *value;
	const struct flag *flag = find_flag(word, &value);

	if (flag == NULL)
		return fault_set(v->fault, GRANTS_ARGS ": \"%s\" is not among "
		    "the flags that hooks may pass on (hookctl(1) lists them)",
		    word);
	v->flag = flag->name;
	if (flag->check == NULL)
		return value == NULL ? 0 : refuse(v, value,
		    "the flag takes no value");
	if (value == NULL && *at == a->argc)
		return refuse(v, "", "a value is missing");
	if (value == NULL)
		value = a->argv[(*at)++];
	return flag->check(v, value, flag->words);
}

static int
split(struct argvet *a, const char *text, struct fault *fault)
{
	char *rest = a->text, *word;

	if (strlen(text) >= sizeof(a->text))
		return fault_set(fault, GRANTS_ARGS ": too long");
	snprintf(a->text, sizeof(a->text), "%s", text);
	while ((word = strsep(&rest, " \t\r\n")) != NULL) {
		if (word[0] == '\0')
			continue;
		if (a->argc == ARGVET_MAX)
			return fault_set(fault, GRANTS_ARGS ": more than %d "
			    "words", ARGVET_MAX);
		a->argv[a->argc++] = word;
	}
	return 0;
}

int
argvet_read(struct argvet *a, const char *text,
    const struct argvet_facts *facts, struct fault *fault)
{
	struct vetting v = { facts, "", fault };
	int error;

	memset(a, 0, sizeof(*a));
	if (text == NULL)
		return 0;
	error = split(a, text, fault);
	for (unsigned at = 0; at < a->argc && error == 0; )
		error = vet_one(a, &at, &v);
	return error;
}
