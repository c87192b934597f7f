#!/bin/sh
# make check-differential: private daemons where none are given, then
# differential.py with the arguments (DIFFERENTIAL="--seed 7 --only 12").
set -u
here=$(cd "$(dirname "$0")" && pwd)
CG_SRC=${CG_SRC:-$(cd "$here/../.." && pwd)}
CG_BUILD=${CG_BUILD:-$CG_SRC/build}
daemons=$CG_SRC/test/engines/daemons.sh
started=
if [ -z "${CG_DOCKER_SOCK:-}${CG_PODMAN_SOCK:-}" ]; then
	[ -n "$(sh "$daemons" env)" ] || started=yes
	sh "$daemons" start
	eval "$(sh "$daemons" env)"
fi
CG_DOCKER_SOCK=${CG_DOCKER_SOCK:-} CG_PODMAN_SOCK=${CG_PODMAN_SOCK:-}
export CG_SRC CG_BUILD CG_DOCKER_SOCK CG_PODMAN_SOCK
python3 -B "$here/differential.py" "$@"
status=$?
[ -z "$started" ] || sh "$daemons" stop
exit $status
