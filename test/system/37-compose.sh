#!/bin/sh
# docker-compose v1, unmodified: networks, volumes, binds, health checks, ports
# and builds; and two projects side by side with the same file.
. "$(dirname "$0")/lib.sh"
need_docker
command -v docker-compose >/dev/null ||
	skip_all "no docker-compose on this machine"
docker-compose version --short 2>/dev/null | grep -q '^1\.' ||
	skip_all "docker-compose is not version 1"
sweep_after
gateway_start one
gateway_start two
one_cli

# The names that compose makes begin with the folder's, which is our mark.
compose() { # project, arguments ...: what it says of its progress is left out
	co_name=$1
	shift
	(cd "$(project "$co_name")" && DOCKER_HOST=unix://$(gateway_sock \
		"$co_name") timeout -k 1 120 docker-compose --no-ansi "$@" \
		2>"$TMP/compose.err")
}

works() { # name, project, arguments ...
	wo_name=$1
	shift
	if wo_out=$(compose "$@" </dev/null); then
		pass "$wo_name"
	else
		fail "$wo_name" "$wo_out" "$(tail -5 "$TMP/compose.err")"
	fi
}

write_files() { # project
	dir=$(project "$1")
	mkdir -p "$dir/web" "$dir/src"
	echo "source of $1" >"$dir/src/file"
	echo "built for $1" >"$dir/web/page"
	cat >"$dir/web/Dockerfile" <<-END
	FROM busybox
	ARG COLOUR=none
	COPY page /page
	RUN echo "\$COLOUR" >/colour
	CMD ["httpd", "-f", "-p", "80", "-h", "/"]
	END
	cat >"$dir/docker-compose.yml" <<-END
	version: "2.4"
	services:
	  db:
	    image: busybox
	    command: sh -c 'sleep 1; echo ready >/data/ready; exec sleep 600'
	    stop_grace_period: 0s
	    restart: unless-stopped
	    healthcheck:
	      test: ["CMD", "test", "-e", "/data/ready"]
	      interval: 1s
	      retries: 60
	    volumes: ["data:/data", "/scratch"]
	    networks: {back: {aliases: [database]}}
	  web:
	    build: {context: ./web, args: {COLOUR: red}}
	    stop_grace_period: 0s
	    depends_on: {db: {condition: service_healthy}}
	    volumes: ["./src:/src:ro", "./made:/made"]
	    volumes_from: ["db:ro"]
	    environment: {WHO: $1}
	    ports: ["80"]
	    networks: [back, default]
	  odd:
	    image: busybox
	    scale: 0
	    command: sleep 600
	    stop_grace_period: 0s
	networks: {back: {}}
	volumes: {data: {}}
	END
}

names() { # project, kind, docker-arguments ...: in the daemon's eyes
	na_label="label=$LABEL=$(slug "$1")"
	shift
	direct "$@" --filter "$na_label" | sed "s/^$MARK-[a-z]*_//" | sort |
		xargs
}

up() {
	works "up -d, with a build" one up -d
	is "its containers" "db_1 web_1" \
		"$(names one ps -a --format '{{.Names}}')"
	is "its networks" "back default" \
		"$(names one network ls --format '{{.Name}}')"
	is "every volume has the project's label" "2" "$(direct volume ls -q \
		--filter "label=$LABEL=$(slug one)" | grep -c .)"
	is "web waited for db's health" "healthy" "$(direct inspect \
		-f '{{.State.Health.Status}}' "$MARK-one_db_1")"
	is "the port is published on loopback" "127.0.0.1" "$(direct inspect \
		-f '{{(index .NetworkSettings.Ports "80/tcp" 0).HostIp}}' \
		"$MARK-one_web_1")"
	like "ps" "_web_1 .*Up.*127.0.0.1:[0-9]*->80/tcp" "$(compose one ps)"
	is "port" "127.0.0.1" "$(compose one port web 80 | cut -d: -f1)"
	is "the missing bind source was made by the gateway's user" \
		"$(id -u)" "$(stat -c %u "$(project one)/made")"
}

use() {
	is "exec -T: binds, volumes_from, environment, build, aliases" \
		"source of one ready one red built for one" \
		"$(compose one exec -T web sh -c 'cat /src/file /data/ready
			echo $WHO; cat /colour; wget -qO- http://web/page
			ping -c 1 -w 2 database >/dev/null || echo no-database' |
			tr -d '\r' | xargs)"
	is "exec passes its exit status" "7" \
		"$(compose one exec -T web sh -c 'exit 7'; echo $?)"
	compose one run --rm -T --no-deps web sh -c \
		'echo to-log; cat /src/file' >"$TMP/out"
	is "run --rm prints" "to-log source of one" "$(xargs <"$TMP/out")"
	is "and leaves nothing" "db_1 web_1" \
		"$(names one ps -a --format '{{.Names}}')"
	is "run returns the exit status" "5" "$(compose one run --rm -T \
		--no-deps web sh -c 'exit 5' >/dev/null; echo $?)"
	like "logs" 'db_1 *|' "$(compose one exec -T db \
		sh -c 'echo from-db >/proc/1/fd/1'; compose one logs db)"
	export COMPOSE_DOCKER_CLI_BUILD=0
	works "build, without the docker command" \
		one build --no-cache --build-arg COLOUR=blue web
	unset COMPOSE_DOCKER_CLI_BUILD
	works "up -d again makes web anew" one up -d
	is "out of the new image" "blue" \
		"$(compose one exec -T web cat /colour | tr -d '\r')"
	works "restart" one restart -t 0 db
	works "up --scale" one up -d --no-recreate --scale odd=3
	is "there are three" "db_1 odd_1 odd_2 odd_3 web_1" \
		"$(names one ps -a --format '{{.Names}}')"
	works "stop" one stop -t 0 odd
	works "rm" one rm -f odd
	works "config" one config -q
}

side_by_side() {
	works "a second project with the same file" two up -d
	is "has its own" "db_1 web_1 back default" \
		"$(names two ps -a --format '{{.Names}}') $(names two network \
			ls --format '{{.Name}}')"
	is "sees its own only" "source of two" \
		"$(compose two exec -T web cat /src/file | tr -d '\r')"
	unlike "and lists nothing of the first" "$MARK-one" \
		"$(compose two ps; gw two ps -a; gw two network ls
		gw two volume ls)"
	compose two -p "$MARK-one" up -d >/dev/null
	is "the same project name is no way in" "1" "$?"
	like "it is told that the names are taken" 'name-conflict' \
		"$(cat "$TMP/compose.err")"
	is "the first goes on" "db_1 web_1" \
		"$(names one ps --format '{{.Names}}')"
	compose two -p "$MARK-one" down -v >/dev/null
	is "nor does down reach it" "db_1 web_1" \
		"$(names one ps --format '{{.Names}}')"
}

down() {
	works "down -v" one down -v --rmi all --remove-orphans
	is "nothing is left of it" "" "$(names one ps -aq; names one \
		network ls -q; names one volume ls -q)"
	is "nor its image" "" "$(direct image ls -q "$MARK-one_web")"
	is "the second is there still" "db_1 web_1" \
		"$(names two ps --format '{{.Names}}')"
	works "down -v of the second" two down -v
}

write_files one
write_files two
# What compose builds by default: it runs the docker command for that.
export DOCKER_BUILDKIT=0
up
use
side_by_side
down
finish
