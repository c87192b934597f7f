/*
 * The environment in which docker and podman find the gateway.
 */
#ifndef HOOKCTL_ENV_H
#define HOOKCTL_ENV_H

typedef void (*env_visit)(const char *name, const char *value, void *);

/* Each variable, for the sockets in an absolute run directory. */
void	 env_each(const char *run_dir, env_visit, void *);

#endif
