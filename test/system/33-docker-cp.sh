#!/bin/sh
# docker cp in both directions: archives of files, directories and links pass,
# whole and with flat memory; what else a tar can hold is refused.
. "$(dirname "$0")/lib.sh"
need_docker
gateway_start one
one_cli
tree=$TMP/tree
mkdir -p "$tree/dir/empty"
echo text >"$tree/dir/file"
ln -s file "$tree/dir/link"
ln -s /etc/passwd "$tree/dir/abs"
ln "$tree/dir/file" "$tree/dir/hard"
chmod 4750 "$tree/dir/file"

# A tar of one file and one entry of the type named.
tar_with() { # name, type: CHRTYPE and so on
	python3 -c '
import io, sys, tarfile
out = tarfile.open(fileobj=sys.stdout.buffer, mode="w|")
first = tarfile.TarInfo("before")
first.size = 5
out.addfile(first, io.BytesIO(b"text\n"))
entry = tarfile.TarInfo(sys.argv[1])
entry.type = getattr(tarfile, sys.argv[2])
entry.linkname = "before"
entry.devmajor, entry.devminor = 1, 5
out.addfile(entry)
out.close()' "$1" "$2"
}

# ---- in and out --------------------------------------------------------------

listing() { # folder: what is in it, by tar, without times and owners
	tar -C "$1" -cf - . | tar -tvf - | awk '{ print $1, $6, $7, $8 }' |
		sort -k 2
}

copies() {
	state=$1
	status_is "$CLI: into a $state container: a folder" 0 \
		gw one cp "$tree/dir" "$MARK-c:/$state"
	rm -rf "$TMP/back"
	status_is "$CLI: out of it: a folder" 0 \
		gw one cp "$MARK-c:/$state" "$TMP/back"
	is "$CLI: it comes back as it was: modes, links, empty folders" \
		"$(listing "$tree/dir")" "$(listing "$TMP/back")"
	echo other >"$TMP/one"
	status_is "$CLI: a file under another name" 0 \
		gw one cp "$TMP/one" "$MARK-c:/$state/two"
	is "$CLI: a file to standard output is a tar" "other" \
		"$(gw one cp "$MARK-c:/$state/two" - | tar -xOf - two)"
	tar -C "$tree" -cf - dir | gw one cp - "$MARK-c:/tmp"
	is "$CLI: a tar from standard input" "text" \
		"$(gw one cp "$MARK-c:/tmp/dir/file" - | tar -xOf -)"
	status_is "$CLI: the contents of a folder" 0 \
		gw one cp "$tree/dir/." "$MARK-c:/tmp"
	status_is "$CLI: out through a link, followed" 0 \
		gw one cp -L "$MARK-c:/tmp/link" "$TMP/followed"
	is "$CLI: that is what it leads to" "text" "$(cat "$TMP/followed")"
	rm -f "$TMP/unfollowed"
	gw one cp "$MARK-c:/tmp/link" "$TMP/unfollowed" >/dev/null
	is "$CLI: a link stays one otherwise" "file" \
		"$(readlink "$TMP/unfollowed")"
}

both_states() {
	gw one create --name "$MARK-c" busybox sleep 600 >/dev/null
	copies stopped
	gw one start "$MARK-c" >/dev/null
	copies running
	is "$CLI: an owner is kept with -a" "65534" "$(chown 65534 "$TMP/one"
		gw one cp -a "$TMP/one" "$MARK-c:/tmp/nobody" >/dev/null
		gw one exec "$MARK-c" stat -c %u /tmp/nobody)"
	gw one rm -f "$MARK-c" >/dev/null
}

# ---- the daemon's own words ---------------------------------------------------

# What docker says of the same act past the gateway; it writes nothing.
same_words() { # docker-arguments ...
	is "the daemon's words: cp $*" \
		"$(direct cp "$@" 2>&1 >/dev/null)" \
		"$(gw one cp "$@" 2>&1 >/dev/null)"
}

words() {
	gw one run -d --name "$MARK-w" busybox sleep 600 >/dev/null
	same_words "$MARK-w:/not-there" "$TMP/x"
	same_words "$TMP/one" "$MARK-w:/not/there/x"
	same_words "$TMP/one" "$MARK-w:/etc/"
	same_words "$tree/dir" "$MARK-w:/etc/passwd"
	same_words "$MARK-nothing:/etc/passwd" "$TMP/x"
	is "the state of a path is passed on unchanged" \
		"$(curl -sI --unix-socket "$CG_DOCKER_SOCK" \
			"http://d/v1.41/containers/$MARK-w/archive?path=/bin/sh" |
			grep -i '^x-docker-container-path-stat')" \
		"$(curl -sI --unix-socket "$(gateway_sock one)" \
			"http://d/v1.41/containers/$MARK-w/archive?path=/bin/sh" |
			grep -i '^x-docker-container-path-stat')"
}

# ---- what is refused ------------------------------------------------------------

refusals() {
	for type in CHRTYPE BLKTYPE FIFOTYPE CONTTYPE; do
		tar_with made $type >"$TMP/$type.tar"
		like "an archive with a $type is refused" \
			'container-gateway: archive: ' "$(gw one cp - \
			"$MARK-w:/tmp" <"$TMP/$type.tar" 2>&1)"
	done
	status_is "nothing of them is there" 1 \
		gw one exec "$MARK-w" test -e /tmp/made
	tar_with hard LNKTYPE | gw one cp - "$MARK-w:/tmp" &&
		tar_with soft SYMTYPE | gw one cp - "$MARK-w:/tmp"
	is "links pass" "text text" \
		"$(gw one exec "$MARK-w" cat /tmp/hard /tmp/soft | xargs)"
	tar_with late CHRTYPE >"$TMP/tail"
	{
		head -c 20000000 /dev/zero >"$TMP/zeros"
		tar -C "$TMP" -cf - zeros | head -c 20000768
		cat "$TMP/tail"
	} >"$TMP/late.tar"
	like "a device node behind 20 MB of something else too" \
		': archive: ' \
		"$(gw one cp - "$MARK-w:/tmp" <"$TMP/late.tar" 2>&1)"
	status_is "it is not there" 1 gw one exec "$MARK-w" test -e /tmp/late
	gzip -kf "$TMP/CHRTYPE.tar"
	tar_with fine SYMTYPE | gzip >"$TMP/fine.tar.gz"
	for file in CHRTYPE.tar.gz fine.tar.gz; do
		answers "a compressed archive is refused: $file" 403 \
			': archive: ' one PUT \
			"/containers/$MARK-w/archive?path=/tmp" \
			-H 'Content-Type: application/x-tar' \
			--data-binary "@$TMP/$file"
	done
	answers "what is no archive at all too" 403 ': archive: ' one PUT \
		"/containers/$MARK-w/archive?path=/tmp" \
		-H 'Content-Type: application/x-tar' --data-binary "@$0"
	for path in /proc/1/cwd /sys/kernel /dev/x /tmp/../proc/1; do
		refused "out of $path" workdir gw one cp "$MARK-w:$path" -
	done
	refused "into /proc" workdir gw one cp "$TMP/one" "$MARK-w:/proc/x"
}

foreign() {
	direct run -d --name "$MARK-f" busybox sleep 600 >/dev/null
	for act in "$MARK-f:/etc/passwd $TMP/x" "$TMP/one $MARK-f:/tmp/x"; do
		# shellcheck disable=SC2086
		like "a foreign container is none: cp $act" \
			"No such container:path\|No such container" \
			"$(gw one cp $act 2>&1)"
	done
	answers "a foreign container's path is the 404" 404 \
		"No such container: $MARK-f" one GET \
		"/containers/$MARK-f/archive?path=/"
	status_is "nothing was written there" 1 \
		direct exec "$MARK-f" test -e /tmp/x
}

big_file() {
	truncate -s 400M "$TMP/big"
	echo end >>"$TMP/big"
	want=$(sha256sum <"$TMP/big")
	peak_start one
	status_is "400 MB in" 0 gw one cp "$TMP/big" "$MARK-w:/tmp/big"
	is "arrive whole" "$want" \
		"$(gw one exec "$MARK-w" sh -c 'sha256sum </tmp/big')"
	is "and come back so" "$want" \
		"$(gw one cp "$MARK-w:/tmp/big" - | tar -xOf - | sha256sum)"
	peak_end one "400 MB in and out" 4096
}

for_each_docker_cli both_states
one_cli
words
refusals
foreign
big_file
finish
