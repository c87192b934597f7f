#!/bin/sh
# A short run of make check-differential: random requests, and whether the
# daemon made of them what was judged.  Always the same ones: a test that fails
# by the day's luck says nothing about the change that it is run for.
. "$(dirname "$0")/lib.sh"
[ -n "${CG_DOCKER_SOCK:-}" ] || skip_all "no docker daemon"
command -v python3 >/dev/null || skip_all "no python3"
[ -z "${CG_DIRECT:-}" ] || skip_all "the daemon itself judges nothing"
need_gateway

export CG_BUILD CG_DOCKER_SOCK
out=$(timeout -k 5 120 python3 -B "$CG_SRC/test/differential/differential.py" \
	--count 300 --jobs 2 --seed 1 2>&1 </dev/null)
status=$?
if [ $status -eq 0 ]; then
	pass "$(printf '%s\n' "$out" | tail -1)"
else
	# shellcheck disable=SC2046
	fail "random requests are what was judged" "$(printf '%s\n' "$out" |
		grep -e '^case' -e '^  [^ ]' -e differences | head -20)"
fi
passed=$(printf '%s\n' "$out" | awk '/ passed$/ && !/mood/ { n += $1 }
	END { print n + 0 }')
if [ "$passed" -ge 100 ]; then
	pass "enough of them were let through to be compared: $passed"
else
	fail "enough of them were let through to be compared" "$passed"
fi
finish
