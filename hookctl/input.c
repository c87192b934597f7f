/*
 * Reads standard input.  The buffer is static: pages that a small payload does
 * not touch cost nothing, and nothing is allocated.
 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "hookctl/input.h"
#include "master/clock.h"

static char input[INPUT_MAX + 1];

int
input_read(struct str *out)
{
	uint64_t end = clock_ms() + INPUT_MS, now;
	size_t len = 0;

	while ((now = clock_ms()) < end && len < sizeof(input)) {
		struct pollfd pfd = { STDIN_FILENO, POLLIN, 0 };
		ssize_t got;

		if (poll(&pfd, 1, (int)(end - now)) <= 0)
			continue;
		got = read(STDIN_FILENO, input + len, sizeof(input) - len);
		if (got == 0) {
			*out = (struct str){ input, len };
			return 0;
		}
		if (got < 0 && errno != EINTR && errno != EAGAIN)
			return -1;
		if (got > 0)
			len += (size_t)got;
	}
	return -1;
}
