/*
 * Confinement of a worker.  It must read paths of the whole host, make
 * directories below the bind roots and dial sockets; it needs to start no
 * program, look into no process and change nothing else.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include "common/log.h"
#include "common/platform.h"
#include "common/sandbox.h"
#include "worker/confine.h"
#include "worker/path.h"

/* Each of these would be a way out, and none has a use here. */
static const struct sandbox_call denied[] = {
#ifndef SANITIZED	/* the leak checker looks into its own process */
	{ "ptrace" },
#endif
	{ "execve" }, { "execveat" }, { "process_vm_readv" },
	{ "process_vm_writev" }, { "process_madvise" }, { "kcmp" },
	{ "pidfd_getfd" }, { "mount" }, { "umount2" }, { "pivot_root" },
	{ "chroot" }, { "move_mount" }, { "open_tree" }, { "fsopen" },
	{ "fsconfig" }, { "fsmount" }, { "fspick" }, { "mount_setattr" },
	{ "unshare" }, { "setns" }, { "bpf" }, { "perf_event_open" },
	{ "keyctl" }, { "add_key" }, { "request_key" }, { "kexec_load" },
	{ "kexec_file_load" }, { "init_module" }, { "finit_module" },
	{ "delete_module" }, { "open_by_handle_at" },
	{ "name_to_handle_at" }, { "userfaultfd" }, { "io_uring_setup" },
	{ "io_uring_enter" }, { "io_uring_register" }, { "reboot" },
	{ "swapon" }, { "swapoff" }, { "quotactl" }, { "acct" },
	{ "settimeofday" }, { "clock_settime" }, { "clock_adjtime" },
	{ "adjtimex" }, { "sethostname" }, { "setdomainname" }, { "iopl" },
	{ "ioperm" }, { "personality" }, { "syslog" }, { "vhangup" },
	{ "mknod" }, { "mknodat" }, { "uselib" }, { "modify_ldt" },
};

static void
say_missing(const char *layer, const char *what)
{
	log_text(LOG_WARN, "confine", "%s is not there: %s", layer, what);
}

/* A core would hold clients' bytes; descriptors are the cap on connections. */
static void
set_limits(void)
{
	struct rlimit limit = { 0, 0 };

	if (setrlimit(RLIMIT_CORE, &limit) != 0)
		log_fatal("confine", "core dumps cannot be turned off");
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

void
confine_early(void)
{
	set_limits();
	umask(022);
	if (platform_harden() != 0)
		log_fatal("confine", "the process cannot be hardened");
}

/* 0, or 1 when this build or this kernel has no such thing. */
static int
restrict_files(const struct settings *settings)
{
#ifdef SANITIZED
	/* gcov and the sanitizers write files when the process ends. */
	(void)settings;
	return 1;
#else
	const char *roots[SETTINGS_ROOTS_MAX];
	int got;

	for (size_t i = 0; i < settings->root_count; i++)
		roots[i] = settings->root[i].path;
	got = platform_landlock(roots, settings->root_count);
	if (got < 0)
		log_fatal("confine", "Landlock failed");
	return got;
#endif
}

void
confine(const struct settings *settings)
{
	int got;

	if (!path_can_resolve())
		say_missing("openat2", "no bind source can be resolved, so "
		    "all are refused");
	if (restrict_files(settings) != 0)
		say_missing("Landlock", "this process could write files");
	got = sandbox_load(SANDBOX_DENY, denied,
	    sizeof(denied) / sizeof(*denied));
	if (got < 0)
		log_fatal("confine", "seccomp failed");
	if (got > 0)
		say_missing("seccomp", "this process could start programs");
}
