#!/bin/sh
# What the ensure hook costs: when a command calls no engine, when a gateway
# serves, and when there is none.  The whole process, from its start to the end
# of its output, beside processes that do nothing but read their input.
#
#	CG_BENCH_STRICT=1	a figure that misses its aim is a failure
. "$(dirname "$0")/../system/lib.sh"
. "$(dirname "$0")/../system/hooks.sh"
hooks_setup
new_project p
SPAWN=$CG_BUILD/test/bench/spawn
missed=0

payload() { # COMMAND: a file
	printf '{"session_id":"s-1","cwd":"%s","hook_event_name":"PreToolUse",
"tool_name":"Bash","tool_input":{"command":"%s","description":"x"}}' \
		"$PROJECTS/p" "$1" >"$TMP/payload"
}

say() { # what, "p50 p90" in microseconds, aim in microseconds or nothing
	p50=${2% *}
	if [ -n "$3" ] && [ "$p50" -gt "$3" ]; then
		missed=$((missed + 1))
		verdict="misses its aim of $3"
	elif [ -n "$3" ]; then
		verdict="aim $3"
	else
		verdict=
	fi
	printf '%-44s p50 %6s us  p90 %6s us  %s\n' "$1" "$p50" "${2#* }" \
		"$verdict"
}

hook start s-1 p
payload 'make -j2 test && git status'
say "a process that only reads its input" "$("$SPAWN" 1000 "$TMP/payload" -)" ''
# Built where hookctl's first look runs before libc.
BARE=$CG_BUILD/test/bench/bare
[ ! -x "$BARE" ] || say "the same without libc" \
	"$("$SPAWN" 1000 "$TMP/payload" "$BARE")" ''
say "ensure, the command calls no engine" \
	"$("$SPAWN" 1000 "$TMP/payload" "$HOOKCTL" ensure)" 1000
payload 'ls docker && git log --grep podman'
say "ensure, the command only names one" \
	"$("$SPAWN" 1000 "$TMP/payload" "$HOOKCTL" ensure)" ''
payload 'docker compose up -d'
say "ensure, a gateway serves" \
	"$("$SPAWN" 200 "$TMP/payload" "$HOOKCTL" ensure)" 10000
cold() { # what
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		end_gateways
		"$SPAWN" 1 "$TMP/payload" "$HOOKCTL" ensure
	done | sort -n >"$TMP/cold"
	say "$1" "$(sed -n 8p "$TMP/cold" | cut -d' ' -f1) $(sed -n 14p \
		"$TMP/cold" | cut -d' ' -f2)" 50000
}

cold "ensure, from nothing to serving, no daemon"
# Where the sandbox cannot write, as the arguments of hooks have to be.
if [ -n "${CG_DOCKER_SOCK:-}" ] && : >"$BASE/engine.sock" &&
    mount --bind "$CG_DOCKER_SOCK" "$BASE/engine.sock" 2>/dev/null; then
	MAGPIE_CONTAINER_GATEWAY_ARGS="--backend docker=$BASE/engine.sock"
	export MAGPIE_CONTAINER_GATEWAY_ARGS
	end_gateways
	hook start s-1 p
	cold "ensure, from nothing to serving, dockerd up"
	end_gateways
	umount "$BASE/engine.sock"
fi
[ "$missed" -eq 0 ] || [ -z "${CG_BENCH_STRICT:-}" ]
