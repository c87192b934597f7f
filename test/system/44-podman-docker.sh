#!/bin/sh
# docker's clients on a podman service: the docker command and docker-compose
# v1 through docker.sock, where no docker daemon is.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/podman.sh"
[ -n "$(docker_clis)" ] || skip_all "no docker command"
# The gateway is to find no other backend.
# shellcheck disable=SC2034
CG_DOCKER_SOCK=
sweep_after
gateway_start one
gateway_start two
one_cli

label_of() { # container: as the service itself has it
	past inspect -f "{{index .Config.Labels \"$LABEL\"}}" "$1"
}

run() {
	# With --rm the service itself tells docker 0.
	status_is "run returns the exit status" 7 gw one run \
		--name "$MARK-seven" localhost/busybox sh -c 'exit 7'
	gw one rm "$MARK-seven" >/dev/null
	is "run without a network" "lo" "$(LIMIT=20 gw one run --rm --network \
		none localhost/busybox sh -c 'cd /sys/class/net && echo *' 2>&1)"
	is "run -i passes piped stdin" "a b " \
		"$(printf 'a\nb\n' | gw one run -i --rm localhost/busybox cat |
			tr '\n' ' ')"
	id=$(gw one run -d --name "$MARK-web" -p 18093:80 localhost/busybox \
		sleep 600)
	is "run -d, then ps" "$id" "$(gw one ps -q --no-trunc)"
	is "it has the project's label" "$(slug one)" "$(label_of "$id")"
	is "its port is on loopback" "127.0.0.1" "$(past inspect -f \
		'{{(index .HostConfig.PortBindings "80/tcp" 0).HostIP}}' \
		"$MARK-web")"
	is "exec" "hi" "$(gw one exec "$MARK-web" echo hi)"
	is "exec -i passes stdin" "through" \
		"$(echo through | gw one exec -i "$MARK-web" cat)"
	status_is "exec returns the exit status" 9 \
		gw one exec "$MARK-web" sh -c 'exit 9'
	like "top" 'sleep 600' "$(gw one top "$MARK-web")"
	echo from-host >"$(project one)/file"
	is "a bind below the project" "from-host" "$(gw one run --rm \
		-v "$(project one):/src:ro" localhost/busybox cat /src/file)"
	gw one cp "$(project one)/file" "$MARK-web:/tmp/file"
	is "cp" "from-host" "$(gw one exec "$MARK-web" cat /tmp/file)"
	gw one run --name "$MARK-said" localhost/busybox echo said >/dev/null
	is "logs" "said" "$(gw one logs "$MARK-said")"
	is "wait" 0 "$(gw one wait "$MARK-said")"
	status_is "rm" 0 gw one rm "$MARK-said"
	status_is "stop" 0 gw one stop -t 0 "$MARK-web"
	status_is "rm -f" 0 gw one rm -f "$MARK-web"
	is "ps -a is empty then" "" "$(gw one ps -aq)"
}

objects() {
	gw one network create "$MARK-net" >/dev/null
	gw one volume create "$MARK-vol" >/dev/null
	past volume create "$MARK-fvol" >/dev/null
	is "network ls and volume ls show what is ours" "$MARK-net $MARK-vol" \
		"$(gw one network ls --format '{{.Name}}') $(gw one volume ls \
			-q)"
	is "the other project sees neither" "" \
		"$(gw two network ls -q; gw two volume ls -q)"
	is "a named volume" "kept" "$(
		gw one run --rm -v "$MARK-vol:/v" localhost/busybox \
			sh -c 'echo kept >/v/f'
		gw one run --rm --network "$MARK-net" -v "$MARK-vol:/v:ro" \
			localhost/busybox cat /v/f)"
	df=$(gw one system df -v 2>&1)
	unlike "system df shows nothing of others" "$MARK-fvol" "$df"
	status_is "network rm" 0 gw one network rm "$MARK-net"
	status_is "volume rm" 0 gw one volume rm "$MARK-vol"
	for kind in container network volume; do
		status_is "$kind prune" 0 gw one $kind prune -f
	done
	status_is "what is another's is there still" 0 \
		past volume exists "$MARK-fvol"
}

# docker's API becomes words of podman's command line, which it splits again.
post() { # REASON, HostConfig members, further members
	answers "$1: $2 ${3:-}" 403 "container-gateway: $1: " one POST \
		/v1.41/containers/create -H 'Content-Type: application/json' \
		-d "{\"Image\":\"localhost/busybox\",\"HostConfig\":{$2}${3:-}}"
}

refusals() {
	refused "-v /:/host" bind gw one run --rm -v /:/host localhost/busybox true
	refused "--privileged" privileged \
		gw one run --rm --privileged localhost/busybox true
	refused "--net host" network-namespace \
		gw one run --rm --net host localhost/busybox true
	post bind-option "\"Binds\":[\"$(project one):/x:O\"]"
	post bind-option "\"Binds\":[\"$(project one):/x:U\"]"
	p=$(project one)
	for mount in "\"Source\":\"$p,source=/etc\",\"Target\":\"/x\"" \
	    "\"Source\":\"$p\",\"Target\":\"/x,src=/etc\"" \
	    "\"Source\":\"$p\",\"Target\":\"/x,bind-propagation=rshared\""; do
		answers "Mounts: $mount" 403 'container-gateway: \(mount-target\|bind\)' \
			one POST /v1.41/containers/create \
			-H 'Content-Type: application/json' \
			-d "{\"Image\":\"localhost/busybox\",\"HostConfig\":{\"Mounts\":[{\"Type\":\"bind\",$mount}]}}"
	done
	post mount-type '"Mounts":[{"Type":"bind,source=/etc,target=/m","Target":"/x"}]'
	post volume-key '"NetworkMode":"none"' ',"Volumes":{"/etc:/data":{}}'
	post environment '"NetworkMode":"none"' ',"Env":["*"]'
	post environment '"NetworkMode":"none"' ',"Env":["HOME"]'
	post label '"NetworkMode":"none"' \
		",\"Labels\":{\"$LABEL=other\":\"\"}"
	is "nothing was made" "" "$(gw one ps -aq)"
}

# docker's builder on podman's own API, where steps have a network of their own.
builds() {
	service=$(CG_DOCKER_SOCK=$CG_PODMAN_SOCK && daemon_pid)
	mkdir -p "$TMP/ctx"
	echo text >"$TMP/ctx/file"
	cat >"$TMP/ctx/Dockerfile" <<-END
	FROM localhost/busybox AS one
	ARG WHO=nobody
	LABEL $LABEL=other
	RUN echo "\$WHO" >/who; readlink /proc/self/ns/net >/net
	FROM localhost/busybox
	COPY --from=one /who /net /
	COPY file /file
	CMD ["cat", "/who", "/file"]
	END
	like "docker build" 'Successfully built [0-9a-f]\{12\}' \
		"$(DOCKER_BUILDKIT=0 gw one build -t "$MARK-b:1" \
			--build-arg WHO=me "$TMP/ctx" 2>&1)"
	is "its tag, arguments and files" "me text" \
		"$(gw one run --rm "$MARK-b:1" | xargs)"
	is "its label" "$(slug one)" "$(past image inspect -f \
		"{{index .Labels \"$LABEL\"}}" "docker.io/library/$MARK-b:1")"
	unlike "its steps are not in the service's network" \
		"$(readlink "/proc/$service/ns/net")" \
		"$(gw one run --rm "$MARK-b:1" cat /net)"
	like "docker build -q prints the id" '^\(sha256:\)\{0,1\}[0-9a-f]\{64\}$' \
		"$(DOCKER_BUILDKIT=0 gw one build -q "$TMP/ctx" 2>&1)"
	past tag localhost/busybox "docker.io/library/$MARK-theirs:latest"
	DOCKER_BUILDKIT=0 refused "a tag of others does not move" tag \
		gw one build -t "$MARK-theirs" "$TMP/ctx"
	past rmi "docker.io/library/$MARK-theirs:latest" >/dev/null
	past tag localhost/busybox "localhost/$MARK-short:latest"
	DOCKER_BUILDKIT=0 refused "nor does a short name that is another's" \
		tag gw one build -t "$MARK-short" "$TMP/ctx"
	past rmi "localhost/$MARK-short:latest" >/dev/null
	printf 'FROM localhost/busybox\nRUN ls /sys/class/net | xargs echo nets:\n' \
		>"$TMP/ctx/Dockerfile"
	like "--network none" '^nets: lo$' "$(DOCKER_BUILDKIT=0 gw one build \
		--no-cache --network none "$TMP/ctx" 2>&1)"
	printf 'FROM localhost/busybox\nRUN --mount=type=cache,id=../x,target=/x id\n' \
		>"$TMP/ctx/Dockerfile"
	DOCKER_BUILDKIT=0 refused "RUN --mount" build-context \
		gw one build "$TMP/ctx"
	DOCKER_BUILDKIT=0 refused "--network host" build-option \
		gw one build --network host "$TMP/ctx"
	printf 'FROM localhost/busybox\nRUN false\n' >"$TMP/ctx/Dockerfile"
	status_is "a step that fails fails the build" 1 \
		env DOCKER_BUILDKIT=0 "$DOCKER" -H "unix://$(gateway_sock one)" \
		build "$TMP/ctx"
	status_is "rmi" 0 gw one rmi "$MARK-b:1"
}

compose() { # arguments ...
	(cd "$(project one)" && DOCKER_HOST=unix://$(gateway_sock one) \
		timeout -k 1 120 docker-compose --no-ansi "$@" \
		2>"$TMP/compose.err")
}

works() { # name, arguments ...
	wo_name=$1
	shift
	if wo_out=$(compose "$@" </dev/null); then
		pass "$wo_name"
	else
		fail "$wo_name" "$wo_out" "$(tail -5 "$TMP/compose.err")"
	fi
}

with_compose() {
	if ! docker-compose version --short 2>/dev/null | grep -q '^1\.'; then
		skip "compose" "no docker-compose of version 1"
		return
	fi
	mkdir -p "$(project one)/src" "$(project one)/ctx"
	echo source >"$(project one)/src/file"
	printf 'FROM localhost/busybox\nARG FILE\nRUN echo made >/$FILE\n' \
		>"$(project one)/ctx/Dockerfile"
	cat >"$(project one)/docker-compose.yml" <<-END
	version: "2.4"
	services:
	  db:
	    image: localhost/busybox
	    command: sh -c 'echo ready >/data/ready; exec sleep 600'
	    stop_grace_period: 0s
	    volumes: ["data:/data"]
	    networks: {back: {aliases: [database]}}
	  web:
	    build: {context: ./ctx, args: {FILE: built}}
	    image: $MARK-web
	    command: sleep 600
	    stop_grace_period: 0s
	    depends_on: [db]
	    volumes: ["./src:/src:ro"]
	    environment: {WHO: me}
	    ports: ["80"]
	    networks: [back, default]
	networks: {back: {}}
	volumes: {data: {}}
	END
	works "compose up -d" up -d
	like "compose ps" "_web_1 .*Up" "$(compose ps)"
	is "exec: build, binds, environment, aliases" "made source me" \
		"$(compose exec -T web sh -c 'cat /built /src/file; echo $WHO
		wget -qO- http://database/ 2>&1 | grep -q refused ||
			echo no-database' |
			tr -d '\r' | xargs)"
	compose run --rm -T --no-deps web echo ran >"$TMP/out" </dev/null
	is "compose run" "ran" "$(tr -d '\r' <"$TMP/out")"
	works "compose stop" stop -t 0
	works "compose down -v" down -v
	status_is "rmi of what compose has built" 0 gw one rmi "$MARK-web"
	is "nothing is left of it" "" "$(gw one ps -aq; gw one network ls -q
		gw one volume ls -q)"
}

run
objects
refusals
builds
with_compose
finish
