#!/bin/sh
# Installs what is missing on Debian or Ubuntu, as root or by sudo; says so
# when nothing is.  What another source has installed (docker-ce, a compiler
# of one's own) counts: a row is satisfied by its command as well.
#
#	deps.sh [GROUP ...]	all groups but extra
#
#	build	what make needs
#	test	what make check needs beside that
#	engines	real daemons, and an image for them
#	clients	further clients and services that system tests drive
#	extra	lint, fuzz, bench, dist
set -eu

# group, package, command or - (then only the package counts)
table='
build	gcc		cc
build	make		make
build	libc6-dev	-
build	pkg-config	pkg-config
build	libevent-dev	-
build	libjson-c-dev	-
build	libseccomp-dev	-
build	zlib1g-dev	-
test	check		-
test	curl		curl
test	mandoc		mandoc
test	binutils	readelf
test	valgrind	valgrind
test	git		git
test	iproute2	ip
test	procps		ps
test	python3		python3
test	strace		strace
engines	ca-certificates	-
engines	docker.io	dockerd
engines	docker-cli	docker
engines	podman		podman
engines	runc		runc
engines	catatonit	catatonit
engines	netavark	-
engines	aardvark-dns	-
engines	slirp4netns	slirp4netns
engines	uidmap		newuidmap
engines	iptables	iptables
engines	busybox-static	-
engines	iproute2	ip
engines	curl		curl
engines	debootstrap	debootstrap
clients	docker-compose	docker-compose
clients	docker-registry	docker-registry
clients	tinyproxy-bin	tinyproxy
clients	python3-docker	-
extra	autoconf	autoconf
extra	clang		clang
extra	llvm		-
extra	cppcheck	cppcheck
extra	shellcheck	shellcheck
extra	clang-format	clang-format
extra	haproxy		haproxy
'
# On releases that do not have them under this name, or at all, these are
# done without: docker-cli is part of docker.io before Debian 13.
optional='docker-cli docker-compose docker-registry python3-docker catatonit tinyproxy-bin netavark aardvark-dns'

PATH=$PATH:/usr/sbin:/sbin
[ $# -gt 0 ] || set -- build test engines clients

if ! command -v apt-get >/dev/null; then
	echo "deps: knows Debian and Ubuntu only; README.md lists what is needed" >&2
	exit 1
fi

is_installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = \
		installed ]
}

is_satisfied() { # package, command
	{ [ "$2" != - ] && command -v "$2" >/dev/null; } || is_installed "$1"
}

is_known() { # does any source offer it?
	apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'
}

list_missing() { # groups
	echo "$table" | while read -r group package command; do
		for wanted; do
			[ "$group" = "$wanted" ] || continue
			is_satisfied "$package" "$command" || echo "$package"
		done
	done | sort -u
}

names=$(list_missing "$@" | tr '\n' ' ')
if [ -z "$names" ]; then
	echo "deps: nothing is missing"
	exit 0
fi

sudo=
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null || {
		echo "deps: not root and no sudo; needed:" "$names" >&2
		exit 1
	}
	sudo=sudo
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 1' HUP INT TERM

apt() {
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
		-o Dpkg::Use-Pty=0 "$@" </dev/null >"$log" 2>&1 && return 0
	tail -20 "$log" >&2
	return 1
}

unknown() {
	for package in $names; do
		is_known "$package" || echo "$package"
	done
}

# A fresh machine has no package lists at all, an old one stale ones.
[ -z "$(unknown)" ] || apt update
install=
for package in $names; do
	if is_known "$package"; then
		install="$install $package"
	elif echo " $optional " | grep -q " $package "; then
		echo "deps: this release has no $package: done without"
	else
		echo "deps: no source offers $package" >&2
		exit 1
	fi
done
if [ -z "$install" ]; then
	echo "deps: nothing else is missing"
	exit 0
fi

echo "deps: installing$install"
# shellcheck disable=SC2086
apt install --no-install-recommends $install || {
	apt update
	# shellcheck disable=SC2086
	apt install --no-install-recommends $install
}
# The tests start their own registry; nobody asked for one on this machine.
case " $install " in
*" docker-registry "*)
	[ ! -d /run/systemd/system ] ||
		$sudo systemctl disable --now docker-registry >/dev/null 2>&1 || :
	;;
esac
echo "deps: done"
