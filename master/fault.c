/*
 * Writes refusals.  Paths in them may hold any byte, so control bytes are
 * taken out here, once: a refusal is one line whatever it is about.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/reason.h"
#include "master/fault.h"

static int __attribute__((format(printf, 3, 0)))
set(struct fault *f, int code, const char *fmt, va_list ap)
{
	f->code = code;
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	for (char *at = f->text; *at != '\0'; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
	return -R_INTERNAL;
}

int
fault_set(struct fault *f, const char *fmt, ...)
{
	va_list ap;
	int error;

	va_start(ap, fmt);
	error = set(f, FAULT_FAILED, fmt, ap);
	va_end(ap);
	return error;
}

int
fault_usage(struct fault *f, const char *fmt, ...)
{
	va_list ap;
	int error;

	va_start(ap, fmt);
	error = set(f, FAULT_USAGE, fmt, ap);
	va_end(ap);
	return error;
}

int
fault_socket(struct fault *f, int error)
{
	if (error == EPERM || error == EACCES || error == EAFNOSUPPORT)
		return fault_set(f, "AF_UNIX sockets are forbidden here (%s): "
		    "this looks like the inside of a sandbox; start the "
		    "gateway outside of it", strerror(error));
	return fault_set(f, "cannot make an AF_UNIX socket: %s",
	    strerror(error));
}

void
fault_print(const struct fault *f)
{
	fprintf(stderr, "container-gateway: %s\n", f->text);
}
