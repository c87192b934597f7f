/*
 * Answers of the daemon that policyd judges before the client sees them.
 */
#ifndef WORKER_JUDGE_H
#define WORKER_JUDGE_H

#include <stdbool.h>

#include "common/message.h"
#include "worker/response.h"

struct request;

/* The head has come; bytes holds it and what follows. */
void	 judge_begin(struct request *, const struct response *,
	    struct str bytes);
void	 judge_begin_lines(struct request *, const struct response *,
	    struct str bytes);
void	 judge_run(struct request *);
void	 judge_run_lines(struct request *);
bool	 judge_wants_lines(const struct request *);
/* policyd's word; 0, or negative when it is out of turn. */
int	 judge_answer(struct request *, const struct msg_answer *);
/* policyd is gone. */
void	 judge_lost(struct request *);

#endif
