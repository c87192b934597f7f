#!/bin/sh
# Events, system df and prunes: a project's own objects, and images whole.
. "$(dirname "$0")/lib.sh"
need_docker
sweep_after
gateway_start one
gateway_start two
one_cli

# One stopped container, unused network, volume and image each, by the means
# of the function named (gw one, direct ...); its names end in the word given.
make_unused() { # word, command ...
	word=$1
	shift
	"$@" run --name "$MARK-c-$word" --label "who=$word" busybox \
		sh -c 'echo >/x' >/dev/null
	"$@" network create --label "who=$word" "$MARK-n-$word" >/dev/null
	"$@" volume create --label "who=$word" "$MARK-v-$word" >/dev/null
	"$@" commit -c "LABEL who=$word" "$MARK-c-$word" \
		"$MARK-i-$word" >/dev/null
}

# Which of them are there, for the daemon.
left_of() { # word
	echo "$(direct ps -aq --filter "name=$MARK-c-$1" | wc -l)" \
		"$(direct network ls -q --filter "name=$MARK-n-$1" | wc -l)" \
		"$(direct volume ls -q --filter "name=$MARK-v-$1" | wc -l)" \
		"$(direct image ls -q "$MARK-i-$1" | wc -l)"
}

foreign_stay() { # after what
	is "$1: nothing of another project's is gone" "1 1 1 1" \
		"$(left_of two)"
	is "$1: nothing of nobody's is gone" "1 1 1 1" "$(left_of none)"
}

# ---- events ------------------------------------------------------------------

events() {
	for name in one two; do
		gw $name events --format \
			'{{.Type}} {{.Action}} {{.Actor.Attributes.name}}' \
			>"$TMP/events-$name" 2>&1 &
	done
	sleep 1
	started=$(date +%s)
	gw one create --name "$MARK-e" busybox true >/dev/null
	if wait_until 1 grep -q "container create $MARK-e" \
	    "$TMP/events-one"; then
		pass "an event comes while it is new"
	else
		fail "an event comes while it is new" \
			"$(cat "$TMP/events-one")"
	fi
	gw two create --name "$MARK-e2" busybox true >/dev/null
	direct create --name "$MARK-e3" busybox true >/dev/null
	for name in "one $MARK-e" "two $MARK-e2"; do
		gw "${name% *}" start "${name#* }" >/dev/null
		gw "${name% *}" rm -f "${name#* }" >/dev/null
	done
	direct rm "$MARK-e3" >/dev/null
	wait_until 5 grep -q "destroy $MARK-e2" "$TMP/events-two"
	is "one sees its own events" "create start die destroy" \
		"$(awk '$1 == "container" && $2 != "attach" { print $2 }' \
			"$TMP/events-one" | xargs)"
	is "and no others" "" "$(grep "$MARK-e[23]" "$TMP/events-one")"
	is "two sees its own, and no others" "$MARK-e2" \
		"$(awk '{ print $3 }' "$TMP/events-two" | sort -u)"
	until=$(($(date +%s) + 1))
	is "past events are narrowed too" "create destroy die start" \
		"$(gw one events --since "$started" --until "$until" \
			--filter type=container --format '{{.Action}}' |
			sort -u | xargs)"
	is "a filter by another's label shows nothing" "" \
		"$(gw one events --since "$started" --until "$until" \
			--filter "label=$LABEL=$(slug two)")"
	is "nor one by name" "" "$(gw one events --since "$started" \
		--until "$until" --filter "container=$MARK-e2")"
	refused "a negated label is refused" filter gw one events \
		--since "$started" --until "$until" --filter 'label!=x=y'
}

# ---- df ----------------------------------------------------------------------

disk_use() {
	df=$(gw one system df -v 2>&1)
	for name in c-one v-one i-one i-two i-none; do
		like "system df shows $name" "$MARK-$name" "$df"
	done
	for name in c-two v-two c-none v-none; do
		unlike "and not $name" "$MARK-$name" "$df"
	done
	status_is "system df without -v" 0 gw one system df
}

# ---- prunes ------------------------------------------------------------------

single_prunes() {
	for kind in container network volume; do
		gw one $kind prune -f --filter label=who=nobody >/dev/null
	done
	gw one image prune -a -f --filter label=who=nobody >/dev/null
	is "a filter that nothing fits leaves all" "1 1 1 1" "$(left_of one)"
	for kind in container network volume; do
		gw one $kind prune -f --filter 'label!=who=one' >/dev/null
	done
	gw one image prune -a -f --filter 'label!=who=one' >/dev/null
	is "so does a negated one" "1 1 1 1" "$(left_of one)"
	foreign_stay "with filters"
	gw one container prune -f --filter label=who=one >/dev/null
	is "container prune" "0 1 1 1" "$(left_of one)"
	gw one network prune -f --filter until=1s >/dev/null
	is "network prune" "0 0 1 1" "$(left_of one)"
	gw one volume prune -f >/dev/null
	is "volume prune" "0 0 0 1" "$(left_of one)"
	gw one image prune -f >/dev/null
	is "image prune leaves what has a tag" "0 0 0 1" "$(left_of one)"
	gw one image prune -a -f >/dev/null
	is "image prune -a does not" "0 0 0 0" "$(left_of one)"
	foreign_stay "each prune"
}

system_prune() {
	make_unused one gw one
	like "$CLI: system prune -a --volumes" 'Total reclaimed space' \
		"$(gw one system prune -a --volumes -f 2>&1)"
	is "$CLI: removes all of ours" "0 0 0 0" "$(left_of one)"
	foreign_stay "$CLI: system prune"
	like "$CLI: builder prune removes nothing" \
		'^Total.*0B' "$(gw one builder prune -af 2>&1)"
}

make_unused two gw two
make_unused none direct
events
make_unused one gw one
disk_use
single_prunes
for_each_docker_cli system_prune
finish
