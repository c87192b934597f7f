/*
 * PAX records: inside the tar reader only.
 */
#ifndef POLICYD_TAR_PAX_H
#define POLICYD_TAR_PAX_H

#include "policyd/tar.h"

/* The records of one extended header; global: it would hold for all entries. */
int	 tar_pax_read(struct tar *, struct str, bool global);
int	 tar_refuse(struct tar *, enum reason, const char *, ...)
	    __attribute__((format(printf, 3, 4)));

#endif
