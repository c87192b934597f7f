#!/bin/sh
# Binds after the check: a source that was swapped for a symbolic link, a
# restart policy that would follow one, sources that are missing, device nodes
# through a bind; and ports that are published without an address.
. "$(dirname "$0")/lib.sh"
need_docker
sweep_after
gateway_start one
one_cli
root=$(project one)
mkdir -p "$TMP/outside/b" "$root/a/b"
echo SECRET | tee "$TMP/outside/f" >"$TMP/outside/b/f"
echo inside | tee "$root/a/f" >"$root/a/b/f"

# Each swap is undone by swap_back.
swap() { # path below the root, what it is to lead to
	mv "$root/$1" "$root/kept"
	ln -s "$2" "$root/$1"
}

swap_back() { # path
	rm -f "$root/$1"
	mv "$root/kept" "$root/$1"
}

moved() { # name, command ...
	moved_name=$1
	shift
	refused "$moved_name" bind-moved "$@"
	# shellcheck disable=SC2154
	unlike "$moved_name: nothing is shown" SECRET "$ref_out"
}

# ---- swapped -------------------------------------------------------------------

# A container that is made with the options, then started after a swap.
swapped() { # name, path to swap, its new end, docker-options ...
	sw_name=$1 sw_path=$2 sw_to=$3
	shift 3
	gw one create --name "$MARK-s" "$@" busybox cat /x/f >/dev/null
	swap "$sw_path" "$sw_to"
	moved "$sw_name: start" gw one start -a "$MARK-s"
	moved "$sw_name: cp out of a container that never ran" \
		gw one cp "$MARK-s:/x/f" -
	moved "$sw_name: cp into it" gw one cp "$0" "$MARK-s:/x/new"
	swap_back "$sw_path"
	is "$sw_name: back in place it starts" "inside" \
		"$(gw one start -a "$MARK-s" 2>&1)"
	gw one rm -f "$MARK-s" >/dev/null
}

before_start() {
	swapped "a folder" a "$TMP/outside" -v "$root/a:/x"
	swapped "a mount" a "$TMP/outside" \
		--mount "type=bind,source=$root/a,target=/x"
	swapped "a folder above" a "$TMP/outside" -v "$root/a/b:/x"
	swapped "a file" a/f "$TMP/outside/f" -v "$root/a/f:/x/f"
	mkdir -p "$root/other"
	swapped "to elsewhere in the project" a "$root/other" -v "$root/a:/x"
	swapped "to nowhere" a "$TMP/outside/none" -v "$root/a:/x"
	is "nothing was made outside" "b f" "$(cd "$TMP/outside" && echo *)"
}

while_running() {
	gw one run -d --name "$MARK-r" -v "$root/a:/x" busybox sleep 600 \
		>/dev/null
	gw one run -d --name "$MARK-plain" busybox sleep 600 >/dev/null
	swap a "$TMP/outside"
	moved "restart" gw one restart -t 0 "$MARK-r"
	moved "cp out of a running container" gw one cp "$MARK-r:/x/f" -
	answers "the state of a path" 403 '' one HEAD \
		"/containers/$MARK-r/archive?path=/x/f" -I
	is "exec sees what was mounted" "inside" \
		"$(gw one exec "$MARK-r" cat /x/f)"
	status_is "a container without binds restarts" 0 \
		gw one restart -t 0 "$MARK-plain"
	gw one stop -t 0 "$MARK-r" >/dev/null
	moved "start after a stop" gw one start "$MARK-r"
	swap_back a
	status_is "back in place it starts again" 0 gw one start "$MARK-r"
	gw one rm -f "$MARK-plain" >/dev/null
}

# The daemon copies another container's mounts, and mounts them afresh.
through_another() {
	gw one create --name "$MARK-via" --volumes-from "$MARK-r" busybox \
		sh -c 'cat /x/f; mknod /x/node c 1 5' >/dev/null
	swap a "$TMP/outside"
	moved "--volumes-from: start" gw one start -a "$MARK-via"
	moved "--volumes-from: cp" gw one cp "$MARK-via:/x/f" -
	swap_back a
	like "--volumes-from: back in place it starts, without MKNOD" \
		'inside.*not permitted' \
		"$(gw one start -a "$MARK-via" 2>&1 | sort | xargs)"
	refused "--volumes-from: with a restart policy" bind-restart \
		gw one create --restart always --volumes-from "$MARK-r" \
		busybox true
	refused "--volumes-from: with a restart policy later" bind-restart \
		gw one update --restart always "$MARK-via"
	gw one rm -f "$MARK-via" >/dev/null
}

# ---- restart policies ------------------------------------------------------------

restarts() {
	for policy in always unless-stopped on-failure:3; do
		refused "a bind below the root with $policy" bind-restart \
			gw one create --restart $policy -v "$root/a:/x" \
			busybox true
	done
	refused "a mount too" bind-restart gw one create --restart always \
		--mount "type=bind,source=$root/a,target=/x" busybox true
	refused "a policy that comes later" bind-restart \
		gw one update --restart always "$MARK-r"
	is "it is not there" "no" "$(direct inspect \
		-f '{{.HostConfig.RestartPolicy.Name}}' "$MARK-r")"
	status_is "the root itself may be bound with one" 0 gw one create \
		--name "$MARK-root" --restart always -v "$root:/x" busybox true
	status_is "so may a volume" 0 gw one create --name "$MARK-vol" \
		--restart always -v "$MARK-v:/x" busybox true
	status_is "and no policy is one" 0 gw one create --name "$MARK-no" \
		--restart no -v "$root/a:/x" busybox true
	gw one rm "$MARK-root" "$MARK-vol" "$MARK-no" >/dev/null
	mkdir -p "$(project inner)/sub"
	gateway_start inner --bind-root "$(project inner)/sub"
	refused "a root inside the project is one that can be exchanged" \
		bind-restart gw inner create --restart always \
		-v "$(project inner)/sub:/x" busybox true
}

# ---- missing sources, device nodes --------------------------------------------------

missing() {
	gw one run --rm -v "$root/new/deep:/x" busybox touch /x/y
	is "missing folders are made as the gateway's user" \
		"$(id -u):$(id -g) 755 755" \
		"$(stat -c %u:%g "$root/new/deep") $(stat -c %a "$root/new" \
			"$root/new/deep" | xargs)"
	is "and are what is bound" "y" "$(ls "$root/new/deep")"
	refused "none is made outside" bind \
		gw one create -v "$TMP/outside/new:/x" busybox true
	ln -s "$TMP/outside" "$root/out"
	refused "nor through a link" bind \
		gw one create -v "$root/out/new:/x" busybox true
	is "it is not there" "b f" "$(cd "$TMP/outside" && echo *)"
	refused "nor below a file" bind \
		gw one create -v "$root/a/f/new:/x" busybox true
}

device_nodes() {
	gw one run --name "$MARK-d" --cap-drop CHOWN -v "$root/a:/x" busybox \
		mknod /x/node c 1 5 >/dev/null 2>&1
	is "with a bind MKNOD is dropped, beside the client's own" \
		"[CHOWN MKNOD] 1" "$(direct inspect \
		-f '{{.HostConfig.CapDrop}} {{.State.ExitCode}}' "$MARK-d")"
	status_is "no node was made" 1 test -e "$root/a/node"
	gw one rm "$MARK-d" >/dev/null
	is "without one it is not" "[]" "$(gw one create --name "$MARK-d" \
		busybox true >/dev/null
		direct inspect -f '{{.HostConfig.CapDrop}}' "$MARK-d")"
	gw one rm "$MARK-d" >/dev/null
}

# ---- ports -----------------------------------------------------------------------------

# The addresses that a running container is published on.
addresses() {
	direct inspect -f "{{range \$port, \$to := .NetworkSettings.Ports}}\
{{range \$to}}{{\$port}}@{{.HostIp}} {{end}}{{end}}" "$1" | xargs
}

ports() {
	direct create --name "$MARK-base" busybox true >/dev/null
	direct commit -c 'EXPOSE 8080 53/udp' "$MARK-base" "$MARK-img" \
		>/dev/null
	direct rm "$MARK-base" >/dev/null
	gw one run -d --name "$MARK-p" -P --expose 9090 "$MARK-img" \
		sleep 600 >/dev/null
	is "-P: the body's and the image's ports, on loopback alone" \
		"53/udp@127.0.0.1 8080/tcp@127.0.0.1 9090/tcp@127.0.0.1" \
		"$(addresses "$MARK-p")"
	is "-P itself is not what the daemon got" "false" "$(direct inspect \
		-f '{{.HostConfig.PublishAllPorts}}' "$MARK-p")"
	like "docker port shows it" '^8080/tcp -> 127.0.0.1:[0-9]' \
		"$(gw one port "$MARK-p")"
	status_is "restart keeps it so" 0 gw one restart -t 0 "$MARK-p"
	like "on loopback" '8080/tcp@127.0.0.1' "$(addresses "$MARK-p")"
	gw one rm -f "$MARK-p" >/dev/null
	gw one run -d --name "$MARK-p" -p 80 -p 127.0.0.1::81 \
		-p 0.0.0.0::82 busybox sleep 600 >/dev/null
	is "-p: loopback when nothing is said, else what is said" \
		"80/tcp@127.0.0.1 81/tcp@127.0.0.1 82/tcp@0.0.0.0" \
		"$(addresses "$MARK-p")"
	gw one rm -f "$MARK-p" >/dev/null
}

before_start
while_running
through_another
restarts
missing
device_nodes
ports
finish
