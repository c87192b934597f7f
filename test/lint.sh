#!/bin/sh
# What other tools than the compiler say of the sources.
set -u
cd "${CG_SRC:-$(dirname "$0")/..}" || exit 1
bad=0

if command -v cppcheck >/dev/null; then
	# Left out: what it says of NULL after log_panic() (it does not see that
	# that never returns), of arrays filled in another loop, of descriptors
	# in structures, and of functions that threads must not call: there are
	# no threads.
	cppcheck --quiet --enable=warning,performance,portability \
		--error-exitcode=1 --inline-suppr --std=c11 \
		--library=posix --library=test/cppcheck.cfg \
		--suppress=missingIncludeSystem \
		--suppress=nullPointerRedundantCheck --suppress=ctunullpointer \
		--suppress=uninitvar:policyd/context.c \
		--suppress=memleak:common/platform_linux.c \
		--suppress=readdirCalled --suppress=getpwuidCalled \
		-D_GNU_SOURCE -I. common master worker policyd embedded hookctl || bad=1
else
	echo "# no cppcheck"
fi
if command -v shellcheck >/dev/null; then
	shellcheck -s sh scripts/*.sh test/*.sh test/*/*.sh || bad=1
	shellcheck -s bash .ci/run || bad=1
else
	echo "# no shellcheck"
fi
[ $bad -eq 0 ] && echo "lint: clean"
exit $bad
