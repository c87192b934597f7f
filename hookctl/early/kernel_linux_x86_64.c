/*
 * Linux on x86-64: the entry, and how a system call is made.
 */
#include "hookctl/early/kernel_linux.h"

/*
 * The kernel enters with the arguments on the stack, which is aligned to 16, and
 * direction flag clear; rdx is libc's to read.  Both reach _start as they came.
 * rbx and r12 outlive a C function, and mean nothing to _start.
 */
__asm__(
    ".pushsection .text\n"
    ".globl early_entry\n"
    ".hidden early_entry\n"
    ".type early_entry, @function\n"
    "early_entry:\n"
    "	.cfi_startproc\n"
    "	.cfi_undefined rip\n"
    "	endbr64\n"
    "	xorl	%ebp, %ebp\n"
    "	movq	%rsp, %rbx\n"
    "	movq	%rdx, %r12\n"
    "	movq	%rsp, %rdi\n"
    "	andq	$-16, %rsp\n"
    "	call	early_look\n"
    "	movq	%rbx, %rsp\n"
    "	movq	%r12, %rdx\n"
    "	jmp	_start\n"
    "	.cfi_endproc\n"
    ".size early_entry, . - early_entry\n"
    ".popsection\n");

long
kernel_call(long number, long a, long b, long c, long d)
{
	register long fourth __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a),
	    "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
	return result;
}
