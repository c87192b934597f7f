#!/bin/sh
# What other tools than the compiler say of the sources.
set -u
cd "${CG_SRC:-$(dirname "$0")/..}" || exit 1
bad=0

if command -v cppcheck >/dev/null; then
	cppcheck --quiet --enable=warning,performance,portability \
		--inconclusive --error-exitcode=1 --inline-suppr --std=c11 \
		--suppress=missingIncludeSystem -D_GNU_SOURCE -I. \
		common master worker policyd hookctl || bad=1
else
	echo "# no cppcheck"
fi
if command -v shellcheck >/dev/null; then
	shellcheck -s sh scripts/*.sh test/*.sh test/*/*.sh || bad=1
	shellcheck -s bash .ci/run || bad=1
else
	echo "# no shellcheck"
fi
if command -v clang-format >/dev/null; then
	# Said, not enforced: versions of the tool differ in details.
	n=$(find common master worker policyd hookctl test -name '*.[ch]' \
		-exec clang-format --dry-run {} + 2>&1 |
		grep -c 'clang-format-violations')
	echo "# clang-format would change $n places"
fi
[ $bad -eq 0 ] && echo "lint: clean"
exit $bad
