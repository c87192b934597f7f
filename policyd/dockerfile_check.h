/*
 * Between the tables of dockerfile.c and the checks that their rows name.
 */
#ifndef POLICYD_DOCKERFILE_CHECK_H
#define POLICYD_DOCKERFILE_CHECK_H

#include "policyd/dockerfile.h"
#include "policyd/dockerfile_lex.h"

/* Engines of a row. */
enum {
	ON_DOCKER = 1,
	ON_PODMAN = 2,
	ON_BOTH = ON_DOCKER | ON_PODMAN
};

/* One reading of one case. */
struct reader {
	const struct dockerfile_case *given;
	struct dockerfile_refusal *out;
	unsigned	 engine;
	bool		 lenient;	/* lines may be a heredoc's: what is no
					 * instruction is let be */
	struct arena	 arena;
	struct dockerfile_lex	 lex;
	size_t		 file;
	bool		 in_stage;	/* behind a FROM */
	bool		 in_trigger;	/* behind ONBUILD */
	struct scope	 global;	/* ARG before the first FROM */
	struct scope	 stage;		/* ENV since the last one */
	struct str	 workdir;	/* absolute; empty: the base image's */
	bool		 has_volume;	/* a VOLUME came, in any stage */
};

/* Each returns the negative reason.  The line is that of the instruction. */
int	 dockerfile_refuse_line(struct reader *, size_t line, const char *, ...)
	    __attribute__((format(printf, 3, 4)));
#define dockerfile_refuse(r, ...) \
	dockerfile_refuse_line((r), (r)->lex.start, __VA_ARGS__)
/* A piece of the client's text for a message. */
const char	*dockerfile_show(struct reader *, struct str);
bool		 dockerfile_has(struct str, char);
/* Expansions have used up what one text may. */
bool		 dockerfile_is_full(const struct reader *);

/* Values of names that no ARG, no ENV has set. */
struct str	 dockerfile_other_global(struct scope *, struct str name);
struct str	 dockerfile_other_stage(struct scope *, struct str name);

/* Arguments of an instruction, flags taken off. */
int	 dockerfile_check_arg(struct reader *, struct str);
int	 dockerfile_check_env(struct reader *, struct str);
int	 dockerfile_check_from(struct reader *, struct str);
int	 dockerfile_check_add(struct reader *, struct str);
int	 dockerfile_check_workdir(struct reader *, struct str);
int	 dockerfile_check_volume(struct reader *, struct str);
int	 dockerfile_check_run(struct reader *, struct str);
/* Values of flags. */
int	 dockerfile_check_mount(struct reader *, struct str);
int	 dockerfile_check_copy_from(struct reader *, struct str);

#endif
