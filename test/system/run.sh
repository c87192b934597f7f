#!/bin/sh
# Runs the system tests with real daemons up: all of NN-*.sh, or those named.
# Prints TAP and one line that sums up.  A daemon that cannot run here makes
# skips, which are printed as such.
#
#	run.sh [10-docker-run ...]
set -u
here=$(cd "$(dirname "$0")" && pwd)
CG_SRC=${CG_SRC:-$(cd "$here/../.." && pwd)}
CG_BUILD=${CG_BUILD:-$CG_SRC/build}
export CG_SRC CG_BUILD
daemons=$CG_SRC/test/engines/daemons.sh
results=$(mktemp) || exit 1
started=

cleanup() {
	rm -f "$results"
	[ -z "$started" ] || sh "$daemons" stop
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

# A daemon of the caller's choice, or private ones for as long as this runs.
if [ -z "${CG_DOCKER_SOCK:-}${CG_PODMAN_SOCK:-}" ]; then
	[ -n "$(sh "$daemons" env)" ] || started=yes
	sh "$daemons" start 2>&1 | sed 's/^[^#]/# &/'
	eval "$(sh "$daemons" env)"
fi
CG_DOCKER_SOCK=${CG_DOCKER_SOCK:-} CG_PODMAN_SOCK=${CG_PODMAN_SOCK:-}
export CG_DOCKER_SOCK CG_PODMAN_SOCK

# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(cd "$here" && ls [0-9][0-9]-*.sh 2>/dev/null)

run_one() {
	timeout -k 5 "${SCRIPT_SECONDS:-600}" sh "$1" </dev/null 2>&1
	status=$?
	[ $status -le 1 ] || echo "not ok - $(basename "$1" .sh):" \
		"ended with status $status"
}

for name; do
	run_one "$here/$(basename "$name" .sh).sh"
done | awk '
	/^(not )?ok / { n++; sub(/ok -/, "ok " n " -") }
	{ print; fflush() }
	END { print "1.." n + 0 }' | tee "$results"

failed=$(grep -c '^not ok ' "$results")
skipped=$(grep -c '^ok .*# SKIP' "$results")
passed=$(($(grep -c '^ok ' "$results") - skipped))
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
