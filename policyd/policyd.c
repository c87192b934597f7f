/*
 * policyd: the judge's process.  Reads frames from its workers and from
 * master, writes frames, and can do nothing else: after start-up seccomp
 * leaves it memory, its open sockets and its end.
 */
#include <json-c/json.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/log.h"
#include "common/platform.h"
#include "common/sandbox.h"
#include "common/setting.h"
#include "policyd/manual.h"
#include "policyd/server.h"

struct policyd {
	struct link	 master;
	struct server	*server;
	bool		 ready;
};

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
on_config(struct policyd *p, const struct frame *f)
{
	struct msg_config *config = malloc(sizeof(*config));
	enum log_level level;
	char name[16];

	if (config == NULL || msg_get_config(f->payload, config) != 0)
		log_fatal("config", "master sent settings that cannot be read");
	server_set_config(p->server, config);
	for (uint32_t i = 0; i < config->count; i++) {
		if (!str_is(config->pair[i].name, SETTING_LOG_LEVEL))
			continue;
		snprintf(name, sizeof(name), "%.*s",
		    STR_FMT(config->pair[i].value));
		if (log_level_parse(name, &level) == 0)
			log_set_level(level);
	}
	free(config);
	if (p->ready)
		return 0;
	p->ready = true;
	return link_send(&p->master, PROTO_READY, 0, STR_NONE, -1);
}

static int
on_egress(struct policyd *p, const struct frame *f)
{
	struct msg_egress egress;

	if (msg_get_egress(f->payload, &egress) != 0)
		return -R_INTERNAL;
	server_set_egress(p->server, &egress);
	return 0;
}

static int
on_channel(struct policyd *p, const struct frame *f)
{
	if (server_add_worker(p->server, f->fd) != 0)
		log_text(LOG_WARN, "channel", "more workers than %d",
		    SERVER_WORKERS_MAX);
	return 0;
}

static int
on_ping(struct policyd *p, const struct frame *f)
{
	struct msg_pong *pong = calloc(1, sizeof(*pong));
	struct buf payload = BUF_INIT(16 * 1024);
	int error = -R_INTERNAL;

	if (pong == NULL)
		return error;
	server_count(p->server, pong);
	if (msg_put_pong(&payload, pong) == 0)
		error = link_send(&p->master, PROTO_PONG, f->id,
		    buf_str(&payload), -1);
	buf_free(&payload);
	free(pong);
	return error;
}

static int
on_log_fd(struct policyd *p, const struct frame *f)
{
	int old = log_get_fd();

	(void)p;
	log_set_fd(f->fd);
	close(old);
	return 0;
}

static int
on_backends(struct policyd *p, const struct frame *f)
{
	/* Each request says which daemon it is for. */
	(void)p;
	(void)f;
	return 0;
}

/* One row a frame that master sends. */
static const struct master_row {
	enum proto_type	 type;
	int		(*handle)(struct policyd *, const struct frame *);
} master_rows[] = {
	{ PROTO_CONFIG,		on_config },
	{ PROTO_EGRESS,		on_egress },
	{ PROTO_CHANNEL,	on_channel },
	{ PROTO_PING,		on_ping },
	{ PROTO_LOG_FD,		on_log_fd },
	{ PROTO_BACKENDS,	on_backends },
};

static int
on_master(struct link *link, const struct frame *f, void *arg)
{
	(void)link;
	for (size_t i = 0; i < sizeof(master_rows) / sizeof(*master_rows); i++)
		if (master_rows[i].type == f->type)
			return master_rows[i].handle(arg, f);
	return -R_INTERNAL;
}

static void
loop(struct policyd *p)
{
	struct pollfd fds[SERVER_WORKERS_MAX + 1];

	for (;;) {
		size_t n = server_poll_fill(p->server, fds + 1,
		    SERVER_WORKERS_MAX);

		fds[0] = (struct pollfd){ p->master.fd, (short)(POLLIN |
		    (link_wants_write(&p->master) ? POLLOUT : 0)), 0 };
		if (poll(fds, (nfds_t)n + 1, server_is_busy(p->server) ?
		    0 : -1) < 0)
			continue;
		server_poll_done(p->server, fds + 1, n);
		if ((fds[0].revents & POLLOUT) != 0 &&
		    link_flush(&p->master) != 0)
			return;
		/* Without master there is nobody to serve. */
		if ((fds[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0 &&
		    link_read(&p->master, on_master, p) != 0)
			return;
	}
}

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

static void
confine(void)
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

/* Asked by a person, not started by master: prints rows of the tables. */
static int
print(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--manual") == 0) {
		manual_print_page(stdout);
		return 0;
	}
	if (argc == 3 && strcmp(argv[1], "--rule") == 0) {
		if (manual_print_rows(stdout, argv[2]) == 0)
			return 0;
		fprintf(stderr, "policyd: no rule names %s: it is refused\n",
		    argv[2]);
		return 1;
	}
	fprintf(stderr, "usage: policyd --manual | --rule PATH\n"
	    "policyd is started by container-gateway.\n");
	return 2;
}

int
main(int argc, char **argv)
{
	struct policyd p = { .ready = false };

	if (argc > 1)
		return print(argc, argv);
	log_init("policyd", LOG_INFO);
	signal(SIGPIPE, SIG_IGN);
	p.server = server_new();
	link_open(&p.master, PROTO_FD_MASTER, PROTO_POLICYD, PROTO_MASTER);
	confine();
	loop(&p);
	return 0;
}
