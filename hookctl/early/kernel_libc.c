/*
 * kernel.h by libc, for where there is no platform file.
 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "hookctl/early/kernel.h"
#include "master/clock.h"

int
kernel_poll_input(uint64_t ms)
{
	struct pollfd pfd = { STDIN_FILENO, POLLIN, 0 };

	return poll(&pfd, 1, (int)ms);
}

long
kernel_read_input(char *to, size_t size)
{
	ssize_t got = read(STDIN_FILENO, to, size);

	return got >= 0 ? got : -errno;
}

bool
kernel_input_is_terminal(void)
{
	return isatty(STDIN_FILENO);
}

uint64_t
kernel_ms(void)
{
	return clock_ms();
}

void
kernel_exit(void)
{
	_exit(0);
}
