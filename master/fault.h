/*
 * Why the gateway does not start: one line for a person, and the exit status.
 * The function that refuses writes it, where what and which are still known;
 * main() prints it, or --daemon hands it to the process that was started.
 */
#ifndef MASTER_FAULT_H
#define MASTER_FAULT_H

enum { FAULT_FAILED = 1, FAULT_USAGE = 2 };	/* exit status */

struct fault {
	int	 code;		/* 0: none */
	char	 text[1024];	/* what, which, and what to do; no newline */
};

/* Both return a negative reason, so that a refusal is one statement. */
int	 fault_set(struct fault *, const char *, ...)
	    __attribute__((format(printf, 2, 3)));	/* exit status 1 */
int	 fault_usage(struct fault *, const char *, ...)
	    __attribute__((format(printf, 2, 3)));	/* exit status 2 */
/* What socket(AF_UNIX) failed with, in words that name the cause. */
int	 fault_socket(struct fault *, int error);
void	 fault_print(const struct fault *);		/* to stderr */

#endif
