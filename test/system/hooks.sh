# Shared by the tests of hookctl, which read lib.sh first.  hookctl trusts
# nothing in /tmp or in the checkout: both count as writable for a sandbox.
# So these tests install into, and take HOME from, a folder of root's own.
# shellcheck shell=sh disable=SC2034,SC2154

hooks_setup() {
	[ "$(id -u)" = 0 ] || skip_all "not root: no folder outside of every grant"
	[ -x "$CG_BUILD/hookctl" ] || {
		fail "build" "$CG_BUILD/hookctl is missing"
		finish
	}
	need_gateway
	BASE=/var/lib/cg-test-$$
	HOME=$BASE/home
	STATE=$HOME/.claude/magpie-gateway
	PROJECTS=$BASE/projects
	HOOKCTL=$BASE/inst/bin/hookctl
	export HOME
	unset CLAUDE_PROJECT_DIR CLAUDE_CONFIG_DIR CLAUDE_CODE_SESSION_ID \
		CLAUDE_CODE_TMPDIR MAGPIE_CONTAINER_GATEWAY_ARGS \
		LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH
	trap hooks_exit EXIT
	umask 022
	mkdir -p "$BASE/inst/bin" "$BASE/inst/libexec/container-gateway" \
		"$HOME/.claude" "$PROJECTS"
	cp "$CG_BUILD/hookctl" "$CG_BUILD/container-gateway" "$BASE/inst/bin"
	cp "$CG_BUILD/worker" "$CG_BUILD/policyd" "$CG_BUILD/embedded" \
		"$CG_BUILD/explain" \
		"$BASE/inst/libexec/container-gateway"
	user_settings '{"sandbox":{"enabled":true}}'
}

# shellcheck disable=SC2317
hooks_exit() {
	hooks_status=$?
	trap - EXIT
	# shellcheck disable=SC2119
	for hooks_pid in $(gateway_pids); do
		kill -9 "$hooks_pid" 2>/dev/null
	done
	rm -rf "$BASE"
	(exit $hooks_status)
	cleanup
}

user_settings() { # JSON
	printf '%s\n' "$1" >"$HOME/.claude/settings.json"
}

project_settings() { # NAME JSON
	mkdir -p "$PROJECTS/$1/.claude"
	printf '%s\n' "$2" >"$PROJECTS/$1/.claude/settings.json"
}

new_project() { # NAME: a git repository, laid out as git does
	mkdir -p "$PROJECTS/$1/.git/objects" "$PROJECTS/$1/.git/refs"
	echo 'ref: refs/heads/main' >"$PROJECTS/$1/.git/HEAD"
}

run_dir() { # NAME
	echo "$PROJECTS/$1/.git/apache-magpie/run/main"
}

# Every gateway of this installation, or that of one project.
# shellcheck disable=SC2120
gateway_pids() { # [NAME]
	# One ls for all processes: a shell's loop over them takes longer.
	# shellcheck disable=SC2012
	ls -l /proc/[0-9]*/exe 2>/dev/null | sed -n "s|.* /proc/\([0-9]*\)/exe -> \
$BASE/inst/bin/container-gateway.*|\1|p" | while read -r hooks_pid; do
		[ -z "${1:-}" ] || tr '\0' '\n' \
			<"/proc/$hooks_pid/cmdline" 2>/dev/null |
			grep -qx "$PROJECTS/$1" || continue
		echo "$hooks_pid"
	done
}

# As the harness runs hooks: a session of their own, a payload on stdin, the
# output read to its end.  The harness is this script, so hook() is not for a
# subshell.  $out is what it said.
hook() { # VERB SESSION NAME [MEMBERS-OF-THE-PAYLOAD]
	case $1 in
	start) hook_event=SessionStart hook_more='"source":"startup"' ;;
	ensure) hook_event=PreToolUse hook_more='"tool_name":"Bash"' ;;
	stop) hook_event=SessionEnd hook_more='"reason":"other"' ;;
	esac
	printf '{"session_id":"%s","cwd":"%s","hook_event_name":"%s",%s}' \
		"$2" "$PROJECTS/$3" "$hook_event" "${4:-$hook_more}" \
		>"${HOOK_OUT:-$TMP/hook}.in"
	setsid timeout 20 "$HOOKCTL" "$1" <"${HOOK_OUT:-$TMP/hook}.in" \
		>"${HOOK_OUT:-$TMP/hook}.out" 2>"${HOOK_OUT:-$TMP/hook}.err"
	hook_status=$?
	out=$(cat "${HOOK_OUT:-$TMP/hook}.out")
	return $hook_status
}

ensure_docker() { # SESSION NAME
	hook ensure "$1" "$2" \
		'"tool_name":"Bash","tool_input":{"command":"docker ps"}'
}

no_gateway() { # [NAME]
	[ -z "$(gateway_pids "$@")" ]
}

serves() { # NAME
	"$HOOKCTL" status --project "$PROJECTS/$1" >/dev/null 2>&1
}

end_gateways() {
	# shellcheck disable=SC2119
	for hooks_pid in $(gateway_pids); do
		kill -9 "$hooks_pid"
	done
	wait_until 5 no_gateway
}
