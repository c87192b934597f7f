/*
 * Scans in every cut of a stream, for the suites that judge what comes out.
 */
#ifndef TEST_UNIT_SCANNING_H
#define TEST_UNIT_SCANNING_H

#include "policyd/scan.h"

/* What a scan came to. */
struct outcome {
	int		 error;
	uint64_t	 released;	/* before the end was let go */
	uint64_t	 taken;
	struct scan_refusal refusal;
};

/* Steps in which every stream is tried. */
enum { SCANNING_STEPS = 4 };
extern const size_t scanning_steps[SCANNING_STEPS];

struct scan_options scanning_context(enum backend_kind);
struct outcome scanning_run(const struct scan_options *, struct str,
	    size_t step);
/* Good in every cut. */
void	 scanning_good(const struct scan_options *, struct str);
/* Refused in every cut, with that piece of text. */
void	 scanning_refused(const struct scan_options *, struct str, int reason,
	    const char *text);

#endif
