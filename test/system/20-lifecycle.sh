#!/bin/sh
# How the gateway starts, lives and ends.  Once with children that only keep
# the protocol, once with the real ones; neither needs a daemon.
# shellcheck disable=SC2317,SC2154,SC2012,SC2020
. "$(dirname "$0")/lib.sh"

# The gateways here are copies, which lib.sh does not take for its own.
end_copies() {
	status=$?
	find "$TMP" -name '*.pid' -type f | while read -r file; do
		pid=$(tr -dc 0-9 <"$file" | cut -c1-9)
		case $(readlink "/proc/${pid:-0}/exe") in
		"$TMP"/*) kill -9 "$pid" ;;
		esac
	done
	(exit $status)
	cleanup
}
trap end_copies EXIT

LAB=$CG_BUILD/test/system/lab
FAKE=$CG_BUILD/test/system/fake_child
for program in "$CG_BUILD/container-gateway" "$LAB" "$FAKE"; do
	[ -x "$program" ] || skip_all "$program is not built"
done
number=0

# A gateway of its own place, with the children of the kind under test.
install_kind() { # fake|real
	kind=$1
	BIN=$TMP/bin-$kind
	rm -rf "$BIN"
	mkdir "$BIN"
	cp "$CG_BUILD/container-gateway" "$BIN/"
	for child in worker policyd; do
		case $kind in
		fake) cp "$FAKE" "$BIN/$child" ;;
		real) cp "$CG_BUILD/$child" "$BIN/$child" ;;
		esac
	done
}

# Each case has a project and a run directory of its own.
fresh() {
	number=$((number + 1))
	PROJECT=$TMP/p$number
	RUN=$TMP/r$number
	mkdir "$PROJECT"
}

gateway() {
	timeout -k 1 30 "$BIN/container-gateway" --project "$PROJECT" \
		--run-dir "$RUN" --backend "docker=$TMP/none" --egress off "$@"
}

# In the background, as a process whose number is in $gw.
gateway_behind() {
	"$BIN/container-gateway" --project "$PROJECT" --run-dir "$RUN" \
		--backend "docker=$TMP/none" --egress off "$@" \
		>"$TMP/out" 2>&1 &
	gw=$!
}

status() { # [touch]
	"$LAB" ask "$RUN/control.sock" "status${1:+ $1}" 2>/dev/null
}

# A number or text out of the status: the first of that name.
field() {
	status | tr '{,' '\n\n' |
		sed -n "s/^\"$1\":\"\{0,1\}\([^\"}]*\).*/\1/p" | head -1
}

serves() {
	status | grep -q '"state":"serving"'
}

gone() { # pid
	! kill -0 "$1" 2>/dev/null
}

restarts() { # policyd|worker 0|worker 1
	status | tr '{' '\n' | case $1 in
	policyd) grep -A1 '"policyd":$' ;;
	*) grep "\"number\":${1#worker }," ;;
	esac | sed -n 's/.*"restarts":\([0-9]*\).*/\1/p'
}

child_pid() { # policyd|worker 0|worker 1
	status | tr '{' '\n' | case $1 in
	policyd) grep -A1 '"policyd":$' ;;
	*) grep "\"number\":${1#worker }," ;;
	esac | sed -n 's/.*"pid":\([0-9]*\).*/\1/p'
}

restarted() { # child, count
	[ "$(restarts "$1")" -ge "$2" ] && status | grep -q '"policyd":{"state":"ready"' &&
		! status | grep -q '"state":"starting"'
}

stop() {
	[ ! -s "$RUN/gateway.pid" ] || kill "$(cat "$RUN/gateway.pid")" ||
		return 0
	wait_until 15 test ! -e "$RUN/control.sock"
}

is_clean() { # nothing of the gateway is left but its log
	[ "$(ls "$RUN")" = gateway.log ]
}

# ---- with either kind of children --------------------------------------------

foreground() { # signal
	fresh
	gateway_behind
	wait_until 10 serves
	like "$kind: foreground: says what it serves" \
		"^container-gateway: serving $PROJECT .*unix://$RUN/docker.sock" \
		"$(cat "$TMP/out")"
	is "$kind: foreground: the pid file names it" "$gw" \
		"$(cat "$RUN/gateway.pid")"
	kids=$(children_of "$gw")
	kill "-$1" "$gw"
	wait "$gw"
	is "$kind: $1: ends with status 0" 0 $?
	if is_clean; then pass "$kind: $1: leaves nothing but its log"
	else fail "$kind: $1: leaves nothing but its log" "$(ls "$RUN")"; fi
	left=
	for kid in $kids; do gone "$kid" || left="$left $kid"; done
	is "$kind: $1: its children are gone" "" "$left"
}

daemon() {
	fresh
	status_is "$kind: --daemon: returns 0" 0 gateway --daemon
	is "$kind: --daemon: serves when it returns" serving "$(field state)"
	is "$kind: --daemon: its pid is in the pid file" "$(field pid)" \
		"$(cat "$RUN/gateway.pid")"
	is "$kind: the run directory is the user's alone" 700 \
		"$(stat -c %a "$RUN")"
	for name in docker.sock podman.sock control.sock; do
		is "$kind: $name is the user's alone" 600 \
			"$(stat -c %a "$RUN/$name")"
	done
	first=$(field pid)
	status_is "$kind: a second start is a no-op" 0 gateway --daemon
	like "$kind: a second start says so" "already serving .*(pid $first)" \
		"$status_out"
	status_is "$kind: a second start in the foreground too" 0 gateway
	is "$kind: the first one goes on" "$first" "$(field pid)"
	mkdir "$TMP/other$number"
	other=$PROJECT PROJECT=$TMP/other$number
	status_is "$kind: another project in the same run directory" 1 gateway
	like "$kind: and that is said" "another project's gateway" "$status_out"
	PROJECT=$other
	status_is "$kind: master keeps its privileges" 0 grep -q \
		'^NoNewPrivs:.0' "/proc/$first/status"
	fds=$(readlink "/proc/$first/fd/0" "/proc/$first/fd/1" | sort -u)
	is "$kind: --daemon: holds no descriptor of its starter" /dev/null \
		"$fds"
	stop
}

together() { # five starts at once make one gateway
	fresh
	for i in 1 2 3 4 5; do
		gateway --daemon >"$TMP/start$i" 2>&1 &
		pids="${pids:-} $!"
	done
	bad=0
	for pid in $pids; do wait "$pid" || bad=$((bad + 1)); done
	pids=
	is "$kind: five starts at once: all succeed" 0 "$bad"
	is "$kind: five starts at once: one gateway" 1 \
		"$(grep -l ': serving' "$TMP"/start[1-5] | wc -l)"
	is "$kind: five starts at once: four no-ops" 4 \
		"$(grep -l ': already serving' "$TMP"/start[1-5] | wc -l)"
	stop
}

killed() {
	fresh
	gateway --daemon >/dev/null
	first=$(field pid)
	kids=$(children_of "$first")
	kill -9 "$first"
	wait_until 5 gone "$first"
	status_is "$kind: kill -9, then start" 0 gateway --daemon
	is "$kind: kill -9, then start: serves" serving "$(field state)"
	left=
	for kid in $kids; do
		wait_until 5 gone "$kid" || left="$left $kid"
	done
	is "$kind: kill -9: the orphans are gone" "" "$left"
	stop
}

child_killed() {
	fresh
	gateway --daemon >/dev/null
	for child in "worker 1" policyd "worker 0"; do
		old=$(child_pid "$child")
		kill -9 "$old"
		if wait_until 5 restarted "$child" 1 &&
		    [ "$(child_pid "$child")" != "$old" ]; then
			pass "$kind: kill -9 of $child: replaced"
		else
			fail "$kind: kill -9 of $child: replaced" "$(status)"
		fi
	done
	like "$kind: the loss is in the log" \
		"event=child-ended text=\"policyd 0 .*signal 9" \
		"$(cat "$RUN/gateway.log")"
	is "$kind: still serving" serving "$(field state)"
	stop
}

idle() {
	fresh
	gateway_behind --idle-timeout 2s
	wait_until 10 serves
	started=$(date +%s)
	for i in 1 2 3; do
		sleep 1
		status touch >/dev/null
	done
	if serves; then pass "$kind: idle: a status with touch is use"
	else fail "$kind: idle: a status with touch is use"; fi
	wait "$gw"
	is "$kind: idle: ends by itself with status 0" 0 $?
	took=$(($(date +%s) - started))
	if [ $took -ge 4 ] && [ $took -le 9 ]; then
		pass "$kind: idle: two seconds after the last use"
	else fail "$kind: idle: two seconds after the last use" "$took s"; fi
	if is_clean; then pass "$kind: idle: leaves nothing but its log"
	else fail "$kind: idle: leaves nothing but its log" "$(ls "$RUN")"; fi
}

service() {
	fresh
	mkdir "$TMP/units$number"
	units=$TMP/units$number
	rm -f "$TMP/notes"
	"$LAB" service "$TMP/notes" "docker=$units/d.sock" \
		"podman=$units/p.sock" -- "$BIN/container-gateway" --project \
		"$PROJECT" --run-dir "$RUN" --backend "docker=$TMP/none" \
		--egress off >"$TMP/out" 2>&1 &
	manager=$!
	if wait_until 10 grep -q READY=1 "$TMP/notes"; then
		pass "$kind: sd_notify: READY=1"
	else fail "$kind: sd_notify: READY=1" "$(cat "$TMP/out")"; fi
	serves && pass "$kind: sd_notify: when it serves"
	like "$kind: activation: serves on the socket handed over" \
		"\"docker\":\"$units/d.sock\",\"podman\":\"$units/p.sock\"" \
		"$(status)"
	if [ -e "$RUN/docker.sock" ] || [ -e "$RUN/podman.sock" ]; then
		fail "$kind: activation: binds none beside it" "$(ls "$RUN")"
	else pass "$kind: activation: binds none beside it"; fi
	if [ "$kind" = real ]; then
		like "$kind: activation: answers there" \
			"container-gateway" "$(curl -s -m 5 --unix-socket \
			"$units/d.sock" http://d/_ping)"
	fi
	kill -TERM "$manager"
	wait "$manager"
	is "$kind: activation: ends with status 0" 0 $?
	status_is "$kind: sd_notify: STOPPING=1" 0 grep -q STOPPING=1 \
		"$TMP/notes"
	status_is "$kind: activation: leaves the sockets" 0 \
		test -S "$units/d.sock" -a -S "$units/p.sock"

	# One handed over, the other bound by the gateway itself.
	fresh
	"$LAB" service "$TMP/notes" "podman.sock=$units/p.sock" -- \
		"$BIN/container-gateway" --project "$PROJECT" --run-dir "$RUN" \
		--backend "docker=$TMP/none" --egress off --daemon \
		>"$TMP/out" 2>&1
	is "$kind: activation with --daemon: returns 0" 0 $?
	like "$kind: activation with --daemon: the other is bound" \
		"\"docker\":\"$RUN/docker.sock\",\"podman\":\"$units/p.sock\"" \
		"$(status)"
	stop
	fresh
	status_is "$kind: activation: an unknown name is refused" 1 "$LAB" \
		service "$TMP/notes" "web=$units/w.sock" -- \
		"$BIN/container-gateway" --project "$PROJECT" --run-dir "$RUN"
	like "$kind: activation: and named" "\"web\".*FileDescriptorName" \
		"$status_out"
}

log() {
	fresh
	gateway --daemon --log-level debug >/dev/null
	was=$(stat -c %i "$RUN/gateway.log")
	head -c 4300000 /dev/zero | tr '\0' x >>"$RUN/gateway.log"
	if wait_until 5 test -e "$RUN/gateway.log.1"; then
		pass "$kind: log: rotated over 4 MiB"
	else fail "$kind: log: rotated over 4 MiB" "$(ls -l "$RUN")"; fi
	is "$kind: log: the old one is the copy" "$was" \
		"$(stat -c %i "$RUN/gateway.log.1")"
	pid=$(field pid)
	wait_until 5 test "$(readlink "/proc/$(child_pid "worker 0")/fd/2")" = \
		"$RUN/gateway.log" -o "$kind" = real
	kill -9 "$(child_pid "worker 0")"
	wait_until 5 restarted "worker 0" 1
	like "$kind: log: goes on in the new one" event=child-ended \
		"$(cat "$RUN/gateway.log")"
	rm "$RUN/gateway.log"
	wait_until 5 test -e "$RUN/gateway.log"
	mv "$RUN/gateway.log" "$RUN/mine"
	kill -HUP "$pid"
	wait_until 5 test -e "$RUN/gateway.log"
	is "$kind: log: opened again on SIGHUP, and when it is gone" 2 \
		"$(find "$RUN" -name gateway.log -o -name mine | wc -l)"
	is "$kind: log: is the user's alone" 600 \
		"$(stat -c %a "$RUN/gateway.log")"
	stop
	fresh
	gateway_behind --log-file -
	wait_until 10 serves
	kill "$gw"
	wait "$gw"
	like "$kind: log: - is standard error" "master.*event=serving" \
		"$(cat "$TMP/out")"
	is "$kind: log: and no file" 0 "$(find "$RUN" -type f | wc -l)"
}

control() {
	fresh
	mkdir "$PROJECT/sub" "$TMP/extra$number"
	gateway --daemon --bind-root "$PROJECT/sub" --workers 3 \
		--extra-bind-root "$TMP/extra$number" --idle-timeout 1h >/dev/null
	said=$(status)
	for part in '"version":"[0-9.]*"' '"state":"serving"' \
	    "\"project\":\"$PROJECT\"" \
	    "\"slug\":\"p$number-$(printf %s "$PROJECT" | sha256sum |
		cut -c1-12)\"" "\"bind_root\":\"$PROJECT/sub\"" \
	    "\"extra_bind_roots\":\[\"$TMP/extra$number\"\]" \
	    "\"run_dir\":\"$RUN\"" "\"log_file\":\"$RUN/gateway.log\"" \
	    "\"docker\":\"$RUN/docker.sock\"" \
	    '"face":"docker","kind":"none","path":"[^"]*/none","reachable":false' \
	    '"egress":{"mode":"off","port":8899' '"number":2,"state":"ready"' \
	    '"counters":{"requests":[0-9]*,"active":[0-9]*,"connections":' \
	    '"refusals":{' '"uptime_seconds":' '"idle_timeout_seconds":3600' \
	    '"idle_left_seconds":3[56][0-9][0-9]'; do
		like "$kind: status: $part" "$part" "$said"
	done
	is "$kind: status: one line" 1 "$(printf '%s\n' "$said" | wc -l)"
	if command -v python3 >/dev/null; then
		status_is "$kind: status: is JSON" 0 sh -c \
			"printf %s '$said' | python3 -m json.tool"
	fi
	for line in stop "status stop" "" "GET / HTTP/1.1" \
	    "$(printf '%0100d' 0)"; do
		like "$kind: control.sock: \"$(echo "$line" | cut -c1-20)\" does nothing" \
			'^{"error":' "$("$LAB" ask "$RUN/control.sock" "$line")"
	done
	is "$kind: control.sock: still serving" serving "$(field state)"
	stop
}

unreachable() { # the sandbox may remove what it can write
	for name in docker.sock control.sock; do
		fresh
		gateway --daemon >/dev/null
		first=$(cat "$RUN/gateway.pid")
		rm "$RUN/$name"
		if wait_until 5 gone "$first"; then
			pass "$kind: $name removed: the gateway ends"
		else fail "$kind: $name removed: the gateway ends"; fi
		status_is "$kind: $name removed: the next start serves" 0 \
			gateway --daemon
		stop
	done
}

no_daemon() { # real children only: what a client is told
	fresh
	gateway --daemon >/dev/null
	said=$(curl -s -m 5 -w ' %{http_code}' --unix-socket \
		"$RUN/docker.sock" http://d/v1.41/containers/json)
	like "$kind: without a daemon: 503" ' 503$' "$said"
	like "$kind: without a daemon: names the socket" "$TMP/none" "$said"
	stop
}

for which in fake real; do
	if [ "$which" = real ] && { [ ! -x "$CG_BUILD/worker" ] ||
	    [ ! -x "$CG_BUILD/policyd" ]; }; then
		skip "real children" "not built"
		continue
	fi
	install_kind $which
	foreground TERM
	foreground INT
	daemon
	together
	killed
	child_killed
	idle
	service
	log
	control
	unreachable
	[ $which = fake ] || no_daemon
done

# ---- children that misbehave --------------------------------------------------

install_kind fake

never_ready() {
	fresh
	touch "$BIN/worker.die"
	status_is "a child that ends at once: --daemon fails" 1 gateway --daemon
	like "a child that ends at once: one line" \
		"^container-gateway: worker . ended with status 7 before it was ready: see the log" \
		"$status_out"
	is "a child that ends at once: just one line" 1 \
		"$(printf '%s\n' "$status_out" | wc -l)"
	status_is "a child that ends at once: the foreground fails" 1 gateway
	if is_clean; then pass "a child that ends at once: nothing is left"
	else fail "a child that ends at once: nothing is left" "$(ls "$RUN")"; fi
	rm "$BIN/worker.die"
}

backs_off() {
	fresh
	gateway --daemon >/dev/null
	touch "$BIN/worker.die"
	kill -9 "$(child_pid "worker 0")"
	wait_until 10 grep -q "worker 0 in 800 ms" "$RUN/gateway.log"
	is "respawns back off" "100 200 400 800" \
		"$(sed -n 's/.*event=respawn-later text="worker 0 in \(.*\) ms"/\1/p' \
		"$RUN/gateway.log" | head -4 | xargs)"
	rm "$BIN/worker.die"
	if wait_until 10 restarted "worker 0" 5; then
		pass "respawns go on until one lives"
	else fail "respawns go on until one lives" "$(status)"; fi
	stop
}

silent_judge() {
	fresh
	gateway --daemon >/dev/null
	touch "$BIN/policyd.mute"
	began=$(date +%s)
	old=$(child_pid policyd)
	wait_until 12 gone "$old"
	took=$(($(date +%s) - began))
	rm "$BIN/policyd.mute"
	if [ $took -ge 4 ] && [ $took -le 8 ]; then
		pass "a policyd that is silent for 5 s is killed"
	else fail "a policyd that is silent for 5 s is killed" "$took s"; fi
	wait_until 10 restarted policyd 1
	sleep 0.3
	new=$(child_pid policyd)
	is "every worker gets a new channel" "0 1" "$(sed -n \
		"s/.*policyd\[$new\].*fake-channel text=\"id \([0-9]\)\"/\1/p" \
		"$RUN/gateway.log" | sort | xargs)"
	is "and is told of it" "2 2" "$(for n in 0 1; do
		grep -c "worker\[$(child_pid "worker $n")\].*fake-channel" \
			"$RUN/gateway.log"
	done | xargs)"
	stop
}

garbage() {
	fresh
	gateway --daemon >/dev/null
	touch "$BIN/worker.garbage"
	old=$(child_pid "worker 0")
	wait_until 5 gone "$old"
	rm "$BIN/worker.garbage"
	if wait_until 10 restarted "worker 0" 1; then
		pass "a child that breaks the protocol is replaced"
	else fail "a child that breaks the protocol is replaced" "$(status)"; fi
	stop
}

busy() {
	fresh
	touch "$BIN/worker.busy"
	gateway --daemon --idle-timeout 1s >/dev/null
	sleep 3
	is "idle: a request under way is use" serving "$(field state)"
	rm "$BIN/worker.busy"
	if wait_until 5 test ! -e "$RUN/control.sock"; then
		pass "idle: kept-open connections are not"
	else fail "idle: kept-open connections are not" "$(status)"; fi
}

asks_again() {
	fresh
	touch "$BIN/worker.ask"
	gateway --daemon >/dev/null
	wait_until 5 sh -c "[ \$(grep -c 'worker.*fake-backend.*face 0' \
		'$RUN/gateway.log') -ge 5 ]"
	rm "$BIN/worker.ask"
	is "a search asked for is answered though nothing changed" \
		"generation 1" "$(sed -n \
		's/.*fake-backend text="\(generation [0-9]*\) .*/\1/p' \
		"$RUN/gateway.log" | sort -u)"
	is "and answered to who asked" 2 "$(grep -c \
		'policyd.*fake-backend' "$RUN/gateway.log")"
	stop
}

settings() {
	fresh
	mkdir "$TMP/extra$number"
	gateway --daemon --allow-image-load --log-level warn \
		--extra-bind-root "$TMP/extra$number" >/dev/null
	for child in worker policyd; do
		said=$(sed -n "s/.*$child.*fake-setting name=\(.*\) value=/\1=/p" \
			"$RUN/gateway.log")
		for want in "project=$PROJECT" "bind-root=$PROJECT" \
		    "extra-bind-root=$TMP/extra$number" "run-dir=$RUN" \
		    "personal=$PROJECT/.apache-magpie-local" \
		    "engine-socket=/var/run/docker.sock" \
		    "engine-socket=/run/podman/podman.sock" \
		    "engine-socket=$TMP/none" "uid=$(id -u)" log-level=warn \
		    allow-image-load=1 listeners=docker listeners=podman; do
			like "$child is told $want" "^$want\$" "$said"
		done
	done
	# Descriptors and environment of a child, as common/proto.h has them.
	pid=$(child_pid "worker 0")
	is "a worker holds 0 to 5 and nothing else" "0 1 2 3 4 5" \
		"$(ls "/proc/$pid/fd" | sort -n | xargs)"
	is "policyd holds 0 to 3 and nothing else" "0 1 2 3" \
		"$(ls "/proc/$(child_pid policyd)/fd" | sort -n | xargs)"
	is "children read from nowhere" /dev/null "$(readlink "/proc/$pid/fd/0")"
	is "children log to the log" "$RUN/gateway.log" \
		"$(readlink "/proc/$pid/fd/2")"
	is "children have no environment" 0 \
		"$(tr '\0' '\n' <"/proc/$pid/environ" | grep -cv SAN_OPTIONS)"
	is "children stand in /" / "$(readlink "/proc/$pid/cwd")"
	is "children have sessions of their own" "$pid" \
		"$(awk '{ print $6 }' "/proc/$pid/stat")"
	stop
}

bounded_drain() {
	fresh
	touch "$BIN/worker.stay"
	gateway_behind
	wait_until 10 serves
	began=$(date +%s)
	kill -TERM "$gw"
	sleep 0.5
	if [ ! -e "$RUN/docker.sock" ] && [ ! -e "$RUN/gateway.pid" ]; then
		pass "drain: sockets and lock are given back at once"
	else fail "drain: sockets and lock are given back at once" \
		"$(ls "$RUN")"; fi
	status_is "drain: a new gateway serves meanwhile" 0 gateway --daemon
	first=$(field pid)
	wait "$gw"
	is "drain: ends with status 0" 0 $?
	took=$(($(date +%s) - began))
	if [ $took -ge 9 ] && [ $took -le 13 ]; then
		pass "drain: ends within its bound"
	else fail "drain: ends within its bound" "$took s"; fi
	is "drain: leaves the new one alone" "$first" "$(field pid)"
	kill -TERM "$first"
	sleep 0.3
	kill -TERM "$first"
	if wait_until 3 gone "$first"; then
		pass "drain: a second signal ends it at once"
	else fail "drain: a second signal ends it at once"; fi
	rm "$BIN/worker.stay"
}

never_ready
backs_off
silent_judge
garbage
busy
asks_again
settings
bounded_drain
is "no sanitizer had a word to say in any log" "" "$(grep -lE \
	'Sanitizer|runtime error' "$TMP"/r*/gateway.log* "$TMP/out")"
finish
