#!/bin/sh
# A container's whole life through docker.sock, with every docker command that
# this machine has, on a real daemon.
. "$(dirname "$0")/lib.sh"
need_docker
gateway_start one

run_and_exit() {
	status_is "$CLI: run returns the exit status" 7 \
		gw one run --rm busybox sh -c 'exit 7'
	is "$CLI: run prints what the container prints" "out err" \
		"$(gw one run --rm busybox sh -c 'echo out; echo err >&2' 2>&1 |
			sort -r | tr '\n' ' ' | sed 's/ $//')"
	is "$CLI: stdout and stderr stay apart" "err" \
		"$(gw one run --rm busybox sh -c 'echo out; echo err >&2' 2>&1 \
			>/dev/null)"
	is "$CLI: run -i passes piped stdin" "a b " \
		"$(printf 'a\nb\n' | gw one run -i --rm busybox cat |
			tr '\n' ' ')"
	status_is "$CLI: an image that is not there is the daemon's 404" 125 \
		gw one run --rm --pull never "$MARK-no-such-image" true
}

# A terminal of its own for the command, typed into from a pipe.  timeout has
# to leave it in the foreground: a client in the background that sets up the
# terminal is stopped there for good, under shells that do not exec the last
# command.
limit="timeout --foreground -k 1 60"
in_pty() {
	SHELL=/bin/sh script -qec "$1" /dev/null
}

run_on_terminal() {
	pty="$limit $DOCKER -H unix://$(gateway_sock one) run -it --rm busybox"
	like "$CLI: run -it has a terminal" '/dev/pts/[0-9]' \
		"$(in_pty "$pty tty" </dev/null | tr -d '\r')"
	out=$({
		sleep 1.5
		echo 'echo got-$((6*7))'
		sleep 0.5
		echo 'exit 5'
		sleep 1
	} | in_pty "$pty sh")
	is "$CLI: run -it returns the exit status" 5 $?
	like "$CLI: run -it takes what is typed" 'got-42' "$out"
	# It comes in a request of its own, after the start; busybox's stty
	# complains until then, and succeeds.
	size='for i in 1 2 3 4; do s=$(stty size 2>&1)
		[ "$s" = "33 77" ] && break; sleep 1; done; echo $s'
	out=$(sleep 5 | in_pty \
		"stty rows 33 cols 77; $pty sh -c '$size'")
	like "$CLI: the terminal's size arrives" '33 77' "$out"
}

run_detached() {
	id=$(gw one run -d --name "$MARK-web" --label mine=yes busybox \
		sleep 600)
	like "$CLI: run -d prints the id" '^[0-9a-f]\{64\}$' "$id"
	is "$CLI: ps lists it" "$id" "$(gw one ps -q --no-trunc)"
	is "$CLI: ps by name, label and state" "$MARK-web" \
		"$(gw one ps --filter "name=$MARK-web" --filter label=mine=yes \
			--filter status=running --format '{{.Names}}')"
	is "$CLI: inspect" "true $id" \
		"$(gw one inspect -f '{{.State.Running}} {{.Id}}' "$MARK-web")"
	is "$CLI: the project's label is on it" "$(slug one)" \
		"$(direct inspect -f "{{index .Config.Labels \"$LABEL\"}}" "$id")"
	is "$CLI: the client's own label too" "yes" \
		"$(direct inspect -f '{{.Config.Labels.mine}}' "$id")"
	is "$CLI: a short id finds it" "$id" \
		"$(gw one inspect -f '{{.Id}}' "$(echo "$id" | cut -c1-12)")"
}

exec_into() {
	is "$CLI: exec without -i" "hi" "$(gw one exec "$MARK-web" echo hi)"
	is "$CLI: exec -i passes stdin" "through" \
		"$(echo through | gw one exec -i "$MARK-web" cat)"
	status_is "$CLI: exec returns the exit status" 9 \
		gw one exec "$MARK-web" sh -c 'exit 9'
	like "$CLI: exec -it has a terminal" '/dev/pts/[0-9]' \
		"$(in_pty "$limit $DOCKER -H unix://$(gateway_sock one) \
			exec -it $MARK-web tty" </dev/null | tr -d '\r')"
	is "$CLI: exec takes environment, user and folder" "v 65534 /tmp" \
		"$(gw one exec -e K=v -u 65534 -w /tmp "$MARK-web" \
			sh -c 'echo $K $(id -u) $(pwd)')"
	like "$CLI: exec -d" '^$' "$(gw one exec -d "$MARK-web" \
		touch /tmp/detached 2>&1)"
	if wait_until 5 gw one exec "$MARK-web" test -e /tmp/detached; then
		pass "$CLI: exec -d ran"
	else
		fail "$CLI: exec -d ran"
	fi
	want=$(head -c 50000000 /dev/zero | tr '\0' 'x' | sha256sum)
	is "$CLI: 50 MB through exec -i arrive whole" "$want" \
		"$(head -c 50000000 /dev/zero | tr '\0' 'x' |
			gw one exec -i "$MARK-web" sha256sum)"
	is "$CLI: 50 MB out of exec arrive whole" "$want" \
		"$(gw one exec "$MARK-web" sh -c \
			"head -c 50000000 /dev/zero | tr '\0' x" | sha256sum)"
}

look_at() {
	like "$CLI: top" 'sleep 600' "$(gw one top "$MARK-web")"
	like "$CLI: stats" '[0-9.]*%' "$(gw one stats --no-stream \
		--format '{{.CPUPerc}}' "$MARK-web")"
	like "$CLI: diff" '^A /tmp/detached$' "$(gw one diff "$MARK-web")"
	like "$CLI: export" '^bin/busybox$' \
		"$(gw one export "$MARK-web" | tar -tf - 2>&1)"
}

change_state() {
	gw one pause "$MARK-web" >/dev/null
	is "$CLI: pause" "paused" \
		"$(gw one inspect -f '{{.State.Status}}' "$MARK-web")"
	gw one unpause "$MARK-web" >/dev/null
	gw one rename "$MARK-web" "$MARK-new" >/dev/null
	is "$CLI: unpause and rename" "running /$MARK-new" \
		"$(gw one inspect -f '{{.State.Status}} {{.Name}}' "$MARK-new")"
	status_is "$CLI: restart" 0 gw one restart -t 0 "$MARK-new"
	status_is "$CLI: stop" 0 gw one stop -t 0 "$MARK-new"
	is "$CLI: stopped with 137" "exited 137" "$(gw one inspect \
		-f '{{.State.Status}} {{.State.ExitCode}}' "$MARK-new")"
	status_is "$CLI: start" 0 gw one start "$MARK-new"
	status_is "$CLI: kill" 0 gw one kill "$MARK-new"
	is "$CLI: wait after the end" 137 "$(gw one wait "$MARK-new")"
	status_is "$CLI: rm" 0 gw one rm "$MARK-new"
	is "$CLI: ps -a is empty then" "" "$(gw one ps -aq)"
	status_is "$CLI: gone from the daemon" 1 direct inspect "$id"
}

attach_to() {
	gw one run -di --name "$MARK-reader" busybox sh -c \
		'while read l; do [ "$l" = quit ] && exit 3; echo "got $l"; done' \
		>/dev/null
	out=$({
		sleep 1
		echo one
		sleep 0.3
		echo quit
	} | gw one attach "$MARK-reader")
	is "$CLI: attach returns the exit status" 3 $?
	is "$CLI: attach carries both ways" "got one" "$out"
	gw one rm -f "$MARK-reader" >/dev/null
}

follow_logs() {
	gw one run -d --name "$MARK-log" busybox sh -c \
		'for i in 1 2 3; do echo "line $i"; sleep 1; done; exit 4' \
		>/dev/null
	mkfifo "$TMP/follow"
	gw one logs -f "$MARK-log" >"$TMP/follow" 2>&1 &
	# The first line has to come while the container still runs.
	first=$({
		head -1
		gw one inspect -f '{{.State.Status}}' "$MARK-log"
		cat >"$TMP/rest"
	} <"$TMP/follow" | tr '\n' ' ')
	is "$CLI: logs -f is not held back" "line 1 running " "$first"
	is "$CLI: logs -f goes on to the end" "line 2 line 3 " \
		"$(tr '\n' ' ' <"$TMP/rest")"
	rm -f "$TMP/follow"
	is "$CLI: wait prints the exit status" 4 "$(gw one wait "$MARK-log")"
	is "$CLI: logs --tail" "line 3" "$(gw one logs --tail 1 "$MARK-log")"
	gw one rm "$MARK-log" >/dev/null
}

wait_for_end() {
	gw one run -d --name "$MARK-wait" busybox sleep 600 >/dev/null
	gw one wait "$MARK-wait" >"$TMP/waited" &
	sleep 1
	is "$CLI: wait waits" "" "$(cat "$TMP/waited")"
	gw one kill "$MARK-wait" >/dev/null
	if wait_until 5 grep -q 137 "$TMP/waited"; then
		pass "$CLI: wait ends with the container"
	else
		fail "$CLI: wait ends with the container" "$(cat "$TMP/waited")"
	fi
	gw one rm -f "$MARK-wait" >/dev/null
}

bind_project() {
	echo from-host >"$(project one)/file"
	is "$CLI: a bind below the project" "from-host" \
		"$(gw one run --rm -v "$(project one):/src:ro" busybox \
			cat /src/file)"
	gw one run --rm -v "$(project one)/made/here:/out" busybox \
		sh -c 'echo x >/out/y' >/dev/null
	is "$CLI: a missing bind source is made by the gateway's user" \
		"$(id -u)" "$(stat -c %u "$(project one)/made/here" 2>&1)"
	rm -rf "$(project one)/made"
	is "$CLI: a published port goes to loopback" "127.0.0.1" \
		"$(gw one run -d --name "$MARK-port" -p 18080:80 busybox \
			sleep 60 >/dev/null; direct inspect -f \
			'{{(index .HostConfig.PortBindings "80/tcp" 0).HostIp}}' \
			"$MARK-port")"
	gw one rm -f "$MARK-port" >/dev/null
}

whole_life() {
	run_and_exit
	run_on_terminal
	run_detached
	exec_into
	look_at
	change_state
	attach_to
	follow_logs
	wait_for_end
	bind_project
}

for_each_docker_cli whole_life
finish
