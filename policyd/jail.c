/*
 * What policyd leaves itself: after jail_enter() a fault in the JSON code has
 * memory, the open sockets and the process's end to work with.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "common/log.h"
#include "common/platform.h"
#include "common/sandbox.h"
#include "policyd/jail.h"

/* What is left to it.  The log is written to descriptor 2 by write(2). */
static const struct sandbox_call allowed[] = {
	{ "read" }, { "write" }, { "recvmsg" }, { "sendmsg" }, { "poll" },
	{ "ppoll" }, { "close" }, { "fcntl" }, { "brk" }, { "mmap" },
	{ "munmap" }, { "mremap" }, { "madvise" }, { "mprotect" },
	{ "futex" }, { "getrandom" }, { "clock_gettime" }, { "getpid" },
	{ "gettid" }, { "tgkill" }, { "rt_sigprocmask" }, { "rt_sigreturn" },
	{ "rt_sigaction" }, { "restart_syscall" }, { "exit" },
	{ "exit_group" },
#ifdef SANITIZED
	{ "sigaltstack" }, { "openat" }, { "open" }, { "readlink" },
	{ "readlinkat" }, { "fstat" }, { "newfstatat" }, { "stat" },
	{ "lseek" }, { "getdents64" }, { "wait4" }, { "clone" }, { "prctl" },
	{ "sched_yield" }, { "sched_getaffinity" }, { "process_vm_readv" },
	{ "getrusage" }, { "prlimit64" }, { "getcwd" }, { "ioctl" },
	{ "ptrace" }, { "dup2" }, { "pipe" }, { "pipe2" }, { "unlink" },
	{ "kill" }, { "arch_prctl" }, { "set_robust_list" }, { "rseq" },
	{ "getuid" }, { "geteuid" }, { "uname" }, { "access" },
#endif
};

static int
compare_bytes(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

/*
 * What libraries do once at first use has to be done before the filter: the
 * hash seed of json-c, the time zone, the memory size that qsort asks for.
 */
static void
warm_up(void)
{
	unsigned char bytes[2048] = { 1 };
	struct json_object *object = json_object_new_object();
	time_t now = time(NULL);
	struct tm tm;

	json_object_object_add(object, "a", json_object_new_int(1));
	json_object_to_json_string(object);
	json_object_put(object);
	gmtime_r(&now, &tm);
	qsort(bytes, sizeof(bytes), 1, compare_bytes);
}

void
jail_enter(void)
{
	const struct rlimit none = { 0, 0 };
	int loaded;

	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 1 << 30, 1 << 30 });
	if (platform_harden() != 0)
		log_fatal("confine", "no_new_privs could not be set");
	warm_up();
	loaded = sandbox_load(SANDBOX_KILL, allowed,
	    sizeof(allowed) / sizeof(*allowed));
	if (loaded < 0)
		log_fatal("confine", "the seccomp filter could not be loaded");
	if (loaded > 0)
		log_text(LOG_WARN, "confine", "built without seccomp: a fault "
		    "in the JSON code could reach the host");
}
