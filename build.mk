# Rules and flags, shared by an in-tree build and by a build in another folder.

VPATH := $(srcdir)

event_cflags ?= $(shell $(PKG_CONFIG) --cflags libevent_core)
event_libs ?= $(shell $(PKG_CONFIG) --libs libevent_core)
json_cflags ?= $(shell $(PKG_CONFIG) --cflags json-c)
json_libs ?= $(shell $(PKG_CONFIG) --libs json-c)
check_cflags ?= $(shell $(PKG_CONFIG) --cflags check)
check_libs ?= $(shell $(PKG_CONFIG) --libs check)
ifeq ($(WITH_SECCOMP),yes)
seccomp_cflags ?= $(shell $(PKG_CONFIG) --cflags libseccomp)
seccomp_libs ?= $(shell $(PKG_CONFIG) --libs libseccomp)
else
seccomp_cflags := -DWITHOUT_SECCOMP
endif

# Each probed once: a compiler that does not know one builds without it.
try = $(shell printf 'int main(void){return 0;}' | $(CC) -Werror $(1) -x c - -o /dev/null 2>/dev/null && echo '$(1)')
HARDEN := -fPIE -fstack-protector-strong $(call try,-fstack-clash-protection) $(call try,-fcf-protection=full) \
	$(call try,-ftrivial-auto-var-init=zero) $(call try,-fzero-call-used-regs=used-gpr)
HARDEN_LINK := -pie -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--as-needed
ifndef SAN
HARDEN_CPP := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$(if $(call try,-O2 -D_FORTIFY_SOURCE=3),3,2)
endif

WARN := -Wall -Wextra
ifdef DEVELOPER
WARN += -Werror -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wwrite-strings -Wpointer-arith -Wcast-qual -Wvla -Wundef -Wformat=2 -Wnull-dereference -Wdouble-promotion \
	-Wimplicit-fallthrough -fno-common $(call try,-Wcast-align=strict) $(call try,-Walloca) \
	$(call try,-Wformat-signedness) $(call try,-Wduplicated-cond) $(call try,-Wduplicated-branches) \
	$(call try,-Wlogical-op) $(call try,-Wstack-usage=65536)
endif
ifdef SAN
SANFLAGS := -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer -DSANITIZED
endif

ALL_CPPFLAGS = -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -I$(srcdir) -I. $(HARDEN_CPP) $(CPPFLAGS)
ALL_CFLAGS = -std=c11 $(WARN) $(HARDEN) $(SANFLAGS) $(event_cflags) $(json_cflags) $(seccomp_cflags) $(CFLAGS)
ALL_LDFLAGS = $(HARDEN_LINK) $(SANFLAGS) $(LDFLAGS)

sources = $(patsubst $(srcdir)/%,%,$(wildcard $(addprefix $(srcdir)/,$(1))))
objects = $(patsubst %.c,$(O)/%.o,$(call sources,$(1)))
O := build$(if $(SAN),-san)$(if $(COVERAGE),-cov)

COMMON_OBJ := $(filter-out $(O)/common/sandbox_linux.o,$(call objects,common/*.c))
SANDBOX_OBJ := $(O)/common/sandbox_linux.o
MASTER_OBJ := $(call objects,master/*.c)
WORKER_OBJ := $(call objects,worker/*.c)
# The judge is policyd without its process: tests, fuzzers and hookctl link it.
POLICYD_MAIN := $(O)/policyd/policyd.o $(O)/policyd/server.o
JUDGE_OBJ := $(filter-out $(POLICYD_MAIN),$(call objects,policyd/*.c policyd/rules/*.c))

PROGRAMS := $(O)/container-gateway $(O)/worker $(O)/policyd

all: $(PROGRAMS)

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(O)/libcommon.a: $(COMMON_OBJ)
	rm -f $@ && $(AR) rcs $@ $^
$(O)/libjudge.a: $(JUDGE_OBJ)
	rm -f $@ && $(AR) rcs $@ $^

$(O)/container-gateway: $(MASTER_OBJ) $(O)/libcommon.a
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(event_libs) $(LIBS)
$(O)/worker: $(WORKER_OBJ) $(SANDBOX_OBJ) $(O)/libcommon.a
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(event_libs) $(seccomp_libs) $(LIBS)
$(O)/policyd: $(POLICYD_MAIN) $(SANDBOX_OBJ) $(O)/libjudge.a $(O)/libcommon.a
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(json_libs) $(seccomp_libs) $(LIBS)

-include $(shell find $(O) -name '*.d' 2>/dev/null)

clean:
	rm -rf build build-san build-cov

.PHONY: all clean
