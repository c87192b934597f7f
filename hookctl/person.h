/*
 * The hooks' work for people: without a payload or a record, with plain words
 * and exit statuses.
 */
#ifndef HOOKCTL_PERSON_H
#define HOOKCTL_PERSON_H

#include "hookctl/cli.h"
#include "hookctl/gateway.h"
#include "hookctl/trust.h"

/* Starts what is missing, and says what there is. */
int	 person_ensure(const struct cli *);
/* The same without words, for exec: 0, or an exit status after a complaint. */
int	 person_serve(const struct cli *, struct trust *);
/* Trust without checks, for commands that only look; complains. */
int	 person_find(const struct cli *, struct trust *, struct subject *);

#endif
