/*
 * Typed values in frame payloads.  Writing goes to a buf (whose `failed` tells
 * at the end whether all fitted); reading goes through a cursor that, once it
 * fails, stays failed and gives zeroes, so that a reader checks once.
 */
#ifndef COMMON_WIRE_H
#define COMMON_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"

struct wire {
	struct str	 left;
	bool		 failed;
};

void	 wire_put_u8(struct buf *, uint8_t);
void	 wire_put_u16(struct buf *, uint16_t);
void	 wire_put_u32(struct buf *, uint32_t);
void	 wire_put_u64(struct buf *, uint64_t);
void	 wire_put_str(struct buf *, struct str);	/* u32 length, bytes */

struct wire wire_open(struct str payload);
uint8_t	 wire_get_u8(struct wire *);
uint16_t wire_get_u16(struct wire *);
uint32_t wire_get_u32(struct wire *);
uint64_t wire_get_u64(struct wire *);
struct str wire_get_str(struct wire *);		/* a view into the payload */
bool	 wire_is_done(const struct wire *);	/* read whole, nothing failed */

#endif
