# container-gateway.  GNU make 4.2 or newer.
#
#   make                    builds from a fresh clone, without ./configure
#   make deps check         installs what is missing, then runs every test
#   make quickstart         everything from nothing to a running container
#   make help               all targets and variables
#
# ./configure, where it was run, has written config.mk: its values win over the
# defaults below, and what is given on make's command line wins over both.

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

# What deps installs is there only after it ran, while a makefile is read, and
# the compiler probed, before anything runs: the other goals start afresh.
ifneq ($(and $(filter deps,$(MAKECMDGOALS)),$(filter-out deps,$(MAKECMDGOALS))),)
.NOTPARALLEL:
$(filter-out deps,$(MAKECMDGOALS)): deps
	@$(MAKE) --no-print-directory $@
deps:
	@sh $(srcdir)/scripts/deps.sh
.PHONY: $(MAKECMDGOALS)
else
include $(srcdir)/build.mk
endif
