#!/bin/sh
# A container's whole life through podman.sock, with the podman command, on a
# real service.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/podman.sh"
gateway_start one

run_and_exit() {
	status_is "run returns the exit status" 7 \
		pm one run --rm busybox sh -c 'exit 7'
	is "run prints what the container prints" "out err" \
		"$(pm one run --rm busybox sh -c 'echo out; echo err >&2' 2>&1 |
			sort -r | tr '\n' ' ' | sed 's/ $//')"
	is "stdout and stderr stay apart" "err" \
		"$(pm one run --rm busybox sh -c 'echo out; echo err >&2' 2>&1 \
			>/dev/null)"
	is "run -i passes piped stdin" "a b " \
		"$(printf 'a\nb\n' | pm one run -i --rm busybox cat |
			tr '\n' ' ')"
	status_is "an image that is not there" 125 \
		pm one run --rm --pull never "localhost/$MARK-none" true
	is "run without a network" "lo" "$(pm one run --rm --network none \
		busybox sh -c 'cd /sys/class/net && echo *' 2>&1)"
	is "environment, user, folder, host name" "v 65534 /tmp h" \
		"$(pm one run --rm -e K=v -u 65534 -w /tmp -h h busybox \
			sh -c 'echo $K $(id -u) $(pwd) $(hostname)')"
	is "tmpfs, limits, dropped capabilities, read-only" \
		"tmpfs 33554432 0000000000000000 ro" \
		"$(pm one run --rm --tmpfs /t:size=1m -m 32m --cap-drop ALL \
			--read-only --shm-size 1m --pids-limit 50 busybox sh -c \
			'm() { awk "\$2 == \"$1\" { print \$$2 }" /proc/mounts; }
			echo $(m /t 3) $(cat /sys/fs/cgroup/memory/memory.limit_in_bytes ||
			cat /sys/fs/cgroup/memory.max) $(awk "/CapEff/ { print \$2 }" \
			/proc/self/status) $(m / 4 | cut -c1-2)' 2>/dev/null)"
}

run_on_terminal() {
	like "run -it has a terminal" '/dev/pts/[0-9]' \
		"$(pm_in_pty one "run -it --rm busybox tty" </dev/null |
			tr -d '\r')"
	out=$({
		sleep 1.5
		echo 'echo got-$((6*7))'
		sleep 0.5
		echo 'exit 5'
		sleep 1
	} | pm_in_pty one "run -it --rm busybox sh")
	is "run -it returns the exit status" 5 $?
	like "run -it takes what is typed" 'got-42' "$out"
}

run_detached() {
	id=$(pm one run -d --name "$MARK-web" --label mine=yes busybox \
		sh -c 'sleep 600 & wait')
	like "run -d prints the id" '^[0-9a-f]\{64\}$' "$id"
	is "ps lists it" "$id" "$(pm one ps -q --no-trunc)"
	is "ps by name, label and state" "$MARK-web" \
		"$(pm one ps --filter "name=$MARK-web" --filter label=mine=yes \
			--filter status=running --format '{{.Names}}')"
	is "inspect" "true $id" \
		"$(pm one inspect -f '{{.State.Running}} {{.Id}}' "$MARK-web")"
	is "the project's label is on it" "$(slug one)" \
		"$(past inspect -f "{{index .Config.Labels \"$LABEL\"}}" "$id")"
	is "the client's own label too" "yes" \
		"$(past inspect -f '{{.Config.Labels.mine}}' "$id")"
	is "a short id finds it" "$id" \
		"$(pm one inspect -f '{{.Id}}' "$(echo "$id" | cut -c1-12)")"
	status_is "container exists" 0 pm one container exists "$MARK-web"
	status_is "what is not there does not exist" 1 \
		pm one container exists "$MARK-none"
}

exec_into() {
	is "exec without -i" "hi" "$(pm one exec "$MARK-web" echo hi)"
	is "exec -i passes stdin" "through" \
		"$(echo through | pm one exec -i "$MARK-web" cat)"
	status_is "exec returns the exit status" 9 \
		pm one exec "$MARK-web" sh -c 'exit 9'
	like "exec -it has a terminal" '/dev/pts/[0-9]' \
		"$(pm_in_pty one "exec -it $MARK-web tty" </dev/null |
			tr -d '\r')"
	is "exec takes environment, user and folder" "v 65534 /tmp" \
		"$(pm one exec -e K=v -u 65534 -w /tmp "$MARK-web" \
			sh -c 'echo $K $(id -u) $(pwd)')"
	pm one exec -d "$MARK-web" touch /tmp/detached >/dev/null
	if wait_until 5 pm one exec "$MARK-web" test -e /tmp/detached; then
		pass "exec -d ran"
	else
		fail "exec -d ran"
	fi
	want=$(head -c 20000000 /dev/zero | tr '\0' 'x' | sha256sum)
	is "20 MB through exec -i arrive whole" "$want" \
		"$(head -c 20000000 /dev/zero | tr '\0' 'x' |
			pm one exec -i "$MARK-web" sha256sum)"
	is "20 MB out of exec arrive whole" "$want" \
		"$(pm one exec "$MARK-web" sh -c \
			"head -c 20000000 /dev/zero | tr '\0' x" | sha256sum)"
}

look_at() {
	like "top" 'sleep 600' "$(pm one top "$MARK-web")"
	like "top with columns" 'sleep 600' \
		"$(pm one top "$MARK-web" pid user args)"
	like "stats of a container" "$MARK-web" "$(pm one stats --no-stream \
		--format '{{.Name}}' "$MARK-web")"
	refused "stats of all are refused" bad-query \
		pm one stats --no-stream
	like "diff" '^A /tmp/detached$' "$(pm one diff "$MARK-web")"
	pm one export "$MARK-web" >"$TMP/export.tar"
	like "export" '^bin/busybox$' "$(tar -tf "$TMP/export.tar" 2>&1)"
	like "port of nothing" '^$' "$(pm one port "$MARK-web")"
}

change_state() {
	pm one pause "$MARK-web" >/dev/null
	is "pause" "paused" \
		"$(pm one inspect -f '{{.State.Status}}' "$MARK-web")"
	pm one unpause "$MARK-web" >/dev/null
	pm one rename "$MARK-web" "$MARK-new" >/dev/null
	is "unpause and rename" "running $MARK-new" \
		"$(pm one inspect -f '{{.State.Status}} {{.Name}}' "$MARK-new")"
	status_is "restart" 0 pm one restart -t 0 "$MARK-new"
	status_is "stop" 0 pm one stop -t 0 "$MARK-new"
	is "stopped with 137" "exited 137" "$(pm one inspect \
		-f '{{.State.Status}} {{.State.ExitCode}}' "$MARK-new")"
	status_is "init" 0 pm one init "$MARK-new"
	status_is "start" 0 pm one start "$MARK-new"
	status_is "kill" 0 pm one kill "$MARK-new"
	is "wait after the end" 137 "$(pm one wait "$MARK-new")"
	status_is "rm" 0 pm one rm "$MARK-new"
	is "ps -a is empty then" "" "$(pm one ps -aq)"
	status_is "gone from the service" 1 past container exists "$id"
}

attach_to() {
	pm one run -di --name "$MARK-reader" busybox sh -c \
		'while read l; do [ "$l" = quit ] && exit 3; echo "got $l"; done' \
		>/dev/null
	out=$({
		sleep 1
		echo one
		sleep 0.3
		echo quit
		sleep 1
	} | pm one attach "$MARK-reader")
	is "attach carries both ways" "got one" "$out"
	is "what was typed ended it" 3 "$(pm one wait "$MARK-reader")"
	pm one rm -f -t 0 "$MARK-reader" >/dev/null
	pm one create --name "$MARK-again" busybox sh -c 'echo said; exit 4' \
		>/dev/null
	out=$(pm one start -a "$MARK-again")
	is "create, then start -a" "4 said" "$? $out"
	pm one rm -f -t 0 "$MARK-again" >/dev/null
}

follow_logs() {
	pm one run -d --name "$MARK-log" busybox sh -c \
		'for i in 1 2 3; do echo "line $i"; sleep 1; done; exit 4' \
		>/dev/null
	mkfifo "$TMP/follow"
	pm one logs -f "$MARK-log" >"$TMP/follow" 2>&1 &
	# The first line has to come while the container still runs.
	first=$({
		head -1
		pm one inspect -f '{{.State.Status}}' "$MARK-log"
		cat >"$TMP/rest"
	} <"$TMP/follow" | tr '\n' ' ')
	is "logs -f is not held back" "line 1 running " "$first"
	is "logs -f goes on to the end" "line 2 line 3 " \
		"$(tr '\n' ' ' <"$TMP/rest")"
	is "wait prints the exit status" 4 "$(pm one wait "$MARK-log")"
	is "logs --tail" "line 3" "$(pm one logs --tail 1 "$MARK-log")"
	pm one rm "$MARK-log" >/dev/null
}

wait_for_end() {
	pm one run -d --name "$MARK-wait" busybox sleep 600 >/dev/null
	pm one wait "$MARK-wait" >"$TMP/waited" &
	sleep 1
	is "wait waits" "" "$(cat "$TMP/waited")"
	pm one kill "$MARK-wait" >/dev/null
	if wait_until 5 grep -q 137 "$TMP/waited"; then
		pass "wait ends with the container"
	else
		fail "wait ends with the container" "$(cat "$TMP/waited")"
	fi
	pm one rm -f -t 0 "$MARK-wait" >/dev/null
}

check_health() {
	pm one run -d --name "$MARK-well" --health-cmd 'test -e /tmp/well' \
		--health-interval disable busybox sleep 600 >/dev/null
	status_is "healthcheck of what is not well" 1 \
		pm one healthcheck run "$MARK-well"
	pm one exec "$MARK-well" touch /tmp/well
	status_is "healthcheck of what is well" 0 \
		pm one healthcheck run "$MARK-well"
	pm one rm -f -t 0 "$MARK-well" >/dev/null
}

update_limits() {
	server_is_at_least 4.3.0 || return 0
	pm one run -d --name "$MARK-up" busybox sleep 600 >/dev/null
	status_is "update of limits" 0 pm one update -m 64m "$MARK-up"
	is "the service took it" 67108864 "$(pm one exec "$MARK-up" sh -c \
		'cat /sys/fs/cgroup/memory/memory.limit_in_bytes ||
		cat /sys/fs/cgroup/memory.max' 2>/dev/null)"
	pm one rm -f -t 0 "$MARK-up" >/dev/null
}

bind_project() {
	echo from-host >"$(project one)/file"
	is "a bind below the project" "from-host" \
		"$(pm one run --rm -v "$(project one):/src:ro" busybox \
			cat /src/file)"
	pm one run --rm -v "$(project one)/made/here:/out" busybox \
		sh -c 'echo x >/out/y' >/dev/null
	is "a missing bind source is made by the gateway's user" \
		"$(id -u)" "$(stat -c %u "$(project one)/made/here" 2>&1)"
	rm -rf "$(project one)/made"
	is "a container with a bind makes no device nodes" "1" \
		"$(pm one run --rm -v "$(project one):/src" busybox \
			sh -c 'mknod /src/n c 1 3 2>/dev/null; echo $?')"
	pm one create --name "$MARK-port" -p 18080:80 busybox sleep 60 \
		>/dev/null
	is "a published port goes to loopback" "127.0.0.1" "$(past inspect -f \
		'{{(index .HostConfig.PortBindings "80/tcp" 0).HostIP}}' \
		"$MARK-port")"
	pm one rm -f -t 0 "$MARK-port" >/dev/null
	echo in >"$(project one)/in"
	pm one create --name "$MARK-cp" busybox true >/dev/null
	pm one cp "$(project one)/in" "$MARK-cp:/tmp/in"
	pm one cp "$MARK-cp:/tmp/in" "$(project one)/out"
	is "cp in and out" "in" "$(cat "$(project one)/out" 2>&1)"
	pm one rm "$MARK-cp" >/dev/null
}

run_and_exit
run_on_terminal
run_detached
exec_into
look_at
change_state
attach_to
follow_logs
wait_for_end
check_health
update_limits
bind_project
finish
