#!/bin/sh
# What podman would do by itself once something was exchanged: start a container
# again, remove an object whose name begins like the one that has just gone,
# read a volume's path in a build.  Each first past the gateway, to see that the
# service is still like that, then through it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/podman.sh"
sweep_after
gateway_start one
gateway_start two

# As lib.sh's, on podman's own socket.
# shellcheck disable=SC2317
api() { # NAME METHOD PATH [curl-arguments ...]
	api_sock=$(gateway_sock "$1" podman)
	api_method=$2 api_path=$3
	shift 3
	curl -s -m 30 -w '\n%{http_code}' --unix-socket "$api_sock" \
		-X "$api_method" "$@" "http://d$api_path"
}

post_create() { # members
	answers "$1" 403 'container-gateway: bind-restart: ' one POST \
		/v4.0.0/libpod/containers/create \
		-H 'Content-Type: application/json' -d "{\"image\":\
\"localhost/busybox\",\"command\":[\"sleep\",\"9\"],$1,\"mounts\":[{\
\"type\":\"bind\",\"source\":\"$(project one)/d\",\"destination\":\"/m\"}]}"
}

# A failed check restarts the container, and its binds are resolved again.
health() {
	mkdir -p "$(project one)/d" "$TMP/host"
	echo secret >"$TMP/host/secret"
	past run -d --name "$MARK-sick" --stop-timeout 0 --health-cmd false \
		--health-retries 1 --health-interval disable \
		--health-on-failure restart -v "$(project one)/d:/m" \
		localhost/busybox sleep 600 >/dev/null
	mv "$(project one)/d" "$(project one)/e"
	ln -s "$TMP/host" "$(project one)/d"
	past healthcheck run "$MARK-sick" >/dev/null 2>&1
	if wait_until 5 sees_host; then
		pass "past the gateway a check brings the host into a container"
	else
		skip "a check brings the host into a container" \
			"podman $SERVER does not restart by it here"
	fi
	past rm -f -t 0 "$MARK-sick" >/dev/null
	rm "$(project one)/d"
	mv "$(project one)/e" "$(project one)/d"
	refused "a bind, and restart on failure" bind-restart pm one run -d \
		--health-cmd false --health-on-failure restart \
		-v "$(project one)/d:/m" localhost/busybox sleep 9
	post_create '"health_check_on_failure_action":3'
	post_create '"startupHealthConfig":{"Test":["CMD","true"]}'
	status_is "stop on failure passes" 0 pm one run --rm \
		--health-cmd true --health-on-failure stop \
		-v "$(project one)/d:/m" localhost/busybox true
	status_is "without a bind, restart does" 0 pm one run --rm \
		--health-cmd true --health-on-failure restart \
		localhost/busybox true
	is "what has a bind does not follow a pod's policy" "no" "$(
		pm one create --name "$MARK-still" -v "$(project one)/d:/m" \
			localhost/busybox true >/dev/null
		past inspect -f '{{.HostConfig.RestartPolicy.Name}}' \
			"$MARK-still")"
}

# Attaching sets a container up, and mounts what is in the place of its binds.
attaching() {
	past create --name "$MARK-set" -v "$(project one)/d:/m" \
		localhost/busybox true >/dev/null
	curl -s -m 5 -o /dev/null -X POST --unix-socket "$CG_PODMAN_SOCK" \
		"http://d/v4.0.0/libpod/containers/$MARK-set/attach?stream=0&logs=1&stdout=1"
	is "past the gateway attaching sets a container up" "initialized" \
		"$(past inspect -f '{{.State.Status}}' "$MARK-set")"
	past rm -f "$MARK-set" >/dev/null
	pm one create --name "$MARK-at" -v "$(project one)/d:/m" \
		localhost/busybox true >/dev/null
	mv "$(project one)/d" "$(project one)/e"
	ln -s "$TMP/host" "$(project one)/d"
	for path in /v1.41 /v4.0.0/libpod; do
		answers "attaching where a bind moved: $path" 403 \
			'container-gateway: bind-moved: ' one POST \
			"$path/containers/$MARK-at/attach?stream=0&logs=1&stdout=1"
	done
	is "it is not set up" "created" \
		"$(past inspect -f '{{.State.Status}}' "$MARK-at")"
	rm "$(project one)/d"
	mv "$(project one)/e" "$(project one)/d"
	status_is "it starts where nothing moved, with its streams" 0 \
		pm one start -a "$MARK-at"
}

sees_host() {
	past exec "$MARK-sick" cat /m/secret 2>/dev/null | grep -q secret
}

delete() { # project, path
	curl -s -o /dev/null -X DELETE --unix-socket \
		"$(gateway_sock "$1" podman)" "http://d/v4.0.0/libpod$2"
}

# Of two deletes at once the second finds the name gone.
prefixes() {
	pm two volume create "$MARK-data" >/dev/null
	pm one volume create "$MARK-d" >/dev/null
	refused "a volume whose name begins another's is not removed" volume \
		pm one volume rm "$MARK-d"
	for _ in 1 2 3 4 5; do
		for _ in 1 2 3 4 5 6; do
			delete one "/volumes/$MARK-d" &
		done
		wait
		pm one volume create "$MARK-d" >/dev/null 2>&1
	done
	status_is "the other one is there still" 0 \
		past volume exists "$MARK-data"
	pm one volume create "$MARK-own-d" >/dev/null
	pm one volume create "$MARK-own-data" >/dev/null
	status_is "of two own ones it is" 0 pm one volume rm "$MARK-own-d"
	is "and that one alone" "$MARK-own-data" \
		"$(past volume ls -q --filter "name=$MARK-own")"
	refused "a network is not called like an id" name \
		pm one network create "ab${MARK#cg}"
	id=$(printf 'FROM localhost/busybox\nRUN echo %s >/id\n' "$MARK" |
		pm one build -q -t "$MARK-i" - | tail -1)
	status_is "an image by the beginning of its id" 0 \
		pm one rmi "$(printf '%s\n' "$id" | cut -c1-13)"
	is "is removed" "" "$(past images -q "$MARK-i")"
}

volumes_in_builds() {
	mkdir -p "$TMP/ctx"
	printf '%s\n' 'FROM localhost/busybox' 'VOLUME /q/etc' \
		'RUN mv /q /q2; ln -s / /q' \
		'RUN head -c 20 /q/etc/hostname || :' >"$TMP/ctx/Dockerfile"
	if server_is_at_least 5.0; then
		out=$(pm one build --no-cache "$TMP/ctx" 2>&1)
		unlike "a volume's path is not the host's" \
			"^$(head -c 20 /etc/hostname)" "$out"
	else
		refused "RUN behind VOLUME" build-context \
			pm one build --no-cache "$TMP/ctx"
	fi
	printf '%s\n' 'FROM localhost/busybox' 'RUN id' 'VOLUME /data' \
		>"$TMP/ctx/Dockerfile"
	status_is "VOLUME behind RUN" 0 pm one build -t "$MARK-v" "$TMP/ctx"
	answers "compatvolumes" 403 'container-gateway: build-option: ' one \
		POST '/v4.0.0/libpod/build?compatvolumes=1'
}

systemd() {
	refused "--systemd always" host-field pm one run --rm --systemd always \
		localhost/busybox true
	printf '%s\n' 'FROM localhost/busybox' \
		'RUN mkdir -p /sbin; rm -f /sbin/init; printf "#!/bin/sh\ngrep cgroup /proc/mounts\n" >/sbin/init; chmod +x /sbin/init' \
		'CMD ["/sbin/init"]' >"$TMP/ctx/Dockerfile"
	pm one build -q -t "$MARK-init" "$TMP/ctx" >/dev/null
	out=$(pm one run --rm "$MARK-init")
	like "an init system runs" ' /sys/fs/cgroup' "$out"
	unlike "without cgroups that it may write to" ' cgroup2* rw,' "$out"
	answers "by docker's API it does not" 403 \
		'container-gateway: host-field: ' one POST \
		/v1.41/containers/create -H 'Content-Type: application/json' \
		-d "{\"Image\":\"localhost/$MARK-init\"}"
}

health
attaching
prefixes
volumes_in_builds
systemd
finish
