#!/bin/sh
# Checks that need nothing but the sources and the programs built from them.
#
#	static.sh links|man|bans|size|reports|static (all of them)
set -u
src=${CG_SRC:-$(cd "$(dirname "$0")/.." && pwd)}
build=${CG_BUILD:-$src/build}
bad=0
cd "$src" || exit 1

complain() {
	echo "not ok - $*"
	bad=$((bad + 1))
}

sources() { # ours, C only
	find common master worker policyd embedded hookctl test -name '*.[ch]' | sort
}

# ---- what each program links, and how it is hardened ------------------------

needed() {
	readelf -d "$build/$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}

may_not_need() { # program, libraries ...
	program=$1
	shift
	[ -f "$build/$program" ] || return 0
	for library; do
		needed "$program" | grep -q "$library" &&
			complain "$program links $library"
	done
	# Sanitizers and gcov bring libraries and segments of their own.
	case $build in *-san* | *-cov*) return 0 ;; esac
	hardened "$program"
	echo "ok - $program needs: $(needed "$program" | tr '\n' ' ')"
}

hardened() {
	readelf -h "$build/$1" | grep -q 'Type:.*DYN' ||
		complain "$1 is not position-independent"
	readelf -lW "$build/$1" | grep -q GNU_RELRO ||
		complain "$1 has no RELRO segment"
	readelf -d "$build/$1" | grep -q 'BIND_NOW\|NOW PIE\|Flags: NOW' ||
		complain "$1 binds lazily"
	readelf -lW "$build/$1" | grep -q 'RWE' &&
		complain "$1 has a segment that is writable and executable"
}

check_links() {
	if ! command -v readelf >/dev/null; then
		echo "ok - links # SKIP no readelf (binutils)"
		return
	fi
	may_not_need container-gateway json-c libseccomp
	may_not_need worker json-c
	may_not_need policyd libevent
	may_not_need embedded json-c libseccomp
	may_not_need hookctl libevent libseccomp
	may_not_need explain libevent libseccomp
	check_early
}

# What runs before libc, linked alone (early): its link has shown that it calls
# nothing else.  Nothing relocates it, and hookctl starts there.
check_early() {
	if [ ! -f "$build/early" ]; then
		echo "ok - early # SKIP this build looks in main() only"
		return
	fi
	readelf -rW "$build/early" | grep -q 'no relocations' ||
		complain "what runs before libc needs relocation:" \
			"$(readelf -rW "$build/early")"
	entry=$(readelf -hW "$build/hookctl" | sed -n 's/.*Entry.*0x//p')
	readelf -sW "$build/hookctl" |
		grep -q "^ *[0-9]*: 0*$entry .* early_entry\$" ||
		complain "hookctl does not start at early_entry"
	echo "ok - early: no relocations, entry at 0x$entry"
}

# ---- manual pages -----------------------------------------------------------

# The page of rules is made from the tables; it must be the one of now.
check_rules() {
	[ -f "$build/policyd" ] || return 0
	"$build/policyd" --manual |
		cmp -s - man/container-gateway-policy.7 ||
		complain "man/container-gateway-policy.7 is stale: make manual"
}

check_man() {
	check_rules
	if ! command -v mandoc >/dev/null; then
		echo "ok - man # SKIP no mandoc"
		return
	fi
	for page in man/*.[1-8]; do
		out=$(mandoc -Tlint -W warning "$page" 2>&1) ||
			complain "$page: $out"
	done
	check_options
	echo "ok - man: $(find man -name '*.[1-8]' | wc -l) pages"
}

# Every flag of the option table stands in the manual and in README's table, and
# no other does.
check_options() {
	[ -e master/option.c ] || return 0
	mkdir -p "$tmp/man"
	sed -n 's/^.*{ "\([a-z-]*\)", .*, KIND_[A-Z]*, .*/\1/p' master/option.c |
		sort -u >"$tmp/code"
	sed -n 's/^\.It Fl -\([a-z-]*\).*/\1/p' man/container-gateway.8 |
		sort -u >"$tmp/man/container-gateway.8"
	sed -n '/^| `--/s/`\(--[^`]*\)`/\n\1\n/gp' README.md |
		sed -n 's/^--\([a-z-]*\).*/\1/p' | sort -u >"$tmp/README.md"
	for where in man/container-gateway.8 README.md; do
		diff "$tmp/code" "$tmp/$where" >"$tmp/diff" || complain \
			"master/option.c (<) and $where (>) differ:" \
			"$(cat "$tmp/diff")"
	done
}

# ---- calls and words that have no place here --------------------------------

ban() { # what, extended regular expression, files ...
	what=$1 pattern=$2
	shift 2
	[ $# -gt 0 ] || return 0
	found=$(grep -nE "$pattern" "$@" /dev/null) &&
		complain "$what:" "$found"
}

check_bans() {
	# File names here have no spaces.
	# shellcheck disable=SC2046
	set -- $(sources)
	ban "unbounded or hazardous calls" \
		'(^|[^a-zA-Z0-9_.>])(sprintf|vsprintf|strcpy|strcat|atoi|atol|strtok|gets|system|popen|alloca|tmpnam|mktemp)[[:space:]]*\(' "$@"
	ban "unfinished business" \
		'(^|[^A-Za-z])(TODO|FIXME|XXX|HACK)([^A-Za-z]|$)' "$@"
	ban "trailing blanks" '[[:space:]]$' "$@"
	# shellcheck disable=SC2046
	ban "policyd does not know libevent" 'include <event' \
		$(find policyd -name '*.[ch]')
	# shellcheck disable=SC2046
	ban "worker does not know JSON" 'include <json' \
		$(find worker -name '*.[ch]')
	# shellcheck disable=SC2046
	ban "policyd opens no files, sockets or programs" \
		'(^|[^a-zA-Z0-9_.>])(open|openat|fopen|socket|connect|fork|execve?)[[:space:]]*\(' \
		$(find policyd -name '*.[ch]')
	echo "ok - bans: $# files"
}

# ---- size -------------------------------------------------------------------

# Tables may be as long as what they list.
check_size() {
	sources | grep -v '^policyd/rules/' | while read -r file; do
		n=$(wc -l <"$file")
		[ "$n" -le 600 ] || echo "$file: $n lines (at most 600)"
	done >"$tmp/long"
	# Functions begin and end at column 0, as the style has it.
	# shellcheck disable=SC2046
	awk '
		FNR == 1 { start = 0 }
		/^[A-Za-z_].*\(/ { name = $0 }
		/^\{/ { start = FNR }
		/^\}/ && start {
			if (FNR - start - 1 > 60 && FILENAME !~ /policyd\/rules\//)
				print FILENAME ":" start ": " FNR - start - 1 \
				    " lines (at most 60): " name
			start = 0
		}' $(sources | grep '\.c$') /dev/null >>"$tmp/long"
	if [ -s "$tmp/long" ]; then
		complain "too long:" "$(cat "$tmp/long")"
	fi
	echo "ok - size"
}

# ---- public reports: the tests that answer them are there ---------------------

check_reports() {
	grep -v '^#' test/reports.tsv >"$tmp/reports"
	while IFS='	' read -r where what shown; do
		[ -n "$what" ] || complain "test/reports.tsv: $where"
		printf '%s\n' "$shown" | sed 's/ | /\n/g'
	done <"$tmp/reports" >"$tmp/shown"
	while IFS= read -r one; do
		name=${one#*:}
		case $one in
		*.tsv:*) set -- -e "^$name	" ;;
		*.c:*) set -- -F -e "START_TEST($name)" ;;
		*) set -- -F -e "$name" ;;
		esac
		grep -q "$@" "test/${one%%:*}" ||
			complain "test/reports.tsv: no such test: $one"
	done <"$tmp/shown"
	echo "ok - reports: $(wc -l <"$tmp/reports")," \
		"by $(wc -l <"$tmp/shown") tests"
}

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

for part in ${1:-static}; do
	case $part in
	links) check_links ;;
	man) check_man ;;
	bans) check_bans ;;
	size) check_size ;;
	reports) check_reports ;;
	static)
		check_links
		check_man
		check_bans
		check_size
		check_reports
		;;
	*)
		echo "static.sh: no check $part" >&2
		exit 2
		;;
	esac
done
[ $bad -eq 0 ]
