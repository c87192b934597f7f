/*
 * Names of the settings that master hands to its children in PROTO_CONFIG.
 * A child takes what it knows and ignores the rest; what it needs and does not
 * get is fatal.
 */
#ifndef COMMON_SETTING_H
#define COMMON_SETTING_H

#define SETTING_SLUG		"slug"		/* the project's label value */
#define SETTING_PROJECT		"project"	/* canonical path */
#define SETTING_BIND_ROOT	"bind-root"	/* canonical path */
#define SETTING_EXTRA_ROOT	"extra-bind-root" /* canonical; repeatable */
#define SETTING_RUN_DIR		"run-dir"	/* canonical path */
#define SETTING_PERSONAL	"personal"	/* a personal layer directory,
						 * never bound; repeatable */
#define SETTING_ENGINE_SOCKET	"engine-socket"	/* a daemon's socket, never
						 * bound; repeatable */
#define SETTING_UID		"uid"		/* decimal: whose gateway it is */
#define SETTING_LOG_LEVEL	"log-level"	/* error|warn|info|debug */
#define SETTING_EGRESS_PORT	"egress-port"	/* decimal: where the egress proxy
						 * is, whatever the mode */
#define SETTING_IMAGE_LOAD	"allow-image-load" /* "1" when given */
#define SETTING_LISTENERS	"listeners"	/* worker: "docker", "podman";
						 * repeatable */

/* embedded: */
#define SETTING_PODMAN		"podman"	/* the program to start */
#define SETTING_HOME		"home"		/* its HOME */
#define SETTING_RUNTIME_DIR	"runtime-dir"	/* its XDG_RUNTIME_DIR, if any */

#define EGRESS_PORT_DEFAULT	"8899"

#define PROJECT_LABEL		"org.apache.magpie.project"

#endif
