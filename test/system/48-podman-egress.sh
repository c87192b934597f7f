#!/bin/sh
# The egress proxy with podman: a real one in the service's network, at the
# address that the gateway found there; the gateways run in that network, too.
# shellcheck disable=SC2034,SC2086,SC2154
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/podman.sh"
. "$(dirname "$0")/egress.sh"
need_daemon_net
need_proxy
sweep_after
# The gateway is to find no other backend; docker's clients come by podman.
CG_DOCKER_SOCK=
one_cli
service=$(peer_pid "$CG_PODMAN_SOCK")

client() { # NAME podman-arguments ...
	case $2 in
	build)
		client_name=$1
		shift 2
		pm_build "$client_name" "$@"
		;;
	*) pm "$@" ;;
	esac
}

past_gateway() {
	past "$@"
}

# Threads of the service that a container's network has kept: that of most of
# them is the service's own.  A process holds it, since threads end.
hold_network() {
	most=$(for task in /proc/"$service"/task/*; do
		readlink "$task/ns/net"
	done | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
	for task in /proc/"$service"/task/*; do
		[ "$(readlink "$task/ns/net")" = "$most" ] || continue
		nsenter --net="$task/ns/net" sleep 900 &
		NET_PID=$!
		break
	done
	sleep 0.2
	is "the service's network is entered" "$most" \
		"$(readlink "/proc/$NET_PID/ns/net")"
	gateway_behind nsenter -n -t "$NET_PID"
}

# The bridge is there as long as somebody is on it.
hold_bridge() {
	past run -d --name "$MARK-keep" busybox sleep 900 >/dev/null
	bridge=$(past network inspect podman |
		sed -n 's/.*"gateway": "\([0-9.]*\)".*/\1/p' | head -1)
}

pods() {
	pm up pod create --name "$MARK-pod" >/dev/null
	pm up create --pod "$MARK-pod" --name "$MARK-member" \
		-e http_proxy=http://evil:1 busybox true >/dev/null
	is "a member of a pod has them" "$(wanted $here "$local,$MARK-member")" \
		"$(variables "$MARK-member")"
	fetches "a page for a member of a pod" --pod "$MARK-pod"
	pm up pod rm -f -t 0 "$MARK-pod" >/dev/null 2>&1
}

# The same from docker's commands, on docker.sock.
docker_command() {
	if [ -z "$DOCKER" ]; then
		skip "docker's command" "there is none"
		return
	fi
	gw up create --name "$MARK-docker" -e HTTP_PROXY=http://evil:1 \
		localhost/busybox true >/dev/null
	is "docker create: the same variables" \
		"$(wanted $here "$local,$MARK-docker")" \
		"$(variables "$MARK-docker")"
	is "docker run: a page" "page" "$(gw up run --rm localhost/busybox \
		wget -qO- "http://$bridge:$web/page" 2>&1)"
}

# A second service on the same storage, with a proxy in its own environment:
# podman hands that to containers and builds, unless told not to.
second_service() {
	# shellcheck disable=SC2046
	nsenter -t "$service" -m -u -i "--net=/proc/$NET_PID/ns/net" env -i \
		$(tr '\0' ' ' <"/proc/$service/environ") \
		http_proxy=http://evil:1 HTTPS_PROXY=http://evil:1 \
		$(tr '\0' ' ' <"/proc/$service/cmdline" |
			sed "s|unix://[^ ]*|unix://$TMP/second.sock|") \
		>"$TMP/second.log" 2>&1 &
	wait_until 10 curl -s -o /dev/null --unix-socket "$TMP/second.sock" \
		http://d/_ping || fail "a second service starts" \
			"$(tail -3 "$TMP/second.log")"
}

own_proxy() {
	real=$CG_PODMAN_SOCK
	second_service
	CG_PODMAN_SOCK=$TMP/second.sock
	gateway_start second
	show='echo "got $http_proxy$HTTPS_PROXY"'
	printf 'FROM busybox\nRUN %s\n' "$show" >"$TMP/ctx/Dockerfile"
	is "the service's own proxy goes to a container, past the gateway" \
		"got http://evil:1http://evil:1" \
		"$(past run --rm busybox sh -c "$show" 2>&1)"
	# For a build the commands before 5 do not ask for it.
	! server_is_at_least 5.0.0 || like "and to a build" \
		"^got http://evil:1http://evil:1\$" \
		"$(past build --no-cache "$TMP/ctx" 2>&1)"
	is "httpproxy is false: not through the gateway" "got" \
		"$(pm second run --rm busybox sh -c "$show" 2>&1 | xargs)"
	like "nor to a build" '^got *$' \
		"$(pm_build second --no-cache "$TMP/ctx")"
	gateway_end "$TMP/run-second/gateway.pid"
	CG_PODMAN_SOCK=$real
}

hold_network
hold_bridge
proxy_start $here "$bridge"
web_start
gateways_start
requires
proxy_start $late "$bridge"
injects
pods
builds
docker_command
switched_off
own_proxy
if wait_until 40 probed must; then
	pass "the proxy is back: found within 40 seconds"
else
	fail "the proxy is back: found within 40 seconds" \
		"$(gateway_log must | grep egress)"
fi
required
finish
