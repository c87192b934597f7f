/*
 * policyd's confinement.
 */
#ifndef POLICYD_JAIL_H
#define POLICYD_JAIL_H

/*
 * no_new_privs, not dumpable, no core, and a seccomp filter that ends the
 * process at any call that is not on its short list.  Fatal when it should
 * have worked and did not; a build without seccomp says so and goes on.
 */
void	 jail_enter(void);

#endif
