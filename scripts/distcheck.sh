#!/bin/sh
# Tries a release archive the way a packager would: read-only sources, another
# build folder, unit tests, a staged install, and nothing left behind.
#
#	distcheck.sh NAME MAKE
set -eu
name=$1 make=$2
archive=$(pwd)/$name.tar.gz

dir=$(mktemp -d)
cleanup() {
	chmod -R u+w "$dir"
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

tar -xzf "$archive" -C "$dir"
chmod -R a-w "$dir/$name"
mkdir "$dir/build" "$dir/root"
cd "$dir/build"
"../$name/configure" --quiet --prefix=/usr
$make -j2 all
$make check-unit check-links
$make install DESTDIR="$dir/root"

"$dir/root/usr/bin/container-gateway" --version
find "$dir/root" -type f | sed "s|^$dir/root||" | sort
$make uninstall DESTDIR="$dir/root"
left=$(find "$dir/root" -type f)
[ -z "$left" ] || {
	echo "distcheck: uninstall left: $left" >&2
	exit 1
}
$make distclean
left=$(find . -type f ! -name Makefile)
[ -z "$left" ] || {
	echo "distcheck: distclean left: $left" >&2
	exit 1
}
echo "$name.tar.gz is ready for distribution"
