/*
 * The channel to embedded: how to dial the service that the gateway runs
 * itself.
 */
#ifndef WORKER_SERVICE_LINK_H
#define WORKER_SERVICE_LINK_H

void	 service_link_init(void);
/* Takes over fd; a new channel replaces the old one. */
void	 service_link_open(int fd);
/* What has been said by now, without waiting for the loop. */
void	 service_link_catch_up(void);
/* An O_PATH descriptor of the service's socket, or -1; stays ours. */
int	 service_link_socket(void);

#endif
