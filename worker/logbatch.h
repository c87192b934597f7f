/*
 * The log lines of one turn of the loop, written by one write(2).  Errors, and
 * whatever is left at exit, are written at once.
 */
#ifndef WORKER_LOGBATCH_H
#define WORKER_LOGBATCH_H

/* From now on; needs the loop. */
void	 logbatch_start(void);

#endif
