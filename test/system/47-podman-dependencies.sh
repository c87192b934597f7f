#!/bin/sh
# podman starts what a container depends on first: a bind that was swapped is
# not followed by way of a container that joins the one that has it, nor by a
# pod.  And a network's name that another project has by now is not joined.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/podman.sh"
sweep_after
gateway_start one
gateway_start two
root=$(project one)
mkdir -p "$TMP/outside" "$root/pd"
echo SECRET >"$TMP/outside/f"
echo inside >"$root/pd/f"

swap() {
	mv "$root/pd" "$root/kept"
	ln -s "$TMP/outside" "$root/pd"
}

swap_back() {
	rm -f "$root/pd"
	mv "$root/kept" "$root/pd"
}

# One request, its status alone: podman.sock has both APIs.
status_of() { # NAME METHOD PATH [JSON]
	curl -s -m 30 -o "$TMP/answer" -w '%{http_code}' --unix-socket \
		"$(gateway_sock "$1" podman)" -X "$2" \
		-H 'Content-Type: application/json' ${4:+-d "$4"} "http://d$3"
}

created() { # name, PATH, JSON: what is created
	is "$1 is created" 201 "$(status_of one POST "$2" "$3")"
}

is_not_run() { # what, container
	is "$1: it was not started" "false" \
		"$(past inspect -f '{{.State.Running}}' "$2")"
}

# The giver sleeps with the bind; what leads to it is made by the table below.
giver=$MARK-giver
give() {
	created "the bound one" \
		"/v1.41/containers/create?name=$giver" \
		"{\"Image\":\"busybox\",\"Cmd\":[\"sleep\",\"600\"],
		\"HostConfig\":{\"Binds\":[\"$root/pd:/a\"]}}"
}

libpod=/v4.0.0/libpod/containers
compat=/v1.41/containers

attempts() { # name: every way in which podman would start it
	for act in start init 'restart?t=0'; do
		is "$1: libpod $act" 403 \
			"$(status_of one POST "$libpod/$MARK-c/$act")"
		like "$1: libpod $act says why" 'bind-moved' \
			"$(cat "$TMP/answer")"
	done
	for act in start 'restart?t=0'; do
		is "$1: $act of the docker API" 403 \
			"$(status_of one POST "$compat/$MARK-c/$act")"
	done
	is_not_run "$1" "$giver"
	unlike "$1: nothing is shown" SECRET \
		"$(past exec "$giver" cat /a/f 2>&1)"
}

# What depends on the giver: made, tried after a swap, and without it.
depends() { # name, PATH of creation, JSON
	give
	created "$1" "$2" "$3"
	swap
	attempts "$1"
	swap_back
	is "$1: back in place it starts" 204 \
		"$(status_of one POST "$libpod/$MARK-c/start")"
	is "$1: and what it depends on" "inside" \
		"$(pm one exec "$giver" cat /a/f 2>&1)"
	pm one rm -f -t 0 "$MARK-c" "$MARK-d" "$giver" >/dev/null 2>&1
}

spec() { # JSON members
	echo "{\"image\":\"localhost/busybox\",\"name\":\"$MARK-c\",
	\"command\":[\"sleep\",\"600\"],$1}"
}

body() { # JSON members of HostConfig
	echo "{\"Image\":\"busybox\",\"Cmd\":[\"sleep\",\"600\"],
	\"HostConfig\":{$1}}"
}

ns() { # kind
	spec "\"$1\":{\"nsmode\":\"container\",\"value\":\"$giver\"}"
}

dependencies() {
	for kind in netns pidns ipcns; do
		depends "$kind" $libpod/create "$(ns $kind)"
	done
	depends "dependencyContainers" $libpod/create \
		"$(spec "\"dependencyContainers\":[\"$giver\"]")"
	# The service keeps what docker's API made in the same form.
	is_first_engine || return 0
	for mode in NetworkMode PidMode IpcMode; do
		depends "$mode" "$compat/create?name=$MARK-c" \
			"$(body "\"$mode\":\"container:$giver\"")"
	done
}

# One that joins one that joins the bound one.
far() {
	give
	created "one between" $libpod/create \
		"$(ns netns | sed "s/$MARK-c/$MARK-d/")"
	created "one far" $libpod/create \
		"$(spec "\"pidns\":{\"nsmode\":\"container\",
		\"value\":\"$MARK-d\"}")"
	swap
	attempts "through another"
	swap_back
	is "through another: back in place" 204 \
		"$(status_of one POST "$libpod/$MARK-c/start")"
	pm one rm -f -t 0 "$MARK-c" "$MARK-d" "$giver" >/dev/null 2>&1
}

# A member of a pod that depends on another: podman takes no outsider there.
pods() {
	pm one pod create --name "$MARK-pod" >/dev/null
	pm one create --pod "$MARK-pod" --name "$giver" -v "$root/pd:/a" \
		busybox sleep 600 >/dev/null
	created "a member" $libpod/create "$(spec "\"pod\":\"$MARK-pod\",
		\"dependencyContainers\":[\"$giver\"]")"
	swap
	attempts "member of a pod"
	for act in start restart; do
		refused "pod $act" bind-moved pm one pod $act "$MARK-pod"
	done
	is_not_run "the pod" "$giver"
	swap_back
	status_is "pod start: back in place" 0 pm one pod start "$MARK-pod"
	pm one pod rm -f -t 0 "$MARK-pod" >/dev/null 2>&1
}

# podman removes a network in use when it is called by its id: here past the
# gateway, as a person may do.
networks() {
	name=$MARK-shared
	for kind in created connected podded; do
		net=$(pm one network create "$name" >/dev/null &&
			past network inspect -f '{{.ID}}' "$name")
		case $kind in
		created) pm one create --name "$MARK-c" --network "$name" \
			busybox sleep 600 ;;
		connected) pm one create --name "$MARK-c" busybox sleep 600
			pm one network connect "$name" "$MARK-c" ;;
		podded) pm one pod create --name "$MARK-pod" --network "$name"
			pm one create --pod "$MARK-pod" --name "$MARK-c" \
				busybox sleep 600 ;;
		esac >/dev/null
		past network rm "$net" >/dev/null
		like "$kind: a network that is gone" 'network not found' \
			"$(pm one start "$MARK-c" 2>&1)"
		pm two network create "$name" >/dev/null
		for act in start init 'restart -t 0'; do
			# shellcheck disable=SC2086
			refused "$kind: $act" network-moved \
				pm one $act "$MARK-c"
		done
		[ $kind != podded ] || refused "$kind: pod start" \
			network-moved pm one pod start "$MARK-pod"
		is_not_run "$kind" "$MARK-c"
		past network rm "$(past network inspect -f '{{.ID}}' "$name")" \
			>/dev/null
		pm one network create "$name" >/dev/null
		status_is "$kind: an own one of that name" 0 \
			pm one start "$MARK-c"
		pm one pod rm -f -t 0 "$MARK-pod" >/dev/null 2>&1
		pm one rm -f -t 0 "$MARK-c" >/dev/null 2>&1
		pm one network rm "$name" >/dev/null
	done
}

dependencies
far
pods
networks
finish
