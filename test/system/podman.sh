# Shared by the system tests with podman; read after lib.sh.
#
#	PODMAN		the command: words, so that one inside a tree of its own
#			(test/engines/trixie.sh enter podman podman) will do
# shellcheck shell=sh disable=SC2034

PODMAN=${PODMAN:-podman}
# What a shell finds first must be the program that is tested.
command -v "${PODMAN%% *}" >/dev/null || skip_all "no podman command"
need_podman
# podman takes it for where logins are, and fails without the file.
echo '{}' >"$DOCKER_CONFIG/config.json"
SERVER=$(curl -s --unix-socket "$CG_PODMAN_SOCK" http://d/version |
	sed -n 's/.*"Version":"\([0-9.]*\)".*/\1/p' | head -1)

# podman through the gateway of the project.
pm() { # NAME podman-arguments ...
	pm_sock=$(gateway_sock "$1" podman)
	shift
	# shellcheck disable=SC2086
	timeout -k 1 "${LIMIT:-60}" $PODMAN --remote --url "unix://$pm_sock" \
		"$@"
}

# podman 4.3.1 loses the process of a step now and then while it is busy with
# other containers, on its own socket too: such a build is begun again.
pm_build() { # NAME podman-arguments ...: the last one is the context
	build_name=$1
	shift
	for _ in 1 2 3 4; do
		build_out=$(pm "$build_name" build "$@" 2>&1)
		build_status=$?
		case $build_out in
		*"while running runtime: signal: killed"*) ;;
		*) break ;;
		esac
	done
	printf '%s\n' "$build_out"
	return "$build_status"
}

past() { # the same past the gateway
	# shellcheck disable=SC2086
	timeout -k 1 60 $PODMAN --remote --url "unix://$CG_PODMAN_SOCK" "$@"
}

server_is_at_least() { # version
	[ "$(printf '%s\n' "$1" "$SERVER" | sort -V | head -1)" = "$1" ]
}

# A terminal of its own for podman, typed into from a pipe.
pm_in_pty() { # NAME podman-arguments in one word
	script -qec "timeout --foreground -k 1 60 $PODMAN --remote --url \
		unix://$(gateway_sock "$1" podman) $2" /dev/null
}

# For scripts that call sweep_after: what our mark or our label names, on the
# podman service.  Pods first, since they hold all else.
# shellcheck disable=SC2317
sweep() {
	for kind in pod network volume; do
		{
			past $kind ls -q --filter "name=$MARK"
			for dir in "$TMP/$MARK"-*; do
				past $kind ls -q --filter \
					"label=$LABEL=$(slug "${dir##*/"$MARK"-}")"
			done
		} 2>/dev/null | sort -u | while read -r name; do
			past $kind rm -f "$name" </dev/null
		done
	done >/dev/null 2>&1
	past images --format '{{.Repository}}:{{.Tag}}' 2>/dev/null |
		grep -e "/$MARK" | while read -r name; do
			past untag "$name" "$name" </dev/null
		done >/dev/null 2>&1
	for dir in "$TMP/$MARK"-*; do
		past images -q --no-trunc --filter \
			"label=$LABEL=$(slug "${dir##*/"$MARK"-}")" 2>/dev/null
	done | sort -u | while read -r name; do
		past rmi -f "$name" </dev/null
	done >/dev/null 2>&1
}
