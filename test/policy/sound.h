/*
 * What must hold for every verdict, whatever the case is about.
 */
#ifndef TEST_POLICY_SOUND_H
#define TEST_POLICY_SOUND_H

#include "test/policy/cases.h"

/* NULL, or what does not hold.  Runs the judge again: call it last. */
const char *sound_check(struct case_run *);
/* The same for a verdict alone: no control byte, framing, strict JSON. */
const char *sound_verdict(const struct verdict *);

#endif
