/*
 * Scans.  The first byte chooses what for, the second how the stream is cut.
 * Beyond not crashing: whole or byte by byte, the verdict is the same, what is
 * released never shrinks, and nothing of a refused end was released.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "policyd/scan.h"

int	 LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static int
scan_in(const struct scan_options *o, struct str bytes, size_t step)
{
	struct scan *s = scan_new(o);
	uint64_t released = 0, taken = 0;
	int error = 0;

	while (bytes.len > 0 && error == 0) {
		struct str part = str_first(bytes, step);
		size_t used;

		do {
			error = scan_feed(s, part, &used);
			part = str_skip(part, used);
			bytes = str_skip(bytes, used);
			taken += used;
			if (scan_released(s) < released || scan_released(s) >
			    taken)
				abort();
			released = scan_released(s);
		} while (error == 1);
	}
	if (error == 0)
		error = scan_finish(s);
	if (o->kind == SCAN_CONTEXT && taken > 0 && released == taken)
		abort();
	if ((error != 0) != (scan_refusal(s)->reason != R_NONE))
		abort();
	scan_free(s);
	return error;
}

/* A fuzzer finds no checksums: they are mended, header by header. */
static void
mend(char *data, size_t size)
{
	for (size_t at = 0; at + 512 <= size; at += 512) {
		unsigned sum = 0;

		if (memcmp(data + at + 257, "ustar", 5) != 0)
			continue;
		memset(data + at + 148, ' ', 8);
		for (size_t i = 0; i < 512; i++)
			sum += (unsigned char)data[at + i];
		for (int i = 0; i < 6; i++)
			data[at + 148 + 5 - (size_t)i] =
			    (char)('0' + (sum >> (3 * i) & 7));
		data[at + 154] = '\0';
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scan_options o = { .kind = SCAN_CONTEXT };
	char *copy;
	int error;

	if (size < 3)
		return 0;
	o.kind = (data[0] & 1) != 0 ? SCAN_ARCHIVE : SCAN_CONTEXT;
	o.engine = (data[0] & 2) != 0 ? BACKEND_PODMAN : BACKEND_DOCKER;
	copy = malloc(size - 2);
	memcpy(copy, data + 2, size - 2);
	mend(copy, size - 2);
	error = scan_in(&o, (struct str){ copy, size - 2 }, size);
	if (error != scan_in(&o, (struct str){ copy, size - 2 },
	    (size_t)data[1] + 1))
		abort();
	free(copy);
	return 0;
}
