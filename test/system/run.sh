#!/bin/sh
# Runs the system tests with real daemons up: all of NN-*.sh, or those named.
# Prints TAP and one line that sums up.  A daemon that cannot run here makes
# skips, which are printed as such.  Scripts leave each other's things alone,
# so that JOBS of them (2) run at a time; they mostly wait for the daemon.
# Those of podman run a second time, beside the others and one by one, with a
# newer one (newer.sh): NAME@newer.
#
#	run.sh [10-docker-run 40-podman-run@newer ...]
set -u
here=$(cd "$(dirname "$0")" && pwd)
CG_SRC=${CG_SRC:-$(cd "$here/../.." && pwd)}
CG_BUILD=${CG_BUILD:-$CG_SRC/build}
export CG_SRC CG_BUILD
daemons=$CG_SRC/test/engines/daemons.sh
trixie=$CG_SRC/test/engines/trixie.sh
results=$(mktemp -d) || exit 1
started=
newer=

cleanup() {
	rm -rf "$results"
	[ -z "$started" ] || sh "$daemons" stop
	[ -z "$newer" ] || [ -z "$(sh "$trixie" env)" ] || sh "$trixie" stop
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

# A daemon of the caller's choice, or private ones for as long as this runs.
own=
if [ -z "${CG_DOCKER_SOCK:-}${CG_PODMAN_SOCK:-}" ]; then
	own=yes
	[ -n "$(sh "$daemons" env)" ] || started=yes
	sh "$daemons" start 2>&1 | sed 's/^[^#]/# &/'
	eval "$(sh "$daemons" env)"
fi
CG_DOCKER_SOCK=${CG_DOCKER_SOCK:-} CG_PODMAN_SOCK=${CG_PODMAN_SOCK:-}
export CG_DOCKER_SOCK CG_PODMAN_SOCK

# shellcheck disable=SC2046
if [ $# -eq 0 ]; then
	set -- $(cd "$here" && ls [0-9][0-9]-*.sh 2>/dev/null)
	[ -z "$own" ] || set -- "$@" $(cd "$here" &&
		grep -l -e '/podman.sh"$' -e CG_PODMAN_TREE [0-9][0-9]-*.sh |
		sed 's/\.sh$/@newer/')
fi
case "$*" in
*@newer*) [ -n "$(sh "$trixie" env)" ] || newer=yes ;;
esac

# One script, its output in one piece when it is done.  The lock is what the
# jobs share: lines of two scripts never mix.
# shellcheck disable=SC2016
one='
began=$(date +%s)
dir=$1 results=$2 name=$3
case $name in
*@newer) set -- "$dir/newer.sh" "${name%@newer}" ;;
*) set -- "$dir/$name.sh" ;;
esac
timeout -k 5 "${SCRIPT_SECONDS:-900}" sh "$@" </dev/null >"$results/$name" 2>&1
status=$?
[ $status -le 1 ] ||
	echo "not ok - $name: ended with status $status" >>"$results/$name"
echo "# $name: $(($(date +%s) - began)) s" >>"$results/$name"
flock "$results/lock" cat "$results/$name"
'
run() { # how many at a time: of the names that come in
	xargs -P "$1" -I '{}' sh -c "$one" sh "$here" "$results" '{}'
}

for name; do
	basename "$name" .sh
done >"$results/names"
{
	grep '@newer$' "$results/names" | run 1 &
	grep -v '@newer$' "$results/names" | run "${JOBS:-2}"
	wait
} |
	awk '
	/^(not )?ok / { n++; sub(/ok -/, "ok " n " -") }
	{ print; fflush() }
	END { print "1.." n + 0 }' | tee "$results/all"

failed=$(grep -c '^not ok ' "$results/all")
# Said again at the end: of a long log, that is what gets kept.
awk '
/^not ok / { failed = 1; print; next }
/^#   / { if (failed) print; next }
{ failed = 0 }' "$results/all"
skipped=$(grep -c '^ok .*# SKIP' "$results/all")
passed=$(($(grep -c '^ok ' "$results/all") - skipped))
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
