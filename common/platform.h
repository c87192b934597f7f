/*
 * What only this platform has, one file a platform (platform_linux.c).
 * Confinement functions say what could not be had: 0 done, 1 the kernel or the
 * build lacks it (said once at start, work goes on), negative: it should have
 * worked and did not (fatal).
 */
#ifndef COMMON_PLATFORM_H
#define COMMON_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Peer of a connected AF_UNIX socket; 0 or -1 with errno. */
int	 platform_peer(int sock, pid_t *pid, uid_t *uid);
/* Not dumpable, no_new_privs, killed when the parent goes. */
int	 platform_harden(void);
/* Not dumpable, told by SIGTERM when the parent goes; may still start a setuid
 * program, or one that does. */
int	 platform_conceal(void);
/* In a new child, before exec: SIGTERM when the parent goes. */
int	 platform_end_with_parent(void);
/*
 * The current directory becomes an empty one that no other process can reach
 * by a path, until the caller ends.  For a process of its own: a user without
 * privileges gets user and mount namespaces.  0, or -1: it cannot be had here.
 */
int	 platform_enter_nowhere(void);
/* From now on freed memory goes back to the system, large blocks at once. */
void	 platform_return_memory(void);
/* A handle on a process that cannot come to mean another: pidfd, or -1. */
int	 platform_pidfd(pid_t pid);
int	 platform_pidfd_signal(int pidfd, int sig);
/* Who runs what; pid 0 is the caller.  0 or -1 with errno. */
uid_t	 platform_process_uid(pid_t pid);	/* (uid_t)-1: no such process */
int	 platform_executable(pid_t pid, char *path, size_t size);
/* The process sees the same mounts, pids and users as the caller. */
bool	 platform_same_namespaces(pid_t pid);
/*
 * The kernel's routes, one a line, in its own two forms: /proc/net/route and
 * /proc/net/ipv6_route.  0, or -1: not readable, or longer than anybody needs.
 */
struct buf;
int	 platform_routes(struct buf *);
/* Landlock: read everywhere, make directories below roots only, write nothing. */
int	 platform_landlock(const char *const *roots, size_t count);

#endif
