#!/bin/sh
# The hooks: what start records, when ensure starts, what stop ends; and what
# a sandboxed command may forge without any of them believing it.
# shellcheck disable=SC2012
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/hooks.sh"
hooks_setup
new_project one
new_project two

# ---- start ------------------------------------------------------------------

hook start s-1 one
is "start: exit status" 0 $?
unlike "start: nothing but JSON on stdout" '^[^{]' "$out"
is "start: serves" serving "$("$HOOKCTL" status --json \
	--project "$PROJECTS/one" | sed 's/^{"state":"\([a-z]*\)".*/\1/')"
is "start: record's mode" "600" "$(stat -c %a "$STATE/sessions/s-1.json")"
is "start: directories' modes" "700 700 700 700" "$(stat -c %a "$STATE" \
	"$STATE/sessions" "$STATE/state" "$STATE/log" | tr '\n' ' ' |
	sed 's/ $//')"
first=$(gateway_pids one)
hook start s-1 one '"source":"compact"'
is "start again with the same id: same gateway" "$first" "$(gateway_pids one)"
is "start again: one record" "s-1.json" "$(ls -A "$STATE/sessions")"
is "the gateway's standard descriptors are not the hook's" "/dev/null" \
	"$(readlink "/proc/$first/fd/0")"
unlike "the gateway has a clean environment" \
	'CLAUDE\|DOCKER\|MAGPIE\|LD_\|TMPDIR' "$(tr '\0' '\n' \
	<"/proc/$first/environ")"
is "the gateway's directory" / "$(readlink "/proc/$first/cwd")"

for bad in '' '{' '[]' '{"session_id":"s-9"}' \
	'{"session_id":"s-9","hook_event_name":"SessionStart"} x' \
	'{"session_id":"s-9","hook_event_name":"PreToolUse","cwd":"/"}' \
	'{"session_id":9,"hook_event_name":"SessionStart","cwd":"/"}'; do
	out=$(cd / && printf '%s' "$bad" | "$HOOKCTL" start 2>&1)
	is "start ends silently: $bad" "0 " "$? $out"
done
for id in ../x ../../x . .. a/b 'a b' '' -x "$(printf %0200d 0)"; do
	hook start "$id" one
	is "start with id \"$(echo "$id" | cut -c1-20)\"" "0 " "$? $out"
done
is "no record under a wrong id" "s-1.json" "$(ls -A "$STATE/sessions")"
is "nothing beside the records" "" "$(find "$STATE" -name 'x*')"
printf 'not a session' | "$HOOKCTL" ensure --bogus 2>/dev/null
is "a wrong option does not block a hook" 0 $?

# ---- ensure -----------------------------------------------------------------

kill -9 "$first"
wait_until 5 test ! -e "/proc/$first"
hook ensure s-1 one '"tool_name":"Bash","tool_input":{"command":"ls docker"}'
is "ensure: no engine in the command, nothing started" "" "$(gateway_pids one)"
hook ensure s-1 one '"tool_name":"Read","tool_input":{"command":"docker ps"}'
is "ensure: not Bash, nothing started" "" "$(gateway_pids one)"
ensure_docker s-none one
is "ensure: a session without a record gets nothing" "" "$(gateway_pids one)"
ensure_docker s-1 one
is "ensure after kill -9: exit status and output" "0 " "$? $out"
if serves one; then
	pass "ensure after kill -9: serves again"
else
	fail "ensure after kill -9: serves again" "$(cat "$TMP/hook.err")"
fi
end_gateways
printf '{"session_id":"s-1","cwd":"%s","hook_event_name":"PreToolUse",
"description":"%s","tool_name":"Bash","tool_input":{"command":"docker ps"}}' \
	"$PROJECTS/one" "$(head -c 200000 /dev/zero | tr '\0' x)" >"$TMP/long"
{
	head -c 100000 "$TMP/long"
	sleep 0.2
	tail -c +100001 "$TMP/long"
} | setsid timeout 20 "$HOOKCTL" ensure
serves one
is "ensure, a long payload in pieces: serves" 0 $?
second=$(gateway_pids one)
ensure_docker s-1 one
is "ensure with a serving gateway: same process" "$second" \
	"$(gateway_pids one)"

end_gateways
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	(
		# shellcheck disable=SC2034
		HOOK_OUT=$TMP/at-once-$i
		ensure_docker s-1 one
		echo "$?$out" >"$TMP/concurrent-$i"
	) &
done
wait
is "20 at once: all end with 0 and say nothing" "20 0" \
	"$(cat "$TMP"/concurrent-* | sort | uniq -c | sed 's/^ *//')"
is "20 at once: one gateway" 1 "$(gateway_pids one | wc -l)"
serves one
is "20 at once: it serves" 0 $?

rm -f "$(run_dir one)/docker.sock"
third=$(gateway_pids one)
ensure_docker s-1 one
fourth=$(gateway_pids one)
serves one
is "docker.sock removed: started again" "0 1 yes" \
	"$? $(gateway_pids one | wc -l) $([ "$third" != "$fourth" ] && echo yes)"
rm -f "$(run_dir one)"/*
ensure_docker s-1 one
serves one
is "run directory emptied: started again, the old one is gone" "0 1 yes" \
	"$? $(gateway_pids one | wc -l) \
$([ "$fourth" != "$(gateway_pids one)" ] && echo yes)"

# A new build in the old one's place: the old process is not left serving.
fifth=$(gateway_pids one)
cp "$BASE/inst/bin/container-gateway" "$BASE/inst/bin/new"
mv "$BASE/inst/bin/new" "$BASE/inst/bin/container-gateway"
is "a replaced build is told" old "$("$HOOKCTL" status --json \
	--project "$PROJECTS/one" | sed 's/^{"state":"\([a-z]*\)".*/\1/')"
ensure_docker s-1 one
serves one
is "a replaced build is restarted" "0 1 yes" "$? $(gateway_pids one | wc -l) \
$([ "$fifth" != "$(gateway_pids one)" ] && echo yes)"

# ---- where the command runs does not matter ---------------------------------

end_gateways
ensure_docker s-1 two
is "ensure after cd: not the other project" "" "$(gateway_pids two)"
is "ensure after cd: the recorded project" 1 "$(gateway_pids one | wc -l)"
end_gateways
project_settings one \
	'{"sandbox":{"filesystem":{"allowWrite":["'"$BASE/inst"'"]}}}'
ensure_docker s-1 two
like "ensure after cd: the recorded project's grants count" \
	'^{"systemMessage":"container-gateway: not started: .*inst/bin/hookctl is inside a sandbox write grant' "$out"
like "the message names file and entry" \
	"one/.claude/settings.json: allowWrite .*$BASE/inst" "$out"
is "and nothing was started" "" "$(gateway_pids)"
ensure_docker s-1 one
is "one message a session and reason" "" "$out"

# ---- a start that is refused ------------------------------------------------

hook start s-1 one
is "a refused start: exit status" 0 $?
is "a refused start: no record stays" "" "$(ls -A "$STATE/sessions")"
hook start s-2 one
like "a refused start says why" '^{"systemMessage":.*"hookEventName":"SessionStart"' "$out"
is "a refused start: no record is made" "" "$(ls -A "$STATE/sessions")"
rm -r "$PROJECTS/one/.claude"

# ---- what the sandbox can forge ---------------------------------------------

hook start s-1 one
end_gateways
sleep 600 &
victim=$!
echo "$victim" >"$(run_dir one)/gateway.pid"
ensure_docker s-1 one
serves one
is "forged pid file: a gateway is started all the same" 0 $?
echo "$victim" >"$(run_dir one)/gateway.pid"
hook stop s-1 one
wait_until 5 no_gateway one
kill -0 "$victim"
is "forged pid file: nothing else is killed" "0 " "$? $(gateway_pids one)"
# The lock itself can be held by somebody else.
hook start s-1 one
end_gateways
kill "$victim"

if command -v python3 >/dev/null; then
	rm -f "$(run_dir one)"/*
	(cd "$(run_dir one)" && exec python3 -c '
import socket, time
all = []
for name in "control.sock", "docker.sock", "podman.sock":
    s = socket.socket(socket.AF_UNIX)
    s.bind(name)
    s.listen(8)
    all.append(s)
print("ready", flush=True)
c, _ = all[0].accept()
print(c.recv(100), flush=True)
time.sleep(600)
' >"$TMP/forger.out" 2>&1) &
	forger=$!
	wait_until 5 grep -q ready "$TMP/forger.out"
	is "forged sockets are told" impostor "$("$HOOKCTL" status --json \
		--project "$PROJECTS/one" | sed 's/^{"state":"\([a-z]*\)".*/\1/')"
	wait_until 5 grep -q "b'" "$TMP/forger.out"
	is "nothing is sent to a forger" "b''" "$(tail -1 "$TMP/forger.out")"
	ensure_docker s-1 one
	serves one
	is "forged sockets: the gateway takes the names" 0 $?
	kill -0 "$forger"
	is "forged sockets: nothing is killed" 0 $?
	kill "$forger"
	# The trusted program, run by the sandbox in namespaces of its own.
	if unshare -Ur true 2>/dev/null; then
		end_gateways
		rm -f "$(run_dir one)"/*
		unshare -Urm "$BASE/inst/bin/container-gateway" --egress off \
			--project "$PROJECTS/one" >"$TMP/inside.out" 2>&1 &
		inside=$!
		wait_until 5 test -S "$(run_dir one)/control.sock"
		is "a gateway of another namespace is told" elsewhere \
			"$("$HOOKCTL" status --json --project "$PROJECTS/one" |
			sed 's/^{"state":"\([a-z]*\)".*/\1/')"
		ensure_docker s-1 one
		like "and is not believed" 'another namespace' "$out"
		kill -0 "$inside"
		is "nor touched" 0 $?
		kill "$inside"
		wait "$inside" 2>/dev/null
		rm -f "$STATE"/state/*.json
	else
		skip "a gateway of another namespace" "no user namespaces here"
	fi
else
	skip "forged sockets" "no python3"
fi

end_gateways
hook start s-1 one
end_gateways
mv "$STATE/sessions/s-1.json" "$STATE/record"
ln -s ../record "$STATE/sessions/s-1.json"
ensure_docker s-1 one
is "a symlinked record is none" "" "$(gateway_pids)"
rm "$STATE/sessions/s-1.json"
ln "$STATE/record" "$STATE/sessions/s-1.json"
ensure_docker s-1 one
is "a record with a second name is none" "" "$(gateway_pids)"
rm "$STATE/sessions/s-1.json"
cp "$STATE/record" "$STATE/sessions/s-3.json"
ensure_docker s-3 one
is "a record of another id is none" "" "$(gateway_pids)"
mv "$STATE/record" "$STATE/sessions/s-1.json"
rm "$STATE/sessions/s-3.json"
chmod 644 "$STATE/sessions/s-1.json"
ensure_docker s-1 one
is "a record that others can read is none" "" "$(gateway_pids)"
chmod 600 "$STATE/sessions/s-1.json"
mv "$PROJECTS/one" "$PROJECTS/moved"
new_project one
ensure_docker s-1 one
is "a project that was exchanged is not served" "" "$(gateway_pids)"
rm -r "$PROJECTS/one"
mv "$PROJECTS/moved" "$PROJECTS/one"
ensure_docker s-1 one
is "put back it is" 1 "$(gateway_pids one | wc -l)"
touch "$PROJECTS/one/.apache-magpie.lock"
ensure_docker s-1 one
like "a run directory that moves is told" 'restart the session' "$out"
rm "$PROJECTS/one/.apache-magpie.lock"

# ---- stop -------------------------------------------------------------------

hook start s-2 one
both=$(gateway_pids one)
hook stop s-2 one
sleep 0.3
is "stop: another session keeps the gateway" "$both" "$(gateway_pids one)"
hook stop s-1 one '"reason":"clear"'
sleep 0.3
is "stop: clear leaves it running" "$both" "$(gateway_pids one)"
is "stop: the records are gone" "" "$(ls -A "$STATE/sessions")"
hook start s-3 one
hook stop s-3 one
is "stop: exit status and output" "0 " "$? $out"
wait_until 5 no_gateway one
is "stop: the last session ends it" "" "$(gateway_pids one)"

hook start s-1 one
# A harness of its own: the hook's session leader is its child.
sh -c 'printf "{\"session_id\":\"s-dead\",\"cwd\":\"$2\",
	\"hook_event_name\":\"SessionStart\"}" | setsid "$1" start
	sleep 600' sh "$HOOKCTL" "$PROJECTS/one" >/dev/null 2>&1 &
harness=$!
wait_until 5 test -e "$STATE/sessions/s-dead.json"
sleep 0.3
hook stop s-1 one
sleep 0.5
is "stop: a living harness' session counts" 1 "$(gateway_pids one | wc -l)"
hook start s-1 one
pkill -P "$harness"
kill -9 "$harness" 2>/dev/null
wait "$harness" 2>/dev/null
hook stop s-1 one
wait_until 5 no_gateway one
is "stop: a dead harness' session does not" "" "$(gateway_pids one)"

touch -d '31 days ago' "$STATE/sessions/s-dead.json"
hook start s-1 one
is "records of 31 days ago are pruned" "s-1.json" "$(ls -A "$STATE/sessions")"

# ---- when it cannot start ---------------------------------------------------

end_gateways
rm -f "$(run_dir one)"/*
mkdir -p "$(run_dir one)/docker.sock/x"
ensure_docker s-1 one
like "a failed start says so in the gateway's words" \
	'the gateway did not start: .*docker.sock is in the way' "$out"
rm -r "$(run_dir one)/docker.sock"
ensure_docker s-1 one
is "for 10 s it is not tried again" "" "$(gateway_pids one)"
status_is "a person is not held up by that" 0 "$HOOKCTL" ensure \
	--project "$PROJECTS/one"

# ---- for people -------------------------------------------------------------

out=$("$HOOKCTL" stop --project "$PROJECTS/one" 2>&1)
is "stop --project: sessions keep it" "1 1" "$? $(gateway_pids one | wc -l)"
like "and it says how" 'force' "$out"
status_is "stop --force ends it" 0 "$HOOKCTL" stop --force \
	--project "$PROJECTS/one"
is "it is gone" "" "$(gateway_pids one)"
is "exec: the command's environment" \
	"unix://$(run_dir two)/docker.sock unix://$(run_dir two)/podman.sock 0" \
	"$("$HOOKCTL" exec --project "$PROJECTS/two" -- sh -c \
	'echo "$DOCKER_HOST $CONTAINER_HOST $DOCKER_BUILDKIT"')"
status_is "exec: the command's exit status" 7 "$HOOKCTL" exec \
	--project "$PROJECTS/two" -- sh -c 'exit 7'
status_is "exec: no such command" 127 "$HOOKCTL" exec \
	--project "$PROJECTS/two" -- "$BASE/nothing"
eval "$("$HOOKCTL" env --project "$PROJECTS/two")"
is "env: what it exports" "unix://$(run_dir two)/docker.sock" "$DOCKER_HOST"
unset DOCKER_HOST CONTAINER_HOST DOCKER_BUILDKIT TESTCONTAINERS_RYUK_DISABLED
"$HOOKCTL" ensure --project "$PROJECTS/one" >/dev/null
is "two gateways" 2 "$(gateway_pids | wc -l)"
status_is "stop --all" 0 "$HOOKCTL" stop --all
is "no gateway" "" "$(gateway_pids)"
status_is "stop --all with none" 0 "$HOOKCTL" stop --all
status_is "status without a gateway" 1 "$HOOKCTL" status \
	--project "$PROJECTS/one"
status_is "outside of git" 1 "$HOOKCTL" ensure --project "$BASE"
status_is "no such directory" 2 "$HOOKCTL" ensure --project "$BASE/nothing"
status_is "no such command" 2 "$HOOKCTL" bogus
status_is "no such option" 2 "$HOOKCTL" status --bogus

# ---- documents --------------------------------------------------------------

for command in $("$HOOKCTL" --help | sed -n 's/^  hookctl \([a-z]*\) .*/\1/p'); do
	like "$command stands in the manual" "^.It Cm $command\$" \
		"$(cat "$CG_SRC/man/hookctl.1")"
	for file in hookctl.bash _hookctl; do
		like "$command stands in completion/$file" "$command" \
			"$(cat "$CG_SRC/completion/$file")"
	done
done

# ---- doctor and explain -----------------------------------------------------

"$HOOKCTL" ensure --project "$PROJECTS/one" >/dev/null
mark() { # CHECK: its mark and evidence
	"$HOOKCTL" doctor --json --project "$PROJECTS/one" |
		sed "s/\\\\\"/'/g" | sed 's/{"check"/\n&/g' | grep "^{\"check\":\"$1\"" |
		sed 's/.*"result":"\([a-z]*\)","evidence":"\([^"]*\)".*/\1 \2/'
}
like "doctor: no hooks" '^bad ' "$(mark hooks)"
"$HOOKCTL" env --settings --project "$PROJECTS/one" | sed -n \
	'/^# for all projects/,/^$/p' | grep -v '^#' >"$HOME/.claude/settings.json"
like "doctor: the printed hooks are complete" '^ok ' "$(mark hooks)"
sed 's/PreToolUse/PreToolBoth/' "$HOME/.claude/settings.json" >"$TMP/s" &&
	cp "$TMP/s" "$HOME/.claude/settings.json"
like "doctor: a missing ensure hook is drift" '^drift .*ensure' "$(mark hooks)"
like "doctor: the gateway serves" '^ok ' "$(mark serving)"
user_settings '{"sandbox":{"enabled":true,"excludedCommands":["docker *"]}}'
like "doctor: docker excluded from the sandbox" '^bad .*docker \*' \
	"$(mark excluded)"
user_settings '{"sandbox":{"network":{"allowUnixSockets":["/var/run/docker.sock"]}}}'
like "doctor: the daemon's own socket allowed" '^bad ' "$(mark daemon-sockets)"
user_settings '{"env":{"DOCKER_HOST":"unix://./run/docker.sock"}}'
like "doctor: a relative socket" '^bad .*unix://./run' "$(mark hosts)"
user_settings '{"sandbox":{"enabled":true,"filesystem":{"allowWrite":["'"$PROJECTS"'"]}}}'
like "doctor: a parent that the sandbox may write" '^drift ' "$(mark parent)"
user_settings '{"sandbox":{"enabled":true}}'
cp /bin/true "$PROJECTS/one/left" && chmod 4755 "$PROJECTS/one/left"
like "doctor: setuid files of root" '^bad 1 .*one/left' "$(mark leftovers)"
rm "$PROJECTS/one/left"
like "doctor: and none" '^ok ' "$(mark leftovers)"

out=$(printf 'POST /v1.41/containers/create\nContent-Type: application/json\n
{"Image":"busybox","HostConfig":{"Privileged":true}}' |
	"$HOOKCTL" explain --project "$PROJECTS/one")
is "explain: a refusal's exit status" 1 $?
like "explain: reason" '^status *403 privileged' "$out"
like "explain: field" '^field *HostConfig.Privileged' "$out"
like "explain: route" '^route .*containers/create' "$out"
out=$(printf 'GET /_ping\n' | "$HOOKCTL" explain --project "$PROJECTS/one")
is "explain: what passes" 0 $?
out=$(printf 'POST /v1.41/containers/create\nContent-Type: application/json\n
{"Image":"busybox","HostConfig":{"Binds":["/etc:/x"]}}' |
	"$HOOKCTL" explain --json --project "$PROJECTS/one")
like "explain: looks at the host" '"result":"refused".*"reason":"bind"' "$out"
finish
