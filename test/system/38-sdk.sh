#!/bin/sh
# The Python SDK through docker.sock: what its methods send differs from what
# the docker command sends.
. "$(dirname "$0")/lib.sh"
need_docker
for python in /usr/bin/python3 python3; do
	"$python" -c 'import docker' 2>/dev/null && break
	python=
done
[ -n "$python" ] || skip_all "no docker module for python3"
sweep_after
gateway_start one
gateway_start two
direct run -d --name "$MARK-foreign" busybox sleep 600 >/dev/null

# shellcheck disable=SC2154 # here is lib.sh's
DOCKER_HOST=unix://$(gateway_sock one) OTHER=unix://$(gateway_sock two) \
	MARK=$MARK SLUG=$(slug one) LABEL=$LABEL PROJECT=$(project one) \
	timeout -k 1 120 "$python" "$here/sdk.py" >"$TMP/out" 2>&1
status=$?
while read -r line; do
	case $line in
	"ok - "*) pass "${line#ok - }" ;;
	"not ok - "*) fail "${line#not ok - }" ;;
	*) echo "# $line" ;;
	esac
done <"$TMP/out"
is "the script came to its end" 0 $status
finish
