/*
 * hookctl's commands: one row each, in hookctl.c.  What a command line says,
 * parsed; each command's function stands in the file that bears its name.
 */
#ifndef HOOKCTL_CLI_H
#define HOOKCTL_CLI_H

#include <stdbool.h>

enum {
	CLI_OK = 0,
	CLI_FAILED = 1,
	CLI_USAGE = 2
};

struct cli {
	const char	*project;	/* --project, or NULL */
	bool		 json;
	bool		 settings;
	bool		 force;
	bool		 all;
	bool		 follow;
	bool		 denied;
	const char	*face;		/* --socket, or NULL */
	char		**rest;		/* what follows; NULL at the end */
};

/* Each returns an exit status. */
int	 start_run(const struct cli *);
int	 ensure_run(const struct cli *);
int	 stop_run(const struct cli *);
int	 exec_run(const struct cli *);
int	 status_run(const struct cli *);
int	 env_run(const struct cli *);
int	 doctor_run(const struct cli *);
int	 logview_run(const struct cli *);
int	 explain_run(const struct cli *);

/* One line to standard error, with hookctl's name. */
void	 cli_complain(const char *, ...) __attribute__((format(printf, 1, 2)));
/* --project, or the current directory. */
const char *cli_project(const struct cli *);
/* A person is there: --project was given, or standard input is a terminal. */
bool	 cli_is_person(const struct cli *);

#endif
