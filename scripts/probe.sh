#!/bin/sh
# Finds out once what the compiler and the libraries can do, and prints it as
# make variables.  build.mk keeps the answer in the build folder and asks again
# only when one of the values that it depends on has changed.
#
#	probe.sh KEY CC PKG_CONFIG WITH_SECCOMP
set -u
key=$1 cc=$2 pkg=$3 seccomp=$4

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

echo 'int main(void) { return 0; }' >"$dir/t.c"

# $cc may hold options ("gcc -m32", "ccache cc"): it is split on purpose.
# shellcheck disable=SC2086
try() {
	$cc -Werror "$@" -o "$dir/t" "$dir/t.c" >/dev/null 2>&1
}

each() { # variable, then one option a word: those that compile
	name=$1 ok=
	shift
	for option; do
		try "$option" -c && ok="$ok $option"
	done
	echo "$name :=$ok"
}

module() { # variable prefix, pkg-config module, -l that is tried without it
	if $pkg --exists "$2" 2>/dev/null; then
		echo "$1_cflags ?= $($pkg --cflags "$2")"
		echo "$1_libs ?= $($pkg --libs "$2")"
	elif try "$3"; then
		echo "$1_libs ?= $3"
	else
		echo "missing += $2"
	fi
}

echo "# Written by scripts/probe.sh; removed by make clean."
if try -c; then
	echo 'have_cc := yes'
else
	echo 'have_cc :='
fi
each probed_harden -fstack-protector-strong -fstack-clash-protection \
	-fcf-protection=full -ftrivial-auto-var-init=zero \
	-fzero-call-used-regs=used-gpr
each probed_warn -Wcast-align=strict -Walloca -Wformat-signedness \
	-Wduplicated-cond -Wduplicated-branches -Wlogical-op \
	-Wstack-usage=65536
each probed_early -fno-tree-loop-distribute-patterns -fno-jump-tables \
	-fno-instrument-functions -fplt
if try -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -include stdio.h -c; then
	echo 'fortify := 3'
else
	echo 'fortify := 2'
fi
module event libevent_core -levent_core
module json json-c -ljson-c
module zlib zlib -lz
[ "$seccomp" != yes ] || module seccomp libseccomp -lseccomp
module check check -lcheck

# hookctl is linked statically where that works, so that nothing in the
# environment of a hook (LD_PRELOAD, LD_LIBRARY_PATH) reaches into it.
cat >"$dir/t.c" <<'C'
#include <json-c/json.h>
#include <zlib.h>
int main(void) { return json_object_put(json_object_new_object()) != 1 ||
	zlibVersion()[0] != '1'; }
C
# shellcheck disable=SC2046,SC2086
static=$($pkg --static --libs json-c zlib 2>/dev/null || echo -ljson-c -lz)
# shellcheck disable=SC2046,SC2086
if $cc -fPIE -static-pie $($pkg --cflags json-c 2>/dev/null) -o "$dir/s" \
    "$dir/t.c" $static >/dev/null 2>&1 && "$dir/s"; then
	echo "static_pie := -static-pie"
	echo "judge_static_libs := $static"
fi

# The platforms that hookctl/early/ has an entry for: 64 bits, in pointers too.
cat >"$dir/t.c" <<'C'
#if defined(__linux__) && defined(__LP64__) && defined(__x86_64__)
platform linux_x86_64
#elif defined(__linux__) && defined(__LP64__) && defined(__aarch64__)
platform linux_aarch64
#endif
C
# shellcheck disable=SC2086
echo "platform := $($cc -E -P "$dir/t.c" | sed -n 's/^platform //p')"
printf 'probed := %s\n' "$key"
