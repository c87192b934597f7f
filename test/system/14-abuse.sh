#!/bin/sh
# Clients that ask for too much: bounds, and what others notice of it.
. "$(dirname "$0")/lib.sh"
need_docker
command -v python3 >/dev/null || skip_all "no python3"
[ -z "${CG_DIRECT:-}" ] || skip_all "the daemon has no such bounds"
sweep_after
one_cli
gateway_start one
gw one create --name "$MARK-one" busybox true >/dev/null
results_of python3 "$here/abuse.py" "$TMP/run-one" "$MARK-one"
unlike "no process ended" 'event=child-ended' "$(gateway_log one)"
finish
