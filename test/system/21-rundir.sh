#!/bin/sh
# What the gateway refuses to start on, and what it puts up with.  A refusal is
# one line on stderr, with exit status 2 for what the command line got wrong
# and 1 for the rest, and nothing is made.
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
BIN=$TMP/bin
mkdir "$BIN"
cp "$CG_BUILD/container-gateway" "$BIN/"
cp "$FAKE" "$BIN/worker"
cp "$FAKE" "$BIN/policyd"
umask 022
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
number=0

gateway() {
	timeout -k 1 30 "$BIN/container-gateway" --backend "docker=$TMP/none" \
		--egress off "$@"
}

fresh() { # a repository in $P
	number=$((number + 1))
	P=$TMP/p$number
	git init -q "$P"
}

refused() { # name, exit status, text, flags ...
	what=$1 code=$2 text=$3
	shift 3
	status_is "$what: exit status $code" "$code" gateway "$@" --daemon
	like "$what: says so" "^container-gateway: .*$text" "$status_out"
	is "$what: in one line" 1 "$(printf '%s\n' "$status_out" | wc -l)"
	status_is "$what: the same in the foreground" "$code" gateway "$@"
}

ended() {
	[ ! -e "$1/control.sock" ]
}

serves_at() { # name, run directory, flags ...
	what=$1 dir=$2
	shift 2
	status_is "$what" 0 gateway "$@" --daemon
	like "$what: in $dir" '"state":"serving"' \
		"$("$LAB" ask "$dir/control.sock" status 2>&1)"
	kill "$(cat "$dir/gateway.pid")"
	wait_until 10 ended "$dir"
}

# ---- places -------------------------------------------------------------------

fresh
serves_at "a repository" "$P/.git/apache-magpie/run/main" --project "$P"
mkdir -p "$P/src"
serves_at "a directory in it" "$P/.git/apache-magpie/run/main" \
	--project "$P/src"
: >"$P/.apache-magpie.lock"
serves_at "an adopted project" "$P/.apache-magpie-local/run" --project "$P"
rm "$P/.apache-magpie.lock"
git -C "$P" -c user.name=t -c user.email=t@t commit -q --allow-empty -m x
git -C "$P" worktree add -q "$TMP/wt$number" 2>/dev/null
serves_at "a linked worktree" "$P/.git/apache-magpie/run/wt$number" \
	--project "$TMP/wt$number"
grep -q "personal value=$P/.apache-magpie-local" \
	"$P/.git/apache-magpie/run/wt$number/gateway.log" &&
	grep -q "personal value=$TMP/wt$number/.apache-magpie-local" \
		"$P/.git/apache-magpie/run/wt$number/gateway.log"
is "a linked worktree: both personal layers are told to the children" 0 $?
mkdir "$TMP/plain"
serves_at "--run-dir outside git" "$TMP/rd" --project "$TMP/plain" \
	--run-dir "$TMP/rd"
CONTAINER_GATEWAY_RUN_DIR=$TMP/twin CONTAINER_GATEWAY_PROJECT=$TMP/plain
export CONTAINER_GATEWAY_RUN_DIR CONTAINER_GATEWAY_PROJECT
serves_at "the same by twins" "$TMP/twin"
unset CONTAINER_GATEWAY_RUN_DIR CONTAINER_GATEWAY_PROJECT
cd "$TMP/plain" || exit 1
status_is "relative paths" 0 gateway --run-dir ../rel --pid-file my.pid \
	--log-file my.log --daemon
like "relative paths: pid file" "^[0-9]*\$" "$(cat "$TMP/plain/my.pid")"
like "relative paths: log" event=serving "$(cat "$TMP/plain/my.log")"
kill "$(cat my.pid)"
wait_until 10 ended "$TMP/rel"
if [ -e my.pid ]; then fail "relative paths: the pid file is removed"
else pass "relative paths: the pid file is removed"; fi
cd / || exit 1

# ---- refusals of the place ----------------------------------------------------

refused "no git and no --run-dir" 2 "give --run-dir" --project "$TMP/plain"

fresh
mkdir "$TMP/elsewhere$number"
ln -s "$TMP/elsewhere$number" "$P/.git/apache-magpie"
refused "a link" 1 "apache-magpie is a symbolic link" --project "$P"
is "a link: nothing is made behind it" "" "$(ls "$TMP/elsewhere$number")"

fresh
mkdir -p "$P/.git/apache-magpie/run"
chmod 775 "$P/.git/apache-magpie"
refused "a writable mode" 1 "writable by group or others" --project "$P"

fresh
mkdir -p "$P/.git/apache-magpie"
if [ "$(id -u)" = 0 ]; then
	chown 65534 "$P/.git/apache-magpie"
	refused "a foreign owner" 1 "belongs to uid 65534" --project "$P"
else
	refused "a foreign owner" 1 "belongs to uid 0" --project "$P" \
		--run-dir /usr
fi

long=$TMP/$(printf '%0100d' 0)
refused "too long" 2 "more than 103.*shorter --run-dir" \
	--project "$TMP/plain" --run-dir "$long"
if [ -e "$long" ]; then fail "too long: nothing is made"
else pass "too long: nothing is made"; fi

fresh
git -C "$P" -c user.name=t -c user.email=t@t commit -q --allow-empty -m x
mkdir "$TMP/forged$number"
git -C "$P" worktree add -q "$TMP/real$number" 2>/dev/null
cp "$TMP/real$number/.git" "$TMP/forged$number/.git"
refused "a forged worktree" 1 "does not point back" \
	--project "$TMP/forged$number"
printf 'gitdir: %s/.git\n' "$P" >"$TMP/forged$number/.git"
refused "a .git file that names a repository" 1 \
	"not the private directory of a linked worktree" \
	--project "$TMP/forged$number"
chmod 777 "$P/.git"
refused "a common directory that others can write" 1 \
	"writable by group or others" --project "$TMP/real$number"

fresh
RUN=$P/.git/apache-magpie/run/main
mkdir -p "$RUN"
chmod 700 "$P/.git/apache-magpie" "$P/.git/apache-magpie/run" "$RUN"
echo precious >"$TMP/victim"
ln -s "$TMP/victim" "$RUN/gateway.log"
refused "a log that is a link" 1 "gateway.log.*symbolic link" --project "$P"
rm "$RUN/gateway.log"
ln "$TMP/victim" "$RUN/gateway.log"
refused "a log that is a hard link" 1 "gateway.log.*hard link" --project "$P"
rm "$RUN/gateway.log"
ln -s "$TMP/victim" "$RUN/gateway.pid"
refused "a pid file that is a link" 1 "gateway.pid.*symbolic link" \
	--project "$P"
rm "$RUN/gateway.pid"
mkdir "$RUN/docker.sock"
refused "a directory in a socket's place" 1 "docker.sock is in the way" \
	--project "$P"
rmdir "$RUN/docker.sock"
is "what the links led to is untouched" precious "$(cat "$TMP/victim")"
is "refusals leave no socket and no lock" gateway.log "$(ls "$RUN")"

refused "a daemon's own directory" 2 "daemon's own socket" \
	--project "$TMP/plain" --run-dir /run

# ---- what is replaced ---------------------------------------------------------

"$LAB" lock "$RUN/gateway.pid" >"$TMP/held" &
holder=$!
wait_until 5 grep -q held "$TMP/held"
serves_at "a lock held by something else" "$RUN" --project "$P"
status_is "a lock held by something else: its holder is left alone" 0 \
	kill -0 $holder
kill $holder
sleep 100 &
victim=$!
echo $victim >"$RUN/gateway.pid"
serves_at "a forged pid file" "$RUN" --project "$P"
status_is "a forged pid file: the process named there is left alone" 0 \
	kill -0 $victim
kill $victim
"$LAB" listen "$RUN/control.sock" >"$TMP/listening" &
impostors=$!
wait_until 5 grep -q listening "$TMP/listening"
"$LAB" listen "$RUN/docker.sock" >"$TMP/listening2" &
impostors="$impostors $!"
wait_until 5 grep -q listening "$TMP/listening2"
serves_at "forged sockets" "$RUN" --project "$P"
# shellcheck disable=SC2086
kill $impostors

# ---- where it cannot work -----------------------------------------------------

for errno in 1 13 97; do # EPERM, EACCES, EAFNOSUPPORT
	fresh
	status_is "AF_UNIX is forbidden (errno $errno): exit status 1" 1 \
		"$LAB" forbid $errno "$BIN/container-gateway" --project "$P" \
		--daemon
	like "AF_UNIX is forbidden (errno $errno): one clear line" \
		"^container-gateway: AF_UNIX sockets are forbidden here.*outside" \
		"$status_out"
	is "AF_UNIX is forbidden (errno $errno): just one" 1 \
		"$(printf '%s\n' "$status_out" | wc -l)"
	if [ -e "$P/.git/apache-magpie" ]; then
		fail "AF_UNIX is forbidden (errno $errno): nothing is made"
	else pass "AF_UNIX is forbidden (errno $errno): nothing is made"; fi
done
mkdir "$TMP/half"
cp "$CG_BUILD/container-gateway" "$TMP/half/"
fresh
status_is "without worker and policyd: exit status 1" 1 \
	"$TMP/half/container-gateway" --project "$P"
like "without worker and policyd: says where it looked" \
	"neither in .*libexec/container-gateway nor in $TMP/half" "$status_out"

# ---- the command line ---------------------------------------------------------

set -- --project "$TMP/plain" --run-dir "$TMP/rd2"
refused "a bad number" 2 "--workers: many is not a number from 1 to 64" \
	"$@" --workers many
refused "a bad choice" 2 "--egress: maybe is not one of" "$@" --egress maybe
refused "a bad duration" 2 "--idle-timeout: soon is not a duration" \
	"$@" --idle-timeout soon
refused "a bad backend" 2 "--backend: rkt is not auto" "$@" --backend rkt
refused "a relative daemon socket" 2 "not absolute" "$@" \
	--backend docker=d.sock
refused "a bind root outside" 2 "not inside the project" "$@" \
	--bind-root "$TMP/half"
refused "a project that is not there" 2 "No such file" --project "$TMP/no"
refused "an unknown flag" 2 "--frobnicate is not a flag" "$@" --frobnicate
for flag in protect socket-bind buildkit; do
	refused "--$flag, which is not there yet" 2 "--$flag is not a flag" \
		"$@" "--$flag" x
done
CONTAINER_GATEWAY_WORKERS=many
export CONTAINER_GATEWAY_WORKERS
refused "a bad twin" 2 "CONTAINER_GATEWAY_WORKERS: many is not" "$@"
serves_at "a flag before its twin" "$TMP/rd2" "$@" --workers 1
unset CONTAINER_GATEWAY_WORKERS
status_is "--version" 0 "$BIN/container-gateway" --version
like "--version: one line" '^container-gateway [0-9.]*$' "$status_out"
status_is "--help" 0 "$BIN/container-gateway" --help
like "--help: flags" "--egress-port N" "$status_out"
is "--help: 80 columns" 0 "$(printf '%s\n' "$status_out" | grep -c '.\{81\}')"
"$BIN/container-gateway" --frobnicate >"$TMP/stdout" 2>/dev/null
is "refusals go to stderr" "" "$(cat "$TMP/stdout")"
finish
