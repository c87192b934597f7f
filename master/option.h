/*
 * The command line: one table of flags, read by the parser, by --help and by
 * the environment twins.  Knows forms (a number, a choice), not what is done
 * with the values.
 */
#ifndef MASTER_OPTION_H
#define MASTER_OPTION_H

#include <stdint.h>
#include <stdio.h>

#include "master/fault.h"

enum { OPTION_LIST_MAX = 32 };

/* A repeatable flag. */
struct option_list {
	uint32_t	 count;
	const char	*text[OPTION_LIST_MAX];
	char		*copy;		/* owned: what the twin said, split */
};

struct options {
	const char		*project;
	const char		*run_dir;	/* NULL: by section RUN DIRECTORY */
	const char		*pid_file;	/* NULL: in the run directory */
	const char		*bind_root;	/* NULL: the project as given */
	const char		*log_file;	/* NULL: in the run directory */
	struct option_list	 backend;
	struct option_list	 extra_root;
	unsigned		 egress;	/* enum egress_mode */
	unsigned		 egress_port;
	unsigned		 workers;
	unsigned		 log_level;	/* enum log_level */
	unsigned		 image_load;
	unsigned		 daemon;
	unsigned		 help;
	unsigned		 version;
	uint64_t		 idle_seconds;	/* 0: never */
};

/*
 * Flag before twin before default.  Texts stay views into argv and envp.
 * 0, or negative with a usage fault.
 */
int	 option_parse(struct options *, int argc, char **argv, char **envp,
	    struct fault *);
void	 option_free(struct options *);
void	 option_print_help(FILE *);
/* "90s", "1h30m", "0"; a bare number is seconds.  0 or -1. */
int	 option_parse_duration(const char *, uint64_t *seconds);
/* The word for a choice flag's value, as in --help: egress mode, log level. */
const char *option_egress_name(unsigned mode);
const char *option_level_name(unsigned level);

#endif
