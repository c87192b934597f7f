#!/bin/sh
# Networks and volumes, and what containers have of one another: made with the
# project's label, reached by it alone.
. "$(dirname "$0")/lib.sh"
need_docker
sweep_after
gateway_start one

label_of() { # network|volume, name: as the daemon itself has it
	direct "$1" inspect -f "{{index .Labels \"$LABEL\"}}" "$2"
}

count_volumes() { # how many there are of this project, for the daemon
	direct volume ls -q --filter "label=$LABEL=$(slug one)" | wc -l
}

# What others have, made past the gateway: $MARK-c on the default bridge.
make_foreign() {
	direct network create "$MARK-fnet" >/dev/null
	direct volume create "$MARK-fvol" >/dev/null
	foreign=$(direct run -d --name "$MARK-c" -v "$MARK-fvol:/f" \
		--network "$MARK-fnet" busybox sleep 600)
	direct network connect bridge "$MARK-c"
}

# Every docker command of this machine, on what they send differently.
clients() {
	id=$(gw one network create --label mine=yes "$MARK-net")
	like "$CLI: network create prints the id" '^[0-9a-f]\{64\}$' "$id"
	is "$CLI: the network has the project's label" "$(slug one)" \
		"$(label_of network "$id")"
	is "$CLI: network ls shows it alone" "$id" \
		"$(gw one network ls -q --no-trunc)"
	is "$CLI: network inspect by a short id" "$id yes" \
		"$(gw one network inspect -f '{{.Id}} {{.Labels.mine}}' \
			"$(echo "$id" | cut -c1-12)")"
	status_is "$CLI: network rm" 0 gw one network rm "$MARK-net"
	is "$CLI: volume create" "$MARK-vol" \
		"$(gw one volume create --label mine=yes "$MARK-vol")"
	is "$CLI: the volume has the project's label" "$(slug one)" \
		"$(label_of volume "$MARK-vol")"
	is "$CLI: volume ls shows it alone" "$MARK-vol" \
		"$(gw one volume ls -q)"
	is "$CLI: volume inspect" "local yes" "$(gw one volume inspect \
		-f '{{.Driver}} {{.Labels.mine}}' "$MARK-vol")"
	status_is "$CLI: volume rm" 0 gw one volume rm "$MARK-vol"
	for kind in network volume; do
		status_is "$CLI: $kind prune" 0 gw one "$kind" prune -f
	done
	mounted_volumes
}

mounted_volumes() {
	gw one create --name "$MARK-m" -v "$MARK-v1:/a" -v /b \
		--mount "type=volume,source=$MARK-v2,target=/c" \
		--mount type=volume,target=/d busybox true >/dev/null
	is "$CLI: -v NAME: and --mount source=NAME are made labelled" \
		"$(slug one) $(slug one)" \
		"$(label_of volume "$MARK-v1") $(label_of volume "$MARK-v2")"
	is "$CLI: so are -v /x and --mount without a source" 4 \
		"$(count_volumes)"
	status_is "$CLI: rm -v" 0 gw one rm -v "$MARK-m"
	is "$CLI: rm -v takes the anonymous ones along" \
		"$MARK-v1 $MARK-v2" "$(gw one volume ls -q | sort | xargs)"
	gw one volume rm "$MARK-v1" "$MARK-v2" >/dev/null
	status_is "$CLI: run --rm -v /x" 0 gw one run --rm -v /x busybox \
		touch /x/y
	is "$CLI: run --rm leaves no volume" 0 "$(count_volumes)"
}

predefined_networks() {
	for name in bridge host none; do
		is "network inspect $name shows no containers" "$name {}" \
			"$(gw one network inspect \
				-f '{{.Name}} {{json .Containers}}' $name)"
	done
	unlike "its raw answer neither" "$foreign\|$MARK-c" \
		"$(api one GET /networks/bridge)"
	status_is "they are not removed" 1 gw one network rm bridge
	is "network ls does not show foreign ones" "" \
		"$(gw one network ls -q --filter "name=$MARK-fnet")"
}

networks() {
	net=$(gw one network create --subnet 10.77.91.0/24 "$MARK-net")
	gw one run -d --name "$MARK-web" --network "$MARK-net" \
		--network-alias web busybox sh -c \
		'echo from-web >/tmp/f; exec httpd -f -p 80 -h /tmp' >/dev/null
	is "a container is reached by its network alias and by its name" \
		"from-web from-web" \
		"$(gw one run --rm --network "$MARK-net" busybox sh -c \
			"echo \$(wget -qO- http://web/f) \
			\$(wget -qO- http://$MARK-web/f)" 2>&1)"
	gw one run -d --name "$MARK-late" busybox sleep 600 >/dev/null
	status_is "network connect, with an alias and an address" 0 \
		gw one network connect --alias late --ip 10.77.91.77 \
		"$MARK-net" "$MARK-late"
	is "the daemon has it so" "10.77.91.77" "$(direct inspect -f \
		"{{(index .NetworkSettings.Networks \"$MARK-net\").IPAddress}}" \
		"$MARK-late")"
	is "that alias is reached too" "10.77.91.77" "$(gw one exec \
		"$MARK-web" nslookup late 2>&1 | sed -n \
		's/^Address[^:]*: *\(10\.77\.91\.77\).*/\1/p' | head -1)"
	is "network inspect lists the own containers" \
		"$MARK-late $MARK-web" "$(gw one network inspect -f \
		'{{range .Containers}}{{println .Name}}{{end}}' "$net" |
			sort | xargs)"
	status_is "network disconnect" 0 gw one network disconnect \
		"$MARK-net" "$MARK-late"
	is "the daemon has it so too" "bridge " "$(direct inspect -f \
		'{{range $k, $v := .NetworkSettings.Networks}}{{$k}} {{end}}' \
		"$MARK-late")"
	like "a network in use is not removed, in the daemon's words" \
		'has active endpoints' "$(gw one network rm "$MARK-net" 2>&1)"
	gw one network create "$MARK-idle" >/dev/null
	is "network prune removes what is unused and ours" "$MARK-net" \
		"$(gw one network prune -f >/dev/null
		gw one network ls --format '{{.Name}}')"
	status_is "and nothing of others" 0 \
		direct network inspect "$MARK-fnet"
	status_is "connect to a foreign network is the 404" 1 \
		gw one network connect "$MARK-fnet" "$MARK-late"
	status_is "connect of a foreign container too" 1 \
		gw one network connect "$MARK-net" "$MARK-c"
	is "neither happened" "$MARK-web " "$(direct network inspect -f \
		'{{range .Containers}}{{.Name}} {{end}}' "$net")"
	out=$(gw one network create "$MARK-fnet" 2>&1)
	like "a network name that others use is told as such" \
		'name-conflict' "$out"
	unlike "without its id" "$(direct network inspect -f '{{.Id}}' \
		"$MARK-fnet")" "$out"
	answers "nor does it become ambiguous when nobody asked to check" 409 \
		'name-conflict' one POST /v1.41/networks/create \
		-H 'Content-Type: application/json' \
		-d "{\"Name\":\"$MARK-fnet\",\"CheckDuplicate\":false}"
	is "there is one of it" 1 "$(direct network ls -q \
		--filter "name=^$MARK-fnet\$" | wc -l)"
}

# The daemon lets EndpointsConfig win over NetworkMode.
create() { # NetworkMode, EndpointsConfig
	printf '{"Image":"busybox","HostConfig":{"NetworkMode":"%s"},%s}' \
		"$1" "\"NetworkingConfig\":{\"EndpointsConfig\":$2}"
}

endpoints() {
	for body in "$(create none "{\"$MARK-fnet\":{}}")" \
	    "$(create "$MARK-net" "{\"$MARK-fnet\":{}}")" \
	    "$(create "$MARK-fnet" null)" "$(create default \
		"{\"$(direct network inspect -f '{{.Id}}' "$MARK-fnet")\":{}}")"; do
		answers "refused: $body" 403 ": network: " one POST \
			/containers/create -d "$body" \
			-H 'Content-Type: application/json'
	done
	answers "the mode and its endpoint under one name" 201 '"Id"' one \
		POST "/containers/create?name=$MARK-ep" \
		-H 'Content-Type: application/json' \
		-d "$(create "$MARK-net" "{\"$MARK-net\":{\"Aliases\":[\"ep\"]}}")"
	is "goes out under the full id" "$net" "$(direct inspect -f \
		'{{.HostConfig.NetworkMode}}' "$MARK-ep")"
	gw one rm "$MARK-ep" >/dev/null
}

foreign_volumes() {
	refused "a volume name that others use is told as such" \
		name-conflict gw one volume create "$MARK-fvol"
	refused "-v with a foreign volume" volume \
		gw one create -v "$MARK-fvol:/x" busybox true
	refused "--mount with a foreign volume" volume gw one create \
		--mount "type=volume,source=$MARK-fvol,target=/x" busybox true
	is "volume ls does not show it" "" \
		"$(gw one volume ls -q --filter "name=$MARK-fvol")"
	gw one volume create "$MARK-own" >/dev/null
	is "creating an own one again gives it" "$MARK-own" \
		"$(gw one volume create "$MARK-own")"
	like "volume create without a name" '^[0-9a-f]\{64\}$' \
		"$(gw one volume create)"
	is "two of ours then" 2 "$(count_volumes)"
	gw one volume prune -f >/dev/null
	is "volume prune removes what is unused and ours" "" \
		"$(gw one volume ls -q)"
	status_is "and nothing of others" 0 direct volume inspect "$MARK-fvol"
}

image_volumes() {
	direct create --name "$MARK-base" busybox true >/dev/null
	direct commit -c 'VOLUME /data' "$MARK-base" "$MARK-vimg" >/dev/null
	direct rm "$MARK-base" >/dev/null
	gw one create --name "$MARK-iv" "$MARK-vimg" true >/dev/null
	is "a VOLUME of the image is made labelled" "/data $(slug one)" \
		"$(direct inspect -f '{{(index .Mounts 0).Destination}}' \
			"$MARK-iv") $(label_of volume "$(direct inspect -f \
			'{{(index .Mounts 0).Name}}' "$MARK-iv")")"
	gw one rm -v "$MARK-iv" >/dev/null
	is "rm -v takes it along" 0 "$(count_volumes)"
	gw one run --rm "$MARK-vimg" touch /data/x
	is "run --rm too" 0 "$(count_volumes)"
	gw one run --rm -v "$MARK-named:/data" "$MARK-vimg" touch /data/x
	is "a named one takes its place" "$MARK-named" "$(direct volume ls -q \
		--filter "label=$LABEL=$(slug one)")"
	is "and keeps what is written" "x" "$(gw one run --rm \
		-v "$MARK-named:/data" "$MARK-vimg" ls /data)"
}

of_containers() {
	web=$(direct inspect -f '{{.Id}}' "$MARK-web")
	gw one create --name "$MARK-vols" -v "$MARK-named:/v" busybox true \
		>/dev/null
	vols=$(direct inspect -f '{{.Id}}' "$MARK-vols")
	is "--volumes-from shows the other's volumes" "x" "$(gw one run --rm \
		--volumes-from "$MARK-vols" busybox ls /v)"
	gw one create --name "$MARK-refs" --volumes-from "$MARK-vols:ro" \
		--network "container:$MARK-web" --pid "container:$MARK-web" \
		busybox true >/dev/null
	is "volumes, network and PID namespace go out under full ids" \
		"[$vols:ro] container:$web container:$web" \
		"$(direct inspect -f "{{with .HostConfig}}{{.VolumesFrom}} \
{{.NetworkMode}} {{.PidMode}}{{end}}" "$MARK-refs")"
	is "container:X shares its network" "from-web" "$(gw one run --rm \
		--network "container:$MARK-web" busybox \
		wget -qO- http://127.0.0.1/f)"
	for ref in "$MARK-c" "$foreign" "$(echo "$foreign" | cut -c1-12)"; do
		for option in --volumes-from= --network=container: \
		    --pid=container: --ipc=container:; do
			status_is "foreign: $option$ref" 1 gw one create \
				"$option$ref" busybox true
		done
	done
}

# A gateway on a host with a LAN of its own: in a network namespace that has an
# interface more.  The daemon, and the machine's own network, are left alone.
host_routes() {
	[ -z "${CG_DIRECT:-}" ] || return 0
	# shellcheck disable=SC2016
	lan='ip link add lan0 type veth peer name lan1 &&
		ip address add 10.78.0.2/16 dev lan0 &&
		ip link set lan1 up && ip link set lan0 up &&
		exec "$@"'
	if ! unshare -n sh -c "$lan" sh true 2>/dev/null; then
		skip "host routes" "no network namespace with an interface"
		return
	fi
	gateway_behind unshare -n sh "$TMP/lan"
	echo "$lan" >"$TMP/lan"
	gateway_start lan
	gateway_behind
	for subnet in 10.78.5.0/24 10.64.0.0/10; do
		refused "subnet $subnet of the host's LAN" subnet \
			gw lan network create --subnet "$subnet" "$MARK-lan"
	done
	status_is "a subnet beside it" 0 \
		gw lan network create --subnet 10.79.5.0/24 "$MARK-lan"
	gw lan network rm "$MARK-lan" >/dev/null
}

make_foreign
for_each_docker_cli clients
one_cli
predefined_networks
networks
endpoints
foreign_volumes
image_volumes
of_containers
host_routes
finish
