#!/bin/sh
# 2 GiB up and down through exec and attach, with flat memory in every process
# of the gateway, and a client that stops reading.
. "$(dirname "$0")/lib.sh"
need_docker
gateway_start one
SIZE=${CG_STREAM_BYTES:-2147483648}
ALLOWED_KB=4096

start_peak() {
	peak_start one
}

end_peak() { # what went on
	peak_end one "$1" "$ALLOWED_KB"
}

CLI=$(docker_clis | head -1)
DOCKER=$CLI
export LIMIT=300

gw one run -d --name "$MARK-big" busybox sleep 3600 >/dev/null
gw one exec "$MARK-big" true # what is allocated once is there now

start_peak
is "$SIZE bytes up through exec -i" "$SIZE" \
	"$(head -c "$SIZE" /dev/zero | gw one exec -i "$MARK-big" wc -c)"
end_peak "up"

start_peak
is "$SIZE bytes down through exec" "$SIZE" \
	"$(gw one exec "$MARK-big" head -c "$SIZE" /dev/zero | wc -c)"
end_peak "down"

start_peak
is "200 MB up through run -i" 200000000 \
	"$(head -c 200000000 /dev/zero | gw one run --rm -i busybox wc -c)"
end_peak "run -i"

# A reader that stands still holds up itself alone, and costs no memory.
start_peak
gw one exec "$MARK-big" head -c 200000000 /dev/zero | {
	sleep 3
	wc -c
} >"$TMP/slow" &
slow=$!
sleep 1
is "others are served meanwhile" "hi" "$(gw one exec "$MARK-big" echo hi)"
wait $slow
is "a slow reader gets everything" 200000000 "$(cat "$TMP/slow")"
end_peak "slow reader"

open_descriptors() {
	for pid in $(processes_of one); do
		find "/proc/$pid/fd" -mindepth 1 | wc -l
	done | awk '{ n += $1 } END { print n + 0 }'
}

no_more_than() { # descriptors
	[ "$(open_descriptors)" -le "$1" ]
}

# A client that vanishes: its connection to the daemon is gone within a second.
idle=$(open_descriptors)
timeout -s KILL 2 "$DOCKER" -H "unix://$(gateway_sock one)" logs -f \
	"$MARK-big" >/dev/null 2>&1
if wait_until 1 no_more_than "$idle"; then
	pass "a vanished client's descriptors are closed within a second"
else
	fail "a vanished client's descriptors are closed within a second" \
		"$idle before, $(open_descriptors) now"
fi
finish
