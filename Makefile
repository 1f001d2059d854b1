# claude-task-hooks
#
#   make             the executables, in build/
#   make check       every test, normal and sanitizer build (installs what the tests need)
#   make test        the unit tests alone
#   make check-portable     with what is there, on a system whose packages scripts/setup does not know
#   make demo        the three hooks at work, in ten seconds
#   make bench       speed as ratios to an empty program and to other languages
#   make torture     the long form of make check
#   make lint form   check the form, apply it
#   make install     PREFIX=/usr/local DESTDIR=
#   make deb dist npm plugin    OUT=build
#   make release     everything that is published                        OUT=build/release KEY=ssh-key
#   make cross       the programs for every platform, in build/cross/    PLATFORMS='linux-x64 ...'
#
# Knobs: CC=clang, CFLAGS=, SAN=1 (sanitizers, in build-san/), FUZZ=1 (libFuzzer, in build-fuzz/),
# STATIC=no (shared libraries), WERROR=1 (more warnings, each an error), V=1 (show the commands),
# B=DIR (build elsewhere), DEPS=DIR (headers and static libraries in include/ and lib/ of it),
# OS=linux|darwin|posix (which implementation of common/os/os.h; that of another system than this one
# is built in build-OS/, and make check OS=posix tests it).
#
# Sources are found by name, so a new file needs no edit here:
#   common/ROOM/*.c     the static library; CONTRIBUTING.md has the order of the rooms
#   common/os/os-*.c    those of the chosen system
#   hooks/on-*.c        one executable each
#   hooks/ci*.c         on-task-completed-verify --ci
#   cli/*.c             together claude-tasks
#   tests/test-*.c      Criterion programs              $(B)/tests/test-*
#   tests/preload-*.c   LD_PRELOAD shims                $(B)/tests/preload-*.so
#   tests/fuzz-*.c      libFuzzer targets (FUZZ=1)      $(B)/tests/fuzz-*
#   tests/*.c           other helpers of the checks     $(B)/tests/*
#   tests/bench/*.c     the parts of make bench         $(B)/bench/*

VERSION := $(shell cat VERSION)
COMMIT  := $(shell scripts/commit)
PREFIX  ?= /usr/local
UNAME   := $(shell uname -s)
NATIVE  := $(or $(if $(filter Linux,$(UNAME)),linux),$(if $(filter Darwin,$(UNAME)),darwin),posix)
OS      ?= $(NATIVE)
ifeq ($(filter linux darwin posix,$(OS)),)
$(error OS=$(OS): there is linux, darwin and posix)
endif
# The portable implementation with the libraries of Linux: a test that it uses nothing more.
TRIAL   := $(if $(filter Linux-posix,$(UNAME)-$(OS)),1)
GNU     := $(if $(TRIAL)$(filter linux,$(OS)),1)
STATIC  ?= $(if $(GNU),yes,no)
B       ?= build$(if $(filter-out $(NATIVE),$(OS)),-$(OS))$(if $(SAN),-san)$(if $(FUZZ),-fuzz)
ifdef FUZZ
CC      := clang
endif

CFLAGS  ?= $(if $(SAN)$(FUZZ)$(TRIAL),-O1 -g1,-O2 -g)
# Where libbsd's headers are, Debian and Ubuntu do not agree: the compiler knows.  The BSDs and Darwin
# have its functions in their C library.
HASH    := \#
BSD     := $(if $(DEPS),,$(if $(GNU),$(shell echo '$(HASH)include <bsd/string.h>' | $(CC) -E - 2>/dev/null | \
	   sed -n 's,.*"\(/.*/bsd\)/string\.h".*,\1,p' | head -n 1)))
# The libraries of another platform (scripts/cross-libs); before the headers of its C library.
ifdef DEPS
INCLUDE := $(patsubst %,-I%,$(wildcard $(DEPS)/include/bsd) $(DEPS)/include)
LIBS    := $(wildcard $(DEPS)/lib/*.a)
else ifdef GNU
INCLUDE := -isystem $(or $(BSD),/usr/include/bsd)
LIBS    := -ljson-c -lbsd -lmd -lm
else
INCLUDE := $(shell pkg-config --cflags json-c libmd 2>/dev/null || pkg-config --cflags json-c)
LIBS    := $(shell pkg-config --libs json-c libmd 2>/dev/null || pkg-config --libs json-c) -lm
endif
# What a source may use.  In a trial of OS=posix: POSIX, and what the BSDs have, so that the compiler
# finds whatever else is used.  (The tests are for Linux.)
USE.linux  := -D_GNU_SOURCE
USE.darwin := -D_DARWIN_C_SOURCE -Dst_atim=st_atimespec -Dst_mtim=st_mtimespec -Dst_ctim=st_ctimespec
USE.posix  := $(if $(TRIAL),-D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE -include tests/posix.h)
USE      = $(if $(and $(TRIAL),$(filter tests/%,$<)),$(USE.linux),$(USE.$(OS)))
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	   -Wvla -Wformat=2 -Wundef -Werror=implicit-function-declaration
ifdef WERROR
STRICT  := -Werror -Wwrite-strings -Wimplicit-fallthrough -Wredundant-decls \
	   $(if $(shell $(CC) --version 2>/dev/null | grep clang),-Wloop-analysis -Wshorten-64-to-32, \
	   -Wlogical-op -Wduplicated-cond -Wduplicated-branches -Wjump-misses-init)
endif
# A string constant may be a char * in a test; optimizing the unit tests takes longer than running them.
TESTS    = -Wno-write-strings $(if $(filter tests/test-%,$<),-O0 -U_FORTIFY_SOURCE)
DEFS     = -std=gnu11 $(USE) $(if $(GNU),-DLIBBSD_OPENBSD_VIS -DLIBBSD_OVERLAY) -DVERSION='"$(VERSION)"' \
	   $(INCLUDE) -iquotecommon
ifneq ($(SAN)$(FUZZ),)
HARDEN  := -fno-pie -fno-omit-frame-pointer -U_FORTIFY_SOURCE -fsanitize=address -fsanitize=undefined \
	   -fno-sanitize-recover=all $(if $(FUZZ),-fsanitize=fuzzer-no-link)
# At a fixed address a program starts without 78,000 relocations, a sixth of its time.
PIE     := -no-pie
LINK    := $(PIE)
# A program linked with gcc's shared sanitizers takes a quarter longer to start; clang's are static.
FINAL   := $(if $(shell $(CC) --version 2>/dev/null | grep clang),,-static-libasan -static-libubsan)
else
HARDEN  := -fPIE -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
	   -ffunction-sections -fdata-sections
ifeq ($(OS),darwin)
LINK    := -Wl,-dead_strip
else
PIE     := -pie
# Criterion finds its tests in sections that nothing refers to: no --gc-sections for test programs.
LINK    := $(if $(filter yes,$(STATIC)),-static-pie,$(PIE)) -Wl,--gc-sections
FINAL   := -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
endif
endif
CRITERION := -lcriterion
ifdef DEPS
# For Linux DEPS has musl, for macOS nothing of the C library.  At a fixed address a program takes 7 % less time,
# and its tables of pointers are read-only; the stack and the heap are at random addresses anyway.
MUSL    := $(wildcard $(addprefix $(DEPS)/lib/,crt1.o crti.o crtn.o))
ifdef MUSL
HARDEN  := $(subst -fPIE,-fno-pie,$(HARDEN))
# Without a C library of its own, the compiler does not link under -fstack-protector.
PIE     := -nostdlib -rtlib=compiler-rt -fno-stack-protector -static -no-pie $(MUSL)
LINK    := $(PIE) -Wl,--gc-sections
else
PIE     :=
LINK    := -Wl,-dead_strip
FINAL   :=
endif
FINAL   += -s
CRITERION :=
TESTS   += -isystem tests/criterion-small
endif
COMPILE  = $(CC) $(DEFS) $(CPPFLAGS) $(WARN) $(HARDEN) $(CFLAGS) -MMD -MP
LINKER   = $(CC) $(HARDEN) $(CFLAGS) $(FINAL) $(LDFLAGS)
Q       := $(if $(V),,@)
QUIET   := $(findstring s,$(firstword -$(MAKEFLAGS)))
say      = $(if $(V)$(QUIET),,@printf '  %-4s %s\n' $(1) $@)

objects  = $(patsubst %.c,$(B)/obj/%.o,$(wildcard $(1)))
programs = $(patsubst tests/%.c,$(B)/tests/%,$(1))
OF.linux  := common/os/os-linux%.c
OF.darwin := common/os/os-darwin%.c common/os/os-portable.c
OF.posix  := common/os/os-posix%.c common/os/os-portable.c
COMMON  := $(filter-out $(filter-out $(OF.$(OS)),$(wildcard common/os/os-*.c)),$(wildcard common/*/*.c))
CORE    := $(B)/libtaskhooks.a
HOOKS   := $(patsubst hooks/%.c,$(B)/%,$(wildcard hooks/on-*.c))
CLI     := $(if $(wildcard cli/*.c),$(B)/claude-tasks)
UNIT    := $(call programs,$(wildcard tests/test-*.c))
SHIMS   := $(patsubst %,%.so,$(call programs,$(wildcard tests/preload-*.c)))
FUZZERS := $(call programs,$(wildcard tests/fuzz-*.c))
SHARED  := $(patsubst $(B)/%,$(B)/shared/%,$(HOOKS) $(CLI))
HELPERS := $(call programs,$(filter-out tests/test-% tests/preload-% tests/fuzz-%,$(wildcard tests/*.c)))
MANS    := $(wildcard */*.[157])

all: $(CORE) $(HOOKS) $(CLI)

$(CORE): $(call objects,$(COMMON)) $(B)/sources
	$(call say,AR)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(HOOKS): $(B)/%: $(B)/obj/hooks/%.o $(CORE)
	$(call say,LD)
	$(Q)$(LINKER) $(LINK) -o $@ $(filter %.o,$^) $(CORE) $(LIBS)

# The skill is a part of claude-tasks.
$(B)/obj/cli/install-skill.o: settings-examples/skills/task-manager/SKILL.md

# claude-tasks version tells the commit: another one is no reason to compile any other file.
$(B)/obj/cli/version.o: $(B)/commit
$(B)/commit: FORCE
	@mkdir -p $(B)
	@echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' >$@

# --ci is part of the verifier alone.
$(B)/on-task-completed-verify: $(call objects,hooks/ci*.c)

$(CLI): $(call objects,cli/*.c) $(CORE)
	$(call say,LD)
	$(Q)$(LINKER) $(LINK) -o $@ $(filter %.o,$^) $(CORE) $(LIBS)

$(B)/obj/%.o: %.c $(B)/flags
	$(call say,CC)
	$(Q)mkdir -p $(@D) && $(COMPILE) $(STRICT) $(if $(filter tests/%,$<),$(TESTS)) \
	    $(if $(filter cli/version.c,$<),-DCOMMIT='"$(COMMIT)"') -c -o $@ $<

# The commands in force: when they change, everything is built anew.  What was built with WERROR=1 is
# good for a build without it.
COMMANDS = $(subst ','\'',$(COMPILE) $(LINKER) $(LINK))
$(B)/flags: FORCE
	@mkdir -p $(B)
	@grep -qxF -e '$(COMMANDS)$(if $(WERROR), -Werror)' -e '$(COMMANDS) -Werror' $@ 2>/dev/null || { \
	    $(if $(DEPS)$(if $(GNU),,1),:,scripts/setup --probe "$(CC)") && printf '%s\n' '$(COMMANDS)$(if $(WERROR), -Werror)' >$@; }

# The files in force: when one has come or gone, the library is made anew.
SOURCES := $(COMMON) $(wildcard hooks/*.c cli/*.c)
$(B)/sources: FORCE
	@mkdir -p $(B)
	@printf '%s\n' $(SOURCES) | cmp -s - $@ || printf '%s\n' $(SOURCES) >$@
FORCE:

# --- tests -------------------------------------------------------------------

# The cases need tool-process.
unit-tests: $(UNIT) $(B)/tests/tool-process
test-helpers: $(HELPERS)
test-programs: all $(UNIT) $(SHIMS) $(HELPERS) $(if $(SAN),,$(SHARED)) $(if $(FUZZ),$(FUZZERS))

# The executables linked with shared libraries, for the checks that replace a library's functions.
$(HOOKS:$(B)/%=$(B)/shared/%): $(B)/shared/%: $(B)/obj/hooks/%.o
$(B)/shared/on-task-completed-verify: $(call objects,hooks/ci*.c)
$(B)/shared/claude-tasks: $(call objects,cli/*.c)
$(SHARED): $(CORE) | $(B)/shared/tests
	$(call say,LD)
	$(Q)$(LINKER) $(PIE) -o $@ $(filter %.o,$^) $(CORE) $(LIBS)

$(B)/shared/tests:
	@mkdir -p $(@D) && ln -sfn ../tests $@

$(UNIT): $(B)/tests/%: $(B)/obj/tests/%.o $(CORE)
	$(call say,LD)
	$(Q)mkdir -p $(@D) && $(LINKER) $(PIE) -o $@ $^ $(CRITERION) $(LIBS)

$(HELPERS): $(B)/tests/%: $(B)/obj/tests/%.o $(CORE)
	$(call say,LD)
	$(Q)mkdir -p $(@D) && $(LINKER) $(PIE) -o $@ $^ $(LIBS)

$(FUZZERS): $(B)/tests/%: $(B)/obj/tests/%.o $(CORE)
	$(call say,LD)
	$(Q)mkdir -p $(@D) && $(LINKER) $(PIE) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(CORE) $(LIBS)

# The server is part of claude-tasks, which has a main() of its own.
$(B)/tests/fuzz-mcp: $(filter-out %/claude-tasks.o,$(call objects,cli/*.c))

$(SHIMS): $(B)/tests/%.so: tests/%.c $(B)/flags
	$(call say,LD)
	$(Q)mkdir -p $(@D) && $(CC) $(DEFS) $(WARN) $(STRICT) -O1 -g -fPIC -shared -MMD -MP -o $@ $< -ldl

BENCH   := $(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/*.c))
bench-programs: all $(BENCH)

$(BENCH): $(B)/bench/%: $(B)/obj/tests/bench/%.o $(CORE)
	$(call say,LD)
	$(Q)mkdir -p $(@D) && $(LINKER) $(LINK) -o $@ $^ $(LIBS)

test: test-programs
	@tests/run --unit

check:
	@scripts/setup --tests
	@OS='$(OS)' tests/run

check-portable:
	@OS='$(OS)' MAKE='$(MAKE)' tests/portable

torture:
	@scripts/setup --torture
	@TORTURE=1 tests/run

demo:
	@scripts/setup
	@$(MAKE) --no-print-directory -s all
	@scripts/demo

bench:
	@scripts/setup --tests
	@tests/bench/run

lint:
	@tests/check-lint

print-defs:
	@printf '%s\n' '$(subst ','\'',$(DEFS))'

form:
	clang-format -i $(wildcard common/*/*.[ch] hooks/*.[ch] cli/*.[ch] tests/*.[ch] tests/bench/*.[ch] tests/criterion-small/*/*.h)

# --- delivery ----------------------------------------------------------------

install: all
	@B='$(B)' PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' MANS='$(MANS)' scripts/install

uninstall:
	@B='$(B)' PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' MANS='$(MANS)' scripts/install --remove

dist deb npm plugin:
	@B='$(B)' OUT='$(or $(OUT),$(B))' scripts/$@ '$(VERSION)'

deb plugin: all

cross:
	@scripts/setup --cross
	@PLATFORMS='$(PLATFORMS)' scripts/cross

release:
	@scripts/setup --cross
	@$(MAKE) --no-print-directory all cross
	@B='$(B)' OUT='$(or $(OUT),build/release)' MANS='$(MANS)' PLATFORMS='$(PLATFORMS)' KEY='$(KEY)' \
	    scripts/release '$(VERSION)'

clean:
	rm -rf build build-san build-fuzz build-posix build-posix-san build-darwin build-portable*

.PHONY: all unit-tests test-helpers test-programs bench-programs test check check-portable torture demo bench lint \
	print-defs form install uninstall dist deb npm plugin cross release clean FORCE
.DELETE_ON_ERROR:

-include $(wildcard $(B)/obj/*/*.d $(B)/obj/*/*/*.d $(B)/tests/*.d)
