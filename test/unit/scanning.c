#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "scanning.h"

struct scan_options
scanning_context(enum backend_kind engine)
{
	return (struct scan_options){ .kind = SCAN_CONTEXT,
		.engine = (uint8_t)engine, .major = 5 };
}

/* Check notes each assertion by a write: too slow for each byte. */
static void
must(bool holds, const char *what)
{
	if (!holds)
		ck_abort_msg("%s", what);
}

struct outcome
scanning_run(const struct scan_options *o, struct str bytes, size_t step)
{
	struct scan *s = scan_new(o);
	struct outcome out = { .error = 0 };

	while (bytes.len > 0 && out.error == 0) {
		struct str part = str_first(bytes, step);
		size_t used, done = 0;
		char *copy = malloc(part.len);

		memcpy(copy, part.data, part.len);
		do {
			out.error = scan_feed(s, (struct str){ copy + done,
			    part.len - done }, &used);
			done += used;
			must(scan_released(s) >= out.released,
			    "a release was taken back");
			out.released = scan_released(s);
			must(out.released <= out.taken + done,
			    "released what did not come");
		} while (out.error == 1);
		free(copy);
		must(out.error != 0 || done == part.len, "bytes are left");
		out.taken += done;
		bytes = str_skip(bytes, part.len);
	}
	if (out.error == 0)
		out.error = scan_finish(s);
	out.refusal = *scan_refusal(s);
	scan_free(s);
	return out;
}

const size_t scanning_steps[SCANNING_STEPS] = { 1, 100, 512, 65536 };

void
scanning_good(const struct scan_options *o, struct str bytes)
{
	for (size_t i = 0; i < SCANNING_STEPS; i++) {
		struct outcome out = scanning_run(o, bytes, scanning_steps[i]);

		ck_assert_msg(out.error == 0, "step %zu: %s", scanning_steps[i],
		    out.refusal.text);
	}
}

void
scanning_refused(const struct scan_options *o, struct str bytes, int reason,
    const char *text)
{
	for (size_t i = 0; i < SCANNING_STEPS; i++) {
		struct outcome out = scanning_run(o, bytes, scanning_steps[i]);

		ck_assert_msg(out.error == -reason && (int)out.refusal.reason
		    == reason && strstr(out.refusal.text, text) != NULL,
		    "step %zu: %d, \"%s\" is not in: %s", scanning_steps[i],
		    out.error, text, out.refusal.text);
		for (const char *c = out.refusal.text; *c != '\0'; c++)
			must(*c >= ' ' && *c <= '~', "not printable");
	}
}
