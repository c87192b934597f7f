/*
 * hookctl: what the harness's hooks call, and what the operator asks.  This
 * file knows the commands and options by name and nothing of what they do.
 *
 * Nothing may happen here before a command runs that ensure does not need: it
 * is called for every shell command of the agent.
 */
#include <stdio.h>
#include <string.h>

#include "hookctl/cli.h"

enum option_bit {
	OPT_PROJECT = 1, OPT_VIA = 2, OPT_JSON = 4, OPT_SETTINGS = 8,
	OPT_FORCE = 16, OPT_ALL = 32, OPT_FOLLOW = 64, OPT_DENIED = 128,
	OPT_SOCKET = 256, OPT_REST = 512
};

struct command {
	const char	*name;
	int		(*run)(const struct cli *);
	unsigned	 options;	/* enum option_bit, or-ed */
	bool		 is_hook;	/* a wrong call must not block anything */
	const char	*usage;
	const char	*help;
};

/* clang-format off */
static const struct command commands[] = {
	{ "start", start_run, OPT_PROJECT | OPT_VIA, true, "[--project DIR]",
	  "a session begins: record it, start the gateway" },
	{ "ensure", ensure_run, OPT_PROJECT | OPT_VIA, true, "[--project DIR]",
	  "before a command: start the gateway if it is needed and missing" },
	{ "stop", stop_run, OPT_PROJECT | OPT_VIA | OPT_FORCE | OPT_ALL, true,
	  "[--project DIR] [--force] | --all",
	  "a session ends: stop the gateway with the last one" },
	{ "exec", exec_run, OPT_PROJECT | OPT_REST, false,
	  "[--project DIR] -- COMMAND ...",
	  "run a command with a gateway and the environment for it" },
	{ "status", status_run, OPT_PROJECT | OPT_JSON, false,
	  "[--project DIR] [--json]",
	  "what serves, since when, and what it refused" },
	{ "env", env_run, OPT_PROJECT | OPT_JSON | OPT_SETTINGS, false,
	  "[--project DIR] [--json] [--settings]",
	  "export lines for docker and podman, or settings to paste" },
	{ "doctor", doctor_run, OPT_PROJECT | OPT_JSON, false,
	  "[--project DIR] [--json]",
	  "every check, with evidence and remedy" },
	{ "log", logview_run, OPT_PROJECT | OPT_JSON | OPT_FOLLOW | OPT_DENIED,
	  false, "[--project DIR] [-f] [--denied] [--json]",
	  "what was decided" },
	{ "explain", explain_run, OPT_PROJECT | OPT_JSON | OPT_SOCKET | OPT_REST,
	  false, "[--project DIR] [--socket docker|podman] [--json] [FILE]",
	  "judge an HTTP request without sending it" }
};

static const struct {
	const char	*name;
	unsigned	 bit;
	bool		 has_value;
} options[] = {
	{ "--project",	OPT_PROJECT,	true },
	{ "--via",	OPT_VIA,	true },
	{ "--json",	OPT_JSON,	false },
	{ "--settings",	OPT_SETTINGS,	false },
	{ "--force",	OPT_FORCE,	false },
	{ "--all",	OPT_ALL,	false },
	{ "-f",		OPT_FOLLOW,	false },
	{ "--follow",	OPT_FOLLOW,	false },
	{ "--denied",	OPT_DENIED,	false },
	{ "--socket",	OPT_SOCKET,	true }
};
/* clang-format on */

#define COUNT(table)	(sizeof(table) / sizeof(*(table)))

static void
print_help(void)
{
	printf("usage: hookctl COMMAND [OPTION ...]\n\n");
	for (size_t i = 0; i < COUNT(commands); i++)
		printf("  hookctl %s %s\n        %s\n", commands[i].name,
		    commands[i].usage, commands[i].help);
	printf("\nstart, ensure and stop are hooks: they read a payload from "
	    "standard input and\nend with 0 whatever happens, unless --project "
	    "is given or a terminal is there.\nhookctl(1) has the rest.\n");
}

static void
option_set(struct cli *cli, unsigned bit, const char *value)
{
	switch (bit) {
	case OPT_PROJECT:
		cli->project = value;
		break;
	case OPT_JSON:
		cli->json = true;
		break;
	case OPT_SETTINGS:
		cli->settings = true;
		break;
	case OPT_FORCE:
		cli->force = true;
		break;
	case OPT_ALL:
		cli->all = true;
		break;
	case OPT_FOLLOW:
		cli->follow = true;
		break;
	case OPT_DENIED:
		cli->denied = true;
		break;
	case OPT_SOCKET:
		cli->face = value;
		break;
	default:
		/* --via only tells two registrations apart. */
		break;
	}
}

/* Takes the option at argv[0]: how many words, or -1 after a complaint. */
static int
take_option(struct cli *cli, const struct command *command, char **argv)
{
	for (size_t i = 0; i < COUNT(options); i++) {
		size_t n = strlen(options[i].name);
		const char *value = NULL;
		int words = 1;

		if (strncmp(argv[0], options[i].name, n) != 0 ||
		    (command->options & options[i].bit) == 0)
			continue;
		if (argv[0][n] == '=' && options[i].has_value)
			value = argv[0] + n + 1;
		else if (argv[0][n] != '\0')
			continue;
		else if (options[i].has_value) {
			value = argv[1];
			words = 2;
		}
		if (options[i].has_value && (value == NULL ||
		    value[0] == '\0')) {
			cli_complain("%s: %s needs a value", command->name,
			    options[i].name);
			return -1;
		}
		option_set(cli, options[i].bit, value);
		return words;
	}
	cli_complain("%s: unknown option %s (usage: hookctl %s %s)",
	    command->name, argv[0], command->name, command->usage);
	return -1;
}

static int
parse(struct cli *cli, const struct command *command, char **argv)
{
	while (argv[0] != NULL) {
		int words;

		if (strcmp(argv[0], "--") == 0) {
			argv++;
			break;
		}
		if (argv[0][0] != '-' || argv[0][1] == '\0')
			break;
		words = take_option(cli, command, argv);
		if (words < 0)
			return CLI_USAGE;
		argv += words;
	}
	cli->rest = argv;
	if (argv[0] == NULL || (command->options & OPT_REST) != 0)
		return CLI_OK;
	cli_complain("%s: unexpected argument %s (usage: hookctl %s %s)",
	    command->name, argv[0], command->name, command->usage);
	return CLI_USAGE;
}

static int
run(const struct command *command, char **argv)
{
	struct cli cli = { 0 };
	int status = parse(&cli, command, argv);

	if (status == CLI_OK)
		return command->run(&cli);
	/* As a hook, 2 would block what the agent wants to do. */
	return command->is_hook && !cli_is_person(&cli) ? CLI_OK : status;
}

int
main(int argc, char **argv)
{
	if (argc < 2) {
		cli_complain("a command is missing; hookctl --help lists them");
		return CLI_USAGE;
	}
	for (size_t i = 0; i < COUNT(commands); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return run(&commands[i], argv + 2);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
		print_help();
		return CLI_OK;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("hookctl %s\n", VERSION);
		return CLI_OK;
	}
	cli_complain("no command %s; hookctl --help lists them", argv[1]);
	return CLI_USAGE;
}
