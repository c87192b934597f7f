/*
 * The stages of a scan: gzip, tar, and who judges the entries.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/log.h"
#include "policyd/inflate.h"
#include "policyd/scan_context.h"
#include "policyd/tar.h"

struct scan {
	enum scan_kind	 kind;
	struct tar	 tar;
	struct inflate	*inflate;	/* of a compressed context */
	struct context	*context;
	uint64_t	 taken;
	uint64_t	 released;
	bool		 begun;
	struct scan_refusal refusal;	/* reason R_NONE: none yet */
};

/* ---- refusing ----------------------------------------------------------- */

static int
refuse(struct scan *s, int error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int
refuse(struct scan *s, int error, const char *fmt, ...)
{
	struct scan_refusal *r = &s->refusal;
	va_list ap;

	if (r->reason != R_NONE)
		return -(int)r->reason;
	r->reason = (enum reason)-error;
	snprintf(r->field, sizeof(r->field), "body");
	va_start(ap, fmt);
	vsnprintf(r->text, sizeof(r->text), fmt, ap);
	va_end(ap);
	return error;
}

static const char *
what(const struct scan *s)
{
	return s->kind == SCAN_ARCHIVE ? "the archive" : "the build context";
}

/* A reader's own refusal: what is malformed is a matter of what it is for. */
static int
refuse_stream(struct scan *s, int error, const char *why)
{
	if (error == -R_ARCHIVE && s->kind == SCAN_CONTEXT)
		error = -R_BUILD_CONTEXT;
	return refuse(s, error, "%s cannot be read: %s", what(s), why);
}

/* ---- archives ----------------------------------------------------------- */

/* An entry for a container: what its file system holds anyway. */
static int
archive_entry(void *arg, const struct tar_entry *e)
{
	struct scan *s = arg;

	if (scan_type_is_plain(e->type))
		return 0;
	return refuse(s, -R_ARCHIVE, "an archive holds files, directories "
	    "and links; it has a device node or a fifo");
}

static int
archive_data(void *arg, struct str bytes)
{
	(void)arg;
	(void)bytes;
	return 0;
}

bool
scan_type_is_plain(char type)
{
	return type == '0' || type == '1' || type == '2' || type == '5';
}

/* ---- contexts ----------------------------------------------------------- */

static int
context_entry_hook(void *arg, const struct tar_entry *e)
{
	struct scan *s = arg;

	return context_entry(s->context, e);
}

static int
context_data_hook(void *arg, struct str bytes)
{
	struct scan *s = arg;

	return context_data(s->context, bytes);
}

/* ---- the stream --------------------------------------------------------- */

struct scan *
scan_new(const struct scan_options *options)
{
	struct scan *s = calloc(1, sizeof(*s));

	if (s == NULL)
		log_panic("scan", "out of memory");
	s->kind = (enum scan_kind)options->kind;
	tar_init(&s->tar);
	s->tar.arg = s;
	s->tar.on_entry = archive_entry;
	s->tar.on_data = archive_data;
	if (s->kind == SCAN_CONTEXT) {
		s->context = context_new(options, &s->refusal);
		s->tar.on_entry = context_entry_hook;
		s->tar.on_data = context_data_hook;
	}
	return s;
}

void
scan_free(struct scan *s)
{
	if (s == NULL)
		return;
	tar_free(&s->tar);
	inflate_free(s->inflate);
	context_free(s->context);
	free(s);
}

/* The first byte tells: no tar begins with it, and daemons look there. */
static int
begin(struct scan *s, struct str bytes)
{
	s->begun = true;
	if (bytes.data[0] != '\x1f')
		return 0;
	if (s->kind == SCAN_ARCHIVE)
		return refuse(s, -R_ARCHIVE, "the archive is compressed; send "
		    "a plain tar");
	s->inflate = inflate_new();
	return 0;
}

static int
feed_tar(struct scan *s, struct str bytes)
{
	int error = tar_feed(&s->tar, bytes);

	if (error != 0)
		return refuse_stream(s, error, s->tar.why);
	if (s->kind == SCAN_CONTEXT && s->tar.state == TAR_END &&
	    s->tar.at - s->tar.end_at > SCAN_TAIL_MAX)
		return refuse(s, -R_TOO_LARGE, "more than %d bytes of zeros "
		    "follow the end of the build context", SCAN_TAIL_MAX);
	return 0;
}

/* The daemon could start behind this point, or nearly. */
static bool
is_ending(const struct scan *s)
{
	return s->tar.state == TAR_END;
}

static void
release(struct scan *s, uint64_t to)
{
	if (to > s->released)
		s->released = to;
}

static int
feed_plain(struct scan *s, struct str bytes, size_t *used)
{
	int error = feed_tar(s, bytes);

	if (error != 0)
		return error;
	*used = bytes.len;
	s->taken += bytes.len;
	if (s->kind == SCAN_ARCHIVE)
		release(s, s->tar.judged);
	else if (is_ending(s))
		release(s, s->tar.end_at);
	else
		release(s, s->taken - 1);
	return 0;
}

/*
 * What was released can be inflated by the daemon as far as it goes, so it is
 * released only when all that it holds was seen, and the end was not in it.
 */
static int
feed_gzip(struct scan *s, struct str bytes, size_t *used)
{
	struct str left = bytes, out;
	size_t turn = 0;
	int more = 1;

	while (more == 1 && turn < SCAN_TURN) {
		int error;

		more = inflate_next(s->inflate, &left, &out);
		if (more < 0)
			return refuse_stream(s, more,
			    inflate_why(s->inflate));
		turn += out.len;
		if ((error = feed_tar(s, out)) != 0)
			return error;
	}
	*used = bytes.len - left.len;
	s->taken += *used;
	if (more == 0 && !is_ending(s))
		release(s, s->taken - 1);
	return more;
}

int
scan_feed(struct scan *s, struct str bytes, size_t *used)
{
	int error;

	*used = 0;
	if (s->refusal.reason != R_NONE)
		return -(int)s->refusal.reason;
	if (!s->begun && bytes.len > 0 && (error = begin(s, bytes)) != 0)
		return error;
	if (s->inflate != NULL)
		return feed_gzip(s, bytes, used);
	return bytes.len > 0 ? feed_plain(s, bytes, used) : 0;
}

int
scan_finish(struct scan *s)
{
	int error;

	if (s->refusal.reason != R_NONE)
		return -(int)s->refusal.reason;
	if (s->inflate != NULL && !inflate_is_done(s->inflate))
		return refuse_stream(s, -R_ARCHIVE, "its gzip stream ends "
		    "early");
	if ((error = tar_finish(&s->tar)) != 0)
		return refuse_stream(s, error, s->tar.why);
	return s->context != NULL ? context_finish(s->context) : 0;
}

uint64_t
scan_released(const struct scan *s)
{
	return s->released;
}

const struct scan_refusal *
scan_refusal(const struct scan *s)
{
	return &s->refusal;
}

size_t
scan_held(const struct scan *s)
{
	return sizeof(*s) + tar_held(&s->tar) + inflate_held(s->inflate) +
	    (s->context != NULL ? context_held(s->context) : 0);
}
