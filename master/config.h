/*
 * The settings that the children get: options and what master found out, as
 * the payload of one PROTO_CONFIG frame.
 */
#ifndef MASTER_CONFIG_H
#define MASTER_CONFIG_H

#include "common/buf.h"

struct master;

enum { CONFIG_MAX = 256 * 1024 };

/* 0, or negative when it does not fit. */
int	 config_write(const struct master *, struct buf *);
/* The same for embedded; runtime_dir may be NULL. */
int	 config_write_embedded(const struct master *, const char *podman,
	    const char *home, const char *runtime_dir, struct buf *);

#endif
