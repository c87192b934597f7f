#!/bin/sh
# From a fresh Debian or Ubuntu machine to a container that runs through the
# gateway: installs what is missing, builds, finds a daemon or starts dockerd
# (podman needs none: the gateway runs its service itself), starts the gateway
# for the current directory, runs a container, shows a refusal, and prints how
# to go on.
#
#	quickstart.sh [MAKE]
set -eu
make=${1:-make}
src=$(cd "$(dirname "$0")/.." && pwd)
build=$src/build
PATH=$PATH:/usr/sbin:/sbin
# What the caller's clients use is not where a daemon is looked for.
unset DOCKER_HOST DOCKER_CONTEXT CONTAINER_HOST

step() {
	printf '\n== %s\n' "$*"
}

die() {
	echo "quickstart: $*" >&2
	exit 1
}

sudo=
if [ "$(id -u)" != 0 ] && command -v sudo >/dev/null; then
	sudo=sudo
fi

answers() {
	[ -S "$1" ] && curl -s -o /dev/null -m 5 --unix-socket "$1" \
		http://d/_ping
}

find_daemon() { # sets kind and sock
	for sock in /var/run/docker.sock \
	    "${XDG_RUNTIME_DIR:-/nonexistent}/docker.sock"; do
		kind=docker
		! answers "$sock" || return 0
	done
	for sock in "${XDG_RUNTIME_DIR:-/nonexistent}/podman/podman.sock" \
	    /run/podman/podman.sock; do
		kind=podman
		! answers "$sock" || return 0
	done
	return 1
}

await_daemon() {
	i=0
	until find_daemon; do
		i=$((i + 1))
		[ $i -le "$1" ] || return 1
		sleep 0.2
	done
}

may_use_docker() {
	[ "$(id -u)" = 0 ] || id -nG | tr ' ' '\n' | grep -qx docker
}

# Without systemd: the service script of the package, then dockerd by hand;
# in a container that may not write firewall rules, without them.
start_dockerd() {
	if [ -d /run/systemd/system ]; then
		$sudo systemctl start docker && await_daemon 75 && return 0
	elif command -v service >/dev/null && [ -x /etc/init.d/docker ]; then
		$sudo service docker start >/dev/null 2>&1 || :
		await_daemon 25 && return 0
	fi
	for rules in --iptables=true --iptables=false; do
		$sudo sh -c 'setsid dockerd "$1" </dev/null \
			>/var/log/dockerd-quickstart.log 2>&1 &' sh "$rules"
		await_daemon 50 && return 0
	done
	$sudo tail -3 /var/log/dockerd-quickstart.log >&2
	return 1
}

start_daemon() {
	if command -v dockerd >/dev/null && may_use_docker; then
		start_dockerd && return 0
	fi
	# Started by the gateway, on a socket that only it can reach.
	kind=podman sock=
	command -v podman >/dev/null
}

# A git work tree of the user's own is the project; anywhere else a scratch
# project is made (not in the build folder: that may lie in a work tree).
choose_project() {
	top=$(git rev-parse --show-toplevel 2>/dev/null) || top=
	if [ -n "$top" ] && [ -O "$top" ]; then
		project=$top
		set --
	else
		state=${XDG_STATE_HOME:-$HOME/.local/state}/container-gateway
		project=$state/quickstart
		mkdir -p "$project"
		set -- --run-dir "$state/run"
	fi
	# One that serves this project already serves on.
	"$build/container-gateway" --project "$project" \
		--backend "$kind${sock:+=$sock}" "$@" --daemon ||
		die "the gateway does not start"
	if [ $# -gt 0 ]; then
		run=$state/run
	elif [ -e "$project/.apache-magpie.lock" ]; then
		run=$project/.apache-magpie-local/run
	else
		run=$(find_run_dir)
	fi
}

find_run_dir() {
	cd "$project"
	common=$(cd "$(git rev-parse --git-common-dir)" && pwd)
	private=$(cd "$(git rev-parse --git-dir)" && pwd)
	if [ "$common" = "$private" ]; then
		echo "$common/apache-magpie/run/main"
	else
		echo "$common/apache-magpie/run/$(basename "$private")"
	fi
}

client() { # socket, arguments: the client of the daemon's own kind
	client_sock=$1
	shift
	if [ -z "$client_sock" ]; then
		podman "$@"
	elif command -v docker >/dev/null; then
		docker -H "unix://$client_sock" "$@"
	else
		podman --url "unix://$client_sock" "$@"
	fi
}

need_image() {
	client "$sock" image inspect busybox:latest >/dev/null 2>&1 &&
		return 0
	tar=$build/busybox.tar
	sh "$src/scripts/busybox-image.sh" "$tar"
	# The whole name: podman would put a short one under localhost.
	client "$sock" import -c 'CMD ["sh"]' - \
		docker.io/library/busybox:latest <"$tar" >/dev/null
	echo "busybox:latest: made from this machine's busybox, no registry"
}

step "What is missing"
engine=
if ! command -v dockerd >/dev/null && ! command -v podman >/dev/null; then
	engine=engines
fi
sh "$src/scripts/deps.sh" build $engine
command -v curl >/dev/null || sh "$src/scripts/deps.sh" test
sh "$src/scripts/busybox-image.sh" /dev/null 2>/dev/null ||
	sh "$src/scripts/deps.sh" engines

step "Building"
$make --no-print-directory -C "$src" all

step "A daemon"
find_daemon || start_daemon || die "no docker or podman daemon could be" \
	"reached or started; see the troubleshooting in README.md"
if [ -n "$sock" ]; then
	echo "$kind at $sock"
else
	echo "none, and none is needed: the gateway runs podman's service itself"
fi

step "The gateway"
choose_project
echo "serving $project"
echo "on      $run/$kind.sock"

step "A container through the gateway"
need_image
echo "\$ docker run --rm busybox echo 'hello from a container'"
client "$run/$kind.sock" run --rm busybox echo 'hello from a container' ||
	die "the container did not run; see $run/gateway.log"

step "A refusal"
echo "\$ docker run --rm -v /:/host busybox ls /host"
if client "$run/$kind.sock" run --rm -v /:/host busybox ls /host; then
	die "this should have been refused"
fi

step "How to go on"
if [ -x "$build/hookctl" ] && "$build/hookctl" env --project "$project" \
    >"$build/quickstart.env" 2>/dev/null; then
	cat "$build/quickstart.env"
else
	echo "export DOCKER_HOST=unix://$run/docker.sock"
	[ "$kind" != podman ] ||
		echo "export CONTAINER_HOST=unix://$run/podman.sock"
	echo "export DOCKER_BUILDKIT=0"
fi
