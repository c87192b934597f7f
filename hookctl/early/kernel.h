/*
 * All that the first look at a payload asks of the system.  These and their
 * callers (early.c, input.c, prefilter.c) run before libc has started: the
 * program is not relocated, and there is no errno, no stack protector, no
 * thread's memory.  build.mk compiles them apart and links them alone, so that
 * a call into libc is an error of the build; make check-links looks for what
 * would need relocation.
 *
 * One file a platform, which has the entry as well: kernel_linux_*.c, and
 * kernel_linux.c over them.  Elsewhere, and for sanitizers and gcov,
 * kernel_libc.c: then nothing runs before libc.
 */
#ifndef HOOKCTL_EARLY_KERNEL_H
#define HOOKCTL_EARLY_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As poll(2): above 0 if standard input can be read, or has ended or failed. */
int	 kernel_poll_input(uint64_t ms);
/* How many bytes of standard input, 0 at its end, or -errno. */
long	 kernel_read_input(char *, size_t);
bool	 kernel_input_is_terminal(void);
/* Milliseconds that only grow. */
uint64_t kernel_ms(void);
/* Ends with 0.  Nothing is flushed: nothing can have been written. */
_Noreturn void kernel_exit(void);

#endif
