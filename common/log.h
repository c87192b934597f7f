/*
 * One line an event: key=value pairs on one line, hostile bytes escaped,
 * written by one write(2) so that processes sharing the file never mix lines.
 * The clock and the pid are written first, so that the file can be read alone:
 *
 *	2026-12-01T03:46:50.123Z worker[17] info event=deny req=4f2a ...
 *
 * Values never hold bodies, environment values or credentials: callers see to it.
 */
#ifndef COMMON_LOG_H
#define COMMON_LOG_H

#include <stdint.h>

#include "common/str.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* One pair; the value is escaped and quoted as needed. */
struct log_pair {
	const char	*key;
	struct str	 value;
};
#define LOG_STR(k, s)	((struct log_pair){ (k), (s) })
#define LOG_TEXT(k, t)	((struct log_pair){ (k), str_from(t) })

void	 log_init(const char *process, enum log_level);
void	 log_set_level(enum log_level);
void	 log_set_fd(int fd);	/* 2 at first; the caller keeps owning it */
int	 log_get_fd(void);
/* This process will not fork any more: its pid is asked for only once. */
void	 log_keep_pid(void);
/* Whole lines go to fn instead of to the descriptor. */
void	 log_set_writer(void (*fn)(enum log_level, const char *, size_t));
int	 log_level_parse(const char *, enum log_level *); /* 0, or -1 */

/* event=NAME and the pairs, in the order given; errno is kept. */
void	 log_event(enum log_level, const char *event, const struct log_pair *,
	    size_t);
/* The same with one free text: event=NAME text="..." */
void	 log_text(enum log_level, const char *event, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));

/* An operator's mistake or a missing resource at start: one line, exit 1. */
_Noreturn void	log_fatal(const char *event, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));
/* A broken invariant: one line, abort. */
_Noreturn void	log_panic(const char *where, const char *what);

/*
 * Escapes s for a log line into out (cut at size - 1, always NUL-terminated).
 * Control bytes, quotes, backslashes and all non-ASCII become \xNN; a value
 * with spaces, or empty, is put into double quotes.
 */
void	 log_escape(char *out, size_t size, struct str s);

#endif
