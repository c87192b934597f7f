/*
 * The shell classifier.  Beyond not crashing: a text that names no engine is a
 * no, a call before the text is a yes whatever the text, and a text that is a
 * no stays one when a comment is put before it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hookctl/shell.h"

int	 LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static bool
judge_after(const char *prefix, const uint8_t *data, size_t size)
{
	size_t n = strlen(prefix);
	char *text = malloc(n + size);
	bool yes;

	memcpy(text, prefix, n);
	if (size > 0)
		memcpy(text + n, data, size);
	yes = shell_needs_engine((struct str){ text, n + size });
	free(text);
	return yes;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	bool yes = shell_needs_engine(text);

	if (yes && !shell_mentions_engine(text))
		abort();
	if (!judge_after("docker ps\n", data, size))
		abort();
	if (yes != judge_after("# podman\n", data, size) &&
	    shell_mentions_engine(text))
		abort();
	return 0;
}
