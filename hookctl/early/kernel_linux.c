/*
 * kernel.h by system calls.  The five numbers below are all that can be called
 * before libc starts: poll, read and look at descriptor 0, ask the time, end.
 * Nothing here opens, writes, or names a file.
 */
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <linux/poll.h>
#include <linux/time.h>
#include <sys/syscall.h>

#include "hookctl/early/kernel.h"
#include "hookctl/early/kernel_linux.h"

enum { INPUT = 0 };

int
kernel_poll_input(uint64_t ms)
{
	struct pollfd pfd = { INPUT, POLLIN, 0 };
	struct timespec wait = { (long)(ms / 1000),
		(long)(ms % 1000 * 1000000) };

	return (int)kernel_call(SYS_ppoll, (long)&pfd, 1, (long)&wait, 0);
}

long
kernel_read_input(char *to, size_t size)
{
	return kernel_call(SYS_read, INPUT, (long)to, (long)size, 0);
}

bool
kernel_input_is_terminal(void)
{
	struct termios unused;

	return kernel_call(SYS_ioctl, INPUT, TCGETS, (long)&unused, 0) == 0;
}

uint64_t
kernel_ms(void)
{
	struct timespec now = { 0, 0 };

	kernel_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void
kernel_exit(void)
{
	for (;;)
		kernel_call(SYS_exit_group, 0, 0, 0, 0);
}
