/*
 * Makes tar archives in memory, good ones and bad ones.
 */
#ifndef TEST_UNIT_TARBALL_H
#define TEST_UNIT_TARBALL_H

#include <stdint.h>

#include "common/buf.h"

enum { TARBALL_MAX = 64 * 1024 * 1024 };

/* A header alone; the size is what it says. */
void	 tarball_header(struct buf *, const char *name, char type,
	    uint64_t size, const char *link);
/* Data, padded to a block. */
void	 tarball_data(struct buf *, struct str);
void	 tarball_file(struct buf *, const char *name, const char *text);
void	 tarball_entry(struct buf *, const char *name, char type,
	    const char *link);
/* A PAX header ('x', 'g') of ready records, a GNU one ('L', 'K') of a name. */
void	 tarball_meta(struct buf *, char type, struct str data);
/* One PAX record with its length. */
void	 tarball_record(struct buf *, const char *key, const char *value);
void	 tarball_end(struct buf *);
/* Writes into the last header (at: offset of it) and mends its checksum. */
void	 tarball_patch(struct buf *, size_t at, size_t field, const void *,
	    size_t);
/* gzip of bytes and then so many zeros, appended. */
void	 tarball_gzip(struct buf *, struct str, size_t zeros);

#endif
