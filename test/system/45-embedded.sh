#!/bin/sh
# Where podman is installed and no service runs, the gateway runs one itself: on
# a socket that no path leads to, started by the first request, and ended with
# the gateway.  In a mount namespace with a podman storage of its own, as root,
# and then as a user without root.
#
#	CG_PODMAN_TREE	where the podman that is meant has its files; its
#			program is then one that goes there first
#
# The lines to sh -c are for the other side to expand.
# shellcheck disable=SC2016,SC2034
CG_DOCKER_SOCK='' CG_PODMAN_SOCK=''
. "$(dirname "$0")/lib.sh"
LAB=$CG_BUILD/test/system/lab
NS=$TMP/ns
USER_NAME=cgt$$
[ -z "${CG_DIRECT:-}" ] || skip_all "there is no daemon but the gateway's"
[ "$(id -u)" = 0 ] || skip_all "namespaces and users need root"
[ -x /usr/bin/podman ] || skip_all "no /usr/bin/podman (make deps installs it)"
unshare -mn true 2>/dev/null || skip_all "no mount namespace can be had"
need_gateway
[ -x "$CG_BUILD/embedded" ] || {
	fail "build" "$CG_BUILD/embedded is missing"
	finish
}

# shellcheck disable=SC2317
remove_user() {
	remove_status=$?
	if id "$USER_NAME" >/dev/null 2>&1; then
		for pid in $(pgrep -u "$USER_NAME"); do
			kill -9 "$pid" 2>/dev/null
		done
		userdel "$USER_NAME" >/dev/null 2>&1
	fi
	return $remove_status
}
trap 'remove_user; cleanup' EXIT

# ---- a place where nothing runs ---------------------------------------------

podman_conf() { # file
	sh "$CG_SRC/test/engines/podman-conf.sh" "$1"
}

# A namespace that lasts as long as its sleep.
namespace_start() {
	mkdir -p "$NS/etc" "$NS/lib"
	tree=${CG_PODMAN_TREE:-}
	cp -r "$tree/etc/containers/." "$NS/etc"
	podman_conf "$NS/etc/containers.conf"
	# The shell would leave its folder in the environment.
	printf '%s\n' '#!/bin/sh' \
		"exec env -u PWD chroot '$tree' podman \"\$@\"" >"$NS/podman"
	chmod 755 "$NS/podman"
	unshare -mn sh -c 'set -e
		mount --make-rprivate /
		mount --bind "$0/etc" /etc/containers
		mkdir -p /var/lib/containers
		mount --bind "$0/lib" /var/lib/containers
		for name in containers libpod podman; do
			mkdir -p "/run/$name"
			mount -t tmpfs none "/run/$name"
		done
		ip link set lo up
		[ -z "$1" ] || {
			mkdir -p "$1/var/lib/containers"
			mount --bind "$1" "$1"
			for name in proc sys dev tmp run; do
				mount --rbind "/$name" "$1/$name"
			done
			mount --bind "$0/etc" "$1/etc/containers"
			mount --bind "$0/lib" "$1/var/lib/containers"
			mount --bind "$0/podman" /usr/bin/podman
		}
		>"$0/ready"
		exec sleep 900' "$NS" "$tree" &
	HOLDER=$!
	wait_until 10 test -e "$NS/ready"
}

behind() { # command ...: in that namespace, with podman as the test has it
	nsenter -m -n -t "$HOLDER" -- env -i "PATH=$PATH" HOME=/root "$@"
}

namespace_start || skip_all "no private storage for podman can be mounted"
sh "$CG_SRC/scripts/busybox-image.sh" "$TMP/busybox.tar" 2>/dev/null ||
	skip_all "no static busybox for an image"
behind timeout 60 podman import -c 'CMD ["sh"]' "$TMP/busybox.tar" \
	localhost/busybox:latest >"$TMP/import" 2>&1 || {
	fail "an image for podman" "$(tail -3 "$TMP/import")"
	finish
}
mkdir "$TMP/evil"
# What surrounds the gateway shall not reach podman.
gateway_behind nsenter -m -n -t "$HOLDER" -- env \
	"CONTAINERS_CONF=$TMP/evil/none.conf" CONTAINER_HOST=unix:///none \
	"CONTAINERS_STORAGE_CONF=$TMP/evil/none.conf" LD_BIND_NOW=1

start() { # NAME [FLAG ...]
	start_name=$1
	shift
	gateway_start "$start_name" --backend podman "$@"
}

status() { # NAME
	"$LAB" ask "$TMP/run-$1/control.sock" status
}

embedded_of() { # NAME: the process that keeps podman
	status "$1" | sed -n \
		's/.*"embedded":{"state":"[a-z]*","pid":\([1-9][0-9]*\).*/\1/p'
}

podman_of() { # NAME: the service itself
	status "$1" | sed -n 's/.*"service":{"pid":\([1-9][0-9]*\).*/\1/p'
}

remote() { # NAME podman-arguments ...
	remote_sock=$TMP/run-$1/podman.sock
	shift
	env -u DOCKER_CONFIG timeout -k 1 60 podman --remote \
		--url "unix://$remote_sock" "$@"
}

is_gone() { # pid ...
	for gone_pid; do
		[ ! -e "/proc/$gone_pid" ] || return 1
	done
}

# ---- started by the first request -------------------------------------------

start one
is "nothing is started before it is asked for" "" "$(embedded_of one)"
like "status: what would be started" \
	'"path":"embedded (podman system service)","reachable":false,"embedded":true' \
	"$(status one)"
is "podman --remote run" "hello" "$(remote one run --rm --network none \
	localhost/busybox echo hello 2>&1)"
is "its exit status" 7 "$(remote one run --rm --network none \
	localhost/busybox sh -c 'exit 7' >/dev/null 2>&1; echo $?)"
like "status: it is there" \
	'"kind":"podman","path":"embedded (podman system service)","reachable":true,"embedded":true' \
	"$(status one)"
podman=$(podman_of one)
keeper=$(embedded_of one)
is "embedded's parent is the gateway" "$keeper" \
	"$(children_of "$(gateway_pid one)" embedded)"
is "podman's is embedded" "$podman" "$(children_of "$keeper" podman)"
like "the log says so" 'embedded.*event=service-up.*answers after' \
	"$(gateway_log one)"
like "the backend in the log" \
	'event=backend face=podman kind=podman path="embedded (podman' \
	"$(gateway_log one)"
one_cli
if [ -n "$DOCKER" ]; then
	is "docker run through docker.sock" "hello" "$(gw one run --rm \
		--network none localhost/busybox echo hello 2>&1)"
	refused "and what is refused" bind gw one run --rm --network none \
		-v /:/host localhost/busybox true
else
	skip "docker run through docker.sock" "no docker command"
fi
is "podman's environment" "HOME LISTEN_FDS LISTEN_PID PATH" \
	"$(tr '\0' '\n' <"/proc/$podman/environ" | cut -d= -f1 |
		grep -v XDG_RUNTIME_DIR | sort | tr '\n' ' ' | sed 's/ $//')"

# ---- no way to it -----------------------------------------------------------

sockets_of() { # pid: inodes
	for fd in "/proc/$1/fd"/*; do
		readlink "$fd"
	done | sed -n 's/^socket:\[\([0-9]*\)\]$/\1/p' | sort
}

# Listening: the flag in the fourth column.
listening=$(sockets_of "$podman" | while read -r inode; do
	behind awk -v i="$inode" '$4 == "00010000" && $7 == i' /proc/net/unix
done)
is "podman listens on one socket" 1 "$(printf '%s\n' "$listening" | grep -c .)"
inode=$(echo "$listening" | awk '{ print $7 }')
name=$(echo "$listening" | awk '{ print $8 }')
case $name in
/*) is "its name leads nowhere" gone "$(behind test -e "$name" || echo gone)" ;;
*) is "its name is no path" s "$name" ;;
esac
is "nothing of it is left in /tmp" "" \
	"$(find /tmp /run -maxdepth 1 -type d -name 'container-gateway-??????')"
master=$(gateway_pid one)
unlike "master has no such socket" "^$inode\$" "$(sockets_of "$master")"
unlike "master has no way to it" '(deleted)' \
	"$(for fd in "/proc/$master/fd"/*; do readlink "$fd"; done)"
unlike "podman has no second way to it" '/s (deleted)' \
	"$(for fd in "/proc/$podman/fd"/*; do readlink "$fd"; done)"
like "the way is a descriptor of embedded's" '/s (deleted)' \
	"$(for fd in "/proc/$keeper/fd"/*; do readlink "$fd"; done)"

# Through podman's own descriptors: the kernel knows the socket by its file.
is "dialling podman's descriptors" "refused" "$(behind python3 -c '
import os, socket, sys
said = "refused"
folder = "/proc/%s/fd" % sys.argv[1]
for name in os.listdir(folder):
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect(folder + "/" + name)
        said = "connected by " + name
    except OSError:
        pass
print(said)' "$podman")"

# ---- what dies is replaced --------------------------------------------------

kill -9 "$podman"
answers "the service dies: the next request works" 200 OK one GET /_ping
wait_until 5 test -n "$(podman_of one)"
like "by another process" '^[0-9]' "$(podman_of one | grep -vx "$podman")"
kill -9 "$(podman_of one)"
answers "again: after a short pause" 200 OK one GET /_ping
kill -9 "$keeper"
answers "embedded dies: the next request works" 200 OK one GET /_ping
for pid in $(children_of "$(gateway_pid one)" worker); do
	kill -9 "$pid"
done
answers "the workers die: new ones know the way" 200 OK one GET /_ping

# ---- its end ----------------------------------------------------------------

remote one run -d --name "$MARK-stays" --network none localhost/busybox \
	sleep 600 >/dev/null 2>&1
is "a container that stays" true "$(remote one inspect \
	-f '{{.State.Running}}' "$MARK-stays" 2>&1)"
container=$(remote one inspect -f '{{.State.Pid}}' "$MARK-stays" 2>&1)
podman=$(podman_of one) keeper=$(embedded_of one) master=$(gateway_pid one)
kill "$master"
wait_until 5 is_gone "$master" "$keeper" "$podman"
is "SIGTERM: podman's service ends too" 0 $?
is "the container goes on" 1 "$(grep -c . "/proc/$container/comm" 2>/dev/null)"
is "nothing is left in the run directory" gateway.log "$(ls -A "$TMP/run-one")"

start one
is "the next gateway has it again" "$MARK-stays" "$(remote one ps \
	--format '{{.Names}}' 2>&1)"
podman=$(podman_of one) keeper=$(embedded_of one) master=$(gateway_pid one)
kill -9 "$master"
wait_until 5 is_gone "$keeper" "$podman"
is "kill -9 of the gateway: podman's service ends too" 0 $?
start one
answers "a gateway after that serves" 200 OK one GET /_ping
status_is "the container is removed" 0 remote one rm -f -t 0 "$MARK-stays"
gateway_end "$TMP/run-one/gateway.pid"
start one --idle-timeout 5s
answers "a gateway for a while" 200 OK one GET /_ping
podman=$(podman_of one) keeper=$(embedded_of one)
unlike "has a podman" '^$' "$podman"
wait_until 25 is_gone "$keeper" "$podman"
is "the idle timeout: podman's service ends too" 0 $?

# ---- what the refusals say --------------------------------------------------

refused_with() { # name, regular expression
	like "$1" "$2" "$(api bad GET /_ping 2>&1)"
}

echo '[engine' >"$NS/etc/containers.conf"
start bad
refused_with "podman cannot start: its own words" \
	'backend-down: .*started by the gateway, failed: .*containers.conf'
like "status has them too" '"note":"podman system service.*containers.conf' \
	"$(status bad)"
podman_conf "$NS/etc/containers.conf"
wait_until 5 sh -c "curl -s --unix-socket '$TMP/run-bad/podman.sock' \
	http://d/_ping | grep -q OK"
is "repaired: a later request starts it" 0 $?
gateway_end "$TMP/run-bad/gateway.pid"

# Another podman in the place of the real one, which anybody could have written.
cp /usr/bin/podman "$TMP/evil/podman"
chmod 777 "$TMP/evil/podman"
behind mount --bind "$TMP/evil/podman" /usr/bin/podman
start bad
refused_with "a podman that others can write is not started" \
	'backend-down: .*not started: others than root may write'
is "and nothing runs" "" "$(embedded_of bad)"
gateway_end "$TMP/run-bad/gateway.pid"
behind umount /usr/bin/podman

gateway_start bad --backend "podman=$TMP/none.sock"
refused_with "a socket that was named is meant" \
	"backend-down: no docker or podman daemon was found, not on $TMP/none.sock; start"
is "and nothing runs for it" "" "$(embedded_of bad)"
gateway_end "$TMP/run-bad/gateway.pid"

# A service that runs already.
nsenter -m -n -t "$HOLDER" -- podman system service --time=0 \
	unix:///run/podman/podman.sock >/dev/null 2>&1 &
wait_until 10 behind test -S /run/podman/podman.sock
start real
answers "a service that runs is used" 200 OK real GET /_ping
like "by its path" '"path":"/run/podman/podman.sock","reachable":true,"embedded":false' \
	"$(status real)"
is "and none is started" "" "$(embedded_of real)"
gateway_end "$TMP/run-real/gateway.pid"
behind timeout 60 podman rm -fa -t 0 >/dev/null 2>&1

# ---- a user without root ----------------------------------------------------

rootless_setup() {
	[ -z "${CG_PODMAN_TREE:-}" ] || {
		skip "without root" "root alone may enter another tree"
		return 1
	}
	command -v newuidmap >/dev/null || {
		skip "without root" "no newuidmap (uidmap)"
		return 1
	}
	useradd -M -d "$TMP/home" "$USER_NAME" 2>/dev/null || {
		skip "without root" "no user can be made (useradd)"
		return 1
	}
	chmod 711 "$TMP"
	mkdir -p "$TMP/home/.config/containers" "$TMP/xdg" "$TMP/bin" \
		"$TMP/own"
	podman_conf "$TMP/home/.config/containers/containers.conf"
	chmod 700 "$TMP/xdg"
	chown -R "$USER_NAME" "$TMP/home" "$TMP/xdg" "$TMP/own"
	for program in container-gateway worker policyd embedded; do
		cp "$CG_BUILD/$program" "$TMP/bin"
	done
	as_user unshare -Ur true 2>"$TMP/unshare" || {
		skip "without root" "no user namespace: $(cat "$TMP/unshare")"
		return 1
	}
	[ "$(grep -c "^$USER_NAME:" /etc/subuid)" != 0 ] || {
		skip "without root" "useradd gave no range in /etc/subuid"
		return 1
	}
}

as_user() { # command ...
	(cd / && exec setpriv --reuid "$USER_NAME" --regid "$USER_NAME" \
		--clear-groups env -i "PATH=$PATH" "HOME=$TMP/home" \
		"XDG_RUNTIME_DIR=$TMP/xdg" "$@")
}

# The gateway's own run directory is the user's, so that lib.sh's does not do.
rootless() {
	as_user "$TMP/bin/container-gateway" --project "$TMP/own" \
		--run-dir "$TMP/own/run" --backend podman --egress off \
		--log-level debug --daemon >"$TMP/start-own.out" 2>&1 || {
		fail "without root: the gateway starts" \
			"$(tail -3 "$TMP/start-own.out")"
		return
	}
	ln -s own/run "$TMP/run-own"
	as_user timeout 60 podman import "$TMP/busybox.tar" \
		localhost/busybox:latest >"$TMP/import" 2>&1 ||
		fail "without root: an image" "$(tail -3 "$TMP/import")"
	answers "without root: podman's service answers" 200 OK own GET /_ping
	master=$(gateway_pid own) keeper=$(embedded_of own)
	podman=$(podman_of own)
	is "without root: whose process it is" "$USER_NAME" \
		"$(stat -c %U "/proc/$podman")"
	like "without root: the id ranges are there (newuidmap)" \
		'^ *1 ' "$(cat /proc/"$(pgrep -u "$USER_NAME" podman |
			tail -1)"/uid_map)"
	rootless_secrets
	rootless_run
	kill "$master"
	wait_until 5 is_gone "$master" "$keeper" "$podman"
	is "without root: SIGTERM ends podman's service" 0 $?
	is "without root: none is left" "" "$(pgrep -u "$USER_NAME" podman)"
}

# The same user may look into master, and not into those that hold the way.
rootless_secrets() {
	status_is "without root: master can be looked into" 0 \
		as_user ls "/proc/$master/fd/"
	for pid in $keeper $(children_of "$master" worker); do
		name=$(cat "/proc/$pid/comm")
		status_is "without root: $name cannot" 2 \
			as_user ls "/proc/$pid/fd/"
	done
	is "without root: dialling their descriptors" "refused" \
		"$(as_user python3 -c '
import socket, sys
said = "refused"
for pid in sys.argv[1:]:
    for fd in range(64):
        s = socket.socket(socket.AF_UNIX)
        try:
            s.connect("/proc/%s/fd/%d" % (pid, fd))
            said = "connected by %s of %s" % (fd, pid)
        except OSError:
            pass
print(said)' "$master" "$keeper" "$podman")"
	unlike "without root: the socket had no name for an instant either" \
		socket-folder "$(gateway_log own)"
}

rootless_run() {
	plain=$(as_user timeout 60 podman run --rm --network none \
		localhost/busybox echo hello 2>&1)
	if [ "$plain" = hello ]; then
		is "without root: podman --remote run" hello "$(remote own run \
			--rm --network none localhost/busybox echo hello 2>&1)"
	else
		skip "without root: podman --remote run" \
			"podman itself cannot: $(echo "$plain" | tail -1)"
	fi
}

if rootless_setup; then
	rootless
fi
finish
