/*
 * What a hook says: one JSON object on standard output, which the harness
 * shows to the user; nothing else is ever written there.  And hookctl's log,
 * for what nobody is told.
 */
#ifndef HOOKCTL_MESSAGE_H
#define HOOKCTL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "hookctl/home.h"

enum { MESSAGE_MAX = 4096, MESSAGE_LOG_MAX = 1024 * 1024 };

/* What one hook call has to say, collected. */
struct message {
	const char	*event;			/* hook_event_name */
	const struct home *home;		/* opened, or NULL */
	const char	*session;		/* id */
	char		 text[MESSAGE_MAX];
	size_t		 len;
};

/*
 * Adds a line unless this session heard it before; key is the reason's name,
 * or a text on one line of which as much counts.
 */
void	 message_add(struct message *, const char *key, const char *, ...)
	    __attribute__((format(printf, 3, 4)));
/* Writes what was added, if anything was. */
void	 message_send(const struct message *);

/* Forgets what sessions of long ago have heard. */
void	 message_prune(const struct home *);
/* Lets log_event() write to hookctl.log in the trusted log directory. */
void	 message_open_log(const struct home *);

#endif
