/*
 * seccomp by libseccomp.  Two shapes: policyd runs on a short allow-list, the
 * worker without a short list of dangerous calls.
 */
#include <errno.h>
#include <sys/socket.h>

#include "common/sandbox.h"

#ifdef WITHOUT_SECCOMP

int
sandbox_load(enum sandbox_action action, const struct sandbox_call *calls,
    size_t count)
{
	(void)action;
	(void)calls;
	(void)count;
	return 1;
}

#else

#include <seccomp.h>

static int
add_calls(scmp_filter_ctx ctx, uint32_t what, const struct sandbox_call *calls,
    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int number = seccomp_syscall_resolve_name(calls[i].name);

		if (number == __NR_SCMP_ERROR)
			continue;
		if (seccomp_rule_add(ctx, what, number, 0) != 0)
			return -1;
	}
	return 0;
}

static int
deny_foreign_sockets(scmp_filter_ctx ctx)
{
	return seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket),
	    1, SCMP_A0(SCMP_CMP_NE, AF_UNIX, 0));
}

int
sandbox_load(enum sandbox_action action, const struct sandbox_call *calls,
    size_t count)
{
	uint32_t base = action == SANDBOX_KILL ? SCMP_ACT_KILL_PROCESS :
	    SCMP_ACT_ALLOW;
	uint32_t listed = action == SANDBOX_KILL ? SCMP_ACT_ALLOW :
	    SCMP_ACT_ERRNO(EPERM);
	scmp_filter_ctx ctx = seccomp_init(base);
	int error;

	if (ctx == NULL)
		return -1;
	error = add_calls(ctx, listed, calls, count);
	if (error == 0 && action == SANDBOX_DENY)
		error = deny_foreign_sockets(ctx);
	if (error == 0)
		error = seccomp_load(ctx);
	seccomp_release(ctx);
	return error != 0 ? -1 : 0;
}

#endif
