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

export MARK LABEL
DOCKER_HOST=unix://$(gateway_sock one) OTHER=unix://$(gateway_sock two)
SLUG=$(slug one) PROJECT=$(project one)
export DOCKER_HOST OTHER SLUG PROJECT
# shellcheck disable=SC2154 # here is lib.sh's
results_of "$python" "$here/sdk.py"
finish
