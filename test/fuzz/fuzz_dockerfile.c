/*
 * Dockerfiles.  The first byte chooses the engine.  Beyond not crashing: the
 * verdict is the same when asked again, lines that mean nothing change no
 * refusal, and a forbidden step behind a good text is refused on podman unless
 * the text was.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "policyd/dockerfile.h"

int	 LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static int
judge(uint8_t engine, struct str text)
{
	static const struct pair args[] = { { { "A", 1 }, { "busybox", 7 } },
	    { { "B", 1 }, { "dir:/x", 6 } } };
	struct str name = STR("Dockerfile");
	struct dockerfile_case c = { (engine & 1) != 0 ? BACKEND_PODMAN :
		BACKEND_DOCKER, (engine & 2) != 0 ? 5 : 4, 1, &name, &text,
		2, args };
	struct dockerfile_refusal out;
	int error = dockerfile_judge(&c, &out);

	for (size_t i = 0; error != 0 && out.text[i] != '\0'; i++)
		if (out.text[i] < ' ' || out.text[i] > '~')
			abort();
	return error;
}

static int
judge_with(uint8_t engine, const char *before, struct str text,
    const char *after)
{
	size_t n = strlen(before), m = strlen(after);
	char *all = malloc(n + text.len + m + 1);
	int error;

	memcpy(all, before, n);
	memcpy(all + n, text.data, text.len);
	memcpy(all + n + text.len, after, m);
	error = judge(engine, (struct str){ all, n + text.len + m });
	free(all);
	return error;
}

/* A text whose last line goes on takes in what is put behind it. */
static bool
is_closed(struct str text)
{
	return text.len > 0 && text.data[text.len - 1] == '\n' &&
	    memchr(text.data, '\\', text.len) == NULL &&
	    memchr(text.data, '`', text.len) == NULL &&
	    memchr(text.data, '<', text.len) == NULL;
}

/* A directive is one on top only. */
static bool
has_escape(struct str text)
{
	for (size_t i = 0; i + 6 <= text.len; i++)
		if (str_equal_nocase(str_first(str_skip(text, i), 6),
		    STR("escape")))
			return true;
	return false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text;
	int error;

	if (size < 2 || size > 16 * 1024)
		return 0;
	text = (struct str){ (const char *)data + 1, size - 1 };
	error = judge(data[0], text);
	if (error != judge(data[0], text))
		abort();
	if (error != 0 && text.data[0] != '#' && !has_escape(text) &&
	    (unsigned char)text.data[0] < 0x80 &&
	    judge_with(data[0], "\n\n# x\n", text, "") == 0)
		abort();
	if ((data[0] & 1) != 0 && error == 0 && is_closed(text) &&
	    judge_with(data[0], "", text,
	    "RUN --mount=type=bind,target=/m x\n") == 0)
		abort();
	return 0;
}
