# container-gateway.  GNU make 4.2 or newer.
#
#   make                    builds from a fresh clone, without ./configure
#   make check              unit, policy and document checks, then real daemons
#   make quickstart         everything from nothing to a running container
#   make help               all targets
#
# ./configure, where it was run, has written config.mk: its values win over the
# defaults below, and CFLAGS and friends given to make win over both.

srcdir ?= .
-include config.mk

prefix ?= /usr/local
exec_prefix ?= $(prefix)
bindir ?= $(exec_prefix)/bin
libexecdir ?= $(exec_prefix)/libexec
datarootdir ?= $(prefix)/share
mandir ?= $(datarootdir)/man
docdir ?= $(datarootdir)/doc/container-gateway

CC ?= cc
AR ?= ar
INSTALL ?= install
PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g
WITH_SECCOMP ?= yes

VERSION := 0.1.0

include $(srcdir)/build.mk
