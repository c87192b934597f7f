/*
 * Where daemons' sockets may be: the table of known places, and what --backend
 * makes of it.  Dials nothing.
 */
#ifndef MASTER_CANDIDATE_H
#define MASTER_CANDIDATE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/message.h"
#include "master/fault.h"
#include "master/option.h"

enum {
	CANDIDATE_PATH = 108,		/* sun_path, with its NUL */
	CANDIDATE_MAX = 48
};

/* Where the daemon's containers run, seen from here. */
enum candidate_place {
	CANDIDATE_NATIVE,		/* behind a bridge of this host */
	CANDIDATE_ROOTLESS,		/* in a network namespace of the user's */
	CANDIDATE_MACHINE		/* in a virtual machine */
};

struct candidate {
	uint8_t		 kind;		/* enum backend_kind, as expected */
	uint8_t		 place;		/* enum candidate_place */
	bool		 is_usual;	/* what to name when nothing is there */
	bool		 is_embedded;	/* no socket: the gateway's own service */
	char		 path[CANDIDATE_PATH];
};

struct candidates {
	unsigned	 count;
	struct candidate at[CANDIDATE_MAX];
};

/* Best first; the gateway's own service, where --backend permits it, last.
 * An unknown KIND, a relative or overlong SOCKET: usage fault. */
int	 candidate_list(struct candidates *, const struct option_list *,
	    struct fault *);
/* All known places, whatever --backend says: none of them is ever bound. */
void	 candidate_list_known(struct candidates *);

#endif
