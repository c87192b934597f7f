# Shared by the tests of the egress proxy; read after lib.sh.  The script sets
#
#	bridge		the address at which containers reach the daemon's host
#	client		a function: the command, through the gateway of $1
#	past_gateway	a function: the command on the daemon itself
# shellcheck shell=sh disable=SC2034,SC2154

web=$((20000 + $$ % 20000))
late=$((web + 1)) here=$((web + 2))
local="localhost,127.0.0.1,::1"
mkdir "$TMP/ctx"

need_proxy() {
	command -v tinyproxy >/dev/null ||
		skip_all "no tinyproxy on this machine"
}

# ---- in the daemon's network --------------------------------------------------

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

# One that injects, one that requires what comes late, one that does neither.
gateways_start() {
	gateway_start must --egress require --egress-port $late
	gateway_start up --egress inject-if-available --egress-port $here
	gateway_start off --egress off --egress-port $here
}

probed() { # NAME: does it know by now that the proxy answers?
	gateway_log "$1" | grep -q 'event=egress '
}

# ---- what a container got -----------------------------------------------------

environment() { # [image] container
	past_gateway ${2:+"$1"} inspect \
		-f '{{range .Config.Env}}{{println .}}{{end}}' "${2:-$1}"
}

# Its proxy variables in the daemon's eyes, in alphabetical order.
variables() { # container
	environment "$1" | grep -i '^[a-z]*_proxy=' | LC_ALL=C sort
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

# It leads out: a container gets a page by it.
fetches() { # name, run-options ...
	fetch_name=$1
	shift
	is "$fetch_name" "page" "$(client up run --rm "$@" busybox \
		wget -qO- "http://$bridge:$web/page" 2>&1)"
}

injects() {
	client up create --name "$MARK-plain" busybox true >/dev/null
	is "each variable in both cases" "$(wanted $here "$local,$MARK-plain")" \
		"$(variables "$MARK-plain")"
	client up create --name "$MARK-given" -e A=1 \
		-e HTTP_PROXY=http://evil:1 -e https_proxy=http://evil:1 \
		-e B=2 -e NO_PROXY="svc, db,*,\
.example.com,example.com,10.1.0.0/16,8.8.8.8,192.168.0.1" \
		busybox true >/dev/null
	is "the client's are replaced, of NO_PROXY what cannot lead out stays" \
		"$(wanted $here \
			"$local,$MARK-given,svc,db,10.1.0.0/16,192.168.0.1")" \
		"$(variables "$MARK-given")"
	is "its other variables stay" "A=1 B=2" \
		"$(environment "$MARK-given" | grep '^[AB]=' | sort | xargs)"
	client up network create "$MARK-net" >/dev/null
	client up create --name "$MARK-alias" --network "$MARK-net" \
		--network-alias web --network-alias two busybox true >/dev/null
	is "the own name and aliases are not proxied" \
		"$(wanted $here "$local,$MARK-alias,web,two")" \
		"$(variables "$MARK-alias")"
	fetches "a container's request goes through the proxy"
	fetches "one on a network of its own too" --network "$MARK-net"
	like "the proxy saw it" "GET http://$bridge:$web/page" \
		"$(cat "$TMP/proxy-$here.log")"
	client up run -d --name "$MARK-x" busybox sleep 600 >/dev/null
	is "exec does not take them away" "http://$bridge:$here" \
		"$(client up exec -e http_proxy=http://evil:1 -e HTTP_PROXY= \
			"$MARK-x" sh -c 'echo $http_proxy')"
}

builds() {
	printf 'FROM busybox\nRUN %s >/p && wget -qO- %s >>/p\n' \
		'echo "$http_proxy $HTTPS_PROXY $NO_PROXY"' \
		"http://$bridge:$web/page" >"$TMP/ctx/Dockerfile"
	DOCKER_BUILDKIT=0 client up build -q -t "$MARK-b" \
		--build-arg HTTP_PROXY=http://evil:1 --build-arg no_proxy=svc \
		"$TMP/ctx" >/dev/null
	is "a step of a build gets them and no others, and a page by them" \
		"http://$bridge:$here http://$bridge:$here $local,svc page" \
		"$(past_gateway run --rm "$MARK-b" cat /p | xargs)"
	is "the image does not keep them" "" \
		"$(environment image "$MARK-b" | grep -i proxy)"
}

switched_off() {
	client off create --name "$MARK-off" -e HTTP_PROXY=http://mine:1 \
		busybox true >/dev/null
	is "off: the client's own are left alone" "HTTP_PROXY=http://mine:1" \
		"$(variables "$MARK-off")"
	unlike "off: the log has no word of it" 'event=egress' \
		"$(gateway_log off)"
}

# While the proxy does not answer, and when it does.
requires() {
	refused "require: a create is refused" egress \
		client must create busybox true
	echo 'FROM busybox' >"$TMP/ctx/Dockerfile"
	like "require: a build too" ': egress: ' \
		"$(DOCKER_BUILDKIT=0 client must build -q "$TMP/ctx" 2>&1)"
	status_is "require: what runs is served" 0 client must ps
}

required() {
	status_is "require is served then" 0 client must create \
		--name "$MARK-must" busybox true
	is "with the variables" "$(wanted $late "$local,$MARK-must")" \
		"$(variables "$MARK-must")"
}
