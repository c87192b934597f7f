#!/bin/sh
# A private dockerd and a private podman service, out of the host's own
# packages, for the system tests.
#
#	daemons.sh start|stop|status|env|enter docker|podman COMMAND ...
#
# Everything lies below CG_DAEMONS (default /tmp/cg-daemons-UID): sockets, pid
# files, logs, images.  Each daemon has a network namespace of its own: a
# second dockerd in the namespace of the first deletes its bridge, and podman
# writes NAT rules into the one it runs in.  A bind source means the host's
# directory.  start prints one line a daemon that runs, says why one does not,
# and succeeds when there is at least one.
# Needs root; sudo -n is used when it works.
set -eu
cmd=${1:-status}
dir=${CG_DAEMONS:-/tmp/cg-daemons-$(id -u)}
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/sbin:/sbin

if [ "$(id -u)" != 0 ] && [ "$cmd" != env ] && [ "$cmd" != status ]; then
	if ! sudo -n true 2>/dev/null; then
		echo "daemons.sh: not root, and sudo asks for a password" >&2
		exit 1
	fi
	exec sudo -n env "CG_DAEMONS=$dir" "CG_OWNER=$(id -u)" sh "$0" "$@"
fi

ping() {
	[ -S "$1" ] && curl -s -o /dev/null -m 2 --unix-socket "$1" \
		http://d/_ping
}

pid_of() { # the daemon's pid, when the file's process is really ours
	pid=$(cat "$dir/$1.pid" 2>/dev/null) && [ -n "$pid" ] || return 1
	tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null |
		grep -qF "$dir/" || return 1
	echo "$pid"
}

await() {
	i=0
	until ping "$dir/$1.sock"; do
		i=$((i + 1))
		if [ $i -gt 150 ] || ! [ -e "/proc/$2" ]; then
			echo "# $1 does not start; end of $dir/$1.log:" >&2
			tail -3 "$dir/$1.log" | sed 's/^/#   /' >&2
			return 1
		fi
		sleep 0.1
	done
	[ -z "${CG_OWNER:-}" ] || chown "$CG_OWNER" "$dir/$1.sock"
	echo "$1 $dir/$1.sock"
}

# In a network namespace of its own, with nothing of the caller's environment.
# sh becomes the daemon, so that $! is the daemon's pid.
spawn() {
	name=$1
	shift
	(
		cd /
		exec env -i "PATH=$PATH" HOME=/root \
			CONTAINERS_CONF="$dir/containers.conf" \
			PODMAN_IGNORE_CGROUPSV1_WARNING=1 \
			unshare -n sh -c 'ip link set lo up; exec "$@"' sh "$@"
	) </dev/null >"$dir/$name.log" 2>&1 &
	echo $! >"$dir/$name.pid"
}

start_docker() {
	if pid=$(pid_of docker) && ping "$dir/docker.sock"; then
		echo "docker $dir/docker.sock"
		return 0
	fi
	if ! command -v dockerd >/dev/null; then
		echo "# no dockerd on this machine (make deps installs it)" >&2
		return 1
	fi
	rm -f "$dir/docker.sock" "$dir/dockerd.pid"
	set -- --iptables=false
	dockerd --help 2>&1 | grep -q -e --ip6tables && set -- "$@" --ip6tables=false
	# A containerd of the system may be there and is then shared: the
	# namespaces keep its other dockerd's containers apart.
	spawn docker dockerd --data-root "$dir/docker" \
		--exec-root "$dir/docker-exec" -H "unix://$dir/docker.sock" \
		--pidfile "$dir/dockerd.pid" --bip 172.30.0.1/16 \
		--containerd-namespace cg-test \
		--containerd-plugins-namespace cg-test-plugins "$@"
	await docker "$(cat "$dir/docker.pid")"
}

podman_args() {
	echo "--root $dir/podman/root --runroot $dir/podman/run" \
		"--network-config-dir $dir/podman/net"
}

# Where podman keeps addresses and the name server's process, for all services
# of a machine: one that serves another network would answer nobody here.
networks=/run/containers/networks

start_podman() {
	if pid=$(pid_of podman) && ping "$dir/podman.sock"; then
		echo "podman $dir/podman.sock"
		return 0
	fi
	if ! command -v podman >/dev/null; then
		echo "# no podman on this machine (make deps installs it)" >&2
		return 1
	fi
	rm -f "$dir/podman.sock"
	mkdir -p "$dir/podman/net"
	sh "$here/podman-conf.sh" "$dir/containers.conf"
	# shellcheck disable=SC2046
	spawn podman unshare -m --propagation slave sh -c \
		'mkdir -p "$0" && mount -t tmpfs none "$0" && exec "$@"' \
		$networks podman $(podman_args) system service --time=0 \
		"unix://$dir/podman.sock"
	await podman "$(cat "$dir/podman.pid")"
}

# busybox:latest on both, from the host's static busybox: no registry.
import_image() {
	tar=$dir/busybox.tar
	[ -s "$tar" ] || sh "$here/../../scripts/busybox-image.sh" "$tar"
	if [ -S "$dir/docker.sock" ] && ! curl -sf -o /dev/null --unix-socket \
	    "$dir/docker.sock" http://d/images/busybox:latest/json; then
		curl -sSf -o /dev/null --unix-socket "$dir/docker.sock" \
			-X POST -T "$tar" -H 'Content-Type: application/x-tar' \
			'http://d/images/create?fromSrc=-&repo=busybox&tag=latest&changes=CMD%20%5B%22sh%22%5D'
	fi
	if [ -S "$dir/podman.sock" ] && ! curl -sf -o /dev/null --unix-socket \
	    "$dir/podman.sock" \
	    http://d/v4.0.0/libpod/images/localhost/busybox/exists; then
		curl -sSf -o /dev/null --unix-socket "$dir/podman.sock" \
			-X POST -T "$tar" -H 'Content-Type: application/x-tar' \
			'http://d/v4.0.0/libpod/images/import?reference=localhost/busybox:latest&changes=CMD%20%5B%22sh%22%5D'
	fi
}

# In memory where there is plenty: what daemons sync to a disk that others keep
# busy can hold up their answers for seconds.
in_memory() {
	! mountpoint -q "$dir" && ! [ -e "$dir/docker" ] &&
	    ! [ -e "$dir/podman" ] || return 0
	free=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
	[ "$free" -gt 12000 ] || return 0
	mount -t tmpfs -o "mode=711,size=$((free / 2))m" cg-daemons "$dir" ||
		echo "# $dir stays on its disk" >&2
}

start() {
	mkdir -p "$dir"
	chmod 711 "$dir"
	in_memory
	some=1
	start_docker && some=0
	start_podman && some=0
	[ $some -ne 0 ] || import_image
	return $some
}

enter() {
	pid=$(pid_of "$1")
	shift
	nsenter -t "$pid" -n "$@"
}

kill_all_containers() { # now, not after each one's ten seconds of grace
	sock=$dir/$1.sock
	ping "$sock" || return 0
	curl -s --unix-socket "$sock" 'http://d/v1.40/containers/json?all=1' |
		grep -o '"Id":"[0-9a-f]\{64\}"' | cut -d'"' -f4 |
		while read -r id; do
			curl -s -o /dev/null -X DELETE --unix-socket "$sock" \
				"http://d/v1.40/containers/$id?force=1&v=1"
		done
}

stop() {
	for name in podman docker; do
		pid=$(pid_of $name) || continue
		kill_all_containers $name
		dns=$(cat "/proc/$pid/root$networks/aardvark-dns/aardvark.pid" \
			2>/dev/null) || dns=
		[ $name != podman ] || [ -z "$dns" ] || kill "$dns" || :
		kill "$pid"
		i=0
		while [ -e "/proc/$pid" ] && [ $i -lt 150 ]; do
			sleep 0.1
			i=$((i + 1))
		done
		[ ! -e "/proc/$pid" ] || kill -9 "$pid"
		rm -f "$dir/$name.pid" "$dir/$name.sock"
	done
	# Innermost first; a mount that stays would make rm walk into it.
	awk -v d="$dir/" 'index($2, d) == 1 { print $2 }' /proc/mounts |
		sort -r | while read -r mount; do umount -l "$mount" || :; done
	! grep -qF " $dir/" /proc/mounts || return 1
	! mountpoint -q "$dir" || umount -l "$dir"
	rm -rf "$dir"
}

status() {
	for name in docker podman; do
		if ping "$dir/$name.sock"; then
			echo "$name $dir/$name.sock"
		else
			echo "$name is down"
		fi
	done
}

env_lines() {
	for name in docker podman; do
		ping "$dir/$name.sock" || continue
		case $name in
		docker) echo "CG_DOCKER_SOCK=$dir/$name.sock" ;;
		podman) echo "CG_PODMAN_SOCK=$dir/$name.sock" ;;
		esac
	done
}

case $cmd in
start) start ;;
stop) stop ;;
status) status ;;
env) env_lines ;;
enter) shift && enter "$@" ;;
*)
	echo "usage: daemons.sh start|stop|status|env|enter NAME COMMAND" >&2
	exit 2
	;;
esac
