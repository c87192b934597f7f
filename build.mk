# Rules and flags, shared by an in-tree build and by a build in another folder.
#
# A program is built as soon as its directory has sources, so that a tree that
# is being written builds as far as it goes.  PARTS names the directories.

.SUFFIXES:
.SECONDARY:
.DELETE_ON_ERROR:
all:

# ---- where things are ------------------------------------------------------

PARTS ?= master worker policyd embedded hookctl
O ?= build$(if $(SAN),-san)$(if $(COVERAGE),-cov)

comma := ,
sources = $(patsubst $(srcdir)/%,%,$(wildcard $(addprefix $(srcdir)/,$(1))))
objects = $(patsubst %.c,$(O)/obj/%.o,$(call sources,$(1)))
part = $(if $(filter $(1),$(PARTS)),$(call sources,$(2)))

COMMON_SRC := $(filter-out common/sandbox_linux.c,$(call sources,common/*.c))
MASTER_SRC := $(call part,master,master/*.c)
WORKER_SRC := $(call part,worker,worker/*.c)
POLICYD_SRC := $(call part,policyd,policyd/*.c policyd/rules/*.c)
EMBEDDED_SRC := $(call part,embedded,embedded/*.c)
HOOKCTL_SRC := $(call part,hookctl,hookctl/*.c)
EXPLAIN_SRC := $(call part,hookctl,hookctl/explain/*.c)
# The judge is policyd without its process: tests, fuzzers and explain link it.
PROCESS_SRC := $(filter policyd/policyd.c policyd/jail.c policyd/server.c policyd/docket%,$(POLICYD_SRC))
JUDGE_SRC := $(filter-out $(PROCESS_SRC),$(POLICYD_SRC))
# A directory becomes a program when the file that holds its main() is there.
PROGRAMS := $(if $(filter master/master.c,$(MASTER_SRC)),$(O)/container-gateway) \
	$(if $(filter worker/worker.c,$(WORKER_SRC)),$(O)/worker) \
	$(if $(filter policyd/policyd.c,$(PROCESS_SRC)),$(O)/policyd) \
	$(if $(filter embedded/embedded.c,$(EMBEDDED_SRC)),$(O)/embedded) \
	$(if $(filter hookctl/hookctl.c,$(HOOKCTL_SRC)),$(O)/hookctl $(O)/explain)

# test/unit/check_NAME.c holds NAME_suite(); SUITES="link http" takes those.
SUITES ?= $(patsubst check_%.c,%,$(notdir $(call sources,test/unit/check_*.c)))
UNIT_SRC := $(filter-out test/unit/check_%,$(call sources,test/unit/*.c)) \
	$(patsubst %,test/unit/check_%.c,$(SUITES))
# What suites and fuzzers share: a world for the judge, and readers of cases.
CASES_SRC := $(call sources,test/policy/*.c)
# One file, one program: load generators, stub daemons and the like.
HELPER_SRC := $(call sources,test/system/*.c test/bench/*.c)
FUZZ_SRC := $(call sources,test/fuzz/fuzz_*.c)
MUTATION_SRC := $(call sources,test/mutation/*.c)

# ---- what the compiler and the libraries can do ----------------------------

NO_BUILD := help clean distclean dist distcheck deps quickstart lint uninstall \
	daemons-start daemons-stop daemons-status coverage fuzz
ifneq ($(filter-out $(NO_BUILD),$(or $(MAKECMDGOALS),all)),)
# The number grows when the probe asks for more.
PROBE_KEY := 3|$(CC)|$(PKG_CONFIG)|$(WITH_SECCOMP)|$(PKG_CONFIG_PATH)
-include $(O)/probe.mk
ifneq ($(probed),$(PROBE_KEY))
$(shell mkdir -p $(O) && sh $(srcdir)/scripts/probe.sh '$(PROBE_KEY)' \
	'$(CC)' '$(PKG_CONFIG)' '$(WITH_SECCOMP)' >$(O)/probe.mk)
missing :=
-include $(O)/probe.mk
endif
ifeq ($(have_cc),)
$(shell rm -f $(O)/probe.mk)
$(error no working C compiler ($(CC)): run "make deps", or set CC)
endif
ifneq ($(filter-out check,$(missing)),)
$(shell rm -f $(O)/probe.mk)
$(error missing libraries: $(filter-out check,$(missing)): run "make deps")
endif
endif

# Static, where the libraries allow it: LD_* in a hook's environment is then
# without effect.  Sanitizers and gcov need the shared libraries.
hookctl_pie := $(if $(SAN)$(COVERAGE),,$(static_pie))
# There, and where hookctl/early has a file for the platform, hookctl takes its
# first look before libc starts; else, and with "make early=", the same code
# runs in its turn.
early := $(if $(hookctl_pie),$(call part,hookctl,hookctl/early/kernel_$(platform).c))
EARLY_KERNEL := $(if $(early),hookctl/early/kernel_linux.c $(early))
EARLY_SRC := $(if $(early),hookctl/early/early.c hookctl/input.c \
	hookctl/prefilter.c $(EARLY_KERNEL))
HOOKCTL_SRC := $(sort $(HOOKCTL_SRC) $(or $(EARLY_SRC),$(call \
	part,hookctl,hookctl/early/kernel_libc.c)))
early_link := $(if $(early),-Wl$(comma)-e$(comma)early_entry)
# Without libc, or with its start: linked in their own ways.
HELPER_SRC := $(filter-out $(if $(early),,test/bench/bare.c),$(HELPER_SRC))
HELPERS := $(patsubst %.c,$(O)/%,$(HELPER_SRC))
HELPERS_APART := $(filter %/bench/bare %/system/early,$(HELPERS))

# ---- flags: ours first, the user's win -------------------------------------

OPTIMISED := $(filter -O -O1 -O2 -O3 -Os -Og -Ofast,$(CFLAGS))
FORTIFIED := $(findstring _FORTIFY_SOURCE,$(CFLAGS) $(CPPFLAGS))
HARDEN := -fPIE $(probed_harden)
HARDEN_LINK := -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--as-needed
ifeq ($(SAN)$(COVERAGE)$(FORTIFIED),)
HARDEN_CPP := $(if $(OPTIMISED),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$(fortify))
endif

WARN := -Wall -Wextra
ifdef DEVELOPER
WARN += -Werror -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wold-style-definition -Wwrite-strings \
	-Wpointer-arith -Wcast-qual -Wvla -Wundef -Wformat=2 \
	-Wnull-dereference -Wdouble-promotion -Wimplicit-fallthrough \
	-fno-common $(probed_warn)
endif
ifdef SAN
SANFLAGS := -fsanitize=$(SAN) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
SANCPP := -DSANITIZED
endif
ifdef COVERAGE
COVFLAGS := -O0 --coverage
SANCPP += -DSANITIZED
endif
ifneq ($(WITH_SECCOMP),yes)
seccomp_cflags := -DWITHOUT_SECCOMP
endif
# worker, policyd and embedded are found from container-gateway's own place.
ifeq ($(bindir)|$(libexecdir),$(exec_prefix)/bin|$(exec_prefix)/libexec)
libexec_from_bin := ../libexec/container-gateway
else
libexec_from_bin := $(shell realpath -m --relative-to=$(bindir) \
	$(libexecdir)/container-gateway)
endif

ALL_CPPFLAGS = -D_GNU_SOURCE -DVERSION='"$(VERSION)"' \
	-DLIBEXEC_FROM_BIN='"$(libexec_from_bin)"' -I$(srcdir) $(SANCPP) \
	$(HARDEN_CPP) $(CPPFLAGS)
ALL_CFLAGS = -std=c11 $(WARN) $(HARDEN) $(SANFLAGS) $(event_cflags) \
	$(json_cflags) $(zlib_cflags) $(seccomp_cflags) $(CFLAGS) $(COVFLAGS) \
	$(APART_CFLAGS)
ALL_LDFLAGS = $(HARDEN_LINK) $(SANFLAGS) $(COVFLAGS) $(LDFLAGS)
# What runs before libc: nothing that the compiler adds may count on it.  Last
# on the command line, whatever the user's flags are.
EARLY_CFLAGS := -ffreestanding -fno-builtin -fno-stack-protector -fno-lto \
	-fno-sanitize=all -fvisibility=hidden $(probed_early)
TEST_CPPFLAGS = -DTEST_SRCDIR='"$(abspath $(srcdir))"' \
	-DTEST_BUILDDIR='"$(abspath $(O))"' -I$(O)/test/unit $(check_cflags)

# Two stamps, rewritten only when what they hold changed: other flags compile
# everything again, an added or removed file links again.
stamp = $(if $(call same,$(file <$(O)/$(1)),= $(strip $(2))),,$(shell mkdir \
	-p $(O))$(file >$(O)/$(1),= $(strip $(2))))
same = $(and $(findstring x$(1)x,x$(2)x),$(findstring x$(2)x,x$(1)x))
ifneq ($(filter-out $(NO_BUILD),$(or $(MAKECMDGOALS),all)),)
$(call stamp,flags,$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(EARLY_CFLAGS))
$(call stamp,files,$(COMMON_SRC) $(MASTER_SRC) $(WORKER_SRC) $(POLICYD_SRC) $(EMBEDDED_SRC) $(HOOKCTL_SRC) $(EXPLAIN_SRC))
$(call stamp,suites,$(SUITES))
endif

# V=1 shows whole commands.
ifeq ($(V),1)
say = @:
Q :=
else
say = @echo "  $(1) $(patsubst $(O)/%,%,$@)"
Q := @
endif

# ---- compiling and linking -------------------------------------------------

all: $(PROGRAMS)

$(O)/obj/%.o: $(srcdir)/%.c $(O)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(O)/obj/test/%.o: $(srcdir)/test/%.c $(O)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(TEST_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c \
		-o $@ $<

object = $(patsubst %.c,$(O)/obj/%.o,$(1))
LIBS_OURS := common master worker judge server embedded hookctl
libcommon_src := $(COMMON_SRC)
libmaster_src := $(filter-out master/master.c,$(MASTER_SRC))
libworker_src := $(filter-out worker/worker.c,$(WORKER_SRC))
libjudge_src := $(JUDGE_SRC)
libserver_src := $(filter-out policyd/policyd.c,$(PROCESS_SRC))
libembedded_src := $(filter-out embedded/embedded.c,$(EMBEDDED_SRC))
libhookctl_src := $(filter-out hookctl/hookctl.c,$(HOOKCTL_SRC))
SANDBOX_OBJ := $(O)/obj/common/sandbox_linux.o

define archive
$(O)/lib$(1).a: $(call object,$(lib$(1)_src)) $(O)/files
	$$(call say,AR)
	$$(Q)rm -f $$@ && $$(AR) rcs $$@ $$(filter %.o,$$^)
endef
$(foreach lib,$(LIBS_OURS),$(eval $(call archive,$(lib))))

link = $(CC) $(ALL_LDFLAGS) $(2) -o $(1) $(filter %.o,$^) -Wl,--start-group \
	$(filter %.a,$^) -Wl,--end-group

# What the judge needs, wherever it is linked.
judge_libs = $(json_libs) $(zlib_libs)

$(O)/container-gateway: $(O)/obj/master/master.o $(O)/libmaster.a $(O)/libcommon.a
	$(call say,LD)
	$(Q)$(call link,$@,-pie) $(event_libs) $(LIBS)
$(O)/worker: $(O)/obj/worker/worker.o $(SANDBOX_OBJ) $(O)/libworker.a \
    $(O)/libcommon.a
	$(call say,LD)
	$(Q)$(call link,$@,-pie) $(event_libs) $(seccomp_libs) $(LIBS)
$(O)/policyd: $(O)/obj/policyd/policyd.o $(SANDBOX_OBJ) $(O)/libserver.a \
    $(O)/libjudge.a $(O)/libcommon.a
	$(call say,LD)
	$(Q)$(call link,$@,-pie) $(judge_libs) $(seccomp_libs) $(LIBS)
$(O)/embedded: $(O)/obj/embedded/embedded.o $(O)/libembedded.a \
    $(O)/libmaster.a $(O)/libcommon.a
	$(call say,LD)
	$(Q)$(call link,$@,-pie) $(event_libs) $(LIBS)
# early is that part of hookctl alone, without libc: an undefined name in it is
# a call that must not be, and ends the build.
link_early = $(CC) $(ALL_LDFLAGS) -nostdlib $(hookctl_pie) $(early_link) \
	-Wl,--defsym=_start=0 -o $@ $(filter %.o,$^)
$(call object,$(EARLY_SRC) test/bench/bare.c): APART_CFLAGS = $(EARLY_CFLAGS)
$(O)/early: $(call object,$(EARLY_SRC))
	$(call say,LD)
	$(Q)$(link_early)
# First in the link: then what the look touches lies together, in pages that the
# kernel has at hand (the first ones of code; of variables, the page that it
# had to clear the rest of).
$(O)/hookctl: $(call object,$(EARLY_SRC)) $(O)/obj/hookctl/hookctl.o \
    $(O)/libhookctl.a $(O)/libmaster.a $(O)/libcommon.a $(if $(early),$(O)/early)
	$(call say,LD)
	$(Q)$(call link,$@,$(or $(hookctl_pie),-pie) $(early_link)) \
		$(if $(hookctl_pie),$(judge_static_libs),$(json_libs)) $(LIBS)
	$(if $(early),,@rm -f $(O)/early)
$(O)/explain: $(call object,$(EXPLAIN_SRC)) $(O)/libhookctl.a \
    $(O)/libmaster.a $(O)/libworker.a $(O)/libjudge.a $(O)/libcommon.a
	$(call say,LD)
	$(Q)$(call link,$@,-pie) $(judge_libs) $(LIBS)

# ---- tests: programs -------------------------------------------------------

$(O)/test/unit/suites.h: $(O)/suites
	@mkdir -p $(@D)
	@for s in $(SUITES); do echo "SUITE($$s)"; done >$@
$(O)/obj/test/unit/main.o: $(O)/test/unit/suites.h

$(O)/unit: $(call object,$(UNIT_SRC) $(CASES_SRC)) $(SANDBOX_OBJ) \
    $(patsubst %,$(O)/lib%.a,$(LIBS_OURS)) $(O)/suites
	$(call say,LD)
	$(Q)$(call link,$@,-pie) $(check_libs) $(event_libs) $(judge_libs) \
		$(seccomp_libs) $(LIBS)

$(filter-out $(HELPERS_APART),$(HELPERS)): $(O)/%: $(O)/obj/%.o $(O)/libcommon.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(call link,$@,-pie) $(event_libs) $(LIBS)
$(O)/test/bench/bare: $(call object,test/bench/bare.c $(EARLY_KERNEL))
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(link_early)
$(O)/test/system/early: $(O)/obj/test/system/early.o $(O)/libhookctl.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(call link,$@,$(or $(hookctl_pie),-pie) $(early_link)) $(LIBS)

# container-gateway-policy(7) out of the tables; check says when it is stale.
manual: $(O)/policyd
	$(O)/policyd --manual >$(srcdir)/man/container-gateway-policy.7
.PHONY: manual

check-unit: $(O)/unit $(if $(filter command environment,$(firstword \
    $(origin SUITES))),,$(PROGRAMS) $(HELPERS))
	$(O)/unit

ALL_SRC := $(COMMON_SRC) common/sandbox_linux.c $(MASTER_SRC) $(WORKER_SRC) \
	$(POLICYD_SRC) $(EMBEDDED_SRC) $(HOOKCTL_SRC) $(EXPLAIN_SRC) \
	$(UNIT_SRC) $(CASES_SRC) $(HELPER_SRC) $(MUTATION_SRC)
-include $(patsubst %.c,$(O)/obj/%.d,$(ALL_SRC))


# ---- tests: targets --------------------------------------------------------

SH := sh
RUN_ENV = CG_BUILD='$(abspath $(O))' CG_SRC='$(abspath $(srcdir))' MAKE='$(MAKE)'

# Everything; the last line is that of the unit runner.
check: all $(O)/unit $(HELPERS)
	@$(RUN_ENV) $(SH) $(srcdir)/test/check.sh
check-static check-links check-man check-bans check-size check-reports: check-%:
	@$(RUN_ENV) $(SH) $(srcdir)/test/static.sh $*
check-links check-man: all
check-system: all $(HELPERS)
	@$(RUN_ENV) $(SH) $(srcdir)/test/system/run.sh $(TESTS)
daemons-start daemons-stop daemons-status: daemons-%:
	@$(SH) $(srcdir)/test/engines/daemons.sh $*
lint:
	@$(RUN_ENV) $(SH) $(srcdir)/test/lint.sh
bench: all $(HELPERS)
	@$(RUN_ENV) $(SH) $(srcdir)/test/bench/run.sh

# How many changes of the rule tables the policy cases see.
$(O)/mutation: $(call object,$(MUTATION_SRC) $(CASES_SRC)) $(O)/libjudge.a \
    $(O)/libcommon.a
	$(call say,LD)
	$(Q)$(call link,$@,-pie) $(judge_libs) $(LIBS)
mutation: $(O)/mutation
	$(O)/mutation
# Random requests at a real daemon: what it made of them is what was judged.
check-differential: all
	@$(RUN_ENV) $(SH) $(srcdir)/test/differential/run.sh $(DIFFERENTIAL)

# gcov cannot write from a confined process: SANITIZED widens the filters.
coverage:
	+$(MAKE) --no-print-directory COVERAGE=1 coverage-run
coverage-run: all $(O)/unit $(HELPERS)
	@$(RUN_ENV) CC='$(CC)' $(SH) $(srcdir)/test/coverage.sh

# ---- fuzzing: clang's libFuzzer --------------------------------------------

FUZZ_SECONDS ?= 30
fuzz:
	+$(MAKE) --no-print-directory O=build-fuzz CC=clang SAN=fuzzer-no-link,address,undefined \
		FUZZ_SECONDS=$(FUZZ_SECONDS) fuzz-run
fuzz-run: $(patsubst test/fuzz/%.c,$(O)/%,$(FUZZ_SRC))
	@$(RUN_ENV) $(SH) $(srcdir)/test/fuzz.sh $(FUZZ_SECONDS) $^
$(O)/fuzz_%: $(O)/obj/test/fuzz/fuzz_%.o $(call object,$(CASES_SRC)) $(SANDBOX_OBJ) \
    $(patsubst %,$(O)/lib%.a,$(LIBS_OURS))
	$(call say,LD)
	$(Q)$(call link,$@,-pie $(if $(findstring fuzzer,$(SAN)), \
		-fsanitize=fuzzer)) $(event_libs) $(judge_libs) \
		$(seccomp_libs) $(LIBS)

# The same targets over their corpus alone, with any compiler.
REPLAYS := $(patsubst test/fuzz/fuzz_%.c,$(O)/replay_%,$(FUZZ_SRC))
$(O)/replay_%: $(O)/obj/test/fuzz/fuzz_%.o $(O)/obj/test/fuzz/replay.o \
    $(call object,$(CASES_SRC)) $(SANDBOX_OBJ) \
    $(patsubst %,$(O)/lib%.a,$(LIBS_OURS))
	$(call say,LD)
	$(Q)$(call link,$@,-pie) $(event_libs) $(judge_libs) $(seccomp_libs) \
		$(LIBS)
check-corpus: $(REPLAYS)
	@$(RUN_ENV) $(SH) $(srcdir)/test/fuzz.sh replay $^
check: $(REPLAYS)

# ---- installing ------------------------------------------------------------

DEST_BIN = $(DESTDIR)$(bindir)
DEST_LIBEXEC = $(DESTDIR)$(libexecdir)/container-gateway
DEST_DOC = $(DESTDIR)$(docdir)
DEST_BASH = $(DESTDIR)$(datarootdir)/bash-completion/completions
DEST_ZSH = $(DESTDIR)$(datarootdir)/zsh/site-functions
MAN := $(call sources,man/*.[1-8])
DOCS := README.md ARCHITECTURE.md NEWS COPYING
BIN_PROGRAMS := $(filter %/container-gateway %/hookctl,$(PROGRAMS))
LIBEXEC_PROGRAMS := $(filter-out $(BIN_PROGRAMS),$(PROGRAMS))
man_dest = $(DESTDIR)$(mandir)/man$(patsubst .%,%,$(suffix $(1)))/$(notdir $(1))

install: all
	$(INSTALL) -d $(DEST_BIN) $(DEST_LIBEXEC) $(DEST_DOC)
	$(INSTALL) -m 755 $(BIN_PROGRAMS) $(DEST_BIN)
	$(INSTALL) -m 755 $(LIBEXEC_PROGRAMS) $(DEST_LIBEXEC)
	$(INSTALL) -m 644 $(addprefix $(srcdir)/,$(DOCS)) $(DEST_DOC)
	$(foreach m,$(MAN),$(INSTALL) -D -m 644 $(srcdir)/$(m) \
		$(call man_dest,$(m)) &&) :
	$(INSTALL) -D -m 644 $(srcdir)/completion/hookctl.bash \
		$(DEST_BASH)/hookctl
	$(INSTALL) -D -m 644 $(srcdir)/completion/_hookctl $(DEST_ZSH)/_hookctl
uninstall:
	rm -f $(addprefix $(DEST_BIN)/,container-gateway hookctl)
	rm -f $(addprefix $(DEST_LIBEXEC)/,worker policyd embedded explain)
	rm -f $(addprefix $(DEST_DOC)/,$(DOCS))
	rm -f $(foreach m,$(MAN),$(call man_dest,$(m)))
	rm -f $(DEST_BASH)/hookctl $(DEST_ZSH)/_hookctl
	-rmdir $(DEST_LIBEXEC) $(DEST_DOC) 2>/dev/null

# ---- releases --------------------------------------------------------------

RELEASE := container-gateway-$(VERSION)
# What git knows, plus the generated configure: no machine of a packager needs
# autoconf.
dist:
	@$(SH) $(srcdir)/scripts/dist.sh $(srcdir) $(RELEASE)
distcheck: dist
	@$(SH) $(srcdir)/scripts/distcheck.sh $(RELEASE) '$(MAKE)'

# ---- the rest --------------------------------------------------------------

deps:
	@$(SH) $(srcdir)/scripts/deps.sh
quickstart:
	@$(SH) $(srcdir)/scripts/quickstart.sh '$(MAKE)'

clean:
	rm -rf build build-san build-cov build-fuzz $(filter build-%,$(O))
	rm -f $(RELEASE).tar.gz
distclean: clean
	rm -rf build-* autom4te.cache
	rm -f config.mk config.log config.status

help:
	@sed 's/^	//' $(srcdir)/scripts/help.txt

.PHONY: all check check-unit check-static check-links check-man check-bans \
	check-size check-reports check-system check-corpus daemons-start daemons-stop \
	daemons-status lint bench coverage coverage-run fuzz fuzz-run install \
	mutation check-differential \
	uninstall dist distcheck deps quickstart clean distclean help
