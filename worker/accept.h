/*
 * The listeners: docker.sock and podman.sock, inherited.
 */
#ifndef WORKER_ACCEPT_H
#define WORKER_ACCEPT_H

/* Watches the listeners that CONFIG names; fatal when one is not there. */
void	 accept_start(void);
/* No more connections: drain. */
void	 accept_stop(void);
/* A connection has ended: there may be room for one more. */
void	 accept_resume(void);

#endif
