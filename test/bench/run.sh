#!/bin/sh
# Speed, side by side in one run: the daemon's own socket, haproxy (HTTP mode,
# as many threads as the gateway has workers) and the gateway.  The daemon is
# the stub, which does nothing, fast; a real one beside it where there is one.
#
# The aims are compared and said; a figure that misses its aim makes the run
# fail only with CG_BENCH_STRICT=1, since a busy machine measures itself.
#
#	CG_BENCH_ROUNDS		3	rounds; the best of them counts
#	CG_BENCH_CONNECTIONS	10000	idle connections
set -u
here=$(cd "$(dirname "$0")" && pwd)
CG_SRC=${CG_SRC:-$(cd "$here/../.." && pwd)}
CG_BUILD=${CG_BUILD:-$CG_SRC/build}
tools=$CG_BUILD/test/bench
workers=2
rounds=${CG_BENCH_ROUNDS:-3}
many=${CG_BENCH_CONNECTIONS:-10000}
LIST=/v1.41/containers/json
missed=0
PATH=$PATH:/usr/sbin:/sbin
# Not in POSIX, but in every shell of a Linux system.
# shellcheck disable=SC3045
ulimit -n "$(ulimit -Hn)"

TMP=$(mktemp -d /tmp/cg-bench.XXXXXX) || exit 1
STUB=$TMP/stub.sock
GATEWAY=$TMP/run/docker.sock
RELAY=$TMP/haproxy.sock
mkdir "$TMP/project"

cleanup() {
	# shellcheck disable=SC2046
	kill $(jobs -p) 2>/dev/null
	gateway_stop
	rm -rf "$TMP"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

# ---- what is measured -------------------------------------------------------

gateway_start() { # daemon's socket
	"$CG_BUILD/container-gateway" --project "$TMP/project" \
		--run-dir "$TMP/run" --backend "docker=$1" --egress off \
		--workers $workers --log-level warn --daemon >"$TMP/start" 2>&1 || {
		cat "$TMP/start" >&2
		exit 1
	}
}

gateway_stop() {
	[ -s "$TMP/run/gateway.pid" ] || return 0
	pid=$(tr -dc 0-9 <"$TMP/run/gateway.pid")
	case $(readlink "/proc/$pid/exe") in
	"$CG_BUILD"/*) kill "$pid" 2>/dev/null ;;
	esac
	while [ -e "/proc/$pid" ]; do sleep 0.05; done
	rm -rf "$TMP/run"
}

relay_start() { # daemon's socket
	command -v haproxy >/dev/null || return 0
	sed -e "s|@DIR@|$TMP|; s|@SOCK@|$1|; s|@THREADS@|$workers|" \
		"$here/haproxy.cfg.in" >"$TMP/haproxy.cfg"
	haproxy -db -f "$TMP/haproxy.cfg" >"$TMP/haproxy.log" 2>&1 &
	relay=$!
	await_socket "$RELAY"
}

relay_stop() {
	[ -z "${relay:-}" ] || kill "$relay" 2>/dev/null
	relay=
	rm -f "$RELAY"
}

await_socket() {
	i=0
	until [ -S "$1" ]; do
		i=$((i + 1))
		[ $i -le 100 ] || {
			echo "bench: no $1" >&2
			exit 1
		}
		sleep 0.05
	done
}

figure() { # key: its value out of load's line
	sed -n "s/.*\<$1=\([0-9.]*\).*/\1/p"
}

# The best of the rounds: what disturbs only ever makes it worse.
best() { # min|max, key, load arguments ...
	order=$1 key=$2
	shift 2
	round=0
	while [ $round -lt "$rounds" ]; do
		timeout 120 "$tools/load" "$@" | figure "$key"
		round=$((round + 1))
	done | sort -n | case $order in
	min) head -1 ;;
	max) tail -1 ;;
	esac
}

pss_kb() { # pids
	for pid; do
		awk '$1 == "Pss:" { print $2 }' "/proc/$pid/smaps_rollup"
	done | awk '{ kb += $1 } END { print kb + 0 }'
}

gateway_pids() {
	master=$(tr -dc 0-9 <"$TMP/run/gateway.pid")
	echo "$master"
	for stat in /proc/[0-9]*/stat; do
		sed -n "s/^\([0-9]*\) (.*) . $master .*/\1/p" "$stat" 2>/dev/null
	done
}

# ---- what is said -----------------------------------------------------------

row() { # what, direct, haproxy, gateway, unit
	printf '%-36s %10s %10s %10s  %s\n' "$@"
}

aim() { # what, awk condition, text
	if awk "BEGIN { exit !($2) }"; then
		echo "  met: $1"
	else
		echo "  MISSED: $1"
		missed=$((missed + 1))
	fi
}

# ---- the runs ---------------------------------------------------------------

# Compares the three over one daemon: NAME, its socket, requests a round.
compare() {
	gateway_start "$2"
	relay_start "$2"
	d=$(best min p50_us -n "$3" "$2" $LIST)
	h=$([ -z "${relay:-}" ] || best min p50_us -n "$3" "$RELAY" $LIST)
	g=$(best min p50_us -n "$3" "$GATEWAY" $LIST)
	row "$1: list, 1 connection, p50" "$d" "${h:--}" "$g" us
	p50_direct=$d p50_relay=${h:-0} p50_gateway=$g
	d=$(best max rps -c 50 -n $(($3 * 5)) "$2" $LIST)
	h=$([ -z "${relay:-}" ] ||
		best max rps -c 50 -n $(($3 * 5)) "$RELAY" $LIST)
	g=$(best max rps -c 50 -n $(($3 * 5)) "$GATEWAY" $LIST)
	row "$1: list, 50 connections" "$d" "${h:--}" "$g" requests/s
	rps_relay=${h:-0} rps_gateway=$g
}

streams() {
	size=4000000000
	# The policy has no route for the stub's: the worker alone, everything
	# forwarded as it comes.
	"$tools/solo" "$CG_BUILD/worker" "$TMP/solo.sock" "$STUB" \
		>"$TMP/solo.log" 2>&1 &
	await_socket "$TMP/solo.sock"
	for way in "down:-d /bytes/$size" "down, chunked:-d /chunks/$size" \
	    "up:-u $size /x" "up, chunked:-u $size -k /x"; do
		flags=${way#*:} target=${way##* }
		flags=${flags% *}
		# shellcheck disable=SC2086
		d=$(best max mib_per_s $flags "$STUB" "$target")
		# shellcheck disable=SC2086
		h=$([ -z "${relay:-}" ] ||
			best max mib_per_s $flags "$RELAY" "$target")
		# shellcheck disable=SC2086
		g=$(best max mib_per_s $flags "$TMP/solo.sock" "$target")
		row "stream ${way%%:*}" "$d" "${h:--}" "$g" MiB/s
		[ "${way%%:*}" != down ] || down_relay=${h:-0} down_gateway=$g
	done
}

# From the call to its return, which is when it serves.
cold_start() {
	gateway_stop
	round=0
	while [ $round -lt 5 ]; do
		from=$(date +%s%N)
		gateway_start "$STUB"
		to=$(date +%s%N)
		echo $(((to - from) / 10000))
		gateway_stop
		round=$((round + 1))
	done | sort -n | head -1 | awk '{ printf "%.1f\n", $1 / 100 }'
}

connections() {
	# shellcheck disable=SC2046
	before=$(pss_kb $(gateway_pids))
	timeout 300 "$tools/load" -i "$many" -n 200000 "$GATEWAY" $LIST \
		>"$TMP/idle" &
	holder=$!
	# The connections are open once requests have begun to be answered.
	sleep 5
	# shellcheck disable=SC2046
	during=$(pss_kb $(gateway_pids))
	held=$(for pid in $(gateway_pids); do
		find "/proc/$pid/fd" -lname 'socket:*'
	done | wc -l)
	wait $holder
	p50_idle=$(figure p50_us <"$TMP/idle")
	cost=$(awk "BEGIN { print ($during - $before) * 1024 / $many }")
	row "memory a connection, of $many" - - "$cost" bytes
	row "list p50 beside them" - - "${p50_idle:--}" us
	echo "# sockets open in the gateway then: $held"
}

for tool in load stub solo; do
	[ -x "$tools/$tool" ] || {
		echo "bench: $tools/$tool is not built" >&2
		exit 1
	}
done
"$tools/stub" "$STUB" &
await_socket "$STUB"

echo "# $(uname -m), $(nproc) processors, best of $rounds rounds, $workers workers"
row "" direct haproxy gateway ""
compare stub "$STUB" 20000
stub_p50_relay=$p50_relay stub_p50_gateway=$p50_gateway
stub_rps_relay=$rps_relay stub_rps_gateway=$rps_gateway
streams
# shellcheck disable=SC2046
pss=$(pss_kb $(gateway_pids))
row "PSS of all processes" - - "$pss" kB
connections
relay_stop
start=$(cold_start)
row "cold start to serving" - - "$start" ms

if [ -z "${CG_DOCKER_SOCK:-}" ]; then
	eval "$(sh "$CG_SRC/test/engines/daemons.sh" env)"
fi
if [ -n "${CG_DOCKER_SOCK:-}" ]; then
	compare dockerd "$CG_DOCKER_SOCK" 2000
	real_direct=$p50_direct real_gateway=$p50_gateway
else
	echo "# no dockerd: make daemons-start brings one"
fi

echo "aims"
if command -v haproxy >/dev/null; then
	aim "list p50 not above haproxy's" \
		"$stub_p50_gateway <= $stub_p50_relay"
	aim "requests/s at 50 connections not below haproxy's" \
		"$stub_rps_gateway >= $stub_rps_relay"
	aim "streams at twice haproxy's rate" \
		"$down_gateway >= 2 * $down_relay"
else
	echo "  no haproxy: scripts/deps.sh extra"
fi
[ -z "${real_direct:-}" ] || aim "list p50 within twice dockerd's own" \
	"$real_gateway <= 2 * $real_direct"
aim "cold start within 30 ms" "$start <= 30"
aim "8 MiB (PSS) for all processes" "$pss <= 8192"
echo "the ensure hook"
CG_BUILD=$CG_BUILD sh "$here/ensure.sh" || missed=$((missed + 1))
[ $missed -eq 0 ] || [ -z "${CG_BENCH_STRICT:-}" ]
