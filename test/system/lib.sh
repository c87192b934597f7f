# Shared by the system tests; each of them is a script of its own that reads
# this file first.  Output is TAP without numbers, which run.sh counts.
#
# Given by run.sh, or found here when a script is run alone:
#	CG_BUILD	the build folder
#	CG_DOCKER_SOCK	a real docker daemon that holds busybox:latest
#	CG_PODMAN_SOCK	a real podman service that holds busybox:latest
#	CG_ENGINE	what names the results of an engine that is not the
#			host's own: its version
# CG_DIRECT=1 puts the daemon's own socket in the gateway's place: it shows
# what a test asks for of a daemon, and which tests the gateway must answer.
# shellcheck shell=sh disable=SC2034

set -u
here=$(cd "$(dirname "$0")" && pwd)
CG_SRC=${CG_SRC:-$(cd "$here/../.." && pwd)}
CG_BUILD=${CG_BUILD:-$CG_SRC/build}
script=$(basename "$0" .sh)${CG_ENGINE:+@$CG_ENGINE}
if [ -z "${CG_DOCKER_SOCK+set}${CG_PODMAN_SOCK+set}" ]; then
	eval "$(sh "$CG_SRC/test/engines/daemons.sh" env)"
fi
LABEL=org.apache.magpie.project
failures=0
# Names of everything that a script makes on a daemon begin with this.
MARK=cg$$
# A folder of this script's own, not writable by others: it is the trust
# anchor of the run directories below it.
TMP=$(mktemp -d "/tmp/cg-$(echo "$script" | cut -c1-2).XXXXXX") || exit 1
DOCKER=${DOCKER:-docker}

# The environment of the person who runs the tests stays out of them.
unset DOCKER_HOST DOCKER_CONTEXT CONTAINER_HOST DOCKER_BUILDKIT
for name in $(env | sed -n 's/^\(CONTAINER_GATEWAY_[A-Z_]*\)=.*/\1/p'); do
	unset "$name"
done
export DOCKER_CONFIG="$TMP/docker-config"
mkdir "$DOCKER_CONFIG"

# ---- results ----------------------------------------------------------------

pass() {
	echo "ok - $script: $1"
}

fail() { # name, then lines of detail
	failures=$((failures + 1))
	echo "not ok - $script: $1"
	shift
	[ $# -eq 0 ] || printf '%s\n' "$@" | head -20 | cut -c1-300 |
		sed 's/^/#   /'
}

skip() { # name, why
	echo "ok - $script: $1 # SKIP $2"
}

skip_all() {
	skip "all" "$1"
	exit 0
}

is() { # name, wanted, got
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" "wanted: $2" "got:    $3"
	fi
}

like() { # name, basic regular expression, got
	if printf '%s\n' "$3" | grep -q -e "$2"; then
		pass "$1"
	else
		fail "$1" "wanted: $2" "got:    $3"
	fi
}

unlike() {
	if printf '%s\n' "$3" | grep -q -e "$2"; then
		fail "$1" "unwanted: $2" "got:    $3"
	else
		pass "$1"
	fi
}

# The results of a test program that prints "ok - NAME" and "not ok - NAME".
results_of() { # command ...
	timeout -k 1 300 "$@" >"$TMP/results" 2>&1 </dev/null
	res_status=$?
	while read -r res_line; do
		case $res_line in
		"ok - "*) pass "${res_line#ok - }" ;;
		"not ok - "*) fail "${res_line#not ok - }" ;;
		*) echo "# $res_line" ;;
		esac
	done <"$TMP/results"
	is "$(basename "$2") came to its end" 0 $res_status
}

status_is() { # name, wanted exit status, command ...
	status_name=$1 status_want=$2
	shift 2
	status_out=$("$@" 2>&1 </dev/null)
	status_got=$?
	if [ "$status_got" = "$status_want" ]; then
		pass "$status_name"
	else
		fail "$status_name" "wanted exit status $status_want," \
			"got $status_got from: $*" "$status_out"
	fi
}

# A command that the gateway refuses: it fails, and prints the reason.
refused() { # name, reason, command ...
	ref_name=$1 ref_want="container-gateway: $2: "
	shift 2
	ref_out=$("$@" 2>&1 </dev/null)
	ref_got=$?
	if [ $ref_got -ne 0 ] && printf '%s\n' "$ref_out" |
	    grep -qF "$ref_want"; then
		pass "$ref_name"
	else
		fail "$ref_name" "wanted: $ref_want" \
			"got:    exit status $ref_got, $ref_out"
	fi
}

# One request: its status, and what its body has to hold.
answers() { # name, status, basic regular expression, api-arguments ...
	ans_name=$1 ans_want=$2 ans_like=$3
	shift 3
	ans_out=$(api "$@")
	ans_got=$(printf '%s\n' "$ans_out" | tail -1)
	if [ "$ans_got" = "$ans_want" ] && printf '%s\n' "$ans_out" |
	    sed '$d' | grep -q -e "$ans_like"; then
		pass "$ans_name"
	else
		fail "$ans_name" "wanted: $ans_want $ans_like" \
			"got:    $ans_out"
	fi
}

# What a gateway decides by itself is the same whatever the engine: one asks it
# once.
is_first_engine() {
	[ -z "${CG_ENGINE:-}" ]
}

wait_until() { # seconds, command ...: does it hold before the time is up?
	tries=$(($1 * 10))
	shift
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

finish() {
	[ "$failures" -eq 0 ]
	exit
}

# ---- clean-up ---------------------------------------------------------------

# shellcheck disable=SC2317
cleanup() {
	status=$?
	trap - EXIT
	# Processes that a script left in the background.  By way of a file:
	# some shells have no jobs in a command substitution.
	jobs -p >"$TMP/jobs"
	while read -r pid; do
		kill "$pid" 2>/dev/null
	done <"$TMP/jobs"
	for sock in ${CG_DOCKER_SOCK:+"$CG_DOCKER_SOCK"} \
	    ${CG_PODMAN_SOCK:+"$CG_PODMAN_SOCK"}; do
		remove_all "$sock"
	done
	[ -z "${SWEEP:-}" ] || sweep
	for pidfile in "$TMP"/run-*/gateway.pid; do
		[ ! -s "$pidfile" ] || gateway_end "$pidfile"
	done
	rm -rf "$TMP"
	exit $status
}

remove_all() { # every container of this script, by label or by name
	containers=http://d/v1.40/containers
	curl -s --unix-socket "$1" "$containers/json?all=1" | ids_of_ours |
		while read -r id; do
			curl -s -o /dev/null -X DELETE --unix-socket "$1" \
				"$containers/$id?force=1&v=1"
		done
}

# One container a line, then those that carry our mark or one of our labels.
ids_of_ours() {
	sed 's/{"Id":"/\n&/g' | grep -e "/$MARK" -e "\"$LABEL\":\"$MARK" |
		sed -n 's/^{"Id":"\([0-9a-f]\{64\}\)".*/\1/p'
}

sweep_after() {
	SWEEP=1
}

# For scripts that call sweep_after: networks, volumes and images on the docker
# daemon, by our mark in their names or by the labels of our projects.
sweep() {
	for kind in networks volumes images; do
		for filter in $(sweep_filters $kind); do
			curl -s -G --unix-socket "$CG_DOCKER_SOCK" \
				--data-urlencode "filters=$filter" \
				"http://d/v1.40/$kind$(
				[ $kind != images ] || echo /json)" |
				sweep_names $kind "$filter"
		done | sort -u | while read -r name; do
			curl -s -o /dev/null -X DELETE --unix-socket \
				"$CG_DOCKER_SOCK" \
				"http://d/v1.40/$kind/$name?force=1"
		done
	done
}

sweep_filters() { # kind: one a word
	case $1 in
	images)
		printf '{"reference":["%s"]}\n' "$MARK*" "*/$MARK*" \
			"*/$MARK*/*"
		;;
	*) printf '{"name":["%s"]}\n' "$MARK" ;;
	esac
	for dir in "$TMP/$MARK"-*; do
		[ ! -d "$dir" ] || printf '{"label":["%s=%s"]}\n' "$LABEL" \
			"$(slug "${dir##*/"$MARK"-}")"
	done
}

# An image that only has a tag of ours loses that tag: by its id, all its tags
# would go, and busybox:latest is one.
sweep_names() { # kind, filter: what a DELETE takes, one a line
	case $1$2 in
	volumes*) grep -o '"Name":"[^"]*"' | cut -d'"' -f4 ;;
	images*'"reference"'*) grep -o "\"[^\"@]*${MARK}[^\"@]*:[^\"@]*\"" |
		cut -d'"' -f2 ;;
	*) grep -o '"Id":"[^"]*"' | cut -d'"' -f4 ;;
	esac
}

gateway_end() { # pid file
	pid=$(tr -dc 0-9 <"$1" | cut -c1-9)
	# The file is not believed: only a process of our own build is ended.
	case $(readlink "/proc/${pid:-0}/exe") in
	"$CG_BUILD"/container-gateway*) kill "$pid" ;;
	*) return 0 ;;
	esac
	wait_until 10 test ! -e "/proc/$pid" || kill -9 "$pid"
}

trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# ---- the gateway ------------------------------------------------------------

need_docker() {
	[ -n "${CG_DOCKER_SOCK:-}" ] || skip_all "no docker daemon"
	[ -n "$(docker_clis)" ] || skip_all "no docker command"
	need_gateway
}

need_podman() {
	[ -n "${CG_PODMAN_SOCK:-}" ] || skip_all "no podman service"
	need_gateway
}

need_gateway() {
	[ -z "${CG_DIRECT:-}" ] || return 0
	for program in container-gateway worker policyd; do
		[ -x "$CG_BUILD/$program" ] && continue
		fail "build" "$CG_BUILD/$program is missing"
		finish
	done
}

gateway_behind() { # words before the command of gateways: nsenter and so on
	GATEWAY_BEHIND=$*
}

# gateway_start NAME [FLAG ...]: a project NAME, and a gateway for it in the
# background.  Its files: $TMP/$MARK-NAME (the project), $TMP/run-NAME.
gateway_start() {
	gw_name=$1
	shift
	mkdir -p "$(project "$gw_name")"
	[ -z "${CG_DIRECT:-}" ] || return 0
	# shellcheck disable=SC2086
	${GATEWAY_BEHIND:-} "$CG_BUILD/container-gateway" \
		--project "$(project "$gw_name")" \
		--run-dir "$TMP/run-$gw_name" \
		${CG_DOCKER_SOCK:+--backend "docker=$CG_DOCKER_SOCK"} \
		${CG_PODMAN_SOCK:+--backend "podman=$CG_PODMAN_SOCK"} \
		--egress off --log-level debug "$@" --daemon \
		>"$TMP/start-$gw_name.out" 2>&1 </dev/null && return 0
	fail "gateway for $gw_name starts" \
		"$(tail -5 "$TMP/start-$gw_name.out")" \
		"$(tail -5 "$TMP/run-$gw_name/gateway.log" 2>&1)"
	finish
}

project() { # the project's folder
	echo "$TMP/$MARK-$1"
}

gateway_sock() { # NAME [docker|podman]
	case ${CG_DIRECT:-}${2:-docker} in
	1docker) echo "$CG_DOCKER_SOCK" ;;
	1podman) echo "$CG_PODMAN_SOCK" ;;
	*) echo "$TMP/run-$1/${2:-docker}.sock" ;;
	esac
}

gateway_log() {
	cat "$TMP/run-$1/gateway.log"
}

gateway_pid() {
	tr -dc 0-9 <"$TMP/run-$1/gateway.pid"
}

children_of() { # pid [name]
	for stat in /proc/[0-9]*/stat; do
		# pid (name) state parent: the name may hold anything.
		sed -n "s/^\([0-9]*\) (\(.*\)) . $1 .*/\1 \2/p" "$stat" \
			2>/dev/null
	done | awk -v name="${2:-}" 'name == "" || $2 == name { print $1 }'
}

slug() { # what the label of a project's resources says
	printf '%s-%s\n' "$(basename "$(project "$1")")" \
		"$(printf %s "$(realpath "$(project "$1")")" | sha256sum |
			cut -c1-12)"
}

# ---- memory of the gateway --------------------------------------------------

processes_of() { # NAME
	[ -n "${CG_DIRECT:-}" ] && return
	proc_master=$(gateway_pid "$1")
	echo "$proc_master"
	children_of "$proc_master"
}

field_kb() { # NAME, field of /proc/PID/status: summed up over the gateway
	for pid in $(processes_of "$1"); do
		awk -v f="$2:" '$1 == f { print $2 }' "/proc/$pid/status"
	done | awk '{ kb += $1 } END { print kb + 0 }'
}

# VmHWM is the kernel's own peak; writing 5 to clear_refs starts it afresh.
peak_start() { # NAME
	for pid in $(processes_of "$1"); do
		echo 5 >"/proc/$pid/clear_refs"
	done
	peak_before=$(field_kb "$1" VmRSS)
}

peak_end() { # NAME, what went on, allowed kB
	peak=$(field_kb "$1" VmHWM)
	if [ "$peak" -le $((peak_before + $3)) ]; then
		pass "$2: memory is flat ($peak_before kB, then $peak kB)"
	else
		fail "$2: memory is flat" "$peak_before kB before, $peak kB" \
			"at most"
	fi
}

# ---- the docker command -----------------------------------------------------

# Every docker command of this machine: distributions' and upstream's differ
# in what they send.
docker_clis() {
	for dir in $(echo "$PATH" | tr : ' ') /usr/local/bin /usr/bin; do
		[ -x "$dir/docker" ] && [ ! -d "$dir/docker" ] &&
			realpath "$dir/docker"
	done | sort -u | while read -r cli; do
		# podman-docker's script is another program.
		"$cli" --version 2>/dev/null | grep -q '^Docker' && echo "$cli"
	done
}

for_each_docker_cli() { # command ...: run with DOCKER and CLI set
	for DOCKER in $(docker_clis); do
		CLI=$("$DOCKER" version -f '{{.Client.Version}}' 2>/dev/null)
		CLI=${CLI:-$(basename "$DOCKER")}
		"$@"
	done
}

# For scripts that one docker command is enough for.
one_cli() {
	DOCKER=$(docker_clis | head -1)
	CLI=$("$DOCKER" version -f '{{.Client.Version}}' 2>/dev/null)
}

# docker through the gateway of the project, with a bound on time: several of
# its commands swallow SIGTERM.
gw() { # NAME docker-arguments ...
	gw_sock=$(gateway_sock "$1")
	shift
	timeout -k 1 "${LIMIT:-60}" "$DOCKER" -H "unix://$gw_sock" "$@"
}

direct() { # the same past the gateway
	timeout -k 1 60 "$DOCKER" -H "unix://$CG_DOCKER_SOCK" "$@"
}

# The namespace of the network that the daemon lives in: what listens on
# loopback there is what the daemon finds at localhost.
peer_pid() { # socket
	python3 -c 'import socket, struct, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
print(struct.unpack("3i", s.getsockopt(1, 17, 12))[0])' "$1"
}

daemon_pid() {
	peer_pid "$CG_DOCKER_SOCK"
}

# docker's, or that of the process NET_PID.
in_daemon_net() { # command ...; with exec, so that $! is the command
	exec nsenter -n -t "${NET_PID:-$(daemon_pid)}" "$@"
}

need_daemon_net() {
	[ "$(id -u)" = 0 ] || skip_all "nsenter needs root"
	(in_daemon_net true 2>/dev/null) ||
		skip_all "the daemon's network namespace cannot be entered"
}

api() { # NAME METHOD PATH [curl-arguments ...]: answers body, then status
	api_sock=$(gateway_sock "$1")
	api_method=$2 api_path=$3
	shift 3
	curl -s -m 30 -w '\n%{http_code}' --unix-socket "$api_sock" \
		-X "$api_method" "$@" "http://d$api_path"
}
