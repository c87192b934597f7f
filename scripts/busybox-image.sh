#!/bin/sh
# Writes a small root file system out of the host's static busybox: an image
# for a machine that has no registry.
#
#	busybox-image.sh FILE.tar
set -eu
out=${1:?usage: busybox-image.sh FILE.tar}

busybox=
for candidate in /bin/busybox /usr/bin/busybox "$(command -v busybox || :)"; do
	[ -x "$candidate" ] || continue
	# A dynamic one would not start in an image that holds nothing else.
	head -c 4096 "$candidate" | grep -q 'ld-linux\|ld-musl' && continue
	busybox=$candidate
	break
done
if [ -z "$busybox" ]; then
	echo "busybox-image.sh: no static busybox: install busybox-static" >&2
	exit 1
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$dir"

mkdir -p "$dir/bin" "$dir/etc" "$dir/root" "$dir/tmp" "$dir/var"
chmod 1777 "$dir/tmp"
cp "$busybox" "$dir/bin/busybox"
chmod 755 "$dir/bin/busybox"
for applet in $("$busybox" --list); do
	[ "$applet" = busybox ] || ln -s busybox "$dir/bin/$applet"
done
echo 'root:x:0:0:root:/root:/bin/sh
nobody:x:65534:65534:nobody:/:/bin/false' >"$dir/etc/passwd"
echo 'root:x:0:
nogroup:x:65534:' >"$dir/etc/group"

tar -C "$dir" --owner=0 --group=0 --numeric-owner -cf "$out" .
