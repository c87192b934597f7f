/*
 * What the commands share towards a person.
 */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "hookctl/cli.h"

void
cli_complain(const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* What is named may hold any byte; a terminal obeys some. */
	for (char *at = text; *at != '\0'; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
	fprintf(stderr, "hookctl: %s\n", text);
}

const char *
cli_project(const struct cli *cli)
{
	return cli->project != NULL ? cli->project : ".";
}

bool
cli_is_person(const struct cli *cli)
{
	return cli->project != NULL || isatty(STDIN_FILENO);
}
