/*
 * SHA-256 (FIPS 180-4) of a short text: the project's path.  Not for streams.
 */
#ifndef MASTER_SHA256_H
#define MASTER_SHA256_H

#include <stdint.h>

#include "common/str.h"

enum { SHA256_BYTES = 32 };

void	 sha256(struct str, uint8_t out[SHA256_BYTES]);

#endif
