#!/bin/sh
# Networks, volumes, pods and images through podman.sock: made with the
# project's label, listed and removed by it alone.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/podman.sh"
sweep_after
gateway_start one

label_of() { # network|volume|pod, name: as the service itself has it
	past "$1" inspect "$2" | sed -n \
		"s/.*\"$LABEL\": *\"\([^\"]*\)\".*/\1/p" | head -1
}

# A server that ends when it is told to; the word that it serves comes behind.
SERVE='serve() {
	trap exit TERM
	echo "$1" >/tmp/f
	httpd -p 80 -h /tmp
	while :; do sleep 0.1; done
}
serve'

networks() {
	status_is "network create" 0 pm one network create --label mine=yes \
		--subnet 10.77.92.0/24 "$MARK-net"
	is "it has the project's label" "$(slug one)" \
		"$(label_of network "$MARK-net")"
	is "network ls shows it alone" "$MARK-net" \
		"$(pm one network ls --format '{{.Name}}')"
	like "network inspect" '"mine": "yes"' \
		"$(pm one network inspect "$MARK-net")"
	status_is "network exists" 0 pm one network exists "$MARK-net"
	pm one run -d --name "$MARK-web" --network "$MARK-net" \
		--network-alias web busybox sh -c \
		"$SERVE from-web" >/dev/null
	is "a container is reached by its alias and by its name" \
		"from-web from-web" \
		"$(pm one run --rm --network "$MARK-net" busybox sh -c \
			"echo \$(wget -qO- http://web/f) \
			\$(wget -qO- http://$MARK-web/f)" 2>&1)"
	pm one run -d --name "$MARK-late" --network podman busybox \
		sleep 600 >/dev/null
	status_is "network connect, with an alias and an address" 0 \
		pm one network connect --alias late --ip 10.77.92.77 \
		"$MARK-net" "$MARK-late"
	is "the service has it so" "10.77.92.77" "$(past inspect -f \
		"{{(index .NetworkSettings.Networks \"$MARK-net\").IPAddress}}" \
		"$MARK-late")"
	status_is "network disconnect" 0 \
		pm one network disconnect "$MARK-net" "$MARK-late"
	status_is "a network in use is not removed" 2 \
		pm one network rm "$MARK-net"
	pm one rm -f -t 0 "$MARK-late" "$MARK-web" >/dev/null
	is "container:X shares its network" "ok" "$(
		pm one run -d --name "$MARK-a" busybox sh -c \
			"$SERVE ok" >/dev/null
		wait_until 5 pm one exec "$MARK-a" wget -qO- http://127.0.0.1/f
		pm one run --rm --network "container:$MARK-a" busybox \
			wget -qO- http://127.0.0.1/f
		pm one rm -f -t 0 "$MARK-a" >/dev/null)"
}

volumes() {
	is "volume create" "$MARK-vol" \
		"$(pm one volume create --label mine=yes "$MARK-vol")"
	is "it has the project's label" "$(slug one)" \
		"$(label_of volume "$MARK-vol")"
	is "volume inspect" "yes" "$(pm one volume inspect \
		-f '{{.Labels.mine}}' "$MARK-vol")"
	status_is "volume exists" 0 pm one volume exists "$MARK-vol"
	is "it keeps what is written" "kept" "$(
		pm one run --rm -v "$MARK-vol:/v" busybox \
			sh -c 'echo kept >/v/f'
		pm one run --rm -v "$MARK-vol:/v:ro" busybox cat /v/f)"
	pm one create --name "$MARK-m" -v "$MARK-new:/a" --mount \
		"type=volume,source=$MARK-new2,target=/c" busybox true \
		>/dev/null
	is "-v NAME: and --mount source=NAME are made labelled" \
		"$(slug one) $(slug one)" "$(label_of volume "$MARK-new") \
$(label_of volume "$MARK-new2")"
	is "volume ls shows them alone" "$MARK-new $MARK-new2 $MARK-vol" \
		"$(pm one volume ls -q | sort | xargs)"
	is "--volumes-from" "kept" "$(
		pm one create --name "$MARK-v" -v "$MARK-vol:/v" busybox true \
			>/dev/null
		pm one run --rm --volumes-from "$MARK-v" busybox cat /v/f)"
	pm one rm "$MARK-m" "$MARK-v" >/dev/null
	status_is "volume rm" 0 pm one volume rm "$MARK-new2"
	refused "volume create with options" volume-option pm one volume \
		create -o type=none -o o=bind -o device=/etc "$MARK-o"
	refused "volume create with a driver" volume-driver pm one volume \
		create --driver other "$MARK-o"
}

pods() {
	pod=$(pm one pod create --name "$MARK-pod" --label mine=yes -p 18091:80)
	like "pod create prints the id" '^[0-9a-f]\{64\}$' "$pod"
	is "it has the project's label" "$(slug one)" \
		"$(past pod inspect "$MARK-pod" | sed -n \
			"s/.*\"$LABEL\": *\"\([^\"]*\)\".*/\1/p" | head -1)"
	is "run --pod: members share the network" "from-member" "$(
		pm one run -d --pod "$MARK-pod" --name "$MARK-member" busybox \
			sh -c "$SERVE from-member" >/dev/null
		wait_until 5 pm one exec "$MARK-member" \
			wget -qO- http://127.0.0.1/f
		pm one run --rm --pod "$MARK-pod" busybox \
			wget -qO- http://127.0.0.1/f)"
	is "pod ps" "$MARK-pod Running" \
		"$(pm one pod ps --format '{{.Name}} {{.Status}}')"
	is "pod inspect" "$pod" "$(pm one pod inspect -f '{{.Id}}' \
		"$MARK-pod" 2>&1)"
	status_is "pod exists" 0 pm one pod exists "$MARK-pod"
	like "pod top" 'httpd' "$(pm one pod top "$MARK-pod")"
	like "pod stats" "$MARK-member" "$(pm one pod stats --no-stream \
		--format '{{.Name}}' "$MARK-pod")"
	is "ps -p names the pod" "$MARK-member $MARK-pod" "$(pm one ps -p \
		--filter "name=$MARK-member" \
		--format '{{.Names}} {{.PodName}}')"
	is "the port of the pod is on loopback" "127.0.0.1" \
		"$(past pod inspect "$MARK-pod" | sed -n \
			's/.*"HostI[pP]": "\(.*\)".*/\1/p' | head -1)"
	for act in pause unpause restart kill start; do
		status_is "pod $act" 0 pm one pod $act "$MARK-pod"
	done
	pod_stop
	status_is "run --pod new:NAME" 0 pm one run --rm \
		--pod "new:$MARK-pod2" busybox true
	is "both are there" "$MARK-pod $MARK-pod2" \
		"$(pm one pod ps --format '{{.Name}}' | sort | xargs)"
	# With cgroups of version 1 podman complains of ones that are not empty
	# yet, and has removed the pod.
	pm one pod rm -f -t 0 "$MARK-pod" "$MARK-pod2" >/dev/null 2>&1
	status_is "pod rm -f" 1 past pod exists "$MARK-pod"
	is "pod ps is empty then" "" "$(pm one pod ps -q)"
	is "and the members are gone" "" \
		"$(pm one ps -aq --filter "name=$MARK-member")"
}

# podman 5.4.2 panics in its answer where the pod's cgroup is not empty yet
# (cgroups of version 1): on its own socket it does the same.
pod_stop() {
	stop_out=$(pm one pod stop -t 0 "$MARK-pod" 2>&1)
	stop_status=$?
	case $stop_out in
	*"nil pointer dereference"*)
		past pod start "$MARK-pod" >/dev/null 2>&1
		if past pod stop -t 0 "$MARK-pod" 2>&1 |
		    grep -q 'nil pointer dereference'; then
			skip "pod stop" "podman panics past the gateway, too"
			return
		fi
		;;
	esac
	is "pod stop" 0 "$stop_status"
}

images() {
	like "images" 'localhost/busybox:latest' \
		"$(pm one images --format '{{.Repository}}:{{.Tag}}')"
	status_is "image exists" 0 pm one image exists busybox
	status_is "one that does not" 1 pm one image exists "$MARK-none"
	like "image inspect" '^[0-9a-f]\{64\}$' \
		"$(pm one image inspect -f '{{.Id}}' busybox)"
	like "history" 'import\|CMD\|nop\|missing' "$(pm one history busybox)"
	status_is "image tree" 0 pm one image tree busybox
	refused "an image of nobody is not tagged" image \
		pm one tag busybox "localhost/$MARK-t:1"
	refused "nor removed" image pm one rmi busybox
	like "in the report that the command reads" \
		'^{"Errors":\["container-gateway: parameter: .*"ExitCode":125}' \
		"$(curl -s -m 30 -X DELETE --unix-socket \
			"$(gateway_sock one podman)" \
			"http://d/v4.0.0/libpod/images/remove?images=busybox&force=1")"
	pm one run --name "$MARK-c" busybox touch /made >/dev/null
	like "commit" '^[0-9a-f]\{64\}$' "$(pm one commit -q \
		-c 'LABEL mine=yes' "$MARK-c" "localhost/$MARK-i:1")"
	pm one rm "$MARK-c" >/dev/null
	is "the image has the project's label" "$(slug one) yes" \
		"$(past image inspect -f \
		"{{index .Labels \"$LABEL\"}} {{.Labels.mine}}" \
		"localhost/$MARK-i:1")"
	is "it runs" "/made" \
		"$(pm one run --rm "localhost/$MARK-i:1" ls /made)"
	status_is "an own image is tagged" 0 \
		pm one tag "localhost/$MARK-i:1" "localhost/$MARK-i:2"
	status_is "and untagged" 0 \
		pm one untag "localhost/$MARK-i:1" "localhost/$MARK-i:2"
	pm one save -o "$TMP/saved.tar" "localhost/$MARK-i:1"
	like "save" 'manifest.json' "$(tar -tf "$TMP/saved.tar" 2>&1)"
	user=$(past create --name "$MARK-user" "localhost/$MARK-i:1" true)
	refused "rmi of an image that others use" image-in-use \
		pm one rmi "localhost/$MARK-i:1"
	unlike "it names no container" "$user" \
		"$(pm one rmi "localhost/$MARK-i:1" 2>&1)"
	past rm "$MARK-user" >/dev/null
	past tag busybox "localhost/$MARK-up:1"
	printf 'FROM localhost/%s-up:1\nLABEL %s %s\n' "$MARK" \
		io.containers.autoupdate=local PODMAN_SYSTEMD_UNIT=x.service |
		past build -q -t "localhost/$MARK-up:2" - >/dev/null
	pm one create --name "$MARK-up" "localhost/$MARK-up:2" true >/dev/null
	is "an image does not make podman act on the host" disabled \
		"$(past inspect -f \
		'{{index .Config.Labels "io.containers.autoupdate"}}' \
		"$MARK-up")"
	pm one rm "$MARK-up" >/dev/null
	past rmi "localhost/$MARK-up:1" "localhost/$MARK-up:2" >/dev/null
	status_is "rmi" 0 pm one rmi "localhost/$MARK-i:1"
	status_is "it is gone" 1 past image exists "localhost/$MARK-i:1"
}

networks
volumes
pods
images
finish
