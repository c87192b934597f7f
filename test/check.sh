#!/bin/sh
# make check: every part in turn, all of them whatever fails, and at the end
# what each came to.  The very last line is that of the unit runner.
set -u
here=$(dirname "$0")
failed=
mkdir -p "$CG_BUILD"
unit_log=$CG_BUILD/unit.log
system_log=$CG_BUILD/system.log

part() { # name, log or -, command ...
	name=$1 log=$2
	shift 2
	echo "== $name"
	began=$(date +%s)
	if [ "$log" = - ]; then
		"$@" || failed="$failed $name"
	else
		# tee would hide the status; a file beside the log keeps it.
		{
			"$@" 2>&1
			echo $? >"$log.status"
		} | tee "$log"
		[ "$(cat "$log.status")" = 0 ] || failed="$failed $name"
		rm -f "$log.status"
	fi
	echo "# $name: $(($(date +%s) - began)) s"
}

part unit "$unit_log" "$CG_BUILD/unit"
set -- "$CG_BUILD"/replay_*
[ ! -e "$1" ] || part corpus - sh "$here/fuzz.sh" replay "$@"
for check in links man bans size reports; do
	part "$check" - sh "$here/static.sh" "$check"
done
part system "$system_log" sh "$here/system/run.sh"

echo "== sum"
echo "system tests: $(grep '^[0-9]* passed, ' "$system_log" | tail -1)"
[ -z "$failed" ] || echo "failed:$failed"
grep -E '^[0-9]+%: Checks: ' "$unit_log" | tail -1
[ -z "$failed" ]
