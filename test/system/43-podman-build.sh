#!/bin/sh
# podman build: what an ordinary Dockerfile needs works, and what one can reach
# the host with is refused, by reading the context before the build starts.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/podman.sh"
sweep_after
gateway_start one
ctx=$TMP/ctx
mkdir "$ctx"

build() {
	pm_build one -q "$@"
}

label_of() { # image: as the service itself has it
	past image inspect -f "{{index .Labels \"$LABEL\"}}" "$1"
}

# ---- what builds -------------------------------------------------------------

ordinary() {
	cat >"$ctx/Dockerfile" <<-END
	# A comment, and more than one stage.
	ARG BASE=busybox
	FROM \$BASE AS made
	ARG WHO=nobody
	RUN echo "\$WHO" >/who && \\
	    mkdir /out
	COPY file sub/ /out/
	FROM made AS skipped
	RUN false
	FROM busybox
	LABEL $LABEL=other mine=yes
	ENV GREETING=hello
	COPY --from=made /who /out/ /result/
	WORKDIR /result
	RUN <<EOF
	echo heredoc-\$GREETING >/result/heredoc
	EOF
	CMD ["sh", "-c", "cat who file heredoc inner"]
	END
	# Heredocs are of 4.9 and later.
	server_is_at_least 4.9.0 || sed -i -e '/<<EOF/,/^EOF/c\
RUN echo heredoc-$GREETING >/result/heredoc' "$ctx/Dockerfile"
	mkdir -p "$ctx/sub"
	echo text >"$ctx/file"
	echo inner >"$ctx/sub/inner"
	like "a build with stages prints the id" '^[0-9a-f]\{64\}$' \
		"$(build -t "localhost/$MARK-b:1" --build-arg WHO=me "$ctx" |
			tail -1)"
	is "COPY --from, ARG and RUN did what they say" \
		"me text heredoc-hello inner" \
		"$(pm one run --rm "localhost/$MARK-b:1" | xargs)"
	is "LABEL in the Dockerfile does not win over ours" "$(slug one)" \
		"$(label_of "localhost/$MARK-b:1")"
	is "other labels stay" "yes" "$(past image inspect \
		-f '{{.Labels.mine}}' "localhost/$MARK-b:1")"
	build -t "localhost/$MARK-b:2" --label "$LABEL=other" "$ctx" >/dev/null
	is "nor does --label" "$(slug one)" "$(label_of "localhost/$MARK-b:2")"
	build --target made -t "localhost/$MARK-b:3" "$ctx" >/dev/null
	is "--target" "nobody" \
		"$(pm one run --rm "localhost/$MARK-b:3" cat /who)"
	mkdir -p "$ctx/deep"
	printf 'FROM busybox\nCOPY . /c\nCMD ["ls", "/c"]\n' >"$ctx/deep/D.dev"
	echo ignored >"$ctx/.dockerignore"
	echo x >"$ctx/ignored"
	build -f deep/D.dev -t "localhost/$MARK-b:4" "$ctx" >/dev/null
	is ".dockerignore is obeyed, -f in a subfolder is found" \
		"Dockerfile deep file sub" \
		"$(pm one run --rm "localhost/$MARK-b:4" | xargs)"
	rm "$ctx/.dockerignore" "$ctx/ignored"
	printf 'FROM busybox\nRUN --mount=type=tmpfs,target=/t touch /t/x\n' \
		>"$ctx/deep/D.tmpfs"
	like "RUN --mount=type=tmpfs" '^[0-9a-f]\{64\}$' \
		"$(build -f deep/D.tmpfs "$ctx" | tail -1)"
	printf 'FROM busybox\nRUN false\n' >"$ctx/deep/D.false"
	status_is "a step that fails fails the build" 1 \
		pm one build -f deep/D.false "$ctx"
	refused "a tag of others is not moved" tag \
		pm one build -t busybox -f deep/D.dev "$ctx"
}

# What a step sees of interfaces, against what the service itself sees.
own_network() {
	printf 'FROM busybox\nRUN readlink /proc/self/ns/net\n' \
		>"$ctx/Dockerfile"
	host=$(for ns in /proc/"$(peer_pid \
	    "$CG_PODMAN_SOCK")"/task/*/ns/net; do
		readlink "$ns"
	done | sort -u)
	for options in '' '--network default' '--network none'; do
		# shellcheck disable=SC2086
		pm_build one --no-cache $options "$ctx" >"$TMP/net.log"
		ns=$(sed -n 's/^\(net:\[[0-9]*\]\)$/\1/p' "$TMP/net.log")
		like "build $options: a step has a network namespace" \
			'^net:\[[0-9]*\]$' "$ns"
		unlike "build $options: it is not the service's" \
			"$(printf '%s\n' "$host" | sed 's/[][]/\\&/g' |
				paste -sd'|' | sed 's/|/\\|/g')" "$ns"
	done
	refused "build --network host" build-option \
		pm one build --network host "$ctx"
	for path in /proc/1/ns/net "$MARK-other"; do
		like "a network of a path or of somebody: $path" \
			': build-option: ' "$(tar_of "$ctx" | post_build \
			"&nsoptions=%5B%7B%22Name%22%3A%22network%22%2C%22Path%22%3A%22$path%22%7D%5D")"
	done
}

# ---- what does not ------------------------------------------------------------

no_dockerfile() { # name, Dockerfile text, podman-arguments ...
	is_first_engine || return 0
	nd_name=$1
	printf '%b' "$2" >"$TMP/bad/Dockerfile"
	shift 2
	refused "refused: $nd_name" build-context \
		pm one build "$@" "$TMP/bad"
}

dockerfiles() {
	mkdir "$TMP/bad"
	echo x >"$TMP/bad/file"
	for transport in docker-archive:/etc/passwd oci-archive:/x dir:/etc \
	    oci:/etc containers-storage:busybox docker-daemon:busybox:latest; do
		no_dockerfile "FROM $transport" "FROM $transport\n"
	done
	no_dockerfile "from in lower case" "from dir:/etc\n"
	no_dockerfile "FROM by ARG" 'ARG B=dir:/etc\nFROM $B\n'
	no_dockerfile "FROM by --build-arg" \
		'ARG B=busybox\nFROM $B\n' --build-arg B=dir:/etc
	no_dockerfile "FROM over two lines" 'FROM \\\ndir:/etc\n'
	no_dockerfile "FROM with another escape" \
		'# escape=`\nFROM `\ndir:/etc\n'
	no_dockerfile "COPY --from=dir:" \
		'FROM busybox\nCOPY --from=dir:/etc /x /x\n'
	for mount in type=bind,source=/,target=/m type=cache,target=/c \
	    type=secret,id=x type=ssh type=bind,from=busybox,target=/m \
	    target=/m; do
		no_dockerfile "RUN --mount=$mount" \
			"FROM busybox\nRUN --mount=$mount true\n"
	done
	no_dockerfile "RUN --mount over two lines" \
		'FROM busybox\nRUN \\\n  --mount=type=cache,target=/c true\n'
	no_dockerfile "RUN --network=host" \
		'FROM busybox\nRUN --network=host true\n'
	no_dockerfile "RUN --security=insecure" \
		'FROM busybox\nRUN --security=insecure true\n'
	no_dockerfile "RUN --device" \
		'FROM busybox\nRUN --device=/dev/null true\n'
	no_dockerfile "ONBUILD RUN --mount" \
		'FROM busybox\nONBUILD RUN --mount=type=cache,target=/c true\n'
	no_dockerfile "ADD of a URL" \
		'FROM busybox\nADD http://127.0.0.1:1/x /x\n'
	no_dockerfile "ADD of a URL by ENV" \
		'FROM busybox\nENV U=http://127.0.0.1:1/x\nADD $U /x\n'
	no_dockerfile "ADD of a repository" \
		'FROM busybox\nADD git@github.com:a/b.git /x\n'
	printf 'FROM busybox\n' >"$TMP/bad/Dockerfile"
	cp "$TMP/bad/Dockerfile" "$TMP/bad/D.in"
	refused "refused: a Dockerfile that is preprocessed" build-context \
		pm one build -f D.in "$TMP/bad"
	ln -s /etc/passwd "$TMP/bad/Link"
	refused "refused: a Dockerfile that is a link" build-context \
		pm one build -f Link "$TMP/bad"
	rm "$TMP/bad/Link"
	printf 'FROM dir:/etc\n' >"$TMP/bad/Second"
	refused "refused: the second of two Dockerfiles" build-context \
		pm one build -f Dockerfile -f Second "$TMP/bad"
}

options() {
	printf 'FROM busybox\n' >"$TMP/bad/Dockerfile"
	echo s >"$TMP/secret"
	while read -r option; do
		# shellcheck disable=SC2086
		refused "refused: build $option" build-option \
			pm one build $option "$TMP/bad"
	done <<-END
	--cap-add SYS_ADMIN
	--device /dev/null
	--security-opt seccomp=unconfined
	--security-opt label=disable
	--security-opt apparmor=unconfined
	--ulimit nofile=10:10
	--cgroup-parent /x
	--add-host a:127.0.0.1
	--isolation chroot
	--pid host
	--ipc host
	--uts host
	--userns-uid-map 0:0:1
	--secret id=s,src=$TMP/secret
	--build-context x=/etc
	--manifest $MARK-m
	END
}

# podman hands an image's annotations to the OCI runtime.
annotations() {
	refused "refused: build --annotation" annotation pm one build \
		--annotation run.oci.keep_original_groups=1 "$TMP/bad"
	for annotation in run.oci.keep_original_groups=1 \
	    org.systemd.property.TasksMax=7 org.opencontainers.image.title=x; do
		image=localhost/$MARK-n:${annotation%%=*}
		past build -q -t "$image" --annotation "$annotation" \
			"$TMP/bad" >/dev/null
		is "an image has the annotation ${annotation%%=*}" \
			"${annotation#*=}" "$(past image inspect -f \
			"{{index .Annotations \"${annotation%%=*}\"}}" "$image")"
		case $annotation in
		org.opencontainers.*)
			is "a container of an image with a title" ran \
				"$(pm one run --rm "$image" echo ran)"
			is "the same by docker's API" 201 "$(compat_create \
				"$image" | tail -1)"
			continue ;;
		esac
		refused "refused: run of an image with $annotation" annotation \
			pm one run --rm "$image" true
		refused "refused: the same by id" annotation pm one run --rm \
			"$(past image inspect -f '{{.Id}}' "$image")" true
		like "refused: the same by docker's API" \
			'container-gateway: annotation: ' \
			"$(compat_create "$image")"
	done
}

compat_create() { # image
	curl -s -m 30 -w '\n%{http_code}' --unix-socket \
		"$(gateway_sock one podman)" -H 'Content-Type: application/json' \
		-d "{\"Image\":\"$1\",\"Cmd\":[\"true\"]}" \
		http://d/v1.41/containers/create
}

# ---- raw contexts ---------------------------------------------------------------

tar_of() { # folder: no compression, no pax heads
	tar -C "$1" --format=ustar -cf - .
}

post_build() { # further parameters: a context on standard input
	curl -s -m 60 -w '\n%{http_code}' \
		--unix-socket "$(gateway_sock one podman)" -X POST \
		-H 'Content-Type: application/x-tar' --data-binary @- \
		"http://d/v4.0.0/libpod/build?q=1&t=localhost/$MARK-raw${1:-}"
}

contexts() {
	printf 'FROM busybox\nRUN echo built-now >/now\n' \
		>"$TMP/bad/Dockerfile"
	like "a plain tar builds" '^200$' \
		"$(tar_of "$TMP/bad" | post_build)"
	like "a gzip tar builds" '^200$' \
		"$(tar_of "$TMP/bad" | gzip | post_build)"
	for pack in bzip2 xz zstd; do
		command -v $pack >/dev/null || continue
		like "a context of $pack is refused" ': build-context: ' \
			"$(tar_of "$TMP/bad" | $pack | post_build)"
	done
	like "two gzip members" ': build-context: ' "$({
		tar_of "$TMP/bad" | gzip
		tar_of "$TMP/bad" | gzip
	} | post_build)"
	mkdir "$TMP/evil"
	printf 'FROM dir:/etc\n' >"$TMP/evil/Dockerfile"
	# The last of two entries with one name is what the service reads.
	tar -C "$TMP/bad" --format=ustar -cf "$TMP/twice.tar" Dockerfile
	tar -C "$TMP/evil" --format=ustar -rf "$TMP/twice.tar" Dockerfile
	like "the last of two Dockerfiles counts" ': build-context: ' \
		"$(post_build <"$TMP/twice.tar")"
	truncate -s 1M "$TMP/evil/sparse"
	printf 'FROM busybox\n' >"$TMP/evil/Dockerfile"
	like "a sparse file" ': build-context: ' "$(tar -C "$TMP/evil" \
		--format=gnu -S -cf - Dockerfile sparse | post_build)"
	like "bytes after the end" ': build-context: ' "$({
		tar_of "$TMP/bad"
		tar_of "$TMP/evil"
	} | post_build)"
	! is_first_engine || expands
}

expands() {
	head -c 300000000 /dev/zero >"$TMP/evil/sparse"
	like "a context that expands without bound" ': too-large: ' \
		"$(tar_of "$TMP/evil" | gzip -9 | post_build)"
	rm "$TMP/evil/sparse"
}

# The service sees a context's end only after it was found good: a build whose
# last byte is held has not begun.
held_byte() {
	tar_of "$TMP/bad" >"$TMP/held.tar"
	for sock in "$(gateway_sock one podman)" "$CG_PODMAN_SOCK"; do
		timeout 30 python3 - "$sock" "$TMP/held.tar" "$MARK-held" \
			"$TMP/held.$(basename "$(dirname "$sock")")" <<-'END'
		import socket, sys, time
		path, tar, name, out = sys.argv[1:]
		body = open(tar, "rb").read()
		s = socket.socket(socket.AF_UNIX)
		s.connect(path)
		s.sendall(("POST /v4.0.0/libpod/build?q=1&nocache=1&t=localhost/%s"
		    " HTTP/1.1\r\nHost: d\r\nContent-Type: application/x-tar\r\n"
		    "Content-Length: %d\r\n\r\n" % (name, len(body))).encode())
		s.sendall(body[:-1])
		s.settimeout(3)
		try:
		    early = s.recv(4096)
		except TimeoutError:
		    early = b""
		s.settimeout(25)
		s.sendall(body[-1:])
		late = s.recv(4096)
		print("early" if early else "held",
		    late.split(b"\r\n")[0].decode())
		END
	done >"$TMP/held"
	is "a build whose last byte is missing does not begin" \
		"held HTTP/1.1 200 OK" "$(head -1 "$TMP/held")"
	is "nor does it on the service itself" "held HTTP/1.1 200 OK" \
		"$(sed -n 2p "$TMP/held")"
}

ordinary
own_network
dockerfiles
options
annotations
refused_images=$(past images -q --filter "reference=localhost/$MARK-raw")
is "no refused build has made an image" "" "$refused_images"
contexts
held_byte
finish
