/*
 * Where hookctl begins: before libc.
 */
#ifndef HOOKCTL_EARLY_EARLY_H
#define HOOKCTL_EARLY_EARLY_H

#include <stdint.h>

/*
 * Called by early_entry with what the kernel left on the stack (argc, argv):
 * ends the process, or comes back for libc's own start.
 */
void	 early_look(const uintptr_t *stack);

#endif
