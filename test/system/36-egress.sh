#!/bin/sh
# The egress proxy: a real one in the daemon's network, at the address that
# containers reach; the gateways run in that network, too.
# shellcheck disable=SC2086,SC2154
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/egress.sh"
need_docker
need_daemon_net
need_proxy
sweep_after
one_cli
gateway_behind nsenter -n -t "$(daemon_pid)"
client() {
	gw "$@"
}
past_gateway() {
	direct "$@"
}
bridge=$(direct network inspect bridge \
	-f '{{(index .IPAM.Config 0).Gateway}}')
loop=$((web + 3)) gone=$((web + 4))

# ---- while it does not answer --------------------------------------------------------

count_of() { # project, event
	gateway_log "$1" | grep -c "event=$2 "
}

without() {
	gw later create --name "$MARK-without" busybox true >/dev/null
	is "inject-if-available: a create passes without" "" \
		"$(variables "$MARK-without")"
	is "one warning says where no proxy answers" "1" \
		"$(gateway_log later | grep 'event=egress-down ' |
			grep -c "$bridge:$late")"
	requires
	like "a proxy on loopback alone is told, with the address to bind" \
		"bind it to $bridge" \
		"$(gateway_log loop | grep 'event=egress-loopback ')"
	gw loop create --name "$MARK-loop" busybox true >/dev/null
	is "it is not injected" "" "$(variables "$MARK-loop")"
}

# An answer older than 30 seconds is renewed, whether anybody asks or not.
renewed() {
	if wait_until 40 is_renewed; then
		pass "what changed is found within 40 seconds"
	else
		fail "what changed is found within 40 seconds" \
			"$(gateway_log later | grep egress)" \
			"$(gateway_log gone | grep egress)"
	fi
	gw later create --name "$MARK-later" busybox true >/dev/null
	is "a proxy that came later is injected" \
		"$(wanted $late "$local,$MARK-later")" \
		"$(variables "$MARK-later")"
	required
	gw gone create --name "$MARK-gone" busybox true >/dev/null
	is "one that went away is not" "" "$(variables "$MARK-gone")"
	is "nothing was told twice" "1 1 1 1" "$(count_of later egress-down) \
$(count_of gone egress-down) $(count_of loop egress-loopback) \
$(count_of up egress)"
}

is_renewed() {
	probed later && probed must &&
		gateway_log gone | grep -q 'event=egress-down '
}

proxy_start $here "$bridge"
proxy_start $loop 127.0.0.1
proxy_start $gone "$bridge"
web_start
gateway_start later --egress inject-if-available --egress-port $late
gateways_start
gateway_start loop --egress inject-if-available --egress-port $loop
gateway_start gone --egress inject-if-available --egress-port $gone
kill $proxy_pid
without
proxy_start $late "$bridge"
injects
builds
switched_off
renewed
finish
