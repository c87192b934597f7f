/*
 * A program without libc that reads its input and ends: what a process costs
 * at the least, beside which the ensure hook is measured.
 */
#include "hookctl/early/early.h"
#include "hookctl/early/kernel.h"

void
early_look(const uintptr_t *stack)
{
	static char input[32 * 1024];

	(void)stack;
	while (kernel_read_input(input, sizeof(input)) > 0)
		continue;
	kernel_exit();
}
