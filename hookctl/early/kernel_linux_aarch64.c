/*
 * Linux on 64-bit ARM: the entry, and how a system call is made.
 */
#include "hookctl/early/kernel_linux.h"

/*
 * The kernel enters with the arguments on the stack, which is aligned to 16;
 * x0 is libc's to read.  Both reach _start as they came.  x19 and x20 outlive a
 * C function, and mean nothing to _start.  "hint 34" is bti c, known to every
 * assembler.
 */
__asm__(
    ".pushsection .text\n"
    ".balign 4\n"
    ".globl early_entry\n"
    ".hidden early_entry\n"
    ".type early_entry, %function\n"
    "early_entry:\n"
    "	.cfi_startproc\n"
    "	.cfi_undefined x30\n"
    "	hint	34\n"
    "	mov	x29, #0\n"
    "	mov	x30, #0\n"
    "	mov	x19, x0\n"
    "	mov	x20, sp\n"
    "	mov	x0, sp\n"
    "	bl	early_look\n"
    "	mov	sp, x20\n"
    "	mov	x0, x19\n"
    "	mov	x29, #0\n"
    "	mov	x30, #0\n"
    "	b	_start\n"
    "	.cfi_endproc\n"
    ".size early_entry, . - early_entry\n"
    ".popsection\n");

long
kernel_call(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2),
	    "r"(x3) : "memory");
	return x0;
}
