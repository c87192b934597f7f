#!/bin/sh
# Lines and branches that the unit suites reach, one line a file, from gcov
# itself.  A test that ends by a signal on purpose leaves no counts.
set -u
cd "$CG_BUILD" || exit 1
gcov=gcov
case ${CC:-cc} in *clang*) gcov='llvm-cov gcov' ;; esac

find . -name '*.gcda' -exec rm -f {} +
./unit >unit.log 2>&1 || {
	tail -20 unit.log
	echo "coverage: the unit suites fail"
	exit 1
}
for dir in common master worker policyd policyd/rules embedded hookctl; do
	for data in "obj/$dir"/*.gcda; do
		[ -e "$data" ] || continue
		# -n: figures only.  File, Lines, Branches, Taken, Calls.
		$gcov -n -b "$data" 2>/dev/null | awk -v src="$CG_SRC/" '
			/^File/ { file = $2; gsub(/\x27/, "", file) }
			/^Lines executed/ { split($2, l, ":"); lines = l[2] " " $4 }
			/^Taken at least|^No branches/ {
				split($4, b, ":")
				sub(src, "", file); sub(/^\.\//, "", file)
				if (file ~ /\.c$/ && file !~ /^\//)
					print lines, (b[2] == "" ? "-" : b[2]), file
			}'
	done
done | sort -k4 -u | awk '
	BEGIN { printf "%8s %6s %9s  %s\n", "lines", "of", "branches", "file" }
	{
		printf "%8s %6d %9s  %s\n", $1, $2, $3, $4
		split($4, part, "/")
		sub(/%/, "", $1)
		hit[part[1]] += $1 * $2 / 100
		all[part[1]] += $2
	}
	END {
		print ""
		for (p in all)
			printf "%7.1f%% %6d            %s/\n",
			    100 * hit[p] / all[p], all[p], p
	}'
tail -1 unit.log
