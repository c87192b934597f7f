/*
 * A strict, streaming reader of tar: what two readers could take differently
 * is refused, so that what is judged here is what a daemon unpacks.  ustar,
 * GNU long names and PAX; nothing sparse.  Holds one header and at most
 * one meta header's data, whatever the size of the stream.
 *
 * Knows the format, not what an entry may be: that is its caller's.
 */
#ifndef POLICYD_TAR_H
#define POLICYD_TAR_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"
#include "common/reason.h"

enum {
	TAR_BLOCK = 512,
	TAR_PAX_MAX = 1024 * 1024,	/* bytes of one PAX header */
	TAR_NAME_MAX = 64 * 1024,	/* bytes of one GNU long name */
	TAR_ENTRIES_MAX = 1000 * 1000
};

struct tar_entry {
	char		 type;		/* '0' (never NUL) to '6' */
	uint64_t	 size;		/* bytes of data that follow */
	struct str	 name;		/* as a reader sees it, not cleaned */
	struct str	 link;		/* its target, types '1' and '2' */
	struct str	 short_name;	/* the header's own, where a PAX or GNU
					 * name overrides it; else as name */
};

enum tar_state {
	TAR_HEADER,		/* before or inside a header */
	TAR_DATA,		/* inside an entry's data */
	TAR_META,		/* inside the data of a PAX or GNU header */
	TAR_PADDING,
	TAR_END			/* inside the zeros at the end */
};

struct tar {
	/*
	 * Called once an entry's headers are complete and sound.  0: its data
	 * is skipped; 1: its data is wanted; negative: the reader stops with
	 * that.  data is called with the wanted bytes, and once with none
	 * when the entry is complete.
	 */
	int		(*on_entry)(void *, const struct tar_entry *);
	int		(*on_data)(void *, struct str);
	void		*arg;

	enum tar_state	 state;
	uint64_t	 at;		/* bytes taken so far */
	uint64_t	 judged;	/* offset behind the last entry whose
				 * header was found good: of its data too, as
				 * far as it came */
	uint64_t	 end_at;	/* TAR_END: where the zeros began */
	uint64_t	 left;		/* bytes of data, or of padding */
	uint32_t	 padding;	/* that follows the data */
	bool		 wanted;
	uint64_t	 entries;
	uint8_t		 block[TAR_BLOCK];
	size_t		 filled;

	/* Meta headers seen for the entry that follows. */
	struct buf	 meta;
	char		 meta_type;	/* of the one being read */
	bool		 has_pax, has_pax_size;
	uint64_t	 pax_size;
	struct buf	 long_name, long_link;
	char		 name_by, link_by;	/* 0, 'x', 'L', 'K' */

	char		 why[256];	/* of a refusal: one printable line */
};

void	 tar_init(struct tar *);
void	 tar_free(struct tar *);
/* 0, -R_ARCHIVE or -R_TOO_LARGE with `why`, or what a callback returned. */
int	 tar_feed(struct tar *, struct str);
/* The stream has ended; may it end here? */
int	 tar_finish(struct tar *);
size_t	 tar_held(const struct tar *);	/* bytes of memory */

/* A number of a header field, in the one form that all readers take alike. */
int	 tar_number(const uint8_t *field, size_t len, int64_t *out);

#endif
