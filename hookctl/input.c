/*
 * Reads standard input.  The buffer is static: pages that a small payload does
 * not touch cost nothing, and nothing is allocated.
 *
 * Runs before libc has started (early/kernel.h): no libc call, and no pointer in
 * static data.  What was read then stays for whoever asks after that.
 */
#include <errno.h>
#include <stdbool.h>

#include "hookctl/early/kernel.h"
#include "hookctl/input.h"

/* In one piece: what is known lies in the page of the first bytes. */
static struct {
	bool	is_read;
	int	result;
	size_t	len;
	char	bytes[INPUT_MAX + 1];
} input;

/* Until the end of input: 0, or -1 as input_read() has it. */
static int
read_all(void)
{
	uint64_t end = kernel_ms() + INPUT_MS, now;

	while ((now = kernel_ms()) < end && input.len < sizeof(input.bytes)) {
		long got;

		if (kernel_poll_input(end - now) <= 0)
			continue;
		got = kernel_read_input(input.bytes + input.len,
		    sizeof(input.bytes) - input.len);
		if (got == 0)
			return 0;
		if (got < 0 && got != -EINTR && got != -EAGAIN)
			return -1;
		if (got > 0)
			input.len += (size_t)got;
	}
	return -1;
}

int
input_read(struct str *out)
{
	if (!input.is_read)
		input.result = read_all();
	input.is_read = true;
	*out = (struct str){ input.bytes, input.len };
	return input.result;
}
