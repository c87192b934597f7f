/*
 * What hookctl's first look hands to the program behind it.  Linked as hookctl
 * is, so that the look is taken here too:
 *
 *	early ensure		ends in it, or comes to main
 *	early ANYTHING-ELSE	comes to main unread
 *
 * main() says on standard error that it was reached, and with what; writes what
 * input_read() gives to standard output; and ends with 10, or 11 when that
 * failed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "hookctl/input.h"

int
main(int argc, char **argv)
{
	const char *home = getenv("EARLY_TEST");
	double half = argc / 2.0;
	struct str text;
	int error;

	/* Floating point to stdio needs an aligned stack. */
	fprintf(stderr, "main: argc %d, half of it %.1f, argv[1] %s, "
	    "environment %s, page %lu, NULL ends %s\n", argc, half,
	    argc > 1 ? argv[1] : "-", home != NULL ? home : "-",
	    getauxval(AT_PAGESZ), argv[argc] == NULL ? "it" : "nothing");
	error = input_read(&text);
	if (fwrite(text.data, 1, text.len, stdout) != text.len ||
	    fflush(stdout) != 0)
		return 1;
	return error == 0 ? 10 : 11;
}
