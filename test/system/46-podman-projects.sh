#!/bin/sh
# Two projects side by side on one podman service: events, lists, disk usage and
# prunes of each know nothing of the other, nor of what was made past both.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/podman.sh"
sweep_after
gateway_start one
gateway_start two

events() {
	LIMIT=40 pm one events --format '{{.Time}} {{.Status}} {{.Name}}' \
		>"$TMP/events" 2>&1 &
	events_pid=$!
	wait_until 5 events_come
	past run --rm --name "$MARK-unseen" busybox true
	pm two run --rm --name "$MARK-other" busybox true
	began=$(date +%s%N)
	pm one run -d --name "$MARK-seen" busybox sleep 600 >/dev/null
	if wait_until 5 grep -q "start $MARK-seen" "$TMP/events"; then
		took=$((($(date +%s%N) - began) / 1000000))
		pass "events come as they happen ($took ms after the run began)"
	else
		fail "events come as they happen" "$(cat "$TMP/events")"
	fi
	pm one rm -f -t 0 "$MARK-seen" >/dev/null
	wait_until 5 grep -q "remove $MARK-seen" "$TMP/events"
	kill $events_pid
	unlike "and nothing of others" "$MARK-unseen\|$MARK-other" \
		"$(cat "$TMP/events")"
	is "past events, with a filter" "$MARK-seen" "$(pm one events \
		--stream=false --since 1m --filter "container=$MARK-seen" \
		--filter event=start --format '{{.Name}}')"
}

# The stream has no head of its own that would tell that it is there.
events_come() {
	pm one run --rm --name "$MARK-first" busybox true
	grep -q "$MARK-first" "$TMP/events"
}

prunes() {
	past volume create "$MARK-fvol" >/dev/null
	past network create "$MARK-fnet" >/dev/null
	past create --name "$MARK-fctr" busybox true >/dev/null
	for name in one two; do
		pm $name create --name "$MARK-p$name" busybox true >/dev/null
		pm $name volume create "$MARK-v$name" >/dev/null
		pm $name network create "$MARK-n$name" >/dev/null
	done
	pm one network create "$MARK-used" >/dev/null
	pm one run -d --name "$MARK-user" --network "$MARK-used" busybox \
		sleep 600 >/dev/null
	status_is "container prune" 0 pm one container prune -f
	status_is "volume prune" 0 pm one volume prune -f
	status_is "network prune" 0 pm one network prune -f
	status_is "image prune" 0 pm one image prune -f
	is "what is used stays" "$MARK-user $MARK-used" "$(pm one ps \
		--format '{{.Names}}') $(pm one network ls --format '{{.Name}}')"
	pm one rm -f -t 0 "$MARK-user" >/dev/null
	pm one network prune -f >/dev/null
	is "nothing of ours is left" "" \
		"$(pm one ps -aq; pm one volume ls -q; pm one network ls -q)"
	for name in fctr ptwo; do
		status_is "container $name is there still" 0 \
			past container exists "$MARK-$name"
	done
	for name in fvol vtwo; do
		status_is "volume $name is there still" 0 \
			past volume exists "$MARK-$name"
	done
	for name in fnet ntwo; do
		status_is "network $name is there still" 0 \
			past network exists "$MARK-$name"
	done
	refused "pod prune" prune pm one pod prune -f
	refused "system prune" prune pm one system prune -f
	refused "volume prune with a filter" prune-filter \
		pm one volume prune -f --filter label=x
}

# Both have one of each kind; two tries everything with one's names and ids.
side_by_side() {
	id=$(pm one run -d --name "$MARK-x" busybox sleep 600)
	pm one volume create "$MARK-xvol" >/dev/null
	pm one network create "$MARK-xnet" >/dev/null
	pod=$(pm one pod create --name "$MARK-xpod")
	is "lists of the other have none of it" "" "$(pm two ps -aq --filter \
		"name=$MARK-x"; pm two volume ls -q | grep "$MARK-x"
		pm two network ls -q | grep "$MARK-x"; pm two pod ps -q)"
	for ref in "$MARK-x" "$id" "$(echo "$id" | cut -c1-12)"; do
		for act in inspect start 'stop -t 0' kill rm top pause wait; do
			# shellcheck disable=SC2086
			like "two: $act $ref" 'no such\|no container' \
				"$(pm two $act "$ref" 2>&1)"
		done
		like "two: exec $ref" 'no such\|no container' \
			"$(pm two exec "$ref" true 2>&1)"
		status_is "two: container exists $ref" 1 \
			pm two container exists "$ref"
		like "two: --network container:$ref" 'no such\|no container' \
			"$(pm two run --rm --network "container:$ref" busybox \
			true 2>&1)"
	done
	for ref in "$MARK-xpod" "$pod"; do
		status_is "two: pod exists $ref" 1 pm two pod exists "$ref"
		like "two: pod rm $ref" 'no such pod\|no pod' \
			"$(pm two pod rm "$ref" 2>&1)"
		pm two pod rm -f "$ref" >/dev/null
		like "two: run --pod $ref" 'no such pod\|no pod' \
			"$(pm two run --rm --pod "$ref" busybox true 2>&1)"
	done
	like "two: volume rm" 'no such volume' \
		"$(pm two volume rm "$MARK-xvol" 2>&1)"
	refused "two: run -v" volume \
		pm two run --rm -v "$MARK-xvol:/v" busybox true
	like "two: network rm" 'network not found\|no such network' \
		"$(pm two network rm "$MARK-xnet" 2>&1)"
	refused "two: run --network" network \
		pm two run --rm --network "$MARK-xnet" busybox true
	refused "two: the name of a container" name-conflict \
		pm two create --name "$MARK-x" busybox true
	refused "two: the name of a volume" name-conflict \
		pm two volume create "$MARK-xvol"
	refused "two: the name of a network" name-conflict \
		pm two network create "$MARK-xnet"
	refused "two: the name of a pod" name-conflict \
		pm two pod create --name "$MARK-xpod"
	df=$(pm one system df -v 2>&1)
	like "system df shows what is ours" "$MARK-x" "$df"
	unlike "and nothing of others" "$MARK-fctr\|$MARK-fvol\|$MARK-vtwo" \
		"$df"
	is "one goes on" "running" \
		"$(pm one inspect -f '{{.State.Status}}' "$MARK-x")"
	pm one pod rm -f -t 0 "$MARK-xpod" >/dev/null
	pm one rm -f -t 0 "$MARK-x" >/dev/null
}

events
prunes
side_by_side
finish
