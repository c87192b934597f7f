/*
 * ANSI colours for standard output.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hookctl/paint.h"

const char *
paint(enum paint kind)
{
	static const char *const sequences[] = {
		[PAINT_NONE] = "\033[0m", [PAINT_GOOD] = "\033[32m",
		[PAINT_MIDDLING] = "\033[33m", [PAINT_BAD] = "\033[31m",
		[PAINT_DIM] = "\033[2m"
	};
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	if (!isatty(STDOUT_FILENO) || (no != NULL && no[0] != '\0') ||
	    term == NULL || strcmp(term, "dumb") == 0)
		return "";
	return sequences[kind];
}
