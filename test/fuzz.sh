#!/bin/sh
# Runs the fuzz targets; what a run finds interesting stays in the build
# folder, what crashes is kept beside it and named.
#
#	fuzz.sh SECONDS PROGRAM ...	each for so long, from its corpus
#	fuzz.sh replay PROGRAM ...	each over its corpus, once
set -u
src=${CG_SRC:-$(cd "$(dirname "$0")/.." && pwd)}
seconds=$1
shift
failed=0

for program; do
	name=$(basename "$program" | sed 's/^fuzz_//; s/^replay_//')
	corpus=$src/test/fuzz/corpus/$name
	dict=$src/test/fuzz/$name.dict
	if [ "$seconds" = replay ]; then
		"$program" "$corpus" || failed=$((failed + 1))
		continue
	fi
	found=$(dirname "$program")/found-$name
	mkdir -p "$found"
	echo "== $name: $seconds s"
	# shellcheck disable=SC2046
	"$program" -max_total_time="$seconds" -print_final_stats=1 \
		-artifact_prefix="$found-crash-" -timeout=10 -rss_limit_mb=1024 \
		$([ -e "$dict" ] && echo "-dict=$dict") "$found" \
		$([ -d "$corpus" ] && echo "$corpus") >"$found.log" 2>&1 || {
		failed=$((failed + 1))
		tail -40 "$found.log"
	}
	grep -E 'number_of_executed_units|average_exec|new_units' "$found.log"
done
[ $# -gt 0 ] || echo "no fuzz targets"
[ $failed -eq 0 ]
