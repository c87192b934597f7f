/*
 * Tells a service manager how far the gateway is (sd_notify, without the
 * library).  Without NOTIFY_SOCKET it does nothing.
 */
#ifndef MASTER_NOTIFY_H
#define MASTER_NOTIFY_H

/* "READY=1", "STOPPING=1", ...; 0 sent, 1 nobody listens, -1 with errno. */
int	 notify_send(const char *text);

#endif
