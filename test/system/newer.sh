#!/bin/sh
# Runs one system test against the podman of test/engines/trixie.sh instead of
# the host's, with that podman's own command; its results are named
# NN-name@VERSION.  Where that podman cannot be had, prints a skip with the
# reason.
#
#	newer.sh NN-name
set -u
here=$(cd "$(dirname "$0")" && pwd)
CG_SRC=${CG_SRC:-$(cd "$here/../.." && pwd)}
trixie=$CG_SRC/test/engines/trixie.sh
name=$(basename "$1" .sh)

give_up() { # status of trixie.sh, why: 3 is nobody's fault
	if [ "$1" = 3 ]; then
		echo "ok - $name@newer: all # SKIP $2"
		exit 0
	fi
	echo "not ok - $name@newer: podman of Debian 13"
	echo "#   $2"
	exit 1
}

why=$(sh "$trixie" ready) || give_up $? "$why"
why=$(sh "$trixie" start podman 2>&1) || give_up $? "$why"
eval "$(sh "$trixie" env)"
# Through the tree's own files and namespaces; where the folders of tests are,
# both sides see the same.
PODMAN="$(sh "$trixie" words podman) podman"
# shellcheck disable=SC2086
CG_ENGINE=$($PODMAN --remote --url "unix://$CG_PODMAN_SOCK" version \
	--format '{{.Server.Version}}') ||
	give_up 1 "its command does not run"
CG_PODMAN_TREE=$(sh "$trixie" tree)
export PODMAN CG_ENGINE CG_PODMAN_SOCK CG_PODMAN_TREE
exec sh "$here/$name.sh"
