#!/bin/sh
# Two projects side by side on one daemon: neither sees nor touches what the
# other made, nor what was made past both gateways.
. "$(dirname "$0")/lib.sh"
need_docker
sweep_after
gateway_start one
gateway_start two

# Not there and not ours look the same: the daemon's own words for a name
# that nobody uses, with the names exchanged.
# shellcheck disable=SC2154
same_as_missing() { # project, container, docker-arguments with @ for the name
	sm_project=$1 sm_name=$2
	shift 2
	missing=$MARK-nobody
	for name in "$missing" "$sm_name"; do
		command=
		for word; do
			[ "$word" = @ ] && word=$name
			command="$command '$word'"
		done
		eval "out=\$(gw $sm_project $command 2>&1 </dev/null)"
		status=$?
		if [ "$name" = "$missing" ]; then
			want="$status $(echo "$out" | sed "s/$missing/NAME/g")"
		fi
	done
	is "$CLI: project $sm_project: $* on a foreign one" "$want" \
		"$status $(echo "$out" | sed "s/$sm_name/NAME/g")"
}

touch_foreign() { # project, name or id of what is not its own
	same_as_missing "$1" "$2" inspect --type container @
	same_as_missing "$1" "$2" exec @ true
	same_as_missing "$1" "$2" rm -f @
	# Everything with the first command, the rest of them a little.
	[ "$DOCKER" != "$first_cli" ] || touch_every_way "$@"
	is "$CLI: project $1 left it running" "true" \
		"$(direct inspect -f '{{.State.Running}}' "$2")"
}

touch_every_way() {
	same_as_missing "$1" "$2" logs @
	same_as_missing "$1" "$2" top @
	same_as_missing "$1" "$2" stop -t 0 @
	same_as_missing "$1" "$2" start @
	same_as_missing "$1" "$2" restart -t 0 @
	same_as_missing "$1" "$2" kill @
	same_as_missing "$1" "$2" pause @
	same_as_missing "$1" "$2" unpause @
	same_as_missing "$1" "$2" rename @ other
	same_as_missing "$1" "$2" update -m 64m --memory-swap 64m @
	same_as_missing "$1" "$2" wait @
	same_as_missing "$1" "$2" attach @
	same_as_missing "$1" "$2" diff @
	same_as_missing "$1" "$2" export -o "$TMP/x.tar" @
	same_as_missing "$1" "$2" stats --no-stream @
	same_as_missing "$1" "$2" cp @:/etc/passwd "$TMP/x"
	same_as_missing "$1" "$2" rm @
}

side_by_side() {
	one=$(gw one run -d --name "$MARK-a" busybox sleep 600)
	two=$(gw two run -d --name "$MARK-b" busybox sleep 600)
	none=$(direct run -d --name "$MARK-c" busybox sleep 600)
	is "$CLI: one lists its own" "$one" "$(gw one ps -aq --no-trunc)"
	is "$CLI: two lists its own" "$two" "$(gw two ps -aq --no-trunc)"
	is "$CLI: a filter of the client's does not widen the list" "" \
		"$(gw one ps -aq --filter "label=$LABEL=$(slug two)")"
	is "$CLI: nor one by name" "" "$(gw one ps -aq --filter "name=$MARK-b")"
	touch_foreign one "$MARK-b"
	touch_foreign one "$two"
	touch_foreign two "$(echo "$one" | cut -c1-12)"
	touch_foreign two "$MARK-c"
	used=$(gw one run -d --name "$MARK-b" busybox true 2>&1)
	like "$CLI: a name used elsewhere is told as such" \
		'name-conflict\|in use' "$used"
	unlike "$CLI: without the foreign id" "$two" "$used"
	status_is "$CLI: each still works" 0 gw two exec "$MARK-b" true
	gw one rm -f "$MARK-a" >/dev/null
	gw two rm -f "$MARK-b" >/dev/null
	direct rm -f "$none" >/dev/null
}

# docker keeps the name of a network until a container's first start: another
# project may have a network of that name by then.
names_of_networks() {
	name=$MARK-shared
	gw one network create "$name" >/dev/null
	gw one create --name "$MARK-n" --network "$name" busybox sleep 600 \
		>/dev/null
	gw one create --name "$MARK-m" busybox sleep 600 >/dev/null
	gw one network connect "$name" "$MARK-m"
	gw one run -d --name "$MARK-o" --network "$name" busybox sleep 600 \
		>/dev/null
	gw one rm -f "$MARK-o" >/dev/null
	gw one network rm "$name" >/dev/null
	for ctr in n m; do
		like "$CLI: start of $ctr, its network gone" \
			"network $name not found" \
			"$(gw one start "$MARK-$ctr" 2>&1)"
	done
	gw two network create "$name" >/dev/null
	for ctr in n m; do
		for act in start 'restart -t 0'; do
			# shellcheck disable=SC2086
			refused "$CLI: $act of $ctr, its network another's" \
				network-moved gw one $act "$MARK-$ctr"
		done
		is "$CLI: $ctr was not started" "false" "$(direct inspect \
			-f '{{.State.Running}}' "$MARK-$ctr")"
	done
	is "$CLI: nobody is on it" "0" "$(direct network inspect \
		-f '{{len .Containers}}' "$name")"
	gw two network rm "$name" >/dev/null
	gw one network create "$name" >/dev/null
	# docker 26 no longer starts n, whose mode is the id of what is gone.
	status_is "$CLI: m starts on an own one of that name" 0 \
		gw one start "$MARK-m"
	status_is "$CLI: and again" 0 gw one restart -t 0 "$MARK-m"
	gw one rm -f "$MARK-n" "$MARK-m" >/dev/null
	gw one network rm "$name" >/dev/null
}

first_cli=$(docker_clis | head -1)
for_each_docker_cli side_by_side
for_each_docker_cli names_of_networks
finish
