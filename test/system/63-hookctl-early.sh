#!/bin/sh
# hookctl's first look, before libc: what it ends, what it hands to the program
# behind it, byte by byte, and what it leaves alone.  early is a program with
# that look whose main() tells what came; 10 and 11 are its statuses, and 0 is
# the look's.
. "$(dirname "$0")/lib.sh"
EARLY=$CG_BUILD/test/system/early
HOOKCTL=$CG_BUILD/hookctl
for program in "$EARLY" "$HOOKCTL"; do
	[ -x "$program" ] && continue
	fail "build" "$program is missing"
	finish
done
# Without an entry of its own (sanitizers, gcov, other processors, no static
# libraries) main() asks the same, so that its callers see no difference.
has_look=
[ ! -f "$CG_BUILD/early" ] || has_look=yes
BOUND=1048576
cd "$TMP" || exit 1

look() { # words: with what is on standard input; $got
	timeout 10 "$EARLY" "$@" >"$TMP/out" 2>"$TMP/err"
	got=$?
}

ended() { # name: by the look, or by the same question behind it
	if [ -n "$has_look" ]; then
		is "$1" "0  " "$got $(head -c 100 "$TMP/out") $(cat "$TMP/err")"
	else
		skip "$1" "this build looks in main() only"
	fi
}

arrived() { # name: all of $TMP/in
	if [ "$got" = 10 ] && cmp -s "$TMP/in" "$TMP/out"; then
		pass "$1"
	else
		fail "$1" "status $got, $(wc -c <"$TMP/in") bytes became" \
			"$(wc -c <"$TMP/out")" "$(cat "$TMP/err")"
	fi
}

filler() { # how many bytes
	head -c "$1" /dev/zero | tr '\0' x
}

# ---- nothing to be done -----------------------------------------------------

for payload in '{"command":"ls"}' '' 'not JSON' '{"command":"dock er"}' \
	docke; do
	printf '%s' "$payload" >"$TMP/in"
	look ensure <"$TMP/in"
	ended "no engine, no effect: $payload"
done
filler $BOUND >"$TMP/in"
look ensure <"$TMP/in"
ended "no engine, as long as can be"
mkfifo "$TMP/pipe"
cat "$TMP/in" >"$TMP/pipe" &
look ensure <"$TMP/pipe"
ended "no engine, as long as can be, by a pipe"

# ---- an engine: what comes is what was sent ---------------------------------

for payload in docker 'a podman b' '{"command":"do\\cker ps"}' \
	'{"command":"\u0064ocker"}'; do
	printf '%s' "$payload" >"$TMP/in"
	look ensure <"$TMP/in"
	arrived "an engine: $payload"
done
EARLY_TEST=kept look ensure <"$TMP/in"
is "libc starts as ever" "main: argc 2, half of it 1.0, argv[1] ensure, \
environment kept, page $(getconf PAGESIZE), NULL ends it" "$(cat "$TMP/err")"
{
	head -c 3000 /dev/urandom
	printf docker
	head -c 3000 /dev/urandom
} >"$TMP/in"
look ensure <"$TMP/in"
arrived "any byte"
for n in 100 4096 65536 70000 500000 $BOUND; do
	{
		filler $((n - 6))
		printf docker
	} >"$TMP/in"
	look ensure <"$TMP/in"
	arrived "$n bytes from a file"
	cat "$TMP/in" >"$TMP/pipe" &
	look ensure <"$TMP/pipe"
	arrived "$n bytes by a pipe"
done
printf '{"command":"docker ps"}' >"$TMP/in"
{
	printf '{"command":"do'
	sleep 0.2
	printf 'cker p'
	sleep 0.2
	printf 's"}'
} >"$TMP/pipe" &
look ensure <"$TMP/pipe"
arrived "in pieces, with pauses"

# ---- bounds -----------------------------------------------------------------

{
	printf docker
	filler $((BOUND - 5))
} >"$TMP/in"
look ensure <"$TMP/in"
ended "one byte too many: nothing"
look other <"$TMP/in"
is "main reads one byte too many and refuses" "11 $((BOUND + 1))" \
	"$got $(wc -c <"$TMP/out")"
filler 3000000 >>"$TMP/in"
cat "$TMP/in" >"$TMP/pipe" 2>/dev/null &
look ensure <"$TMP/pipe"
ended "much too long: nothing"
ms() {
	echo $(($(date +%s%N) / 1000000))
}
took() { # name, from, to in ms: since $began
	spent=$(($(ms) - began))
	if [ $spent -ge "$2" ] && [ $spent -le "$3" ]; then
		pass "$1"
	else
		fail "$1" "wanted: $2 to $3 ms" "got:    $spent ms"
	fi
}
for piece in docker ls; do
	{
		printf %s "$piece"
		exec sleep 3
	} >"$TMP/pipe" &
	began=$(ms)
	look ensure <"$TMP/pipe"
	took "no end of input ($piece): a second" 950 2500
	ended "no end of input ($piece): nothing"
	wait
done
{
	for _ in 1 2 3 4 5 6; do
		sleep 0.3
		printf docker
	done
} >"$TMP/pipe" 2>/dev/null &
began=$(ms)
look ensure <"$TMP/pipe"
took "in pieces, too slowly: a second for all of them" 950 1700
ended "in pieces, too slowly: nothing"
wait

# ---- what standard input can be ---------------------------------------------

look ensure <&-
ended "closed: nothing"
look ensure </
ended "a directory: nothing"
look ensure </dev/null
ended "/dev/null: nothing"
if command -v python3 >/dev/null; then
	printf 'docker, in two pieces' >"$TMP/in"
	timeout 10 python3 - "$EARLY" >"$TMP/out" 2>"$TMP/err" <<'P'
import os, subprocess, sys, time
r, w = os.pipe()
os.set_blocking(r, False)
p = subprocess.Popen([sys.argv[1], "ensure"], stdin=r)
os.close(r)
for piece in b"docker, ", b"in two pieces":
    time.sleep(0.2)
    os.write(w, piece)
os.close(w)
sys.exit(p.wait())
P
	got=$?
	arrived "a pipe that does not block"
	# Typed at a terminal, and still there for main to read.
	terminal() { # words
		timeout 10 python3 - "$@" <<'P'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
os.write(fd, b"ls\n\x04")
said = b""
while True:
    try:
        piece = os.read(fd, 4096)
    except OSError:
        break
    if not piece:
        break
    said += piece
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode())
P
	}
	out=$(terminal "$EARLY" ensure)
	like "a terminal: for a person, unread" '^10 ' "$out"
	like "a terminal: what was typed comes to main" '^ls' "$out"
	out=$(terminal "$HOOKCTL" ensure)
	is "a terminal: a real exit status" 1 "${out%% *}"
	like "a terminal: hookctl answers the person" '^hookctl: ' "$out"
else
	skip "terminals, pipes that do not block" "no python3"
fi

# ---- whose business it is not -----------------------------------------------

printf '{"command":"ls"}' >"$TMP/in"
for words in 'ensure --via docker' 'ensure --project .' ensur ensuree Ensure \
	start stop ensure=1 'ensure ensure' --help; do
	# shellcheck disable=SC2086
	look $words <"$TMP/in"
	arrived "left alone: $words"
done
look ensure '' <"$TMP/in"
arrived "left alone: an empty word"
look '' <"$TMP/in"
arrived "left alone: nothing but an empty word"
look <"$TMP/in"
arrived "left alone: no word"

# ---- libc has not run -------------------------------------------------------

# libc's start in a static program takes memory behind it for the thread.
heap() { # words: while they wait for their input; yes, no, or gone
	"$HOOKCTL" "$@" <"$TMP/pipe" >/dev/null 2>&1 &
	waiting=$!
	exec 9>"$TMP/pipe"
	sleep 0.3
	cat "/proc/$waiting/maps" >"$TMP/maps"
	if ! grep -q '\[stack\]' "$TMP/maps"; then
		echo gone
	elif grep -q '\[heap\]' "$TMP/maps"; then
		echo yes
	else
		echo no
	fi
	exec 9>&-
	wait "$waiting"
}
if [ -n "$has_look" ]; then
	is "ensure waits before libc" no "$(heap ensure)"
	is "ensure --via waits behind it" yes "$(heap ensure --via docker)"
else
	skip "ensure waits before libc" "this build looks in main() only"
fi
calls() { # words: the system calls, each once
	strace -o "$TMP/calls" "$@" <"$TMP/in" >/dev/null 2>&1
	sed -n 's/^\([a-z_0-9]*\)(.*/\1/p' "$TMP/calls" | sort -u | tr '\n' ' '
}
if [ -z "$has_look" ]; then
	skip "the look's system calls" "this build looks in main() only"
elif ! strace -o /dev/null true 2>/dev/null; then
	skip "the look's system calls" "no strace, or it may not trace"
else
	is "the look's system calls, all of them" \
		"clock_gettime execve exit_group ioctl ppoll read " \
		"$(calls "$HOOKCTL" ensure)"
	is "how many" 10 "$(grep -c '^[a-z_0-9]*(' "$TMP/calls")"
	unlike "read from descriptor 0 only" '^\(read\|ioctl\)([^0]' \
		"$(cat "$TMP/calls")"
	like "libc's own, behind it" 'prlimit64\|set_tid_address' \
		"$(calls "$HOOKCTL" ensure --via docker)"
	printf docker >"$TMP/in"
	calls "$HOOKCTL" ensure >/dev/null
	is "what the look has read is not read again" 2 \
		"$(grep -c '^read(0' "$TMP/calls")"
fi
for variable in LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH GLIBC_TUNABLES; do
	printf docker >"$TMP/in"
	got=$(env "$variable=$TMP/nothing.so" "$EARLY" ensure <"$TMP/in" \
		2>"$TMP/err")
	if [ -n "$has_look" ]; then
		is "$variable: no effect" "docker 1" \
			"$got $(wc -l <"$TMP/err")"
	else
		skip "$variable: no effect" "this build is not static"
	fi
done
finish
