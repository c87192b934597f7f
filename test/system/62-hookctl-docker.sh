#!/bin/sh
# An agent's day: the session starts, each command is preceded by ensure, the
# gateway dies in between, and real containers run on a real docker daemon.
# What the operator asks afterwards: status, log, doctor.

# The daemon's socket must lie outside every grant, and /tmp is one: it is
# mounted elsewhere, for this script and its children alone.
[ -n "${CG_OWN_MOUNTS:-}" ] || [ "$(id -u)" != 0 ] ||
	exec unshare -m --propagation private env CG_OWN_MOUNTS=1 sh "$0"
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/hooks.sh"
need_docker
one_cli
hooks_setup
new_project p
: >"$BASE/engine.sock"
mount --bind "$CG_DOCKER_SOCK" "$BASE/engine.sock" ||
	skip_all "no mounts on this machine"
MAGPIE_CONTAINER_GATEWAY_ARGS="--backend docker=$BASE/engine.sock --egress off \
--allow-image-load"
export MAGPIE_CONTAINER_GATEWAY_ARGS
FOLDER=$PROJECTS/p

unmount() {
	unmount_status=$?
	umount "$BASE/engine.sock"
	(exit $unmount_status)
	hooks_exit
}
trap unmount EXIT

# A command of the agent: the hook, then the command in the environment that
# the settings block gives.
agent() { # docker arguments ...
	ensure_docker s-1 p || fail "ensure ends with 0" "$out"
	timeout -k 1 60 env DOCKER_HOST="unix://$(run_dir p)/docker.sock" \
		DOCKER_BUILDKIT=0 "$DOCKER" "$@" 2>&1 </dev/null
}

# ---- a session ----------------------------------------------------------------

hook start s-1 p
is "start says nothing" "" "$out"
is "docker run" hi "$(agent run --rm busybox echo hi)"
is "ensure says nothing" "" "$out"
echo there >"$FOLDER/file"
is "docker run -v of the project" there \
	"$(agent run --rm -v "$FOLDER:/src" busybox cat /src/file)"
agent run -d --name "$MARK-web" busybox sleep 600 >/dev/null
is "it carries the project's label" "$(basename "$FOLDER")-$(printf %s \
	"$FOLDER" | sha256sum | cut -c1-12)" "$(direct inspect \
	-f "{{index .Config.Labels \"$LABEL\"}}" "$MARK-web")"
like "docker run -v / is refused" 'container-gateway: bind: ' \
	"$(agent run --rm -v /:/host busybox ls /host)"

# ---- the gateway dies -----------------------------------------------------------

end_gateways
is "kill -9 of the gateway: the next command works" "$MARK-web" \
	"$(agent ps --format '{{.Names}}')"
is "and the one after it" up "$(agent exec "$MARK-web" echo up)"
first=$(gateway_pids p)
is "with the same gateway" "$first" "$(agent ps -q >/dev/null
	gateway_pids p)"
"$HOOKCTL" stop --force --project "$FOLDER" >/dev/null 2>&1
is "stopped by hand: the next command works" up \
	"$(agent exec "$MARK-web" echo up)"
agent run --rm --privileged busybox true >/dev/null

# ---- the operator asks ------------------------------------------------------------

said=$("$HOOKCTL" status --project "$FOLDER" --json)
like "status: refusals by reason" '"refusals":{[^}]*"privileged":1' "$said"
like "status: the backend answers" \
	"engine.sock\",[^}]*\"reachable\":true" \
	"$said"
said=$("$HOOKCTL" log --denied --project "$FOLDER")
like "log --denied: by reason and field" 'privileged.*HostConfig.Privileged' \
	"$said"
unlike "log --denied: nothing that passed" 'busybox sleep' "$said"
like "doctor: the daemon and its version" \
	"daemons.*docker.*$(direct version -f '{{.Server.APIVersion}}')" \
	"$("$HOOKCTL" doctor --project "$FOLDER")"
like "explain: by the flags of the gateway that serves" '^passes' \
	"$(echo 'POST /v1.41/images/load' |
		"$HOOKCTL" explain --project "$FOLDER")"
is "exec: for harnesses without hooks" hi "$("$HOOKCTL" exec \
	--project "$FOLDER" -- "$DOCKER" run --rm busybox echo hi)"

# ---- the session ends ---------------------------------------------------------------

agent rm -f "$MARK-web" >/dev/null
hook stop s-1 p
if wait_until 5 no_gateway p; then pass "the last stop ends the gateway"
else fail "the last stop ends the gateway"; fi
like "what comes after it reaches no daemon" 'Cannot connect' \
	"$(agent ps)"
finish
