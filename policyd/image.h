/*
 * Image references, and who may move a tag.
 */
#ifndef POLICYD_IMAGE_H
#define POLICYD_IMAGE_H

#include "policyd/route.h"

/* [HOST[:PORT]/]PATH[:TAG][@DIGEST], and nothing that means a transport. */
bool	 image_is_reference(struct str);
/* A reference that the daemon at hand cannot take for anything else. */
bool	 image_is_plain(const struct judge *, struct str);
/* An id or the beginning of one, with or without "sha256:". */
bool	 image_is_id(struct str);
/*
 * A tag that a build, a commit or a tag is to set: it must not exist, or be
 * ours.  tag may be empty.  0 or the refusal.
 */
int	 image_check_target(struct judge *, struct str repo, struct str tag);
/*
 * The name that libpod gives to what is made as `name`: localhost/ goes before
 * it when it has no host.  On docker's API the name is itself.
 */
struct str image_qualify(struct judge *, struct str name);

/* Checks of query parameters. */
int	 param_image(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_repo(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_target(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_image_force(struct judge *, const struct param *, struct str,
	    struct str *);
int	 param_changes(struct judge *, const struct param *, struct str,
	    struct str *);

#endif
