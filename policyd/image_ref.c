/*
 * containers/image takes what stands before the first colon for a transport
 * when it knows one of that name, and for a registry's reference otherwise.
 */
#include <ctype.h>

#include "policyd/image_ref.h"

enum { WILD = '\x01', WILDS_MAX = 4 };

/* docker: needs // behind it, else the whole is a reference. */
static const char *const transports[] = {
	"containers-storage", "dir", "docker-archive", "docker-daemon", "oci",
	"oci-archive", "ostree", "sif", "tarball", "atomic", "openshift",
	"docker-image", "oci-layout", "local", "target",
};

/* head matches the name when some text in place of each WILD makes it so. */
static bool
may_be(struct str head, struct str name)
{
	while (head.len > 0 && head.data[0] != WILD) {
		if (name.len == 0 || tolower((unsigned char)head.data[0]) !=
		    name.data[0])
			return false;
		head = str_skip(head, 1);
		name = str_skip(name, 1);
	}
	if (head.len == 0)
		return name.len == 0;
	head = str_skip(head, 1);
	for (size_t i = 0; i <= name.len; i++)
		if (may_be(head, str_skip(name, i)))
			return true;
	return false;
}

const char *
image_ref_check(struct str name)
{
	size_t colon = str_find(name, ':'), wilds = 0;

	if (name.len == 0)
		return "the name is empty";
	if (name.len > 1024)
		return "the name is too long";
	for (size_t i = 0; i < name.len; i++) {
		char c = name.data[i];

		wilds += c == WILD;
		if (c == '\0' || wilds > WILDS_MAX ||
		    (!isalnum((unsigned char)c) && c != WILD &&
		    strchr("._/:@+-", c) == NULL))
			return "it is no plain image name";
		if (c == '/' && (i == 0 || name.data[i - 1] == '/'))
			return "it names a transport or a path";
	}
	for (size_t i = 0; colon < name.len &&
	    i < sizeof(transports) / sizeof(*transports); i++)
		if (may_be(str_first(name, colon), str_from(transports[i])))
			return "it names a transport, which reads files of "
			    "the host";
	return NULL;
}
