/*
 * The harness's settings: which files there are for a subject, read and
 * parsed.  Knows where they lie and how they may be reached, not what their
 * entries mean.
 */
#ifndef HOOKCTL_SETTINGS_H
#define HOOKCTL_SETTINGS_H

#include "hookctl/home.h"
#include "hookctl/subject.h"

enum settings_kind {
	SETTINGS_MANAGED,	/* the machine's */
	SETTINGS_USER,		/* ~/.claude */
	SETTINGS_PROJECT,	/* D/.claude, committed or local */
	SETTINGS_CLI		/* --settings of the harness's own command */
};

enum { SETTINGS_DIRS = 64, SETTINGS_FILE_MAX = 1024 * 1024 };

/* A growing list of directories without repetitions. */
struct dir_list {
	char		*path[SETTINGS_DIRS];	/* owned */
	unsigned	 count;
	bool		 is_full;		/* something was left out */
};

struct settings_places {
	struct dir_list	 user;		/* ~/.claude in its forms */
	struct dir_list	 project;	/* whose .claude is read */
	struct dir_list	 current;	/* what a relative entry can mean */
};

struct settings_file {
	enum settings_kind	 kind;
	const char		*path;		/* for messages */
	const char		*base;		/* the directory that it stands for */
	struct json_object	*json;		/* an object */
};

/* 0 to go on; a fault ends it. */
typedef int (*settings_visit)(const struct settings_file *, void *,
	    struct fault *);

int	 settings_find(struct settings_places *, const struct home *,
	    const struct subject *, struct fault *);
void	 settings_free(struct settings_places *);
/*
 * Each file that exists.  A file that cannot be read or is malformed is a
 * fault: what it grants is unknown.
 */
int	 settings_each(const struct settings_places *, settings_visit, void *,
	    struct fault *);
/* One text or file, as the harness's --settings takes them. */
int	 settings_given(const char *given, const struct settings_places *,
	    settings_visit, void *, struct fault *);
/* Paths of the managed and user files, whether they exist or not. */
int	 settings_each_trusted(const struct settings_places *,
	    int (*)(const char *path, void *, struct fault *), void *,
	    struct fault *);
void	 dir_list_add(struct dir_list *, const char *path);

#endif
