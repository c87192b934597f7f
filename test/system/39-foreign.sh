#!/bin/sh
# Nothing of others in any answer: every GET that a rule allows is asked, with
# an object of each kind of another project and of nobody there; and every act
# on such an object is answered as if it did not exist.
. "$(dirname "$0")/lib.sh"
need_docker
command -v python3 >/dev/null || skip_all "no python3"
[ -z "${CG_DIRECT:-}" ] || skip_all "the daemon itself shows everything"
sweep_after
gateway_start mine
gateway_start theirs
one_cli

# One of each kind, alive: command ... is docker with what it is to be asked
# through.
make() { # word, command ...
	word=$1
	shift
	"$@" network create "$MARK-$word-n" >/dev/null
	"$@" volume create "$MARK-$word-v" >/dev/null
	"$@" run -d --name "$MARK-$word-c" --network "$MARK-$word-n" \
		-v "$MARK-$word-v:/v" --label "of=$word" -p 80 busybox \
		sh -c "touch /made; echo $word; exec sleep 600" >/dev/null
	"$@" network connect bridge "$MARK-$word-c"
	"$@" exec -d "$MARK-$word-c" sleep 600
	"$@" commit "$MARK-$word-c" "$MARK-$word-i" >/dev/null
	"$@" create --name "$MARK-$word-d" busybox true >/dev/null
	"$@" rm "$MARK-$word-d" >/dev/null
}

since=$(date +%s)
make mine gw mine
make theirs gw theirs
make nobodys direct

SINCE=$since UNTIL=$(($(date +%s) + 1))
SOCK=$(gateway_sock mine) POLICYD=$CG_BUILD/policyd
THEIR_SLUG=$(slug theirs)
export MARK LABEL SINCE UNTIL SOCK POLICYD THEIR_SLUG CG_DOCKER_SOCK
# shellcheck disable=SC2154 # here is lib.sh's
results_of python3 "$here/foreign.py"
for word in theirs nobodys; do
	is "what is $word is whole" "true 2 $MARK-$word-v" "$(direct inspect \
		-f '{{.State.Running}} {{len .NetworkSettings.Networks}} {{(index .Mounts 0).Name}}' \
		"$MARK-$word-c")"
done
finish
