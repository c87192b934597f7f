/*
 * Session records: which project a session of the harness began in.  start
 * writes them, ensure believes them, stop counts them.
 */
#ifndef HOOKCTL_SESSION_H
#define HOOKCTL_SESSION_H

#include <stdint.h>

#include "hookctl/home.h"
#include "hookctl/payload.h"
#include "hookctl/subject.h"

enum {
	SESSION_FILE_MAX = 16 * 1024,
	SESSION_DAYS = 30,		/* a record that nobody touched */
	SESSION_PRUNE_MAX = 512,	/* entries looked at in one prune */
	SESSION_PRUNE_MS = 20
};

struct session {
	char		 id[PAYLOAD_ID_MAX + 1];
	char		 project[PATH_MAX];	/* canonical */
	uint64_t	 project_dev;
	uint64_t	 project_ino;
	char		 start_dir[PATH_MAX];
	char		 run_dir[PATH_MAX];
	int64_t		 created;
	int64_t		 claude_pid;		/* 0: not known */
	uint64_t	 claude_start;
};

/* Of this process' harness, now. */
void	 session_make(struct session *, const char *id, const struct subject *,
	    const char *run_dir);
int	 session_write(const struct home *, const struct session *);
/* 0, or -1: no record, or none that can be believed. */
int	 session_read(const struct home *, const char *id, struct session *);
void	 session_remove(const struct home *, const char *id);
void	 session_touch(const struct home *, const char *id);
/* Old records, and leftovers of writes that were interrupted. */
void	 session_prune(const struct home *);
/* Records of the project besides that of `id`, whose harness may live. */
unsigned session_count_others(const struct home *, const struct session *,
	    const char *id);

#endif
