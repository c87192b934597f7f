/*
 * The ways into json-c but for the body's, which decide() reads: a parameter's
 * value, which is checked first, and what a daemon said.
 */
#ifndef POLICYD_PARSE_H
#define POLICYD_PARSE_H

#include "policyd/context.h"

/* Strict JSON, freed with the judge; NULL: it is none, or null, or empty. */
struct json_object	*parse_value(struct judge *, struct str);
/* Owned by the caller; NULL: it is none, or null. */
struct json_object	*parse_said(struct str);

#endif
