/*
 * What differs between the processors that Linux runs on; each file that
 * defines kernel_call() holds early_entry too, where the kernel starts hookctl.
 */
#ifndef HOOKCTL_EARLY_KERNEL_LINUX_H
#define HOOKCTL_EARLY_KERNEL_LINUX_H

/* A system call: its result, or -errno. */
long	 kernel_call(long number, long, long, long, long);

#endif
