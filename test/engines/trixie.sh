#!/bin/sh
# Newer engines than the host's: dockerd 26 and podman 5 out of Debian 13, in
# a tree of their own, on a Debian 12 or Ubuntu host.  Needs root; sudo -n is
# used when it works.
#
#	trixie.sh make|stop|status|env|start [docker|podman ...]
#	trixie.sh ready		waits while a make goes on; is there a tree?
#	trixie.sh tree		where it is, when it is there
#	trixie.sh enter docker|podman COMMAND ...
#	trixie.sh words docker|podman	what enter puts before a command
#
# Exit status 3: this machine, or the mirror, does not allow it.
# Everything lies below CG_TRIXIE (default /tmp/cg-trixie-UID): root/ is the
# tree, kept so that only the first call is slow, run/ has sockets, pid files,
# logs and data.  CG_TRIXIE must lie below one of the shared directories
# (CG_SHARE, default /tmp and /srv): they mean the same to host, engine and
# container, so that a bind source is the host's directory.  Of all else the
# engines see nothing: each has its own mount, network, UTS and IPC namespace.
set -eu
cmd=${1:-status}
dir=${CG_TRIXIE:-/tmp/cg-trixie-$(id -u)}
share=${CG_SHARE:-/tmp /srv}
mirror=${CG_MIRROR:-http://deb.debian.org/debian}
here=$(cd "$(dirname "$0")" && pwd)
root=$dir/root
run=$dir/run
packages=docker.io,docker-cli,docker-compose,docker-buildx,podman,runc,conmon
packages=$packages,netavark,aardvark-dns,iptables,nftables,catatonit,tini
packages=$packages,ca-certificates,iproute2,procps,xz-utils
PATH=$PATH:/usr/sbin:/sbin

give_up() { # status, why: said to who asks later, too
	mkdir -p "$dir"
	echo "$*" >"$dir/why"
	status=$1
	shift
	echo "trixie.sh: $*" >&2
	exit "$status"
}

die() {
	give_up 1 "$@"
}

cannot() { # nobody's fault here
	give_up 3 "$@"
}

if [ "$(id -u)" != 0 ]; then
	case $cmd in
	env | status | ready | words | tree) ;;
	*)
		sudo -n true 2>/dev/null ||
			cannot "not root, and sudo asks for a password"
		exec sudo -n env "CG_TRIXIE=$dir" "CG_SHARE=$share" \
			"CG_MIRROR=$mirror" "CG_OWNER=$(id -u)" sh "$0" "$@"
		;;
	esac
fi

# Two at a time would make one tree, or start one engine twice.  The engine that
# is started must not keep the lock.
locked() { # lock, command ...
	mkdir -p "$dir"
	lock=$dir/$1.lock
	shift
	(
		flock 9
		(
			exec 9>&-
			"$@"
		)
	) 9>"$lock"
}

# A package that no longer exists is our fault; a mirror that is out of reach,
# or a machine where nothing can be mounted, is not.
make_root() {
	[ ! -e "$root/.complete" ] || return 0
	command -v debootstrap >/dev/null ||
		cannot "debootstrap is missing (make deps installs it)"
	rm -rf "$root" "$dir/why"
	log=$dir/debootstrap.log
	debootstrap --variant=minbase --include="$packages" trixie "$root" \
		"$mirror" >"$log" 2>&1 || {
		tail -5 "$log" >&2
		! grep -q "Couldn't find these debs" "$log" ||
			die "Debian 13 lacks: $(sed -n \
				"s/.*Couldn't find these debs: //p" "$log")"
		cannot "no Debian 13 from $mirror: $(grep '^[EW]: ' "$log" |
			tail -1)"
	}
	rm -rf "$root"/var/cache/apt/archives/*.deb
	: >"$root/.complete"
}

is_ready() {
	[ ! -e "$dir/make.lock" ] || flock "$dir/make.lock" true
	[ ! -e "$root/.complete" ] || return 0
	read -r status why 2>/dev/null <"$dir/why" || {
		status=3
		why="no tree of Debian 13 (sh test/engines/trixie.sh make)"
	}
	echo "$why"
	return "$status"
}

# Runs in fresh namespaces: makes the tree /, then becomes the engine, under
# the pid that it was started with.
become='
set -eu
root=$1 share=$2
shift 2
mount --make-rprivate /
ip link set lo up
mount --bind "$root" "$root"
for d in proc sys dev; do mount --rbind /$d "$root/$d"; done
mount -t tmpfs -o mode=755 run "$root/run"
for d in $share; do
	mkdir -p "$d" "$root$d"
	mount --bind "$d" "$root$d"
done
mkdir -p "$root/oldroot"
cd "$root"
pivot_root . oldroot
exec chroot . sh -c "cd /; umount -l /oldroot; exec \"\$@\"" sh "$@"
'

clean_env() {
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		CONTAINERS_CONF="$run/containers.conf" \
		CONTAINERS_STORAGE_CONF="$run/storage.conf" \
		PODMAN_IGNORE_CGROUPSV1_WARNING=1 "$@"
}

spawn() { # name, command ...
	name=$1
	shift
	(
		cd /
		clean_env setsid sh -c \
			'echo $$ >"$1"; shift; exec unshare -m -n -u -i "$@"' sh \
			"$run/$name.pid" sh -c "$become" sh "$root" "$share" "$@"
	) </dev/null >"$run/$name.log" 2>&1 &
}

pid_of() {
	pid=$(cat "$run/$1.pid" 2>/dev/null) && [ -n "$pid" ] || return 1
	tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null |
		grep -qF "$run/" || return 1
	echo "$pid"
}

ping() {
	[ -S "$1" ] && curl -s -o /dev/null -m 2 --unix-socket "$1" \
		http://d/_ping
}

await() {
	i=0
	until ping "$run/$1.sock"; do
		i=$((i + 1))
		[ $i -le 150 ] || {
			tail -5 "$run/$1.log" >&2
			die "$1 does not start"
		}
		sleep 0.1
	done
	[ -z "${CG_OWNER:-}" ] || chown "$CG_OWNER" "$run/$1.sock"
	echo "$1 $run/$1.sock"
}

# runc and cgroupfs: crun refuses a hybrid hierarchy, and there is no systemd.
# The limits because a build asks for ones that a container may not have.
write_conf() {
	printf '%s\n' '[containers]' \
		'default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]' \
		'[engine]' 'runtime = "runc"' \
		'cgroup_manager = "cgroupfs"' 'events_logger = "file"' \
		'[network]' 'firewall_driver = "iptables"' \
		>"$run/containers.conf"
	printf '%s\n' '[storage]' 'driver = "overlay"' \
		"graphroot = \"$run/podman/root\"" \
		'runroot = "/run/containers/storage"' >"$run/storage.conf"
}

# busybox:latest, from the host's static busybox: no registry.
import_image() { # name, path that tells whether it is there, path of import
	tar=$run/busybox.tar
	[ -s "$tar" ] || sh "$here/../../scripts/busybox-image.sh" "$tar"
	curl -sf -o /dev/null --unix-socket "$run/$1.sock" "http://d/$2" ||
		curl -sSf -o /dev/null -X POST -T "$tar" \
			-H 'Content-Type: application/x-tar' --unix-socket \
			"$run/$1.sock" "http://d/$3&changes=CMD%20%5B%22sh%22%5D"
}

start_docker() {
	mkdir -p "$run/docker"
	pid_of docker >/dev/null || {
		rm -f "$run/docker.sock" "$run/dockerd.pid"
		spawn docker dockerd --data-root "$run/docker/data" \
			--exec-root /run/docker-exec \
			-H "unix://$run/docker.sock" \
			--pidfile "$run/dockerd.pid" --iptables=false \
			--ip6tables=false --bip 172.29.0.1/16
	}
	await docker
	import_image docker images/busybox:latest/json \
		'images/create?fromSrc=-&repo=busybox&tag=latest'
}

start_podman() {
	mkdir -p "$run/podman/net"
	pid_of podman >/dev/null || {
		rm -f "$run/podman.sock"
		spawn podman podman --network-config-dir "$run/podman/net" \
			system service --time=0 "unix://$run/podman.sock"
	}
	await podman
	import_image podman v5.0.0/libpod/images/localhost/busybox/exists \
		'v5.0.0/libpod/images/import?reference=localhost/busybox:latest'
}

start() { # names
	locked make make_root
	mkdir -p "$run"
	write_conf
	[ $# -gt 0 ] || set -- docker podman
	for name; do
		locked start "start_$name"
	done
}

enter() { # name, command ...: in the engine's namespaces
	pid=$(pid_of "$1") || die "$1 is down"
	shift
	clean_env nsenter -t "$pid" -m -n -u -i "$@"
}

# The words that go before a command, for who runs many.
words() { # name
	pid=$(pid_of "$1") || die "$1 is down"
	[ "$(id -u)" = 0 ] || printf 'sudo -n '
	echo "nsenter -t $pid -m -n -u -i"
}

stop() {
	for name in docker podman; do
		ping "$run/$name.sock" || continue
		curl -s --unix-socket "$run/$name.sock" \
			'http://d/v1.41/containers/json?all=1' |
			grep -o '"Id":"[0-9a-f]\{64\}"' | cut -d'"' -f4 |
			while read -r id; do
				curl -s -o /dev/null -X DELETE --unix-socket \
					"$run/$name.sock" \
					"http://d/v1.41/containers/$id?force=1&v=1"
			done
	done
	for name in podman docker; do
		pid=$(pid_of $name) || continue
		kill "$pid"
		i=0
		while [ -e "/proc/$pid" ] && [ $i -lt 150 ]; do
			sleep 0.1
			i=$((i + 1))
		done
		[ ! -e "/proc/$pid" ] || kill -9 "$pid"
		rm -f "$run/$name.pid" "$run/$name.sock"
	done
}

case $cmd in
make) locked make make_root ;;
ready) is_ready ;;
start) shift && start "$@" ;;
stop) stop ;;
status)
	for name in docker podman; do
		if ping "$run/$name.sock"; then
			echo "$name $run/$name.sock"
		else
			echo "$name is down"
		fi
	done
	;;
env)
	! ping "$run/docker.sock" || echo "CG_DOCKER_SOCK=$run/docker.sock"
	! ping "$run/podman.sock" || echo "CG_PODMAN_SOCK=$run/podman.sock"
	;;
words) words "$2" ;;
tree) [ ! -e "$root/.complete" ] || echo "$root" ;;
enter) shift && enter "$@" ;;
*)
	echo "usage: trixie.sh make|ready|tree|start [NAME ...]|stop|status|" \
		"env|words NAME|enter NAME COMMAND" >&2
	exit 2
	;;
esac
