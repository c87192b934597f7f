/*
 * doctor's parts: what is examined, what is found.  doctor.c has the table of
 * checks; doctor_settings.c and doctor_host.c have the checks.
 */
#ifndef HOOKCTL_DOCTOR_H
#define HOOKCTL_DOCTOR_H

#include <time.h>

#include "hookctl/gateway.h"
#include "hookctl/registration.h"
#include "hookctl/trust.h"

enum mark { MARK_OK, MARK_DRIFT, MARK_BAD };

struct finding {
	enum mark	 mark;
	char		 evidence[1024];
	char		 remedy[512];	/* "" when there is nothing to do */
};

enum { DOCTOR_ENTRIES = 256 };

/* Entries of a settings list, each "FILE: ENTRY" for people. */
struct doctor_list {
	unsigned	 count;
	char		*entry[DOCTOR_ENTRIES];		/* owned */
	char		*file[DOCTOR_ENTRIES];		/* owned */
};

/* What the settings say, all files together. */
struct doctor_settings {
	bool		 is_read;	/* else `fault` says why not */
	struct fault	 fault;
	char		 hook_file[REGISTRATION_HOOKS][PATH_MAX];
	bool		 hook_filtered[REGISTRATION_HOOKS]; /* has an "if" */
	char		 disabled_by[PATH_MAX];	/* turns all hooks off */
	char		 all_sockets_by[PATH_MAX]; /* allowAllUnixSockets */
	struct doctor_list allow_sockets;
	struct doctor_list excluded;
	struct doctor_list deny_read;
	struct doctor_list hosts;	/* DOCKER_HOST, CONTAINER_HOST */
	time_t		 changed;	/* the newest file's time */
	char		 changed_file[PATH_MAX];
};

struct doctor {
	struct subject		 subject;
	struct trust		 trust;
	bool			 is_trusted;
	struct fault		 refusal;	/* why not */
	struct gateway		 gateway;
	struct doctor_settings	 settings;
};

typedef void (*doctor_check)(struct doctor *, struct finding *);

/* Sets mark, evidence and remedy in one statement. */
void	 finding_set(struct finding *, enum mark, const char *remedy,
	    const char *evidence, ...) __attribute__((format(printf, 4, 5)));

void	 doctor_settings_read(struct doctor *);
void	 doctor_settings_free(struct doctor_settings *);

void	 check_hooks(struct doctor *, struct finding *);
void	 check_sockets(struct doctor *, struct finding *);
void	 check_daemon_sockets(struct doctor *, struct finding *);
void	 check_excluded(struct doctor *, struct finding *);
void	 check_hosts(struct doctor *, struct finding *);
void	 check_restart(struct doctor *, struct finding *);

void	 check_trust(struct doctor *, struct finding *);
void	 check_serving(struct doctor *, struct finding *);
void	 check_backends(struct doctor *, struct finding *);
void	 check_egress(struct doctor *, struct finding *);
void	 check_run_dir(struct doctor *, struct finding *);
void	 check_worktree(struct doctor *, struct finding *);
void	 check_session(struct doctor *, struct finding *);
void	 check_parent(struct doctor *, struct finding *);
void	 check_leftovers(struct doctor *, struct finding *);

#endif
