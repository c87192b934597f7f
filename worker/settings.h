/*
 * What master told this worker in CONFIG.
 */
#ifndef WORKER_SETTINGS_H
#define WORKER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/message.h"

enum { SETTINGS_ROOTS_MAX = 64 };

/* A directory below which directories may be made. */
struct settings_root {
	char		*path;	/* canonical */
	int		 fd;	/* O_PATH; opened once, so that a later swap of
				 * the name changes nothing; -1: not there */
};

struct settings {
	uid_t		 uid;			/* whose gateway this is */
	bool		 listens[FACE_COUNT];
	size_t		 root_count;
	struct settings_root root[SETTINGS_ROOTS_MAX];
};

/* Takes over what concerns a worker; a wrong or missing value is fatal. */
void	 settings_load(const struct msg_config *);
const struct settings *settings_get(void);

#endif
