#!/bin/sh
# Writes a containers.conf with which podman works where there may be no
# systemd: runc and cgroupfs, because crun refuses a hybrid hierarchy; the
# limits, because podman 4 asks for ones that a container of ours may not have.
#
#	podman-conf.sh FILE
set -eu
{
	echo '[containers]'
	echo 'default_ulimits=["nofile=1024:1024","nproc=4096:4096"]'
	echo '[engine]'
	! command -v runc >/dev/null || echo 'runtime="runc"'
	echo 'cgroup_manager="cgroupfs"'
	echo 'events_logger="file"'
} >"${1:?usage: podman-conf.sh FILE}"
