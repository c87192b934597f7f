/*
 * Bodies of POST /containers/{container}/exec and /exec/{exec}/start.
 */
#include "policyd/rules/rules.h"

/* clang-format off */
const struct field exec_create_fields[] = {
	{ "Privileged",		K_BOOL,			check_false,	NULL,		R_PRIVILEGED,	"a privileged exec has every capability" },
	{ "Env",		K_ARRAY,		check_env,	NULL,		R_ENVIRONMENT,	"NAME=VALUE" },
	{ "WorkingDir",		K_STRING,		check_workdir,	NULL,		R_WORKDIR,	"an absolute path that is not under /proc, /sys or /dev" },
	{ "User",		K_STRING,		check_line,	NULL,		R_BAD_VALUE,	"user inside" },
	{ "Tty",		K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"a terminal" },
	{ "ConsoleSize",	K_ARRAY,		check_any,	NULL,		R_BAD_VALUE,	"rows and columns" },
	{ "AttachStdin",	K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"streams of the client" },
	{ "AttachStderr",	K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"streams of the client" },
	{ "AttachStdout",	K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"streams of the client" },
	{ "Detach",		K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"ignored by the daemon" },
	{ "DetachKeys",		K_STRING,		check_any,	NULL,		R_BAD_VALUE,	"keys that detach" },
	{ "Cmd",		K_ARRAY,		check_any,	NULL,		R_BAD_VALUE,	"command" },
	{ "Container",		K_STRING,		check_drop,	NULL,		R_BAD_VALUE,	"an SDK's own; not forwarded: the path names the container" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};

const struct field exec_start_fields[] = {
	{ "Detach",		K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"without a stream" },
	{ "Tty",		K_BOOL,			check_any,	NULL,		R_BAD_VALUE,	"a terminal" },
	{ "ConsoleSize",	K_ARRAY,		check_any,	NULL,		R_BAD_VALUE,	"rows and columns" },
	{ "hijack",		K_BOOL,			check_drop,	NULL,		R_BAD_VALUE,	"an SDK's own; not forwarded" },
	{ "stdin",		K_BOOL,			check_drop,	NULL,		R_BAD_VALUE,	"an SDK's own; not forwarded" },
	{ NULL, 0, NULL, NULL, R_NONE, NULL }
};
/* clang-format on */
