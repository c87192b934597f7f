#!/bin/sh
# The egress proxy: a real one in the daemon's network, at the address that
# containers reach; the gateways run in that network, too.
. "$(dirname "$0")/lib.sh"
need_docker
need_daemon_net
command -v tinyproxy >/dev/null || skip_all "no tinyproxy on this machine"
sweep_after
one_cli
gateway_behind nsenter -n -t "$(daemon_pid)"
bridge=$(direct network inspect bridge \
	-f '{{(index .IPAM.Config 0).Gateway}}')
web=$((20000 + $$ % 20000))
late=$((web + 1)) here=$((web + 2)) loop=$((web + 3)) gone=$((web + 4))

# ---- proxies -------------------------------------------------------------------

proxy_start() { # port, address
	printf '%s\n' "Port $1" "Listen $2" "Timeout 10" \
		"LogFile \"$TMP/proxy-$1.log\"" "LogLevel Connect" \
		"PidFile \"$TMP/proxy-$1.pid\"" >"$TMP/proxy-$1.conf"
	in_daemon_net tinyproxy -d -c "$TMP/proxy-$1.conf" >/dev/null 2>&1 &
	proxy_pid=$!
	wait_until 10 proxy_answers "$1" "$2" || {
		fail "the proxy starts" "$(tail -3 "$TMP/proxy-$1.log" 2>&1)"
		finish
	}
}

proxy_answers() {
	(in_daemon_net curl -s -o /dev/null "http://$2:$1/")
}

web_start() {
	mkdir "$TMP/www"
	echo page >"$TMP/www/page"
	in_daemon_net python3 -m http.server -d "$TMP/www" --bind "$bridge" \
		$web >/dev/null 2>&1 &
}

# ---- what a container got ---------------------------------------------------------

# Its proxy variables in the daemon's eyes, in alphabetical order.
variables() { # container
	direct inspect -f '{{range .Config.Env}}{{println .}}{{end}}' "$1" |
		grep -i '^[a-z]*_proxy=' | LC_ALL=C sort
}

wanted() { # port, NO_PROXY's value
	for name in HTTPS_PROXY HTTP_PROXY NO_PROXY http_proxy https_proxy \
	    no_proxy; do
		case $name in
		NO_PROXY | no_proxy) echo "$name=$2" ;;
		*) echo "$name=http://$bridge:$1" ;;
		esac
	done
}

local="localhost,127.0.0.1,::1"

injects() {
	gw up create --name "$MARK-plain" busybox true >/dev/null
	is "each variable in both cases" "$(wanted $here "$local,$MARK-plain")" \
		"$(variables "$MARK-plain")"
	gw up create --name "$MARK-given" -e A=1 -e HTTP_PROXY=http://evil:1 \
		-e https_proxy=http://evil:1 -e B=2 -e NO_PROXY="svc, db,*,\
.example.com,example.com,10.1.0.0/16,8.8.8.8,192.168.0.1" \
		busybox true >/dev/null
	is "the client's are replaced, of NO_PROXY what cannot lead out stays" \
		"$(wanted $here \
			"$local,$MARK-given,svc,db,10.1.0.0/16,192.168.0.1")" \
		"$(variables "$MARK-given")"
	is "its other variables stay" "A=1 B=2" "$(direct inspect \
		-f '{{range .Config.Env}}{{println .}}{{end}}' "$MARK-given" |
		grep '^[AB]=' | sort | xargs)"
	gw up network create "$MARK-net" >/dev/null
	gw up create --name "$MARK-alias" --network "$MARK-net" \
		--network-alias web --network-alias two busybox true >/dev/null
	is "the own name and aliases are not proxied" \
		"$(wanted $here "$local,$MARK-alias,web,two")" \
		"$(variables "$MARK-alias")"
	is "a container's request goes through the proxy" "page" \
		"$(gw up run --rm busybox wget -qO- "http://$bridge:$web/page")"
	like "the proxy saw it" "GET http://$bridge:$web/page" \
		"$(cat "$TMP/proxy-$here.log")"
	gw up run -d --name "$MARK-x" busybox sleep 600 >/dev/null
	is "exec does not take them away" "http://$bridge:$here" \
		"$(gw up exec -e http_proxy=http://evil:1 -e HTTP_PROXY= \
			"$MARK-x" sh -c 'echo $http_proxy')"
}

builds() {
	printf 'FROM busybox\nRUN echo "$http_proxy $HTTPS_PROXY $NO_PROXY" >/p\n' \
		>"$TMP/ctx/Dockerfile"
	DOCKER_BUILDKIT=0 gw up build -q -t "$MARK-b" \
		--build-arg HTTP_PROXY=http://evil:1 --build-arg no_proxy=svc \
		"$TMP/ctx" >/dev/null
	is "a build gets them as arguments, and no others" \
		"http://$bridge:$here http://$bridge:$here $local,svc" \
		"$(direct run --rm "$MARK-b" cat /p)"
	is "the image does not keep them" "" "$(direct image inspect \
		-f '{{range .Config.Env}}{{println .}}{{end}}' "$MARK-b" |
		grep -i proxy)"
}

switched_off() {
	gw off create --name "$MARK-off" -e HTTP_PROXY=http://mine:1 busybox \
		true >/dev/null
	is "off: the client's own are left alone" "HTTP_PROXY=http://mine:1" \
		"$(variables "$MARK-off")"
	unlike "off: the log has no word of it" 'event=egress' \
		"$(gateway_log off)"
}

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
	refused "require: a create is refused" egress \
		gw must create busybox true
	echo 'FROM busybox' >"$TMP/ctx/Dockerfile"
	like "require: a build too" ': egress: ' \
		"$(DOCKER_BUILDKIT=0 gw must build -q "$TMP/ctx" 2>&1)"
	status_is "require: what runs is served" 0 gw must ps
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
	status_is "require is served then" 0 gw must create \
		--name "$MARK-must" busybox true
	is "with the variables" "$(wanted $late "$local,$MARK-must")" \
		"$(variables "$MARK-must")"
	gw gone create --name "$MARK-gone" busybox true >/dev/null
	is "one that went away is not" "" "$(variables "$MARK-gone")"
	is "nothing was told twice" "1 1 1 1" "$(count_of later egress-down) \
$(count_of gone egress-down) $(count_of loop egress-loopback) \
$(count_of up egress)"
}

is_renewed() {
	gateway_log later | grep -q 'event=egress ' &&
		gateway_log must | grep -q 'event=egress ' &&
		gateway_log gone | grep -q 'event=egress-down '
}

mkdir "$TMP/ctx"
proxy_start $here "$bridge"
proxy_start $loop 127.0.0.1
proxy_start $gone "$bridge"
web_start
gateway_start later --egress inject-if-available --egress-port $late
gateway_start must --egress require --egress-port $late
gateway_start up --egress inject-if-available --egress-port $here
gateway_start off --egress off --egress-port $here
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
