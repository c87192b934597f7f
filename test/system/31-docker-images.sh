#!/bin/sh
# Images: shared by all for reading, removed and tagged by their own project
# alone.  Pulls come from a registry on the daemon's own loopback.
. "$(dirname "$0")/lib.sh"
need_docker
sweep_after
gateway_start one
one_cli

label_of() { # image: as the daemon itself has it
	direct image inspect -f "{{index .Config.Labels \"$LABEL\"}}" "$1"
}

id_of() { # image
	direct image inspect -f '{{.Id}}' "$1"
}

# ---- a registry --------------------------------------------------------------

registry_start() { # port, folder below TMP, htpasswd line or nothing
	mkdir -p "$TMP/$2"
	{
		echo "version: 0.1"
		echo "log: {level: error}"
		echo "storage: {filesystem: {rootdirectory: $TMP/store}}"
		echo "http: {addr: '127.0.0.1:$1'}"
		[ -z "$3" ] || echo "auth: {htpasswd: {realm: r, path:" \
			"$TMP/$2/htpasswd}}"
	} >"$TMP/$2/config.yml"
	echo "$3" >"$TMP/$2/htpasswd"
	in_daemon_net docker-registry serve "$TMP/$2/config.yml" \
		>"$TMP/$2/log" 2>&1 &
	if ! wait_until 10 registry_answers "$1"; then
		fail "the registry starts" "$(tail -3 "$TMP/$2/log")"
		finish
	fi
}

registry_answers() { # in a subshell: in_daemon_net becomes the command
	(in_daemon_net curl -s -o /dev/null "http://127.0.0.1:$1/v2/")
}

pulls() {
	port=$((20000 + $$ % 20000))
	registry=localhost:$port
	registry_start "$port" registry ""
	for tag in v1 v2; do
		direct tag busybox "$registry/$MARK/app:$tag"
		direct push -q "$registry/$MARK/app:$tag" >/dev/null
		direct rmi "$registry/$MARK/app:$tag" >/dev/null
	done
	for_each_docker_cli pull
	one_cli
	digest=$(digests)
	status_is "pull by digest" 0 gw one pull -q "$digest"
	status_is "pull of every tag" 0 \
		gw one pull -q -a "$registry/$MARK/app"
	is "both are there" "v1 v2 " "$(gw one image ls --format '{{.Tag}}' \
		"$registry/$MARK/app" | sort | tr '\n' ' ')"
	like "a tag that the registry does not have: the daemon's words" \
		'manifest unknown\|not found' \
		"$(gw one pull "$registry/$MARK/app:v3" 2>&1)"
	pull_anonymously $((port + 1))
	for tag in v1 v2; do
		direct rmi "$registry/$MARK/app:$tag" >/dev/null
	done
	digests | xargs -r "$DOCKER" -H "unix://$CG_DOCKER_SOCK" rmi >/dev/null
}

digests() { # by which the daemon knows what our registries have
	direct image inspect -f '{{range .RepoDigests}}{{println .}}{{end}}' \
		busybox | grep "/$MARK/"
}

pull() {
	direct rmi "$registry/$MARK/app:v1" >/dev/null 2>&1
	like "$CLI: pull" "$registry/$MARK/app:v1" \
		"$(gw one pull -q "$registry/$MARK/app:v1" 2>&1)"
	is "$CLI: inspect by name and tag" "$(id_of busybox)" "$(gw one \
		image inspect -f '{{.Id}}' "$registry/$MARK/app:v1")"
	is "$CLI: run pulls what is missing" "ran" "$(direct rmi \
		"$registry/$MARK/app:v1" >/dev/null
		gw one run --rm "$registry/$MARK/app:v1" echo ran 2>/dev/null)"
	is "$CLI: docker inspect finds a name with slashes" \
		"$(id_of busybox)" \
		"$(gw one inspect -f '{{.Id}}' "$registry/$MARK/app:v1")"
}

# The client's credentials stay behind: user u, password pw.
pull_anonymously() { # port
	registry_start "$1" locked \
		'u:$2b$05$abcdefghijklmnopqrstuuHIrMEWpUCQe2YqFR3sXwQ75u4od..9q'
	printf '{"auths":{"localhost:%s":{"auth":"%s"}}}\n' "$1" \
		"$(printf u:pw | base64)" >"$DOCKER_CONFIG/config.json"
	status_is "with credentials the daemon itself pulls" 0 \
		direct pull -q "localhost:$1/$MARK/app:v1"
	like "through the gateway a pull is anonymous" \
		'no basic auth credentials\|unauthorized' \
		"$(gw one pull "localhost:$1/$MARK/app:v2" 2>&1)"
	refused "docker login" registry-login \
		gw one login -u u -p pw "localhost:$1"
	refused "docker push" image-push \
		gw one push "localhost:$1/$MARK/app:v1"
	rm -f "$DOCKER_CONFIG/config.json"
}

# ---- reading -----------------------------------------------------------------

reading() {
	direct tag busybox "localhost/$MARK/read:v1"
	for ref in busybox busybox:latest "localhost/$MARK/read:v1" \
	    "$(id_of busybox)" "$(id_of busybox | cut -c8-20)"; do
		is "image inspect $ref" "$(id_of busybox)" \
			"$(gw one image inspect -f '{{.Id}}' "$ref")"
	done
	is "image ls shows those of others too" "v1" "$(gw one image ls \
		--format '{{.Tag}}' "localhost/$MARK/read")"
	like "history" "$(id_of busybox | cut -c8-19)" \
		"$(gw one history busybox)"
	like "save" '^manifest.json$' \
		"$(gw one save busybox | tar -tf - 2>&1)"
	like "save of two" "$MARK/read" "$(gw one save busybox \
		"localhost/$MARK/read:v1" | tar -xOf - manifest.json 2>&1)"
	missing=$(gw one inspect "$MARK-nothing" 2>&1)
	is "docker inspect of nothing, in docker's own words" \
		"$(direct inspect "$MARK-nothing" 2>&1)" "$missing"
	unlike "search reaches the daemon" 'container-gateway' \
		"$(LIMIT=20 gw one search nothing 2>&1)"
}

# ---- our own -----------------------------------------------------------------

commits() {
	gw one run --name "$MARK-c" busybox sh -c 'echo x >/made' >/dev/null
	two='LABEL also=yes
LABEL more=yes'
	gw one commit -a me -m why -c 'ENV A=b' -c 'CMD ["cat","/made"]' \
		-c "$two" "$MARK-c" "$MARK-own:v1" >/dev/null
	is "commit sets the project's label" "$(slug one)" \
		"$(label_of "$MARK-own:v1")"
	is "and every change, those behind a newline too" "me why yes yes" \
		"$(direct image inspect -f "{{.Author}} {{.Comment}} \
{{.Config.Labels.also}} {{.Config.Labels.more}}" "$MARK-own:v1")"
	is "what was committed runs" "x" "$(gw one run --rm "$MARK-own:v1")"
	refused "a change behind a newline does not set our label" \
		commit-change gw one commit -c "ENV A=b
LABEL $LABEL=other" "$MARK-c" "$MARK-own:bad"
	refused "nor one that goes on" commit-change gw one commit \
		-c "ENV A=b \\" "$MARK-c" "$MARK-own:bad"
	direct create --name "$MARK-f" -l "$LABEL=other" busybox true >/dev/null
	direct commit -c "LABEL $LABEL=other" "$MARK-f" "$MARK-foreign:v1" \
		>/dev/null
	direct rm "$MARK-f" >/dev/null
	gw one create --name "$MARK-i" "$MARK-foreign:v1" true >/dev/null
	is "an inherited label does not survive in a container" \
		"$(slug one)" "$(direct inspect -f \
		"{{index .Config.Labels \"$LABEL\"}}" "$MARK-i")"
	gw one commit "$MARK-i" "$MARK-own:v2" >/dev/null
	is "nor in its commit" "$(slug one)" "$(label_of "$MARK-own:v2")"
}

tags() {
	status_is "tag of an own image" 0 \
		gw one tag "$MARK-own:v1" "$MARK-own:again"
	gw one tag "$MARK-own:v2" "$MARK-own:again"
	is "an own tag moves" "$(id_of "$MARK-own:v2")" \
		"$(id_of "$MARK-own:again")"
	refused "an image of others is not tagged" image \
		gw one tag "$MARK-foreign:v1" "$MARK-own:stolen"
	is "nor is it made ours by that" "" \
		"$(direct image ls -q "$MARK-own:stolen")"
	busybox=$(id_of busybox) theirs=$(id_of "$MARK-foreign:v1")
	for tag in busybox "$MARK-foreign:v1" \
	    "docker.io/library/busybox:latest"; do
		refused "tag does not move $tag" tag \
			gw one tag "$MARK-own:v1" "$tag"
		refused "nor does commit" tag gw one commit "$MARK-c" "$tag"
		refused "nor does build" tag build -t "$tag"
	done
	refused "nor does a build with two" tag \
		build -t "$MARK-own:new" -t busybox
	is "they are where they were" "$busybox $theirs" \
		"$(id_of busybox) $(id_of "$MARK-foreign:v1")"
	like "the refusal says how to free a tag" 'docker rmi busybox:latest' \
		"$(gw one tag "$MARK-own:v1" busybox 2>&1)"
	refused "a tag that could be read as an id" image-name \
		gw one tag "$MARK-own:v1" "$(id_of busybox | cut -c8-19)"
}

build() {
	echo 'FROM busybox' | DOCKER_BUILDKIT=0 gw one build -q "$@" -
}

# Images are shared, so others may run ours: who does is not told.
rmi_in_use() {
	user=$(direct run -d --name "$MARK-user" "$MARK-own:v1" sleep 600)
	for flags in --no-prune -f; do
		refused "rmi $flags of an image in use" image-in-use \
			gw one rmi $flags "$(id_of "$MARK-own:v1")"
		unlike "names no container" "$(echo "$user" | cut -c1-12)" \
			"$(gw one rmi $flags "$(id_of "$MARK-own:v1")" 2>&1)"
	done
	direct rm -f "$MARK-user" >/dev/null
}

removals() {
	refused "rmi of others' images" image gw one rmi "$MARK-foreign:v1"
	refused "by id too, and with force" image \
		gw one rmi -f "$(echo "$theirs" | cut -c8-19)"
	status_is "rmi of an own tag" 0 gw one rmi "$MARK-own:again"
	like "rmi of nothing, in the daemon's words" 'No such image' \
		"$(gw one rmi "$MARK-nothing" 2>&1)"
	gw one rm "$MARK-c" "$MARK-i" >/dev/null
	rmi_in_use
	direct tag busybox "$MARK-unused"
	status_is "image prune -a" 0 gw one image prune -a -f
	is "removes ours" "" "$(direct image ls -q "$MARK-own")"
	is "and none of others" "$busybox $theirs" \
		"$(id_of "$MARK-unused") $(id_of "$MARK-foreign:v1")"
}

# ---- what is refused, and the way out ----------------------------------------

buildkit() {
	for name in moby/buildkit:buildx-stable-1 docker.io/moby/buildkit; do
		refused "pull of $name" buildkit gw one pull "$name"
	done
	refused "a container of buildx" buildkit gw one create \
		--name buildx_buildkit_default busybox true
	like "the refusal names the way out" 'DOCKER_BUILDKIT=0' \
		"$(gw one pull moby/buildkit:buildx-stable-1 2>&1)"
}

archives() {
	direct tag busybox "$MARK-saved:v1"
	direct save "$MARK-saved:v1" >"$TMP/saved.tar"
	direct rmi "$MARK-saved:v1" >/dev/null
	mkdir "$TMP/root"
	echo hello >"$TMP/root/file"
	tar -C "$TMP/root" -cf "$TMP/root.tar" .
	refused "load" image-import gw one load -q -i "$TMP/saved.tar"
	refused "import" image-import \
		gw one import "$TMP/root.tar" "$MARK-imported"
	refused "import of a URL" pull-source \
		gw one import http://127.0.0.1/x.tar "$MARK-imported"
	gateway_start loads --allow-image-load
	like "load, where it is allowed" "$MARK-saved:v1" \
		"$(gw loads load -q -i "$TMP/saved.tar" 2>&1)"
	like "import, where it is allowed" '^sha256:' "$(gw loads import \
		-c 'CMD ["/x"]' "$TMP/root.tar" "$MARK-imported:v1" 2>&1)"
	direct create --name "$MARK-imp" "$MARK-imported:v1" >/dev/null
	is "what was imported is whole" "hello" \
		"$(direct export "$MARK-imp" | tar -xOf - file)"
	refused "an import does not move others' tags" tag \
		gw loads import "$TMP/root.tar" busybox:latest
	refused "a URL stays refused" pull-source \
		gw loads import http://127.0.0.1/x.tar "$MARK-imported"
}

if ! command -v docker-registry >/dev/null; then
	skip "pulls" "no docker-registry on this machine"
elif ! (in_daemon_net true) 2>/dev/null; then
	skip "pulls" "the daemon's network namespace cannot be entered"
else
	pulls
fi
reading
commits
tags
removals
buildkit
archives
finish
