/*
 * policyd: the judge's process.  Reads frames from its workers and from
 * master, writes frames, and can do nothing else: after start-up seccomp
 * leaves it memory, its open sockets and its end.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/log.h"
#include "common/platform.h"
#include "common/setting.h"
#include "policyd/jail.h"
#include "policyd/manual.h"
#include "policyd/server.h"

struct policyd {
	struct link	 master;
	struct server	*server;
	bool		 ready;
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

static volatile sig_atomic_t ending;

static void
on_term(int sig)
{
	(void)sig;
	ending = 1;
}

/*
 * A terminal and a service manager signal the whole group at once: workers
 * that still finish what runs need their verdicts, so that the judge ends
 * after the last of them.
 */
static void
loop(struct policyd *p)
{
	static const struct timespec at_once;
	struct pollfd fds[SERVER_WORKERS_MAX + 1];
	sigset_t usual, with_term;

	/* It comes while poll waits, and not just before, when poll would not. */
	sigemptyset(&with_term);
	sigaddset(&with_term, SIGTERM);
	sigprocmask(SIG_BLOCK, &with_term, &usual);
	for (;;) {
		size_t n = server_poll_fill(p->server, fds + 1,
		    SERVER_WORKERS_MAX);

		if (ending && n == 0)
			return;
		fds[0] = (struct pollfd){ p->master.fd, (short)(POLLIN |
		    (link_wants_write(&p->master) ? POLLOUT : 0)), 0 };
		if (ppoll(fds, (nfds_t)n + 1, server_is_busy(p->server) ?
		    &at_once : NULL, &usual) < 0)
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
	const struct sigaction term = { .sa_handler = on_term };

	if (argc > 1)
		return print(argc, argv);
	log_init("policyd", LOG_INFO);
	platform_return_memory();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	sigaction(SIGTERM, &term, NULL);
	p.server = server_new();
	link_open(&p.master, PROTO_FD_MASTER, PROTO_POLICYD, PROTO_MASTER);
	jail_enter();
	loop(&p);
	return 0;
}
