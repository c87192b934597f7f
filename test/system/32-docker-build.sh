#!/bin/sh
# The classic builder through the gateway: what is labelled, what is refused
# by reading the Dockerfile as the context streams, and what BuildKit's users
# are told.
. "$(dirname "$0")/lib.sh"
need_docker
sweep_after
gateway_start one
one_cli
ctx=$TMP/ctx
mkdir "$ctx"

build() { # docker-arguments ...
	DOCKER_BUILDKIT=0 gw one build -q "$@" 2>&1
}

label_of() { # image: as the daemon itself has it
	direct image inspect -f "{{index .Config.Labels \"$LABEL\"}}" "$1"
}

# ---- what builds -------------------------------------------------------------

labels() {
	cat >"$ctx/Dockerfile" <<-END
	FROM busybox
	ARG WHO=nobody
	LABEL $LABEL=other mine=yes
	RUN echo "\$WHO" >/who
	COPY file sub/ /copied/
	CMD ["cat", "/who", "/copied/file"]
	END
	mkdir -p "$ctx/sub"
	echo text >"$ctx/file"
	like "$CLI: build -q prints the id" '^sha256:[0-9a-f]\{64\}$' \
		"$(build -t "$MARK-b:1" -t "$MARK-b:2" --build-arg WHO=me \
			--label asked=yes "$ctx")"
	is "$CLI: LABEL in the Dockerfile does not win over ours" \
		"$(slug one)" "$(label_of "$MARK-b:1")"
	is "$CLI: other labels stay, both tags are set" "yes yes" \
		"$(direct image inspect -f \
		'{{.Config.Labels.mine}} {{.Config.Labels.asked}}' "$MARK-b:2")"
	is "$CLI: arguments and files of the context are in it" "me text" \
		"$(gw one run --rm "$MARK-b:1" | xargs)"
	build -t "$MARK-b:3" --label "$LABEL=other" "$ctx" >/dev/null
	is "$CLI: nor does --label" "$(slug one)" "$(label_of "$MARK-b:3")"
	build -t "$MARK-b:1" "$ctx" >/dev/null
	is "$CLI: an own tag moves" "nobody text" \
		"$(gw one run --rm "$MARK-b:1" | xargs)"
	status_is "$CLI: rmi" 0 gw one rmi "$MARK-b:1" "$MARK-b:2" "$MARK-b:3"
}

dockerfiles() {
	echo secret >"$ctx/ignored"
	echo ignored >"$ctx/.dockerignore"
	mkdir -p "$ctx/deep/er" "$TMP/away"
	printf 'FROM busybox\nCOPY . /c\nCMD ["ls", "/c"]\n' \
		>"$ctx/deep/er/Dockerfile.dev"
	build -f "$ctx/deep/er/Dockerfile.dev" -t "$MARK-f" "$ctx" >/dev/null
	is ".dockerignore is obeyed, -f in a subfolder is found" \
		"Dockerfile deep file sub" \
		"$(gw one run --rm "$MARK-f" | xargs)"
	printf 'FROM busybox\nCMD ["echo", "from-away"]\n' >"$TMP/away/D"
	build -f "$TMP/away/D" -t "$MARK-f" "$ctx" >/dev/null
	is "-f outside of the context" "from-away" \
		"$(gw one run --rm "$MARK-f")"
	build -f - -t "$MARK-f" "$ctx" <"$TMP/away/D" >/dev/null
	is "-f from standard input" "from-away" "$(gw one run --rm "$MARK-f")"
	build -t "$MARK-f" - <"$ctx/deep/er/Dockerfile.dev" >/dev/null
	is "a Dockerfile as the whole context" "Dockerfile" \
		"$(gw one run --rm "$MARK-f" | xargs)"
	tar -C "$TMP/away" -cz D | build -f D -t "$MARK-z" - >/dev/null
	is "a gzip context" "from-away" "$(gw one run --rm "$MARK-z")"
	like "one that the gateway cannot read" ': build-context: ' \
		"$(tar -C "$TMP/away" -cj D | build -f D -)"
	ln -s deep/er/Dockerfile.dev "$ctx/Link"
	like "a Dockerfile that is a link inside the context" \
		'sha256:\|build-context' "$(build -f "$ctx/Link" "$ctx")"
	rm "$ctx/Link" "$ctx/.dockerignore"
}

stages() {
	direct tag busybox "$MARK-base:v1"
	cat >"$ctx/Dockerfile" <<-END
	ARG BASE=nothing
	FROM \$BASE AS one
	RUN echo one >/f
	FROM busybox AS two
	COPY --from=one /f /g
	COPY --from=$MARK-base:v1 /etc/passwd /p
	ADD file /h
	CMD ["cat", "/g", "/h"]
	FROM two AS three
	RUN false
	END
	build -t "$MARK-s" --target two --network none \
		--build-arg "BASE=$MARK-base:v1" "$ctx" >/dev/null
	is "stages, --target, images of others as bases" "one text" \
		"$(gw one run --rm "$MARK-s" | xargs)"
	status_is "a step that fails fails the build" 1 \
		build --build-arg "BASE=$MARK-base:v1" "$ctx"
	printf 'FROM busybox\nRUN echo early; sleep 2\n' \
		>"$TMP/away/Dockerfile"
	DOCKER_BUILDKIT=0 gw one build --no-cache "$TMP/away" 2>&1 |
		while read -r line; do
		case $line in
		early) date +%s%N ;;
		Successfully*) date +%s%N ;;
		esac
	done >"$TMP/times"
	if [ "$(sed -n 2p "$TMP/times")" -gt \
	    $(($(head -1 "$TMP/times") + 1000000000)) ]; then
		pass "what a step prints comes while it runs"
	else
		fail "what a step prints comes while it runs" \
			"$(cat "$TMP/times")"
	fi
}

# ---- what does not ------------------------------------------------------------

# A listener where the daemon would find it: nobody asks it for anything.
listener_start() {
	mkdir "$TMP/empty"
	port=$((20000 + $$ % 20000))
	in_daemon_net python3 -u -m http.server -d "$TMP/empty" \
		--bind 127.0.0.1 $port >"$TMP/hits" 2>&1 &
	wait_until 10 grep -q Serving "$TMP/hits"
}

no_url() { # name, Dockerfile text
	printf 'FROM busybox\n%s\n' "$2" >"$TMP/url/Dockerfile"
	out=$(build -t "$MARK-url" "$TMP/url")
	like "ADD of a URL: $1" 'container-gateway: build-context: ' "$out"
}

urls() {
	listener_start
	mkdir "$TMP/url"
	# A file that the archive has before the Dockerfile.
	head -c 3000000 /dev/zero >"$TMP/url/AAA"
	url=http://127.0.0.1:$port/x
	no_url "plain" "ADD $url /x"
	no_url "lower case, with a flag" "add --chown=1:1 $url /x"
	no_url "in JSON" "ADD [\"$url\", \"/x\"]"
	no_url "over two lines" "ADD \\
  $url /x"
	no_url "from an argument" "ARG U=$url
ADD \$U /x"
	no_url "from the environment" "ENV U=$url
ADD \${U} /x"
	no_url "put together" "ENV S=http
ADD \$S://127.0.0.1:$port/x /x"
	no_url "in ONBUILD" "ONBUILD ADD $url /x"
	no_url "with another escape" "LABEL a=b
ADD /f $url /x/"
	printf 'FROM busybox\nARG U\nADD $U /x\n' >"$TMP/url/Dockerfile"
	like "ADD of a URL: given by --build-arg" ': build-context: ' \
		"$(build --build-arg "U=$url" "$TMP/url")"
	printf 'FROM busybox\nADD %s /x\n' "$url" >"$TMP/url/Other"
	like "ADD of a URL: in the file of -f" ': build-context: ' \
		"$(build -f "$TMP/url/Other" "$TMP/url")"
	is "none of them was fetched" "" "$(grep GET "$TMP/hits")"
	is "nor was anything built" "" "$(direct image ls -q "$MARK-url")"
	printf 'FROM busybox\nRUN wget -qO- %s || :\nLABEL u=%s\n' "$url" \
		"$url" >"$TMP/url/Dockerfile"
	like "a URL in RUN and LABEL is nobody's business" '^sha256:' \
		"$(build "$TMP/url")"
}

refuse_build() { # reason, docker-arguments ...
	rb_reason=$1
	shift
	like "refused: build $*" "container-gateway: $rb_reason: " \
		"$(build "$@" "$TMP/away")"
}

options() {
	printf 'FROM busybox\n' >"$TMP/away/Dockerfile"
	gw one run -d --name "$MARK-peer" busybox sleep 600 >/dev/null
	refuse_build build-option --network host
	refuse_build build-option --network "container:$MARK-peer"
	refuse_build build-option --ulimit nofile=10
	refuse_build build-option --cgroup-parent /x
	refuse_build build-option --security-opt seccomp=unconfined
	refuse_build build-option --add-host a:127.0.0.1
	answers "refused: remote=" 403 ': build-option: ' one POST \
		"/build?remote=http%3A%2F%2F127.0.0.1%3A$port%2Fx"
	answers "refused: a Dockerfile outside of the context" 403 \
		': build-context: ' one POST "/build?dockerfile=..%2Fx"
	is "no image came of it" "" "$(grep GET "$TMP/hits")"
}

# Where steps and containers run: not where the kernel shows the host.
work_directories() {
	printf 'FROM busybox\nWORKDIR /proc/self\nRUN id\n' \
		>"$TMP/away/Dockerfile"
	refuse_build build-context -t "$MARK-w"
	DOCKER_BUILDKIT=0 direct build -q -t "$MARK-w" "$TMP/away" >/dev/null
	refused "refused: run of an image that works below /proc" workdir \
		gw one run --rm "$MARK-w" pwd
	is "with a directory of its own it runs" "/" \
		"$(gw one run --rm -w / "$MARK-w" pwd)"
	direct rmi "$MARK-w" >/dev/null
	printf 'FROM busybox\n' >"$TMP/away/Dockerfile"
}

# ---- a big context -------------------------------------------------------------

big_context() {
	mkdir "$TMP/big"
	printf 'FROM busybox\nCOPY small /\n' >"$TMP/big/Dockerfile"
	truncate -s 1G "$TMP/big/huge"
	echo small >"$TMP/big/small"
	build "$TMP/away" >/dev/null # what is allocated once is there now
	peak_start one
	like "a context of 1 GiB" '^sha256:' "$(LIMIT=300 build "$TMP/big")"
	peak_end one "1 GiB of context" 4096
	rm "$TMP/big/huge"
}

# ---- BuildKit -------------------------------------------------------------------

buildkit() {
	for path in /session /grpc; do
		answers "$path is refused at once" 403 'DOCKER_BUILDKIT=0' \
			one POST $path -H 'Connection: Upgrade' \
			-H 'Upgrade: h2c'
	done
	answers "so is version=2" 403 ': buildkit: ' one POST '/build?version=2'
	# This one holds a BuildKit client of its own.  It asks for a session
	# and for a build at once, and prints whose refusal comes first: of the
	# session's no more than the status.
	case $CLI in
	20.10.*)
		like "$CLI: DOCKER_BUILDKIT=1 fails at once" \
			'received 403\|DOCKER_BUILDKIT=0' \
			"$(DOCKER_BUILDKIT=1 gw one build "$TMP/away" 2>&1)"
		like "and the log says why" 'path=[^ ]*/session.*=buildkit' \
			"$(gateway_log one)"
		;;
	esac
	buildx
}

# The plugin, wherever it is: buildx does not print the refusal of /grpc and
# goes on to a container of its own, whose image is refused.
buildx() {
	for dir in /usr/libexec/docker /usr/lib/docker /usr/local/lib/docker \
	    "${HOME:-/root}/.docker" \
	    "$(sh "$CG_SRC/test/engines/trixie.sh" tree)/usr/libexec/docker"; do
		plugin=$dir/cli-plugins/docker-buildx
		[ ! -x "$plugin" ] || break
	done
	if ! [ -x "$plugin" ]; then
		skip "buildx" "no plugin on this machine"
		return
	fi
	mkdir -p "$DOCKER_CONFIG/cli-plugins"
	cp "$plugin" "$DOCKER_CONFIG/cli-plugins/"
	for_each_docker_cli buildx_build
	rm -r "$DOCKER_CONFIG/cli-plugins"
}

buildx_build() {
	"$DOCKER" buildx version >/dev/null 2>&1 || return 0
	for words in "build" "buildx build"; do
		case $CLI-$words in
		20.10.*-build) continue ;; # does not call the plugin
		esac
		# shellcheck disable=SC2086
		out=$(DOCKER_BUILDKIT=1 gw one $words "$TMP/away" 2>&1)
		like "$CLI: $words with buildx says what to do" \
			'DOCKER_BUILDKIT=0' "$out"
	done
	is "$CLI: no container of buildx was made" "" \
		"$(direct ps -aq --filter name=buildx_buildkit)"
}

for_each_docker_cli labels
one_cli
dockerfiles
stages
if (in_daemon_net true) 2>/dev/null; then
	urls
	options
else
	skip "ADD of a URL" "the daemon's network namespace cannot be entered"
fi
work_directories
big_context
buildkit
finish
