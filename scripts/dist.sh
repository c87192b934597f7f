#!/bin/sh
# The release archive: what git knows of HEAD, plus the generated configure.
#
#	dist.sh SRCDIR NAME
set -eu
src=$1 name=$2
out=$(pwd)/$name.tar.gz

command -v autoconf >/dev/null || {
	echo "dist: autoconf is missing (sh scripts/deps.sh extra)" >&2
	exit 1
}
git -C "$src" rev-parse --git-dir >/dev/null 2>&1 || {
	echo "dist: works in a git checkout only" >&2
	exit 1
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

git -C "$src" archive --format=tar --prefix="$name/" HEAD |
	tar -xf - -C "$dir"
(cd "$dir/$name" && autoconf && rm -rf autom4te.cache)
# The same commit gives the same bytes.
stamp=$(git -C "$src" log -1 --format=%ct)
tar -C "$dir" --sort=name --owner=0 --group=0 --numeric-owner \
	--mtime="@$stamp" -cf - "$name" | gzip -9n >"$out"
echo "$name.tar.gz"
