#!/bin/sh
# What start and ensure check before they start or believe anything.  Each row
# breaks one thing and wants the refusal that names it; without the check the
# gateway would start and the row fail.
# shellcheck disable=SC2088,SC2115
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/hooks.sh"
hooks_setup
new_project p
P=$PROJECTS/p

refuses() { # name, basic regular expression of the message
	refuses_out=$("$HOOKCTL" ensure --project "$P" 2>&1)
	refuses_status=$?
	if [ $refuses_status = 1 ] && no_gateway &&
	    printf '%s\n' "$refuses_out" | grep -q -e "not started: .*$2"; then
		pass "refused: $1"
	else
		fail "refused: $1" "wanted: $2" \
			"got:    $refuses_status $refuses_out"
		end_gateways
	fi
}

accepts() { # name
	accepts_out=$("$HOOKCTL" ensure --project "$P" 2>&1)
	is "accepted: $1" "0" "$?$(printf %s "$accepts_out" | grep hookctl:)"
	end_gateways
}

granted() { # name, allowWrite entry of the user's settings, regular expression
	user_settings '{"sandbox":{"enabled":true,"filesystem":{"allowWrite":["'"$2"'"]}}}'
	refuses "$1" "$3"
	user_settings '{"sandbox":{"enabled":true}}'
}

accepts "an installation as it should be"

# ---- files that hookctl runs or reads ---------------------------------------

B=$BASE/inst
for file in bin/hookctl bin/container-gateway \
    libexec/container-gateway/worker libexec/container-gateway/policyd \
    libexec/container-gateway/embedded; do
	chmod o+w "$B/$file"
	refuses "$file that others can write" "$file can be written"
	chmod 775 "$B/$file"
	refuses "$file that its group can write" "$file can be written"
	chmod 755 "$B/$file"
	chown 12345 "$B/$file"
	refuses "$file of somebody else" "$file belongs to neither"
	chown 0 "$B/$file"
	chmod 4755 "$B/$file"
	refuses "$file that is setuid" "$file is setuid"
	chmod 755 "$B/$file"
done
for dir in bin libexec/container-gateway; do
	chmod 777 "$B/$dir"
	refuses "$dir that others can write" "$B/$dir can be written"
	chmod 775 "$B/$dir"
	refuses "$dir that its group can write" "$B/$dir can be written"
	chmod 755 "$B/$dir"
done
chmod 777 "$B"
refuses "a directory above that others can write" "$B can be written"
chmod 1777 "$B"
accepts "a directory above with the sticky bit"
chmod 775 "$B" && chgrp 12345 "$B"
refuses "a directory above that a foreign group can write" "$B can be written"
chgrp 0 "$B"
accepts "a directory above that root's group can write"
if command -v setfacl >/dev/null; then
	setfacl -m u:12345:rwx "$B"
	refuses "a directory above with an access list" "$B can be written"
	setfacl -b "$B"
fi
chmod 755 "$B"
chown 12345 "$B"
refuses "a directory above of somebody else" "$B belongs to neither"
chown 0 "$B"
mv "$B/libexec/container-gateway/worker" "$B/libexec/container-gateway/w"
refuses "a program that is missing" 'install the gateway whole'
mv "$B/libexec/container-gateway/w" "$B/libexec/container-gateway/worker"
ln -s "$HOOKCTL" "$P/hookctl"
saved=$HOOKCTL
HOOKCTL=$P/hookctl
refuses "hookctl called by a link in the project" \
	"$P/hookctl is inside a sandbox write grant"
HOOKCTL=$saved
rm "$P/hookctl"

# ---- what the sandbox may write ---------------------------------------------

granted "the installation, by a grant" "$B" \
	"inst/bin/hookctl is inside a sandbox write grant: $B .*allowWrite"
granted "by the file itself" "$B/bin/container-gateway" \
	'container-gateway is inside a sandbox write grant'
granted "by a program's directory" "$B/libexec" \
	'worker is inside a sandbox write grant'
granted "where podman would be started from" /usr/local/bin \
	'/usr/local/bin/podman, which the gateway may start, is inside'
granted "by a pattern" "$BASE/ins*/bin" 'inside a sandbox write grant'
granted "by // and /**" "/$B/**" 'inside a sandbox write grant'
granted "by a spelling with .." "$BASE/home/../inst" \
	'inside a sandbox write grant'
granted "the home, by ~" "~" 'inside a sandbox write grant'
granted "the home, by ~/" "~/" 'inside a sandbox write grant'
granted "the records" "~/.claude/magpie-gateway" \
	'magpie-gateway/sessions is inside a sandbox write grant'
granted "the state" "$STATE/state" 'state is inside a sandbox write grant'
granted "the log" "$STATE/log" 'log is inside a sandbox write grant'
granted "the user's settings" "~/.claude/settings.json" \
	'.claude/settings.json is inside a sandbox write grant'
granted "user settings that do not exist yet" "~/.claude/settings.local.json" \
	'settings.local.json is inside a sandbox write grant'
granted "relative to the user's settings" "./" 'inside a sandbox write grant'
granted "everything" "/" 'inside a sandbox write grant'
ln -s "$B" "$BASE/link"
granted "by a link" "$BASE/link" 'inside a sandbox write grant'
rm "$BASE/link"
if mkdir "$BASE/mnt" && mount --bind "$B" "$BASE/mnt" 2>/dev/null; then
	granted "by a bind mount" "$BASE/mnt" 'inside a sandbox write grant'
	umount "$BASE/mnt"
else
	skip "a bind mount" "no mounts here"
fi
user_settings '{"sandbox":{"filesystem":{"disabled":true}}}'
refuses "a sandbox without file rules" 'sandbox.filesystem.disabled'
user_settings '{"permissions":{"additionalDirectories":["'"$BASE"'"]}}'
refuses "an additional directory" 'additionalDirectories'
user_settings '{"permissions":{"allow":["Read(/x)","Edit(/'"$B"'/**)"]}}'
refuses "an Edit rule" 'allow "/.*inst/\*\*"'
user_settings '{"permissions":{"allow":["Edit(/bin/**)","Bash(ls)"]}}'
accepts "an Edit rule below the settings' own place"
user_settings '{"permissions":{"allow":["Edit(~/**)"]}}'
refuses "an Edit rule for the home" 'inside a sandbox write grant'
user_settings '{"sandbox":{"enabled":true,"filesystem":{"allowWrite":["~/.cache/","/srv"],"denyWrite":["/x"]}}}'
accepts "grants that lie elsewhere"
user_settings '{"sandbox":{"enabled":true,"filesystem":{"allowWrite":["'"$B"'"],"denyWrite":["'"$B"'"]}}}'
refuses "what denyWrite takes back" 'inside a sandbox write grant'
user_settings '{"sandbox":{"enabled":true}}'
for file in settings.json settings.local.json; do
	mkdir -p "$P/.claude"
	printf '{"sandbox":{"filesystem":{"allowWrite":["%s"]}}}' "$B" \
		>"$P/.claude/$file"
	refuses "a grant in the project's $file" "p/.claude/$file: allowWrite"
	rm -r "$P/.claude"
	mkdir -p "$P/sub/deeper" "$P/sub/.claude"
	printf '{"sandbox":{"filesystem":{"allowWrite":["%s"]}}}' "$B" \
		>"$P/sub/.claude/$file"
	P=$P/sub/deeper
	refuses "a grant in $file between start and top" \
		"p/sub/.claude/$file: allowWrite"
	P=$PROJECTS/p
	rm -r "$P/sub"
done
for name in TMPDIR CLAUDE_CODE_TMPDIR CLAUDE_PROJECT_DIR; do
	eval "$name=\$B; export $name"
	refuses "an installation in \$$name" 'inside a sandbox write grant'
	unset "$name"
done
mkdir "$P/config"
CLAUDE_CONFIG_DIR=$P/config
export CLAUDE_CONFIG_DIR
refuses "a configuration in the project" \
	'config/settings.json is inside a sandbox write grant'
mkdir "$BASE/config"
CLAUDE_CONFIG_DIR=$BASE/config
echo '{"sandbox":{"filesystem":{"allowWrite":["'"$B"'"]}}}' \
	>"$BASE/config/settings.json"
refuses "a grant in \$CLAUDE_CONFIG_DIR" 'config/settings.json: allowWrite'
unset CLAUDE_CONFIG_DIR
rm -r "$BASE/config" "$P/config"
harness_option() { # options as the harness' own command line has them
	sh -c '"$0" ensure --project "$1" 2>&1; exit $?' "$HOOKCTL" "$P" "$@"
}
for option in "--add-dir $B" "--add-dir=$B" "--allowedTools Bash(ls),Edit(/$B/**)" \
    "--settings $BASE/given.json"; do
	echo '{"sandbox":{"filesystem":{"allowWrite":["'"$B"'"]}}}' \
		>"$BASE/given.json"
	# shellcheck disable=SC2086
	refuses_out=$(harness_option $option)
	like "refused: the harness' $option" 'inside a sandbox write grant' \
		"$refuses_out"
	no_gateway || end_gateways
done
mkdir "$PROJECTS/home" && mkdir "$PROJECTS/home/.git"
saved=$HOME
mkdir "$P/home"
HOME=$P/home
refuses "a home in the project" 'inside a sandbox write grant'
HOME=$saved
rm -r "$P/home" "$PROJECTS/home"

# ---- settings files themselves ----------------------------------------------

for text in '{' '[]' '{"sandbox":[]}' '{"sandbox":{"filesystem":7}}' \
    '{"sandbox":{"filesystem":{"allowWrite":"/x"}}}' \
    '{"permissions":{"allow":[7]}}' '{"permissions":{"additionalDirectories":{}}}' \
    '{"a":1} x' '{"a\u0000b":1}'; do
	user_settings "$text"
	refuses "malformed settings $text" "settings file .*settings.json"
done
user_settings '{"sandbox":{"enabled":true}}'
mkdir -p "$P/.claude"
echo '{' >"$P/.claude/settings.json"
refuses "malformed settings of the project" 'p/.claude/settings.json'
ln -sf "$HOME/.claude/settings.json" "$P/.claude/settings.json"
refuses "a link as the project's settings" 'symbolic link'
rm -r "$P/.claude"
ln -s "$HOME/.claude" "$P/.claude"
refuses "a link as the project's .claude" 'p/.claude: not a directory'
rm "$P/.claude"
chmod 666 "$HOME/.claude/settings.json"
refuses "user settings that others can write" 'settings.json can be written'
chmod 644 "$HOME/.claude/settings.json"
mkdir -p "$P/dot"
mv "$HOME/.claude/settings.json" "$P/dot"
ln -s "$P/dot/settings.json" "$HOME/.claude/settings.json"
refuses "user settings that lie in the project" 'inside a sandbox write grant'
rm "$HOME/.claude/settings.json"
mkdir "$BASE/dot"
mv "$P/dot/settings.json" "$BASE/dot"
rmdir "$P/dot"
ln -s "$BASE/dot/settings.json" "$HOME/.claude/settings.json"
accepts "user settings behind a link of the user's"
chmod 777 "$BASE/dot"
refuses "user settings behind a link, exchangeable" 'dot can be written'
rm "$HOME/.claude/settings.json"
rm -r "$BASE/dot"
user_settings '{"sandbox":{"enabled":true}}'

# ---- the records' directories -----------------------------------------------

for dir in "$STATE" "$STATE/sessions" "$STATE/state" "$STATE/log"; do
	chmod 755 "$dir"
	refuses "$(basename "$dir") that others can read" 'is open to others'
	chmod 700 "$dir"
	chown 12345 "$dir"
	refuses "$(basename "$dir") of somebody else" 'belongs to uid 12345'
	chown 0 "$dir"
	mv "$dir" "$BASE/away"
	ln -s "$BASE/away" "$dir"
	refuses "$(basename "$dir") as a link" 'symbolic link'
	rm "$dir"
	mv "$BASE/away" "$dir"
done
chmod 777 "$HOME/.claude"
refuses ".claude that others can write" 'is open to others'
chmod 755 "$HOME/.claude"
chmod 777 "$HOME"
refuses "a home that others can write" 'can be written by others'
chmod 755 "$HOME"
chown 12345 "$HOME"
refuses "root in somebody else's home" 'home directory of another user'
chown 0 "$HOME"

# ---- the run directory ------------------------------------------------------

rm -rf "$P/.git/apache-magpie"
ln -s "$BASE" "$P/.git/apache-magpie"
refuses "a link in the run directory's path" 'symbolic link'
rm "$P/.git/apache-magpie"
mkdir -p "$(run_dir p)"
chmod 777 "$(run_dir p)"
refuses "a run directory that others can write" 'writable by group or others'
rm -r "$P/.git/apache-magpie"
mv "$P/.git" "$P/git"
printf 'gitdir: %s\n' "$P/git" >"$P/.git"
refuses "a forged worktree" 'not the private directory of a linked worktree'
rm "$P/.git"
mv "$P/git" "$P/.git"

# ---- arguments and environment ----------------------------------------------

args() { # name, arguments, regular expression
	MAGPIE_CONTAINER_GATEWAY_ARGS=$2
	export MAGPIE_CONTAINER_GATEWAY_ARGS
	refuses "arguments: $1" "MAGPIE_CONTAINER_GATEWAY_ARGS: .*$3"
	unset MAGPIE_CONTAINER_GATEWAY_ARGS
}
args "another project" '--project /' 'not among the flags'
args "another run directory" '--run-dir /tmp/x' 'not among the flags'
args "a log file" '--log-file /x' 'not among the flags'
args "a bare word" 'x' 'not among the flags'
args "no shell" '--egress $(x)' 'inject-if-available'
args "an extra root that is relative" '--extra-bind-root x' 'not absolute'
args "an extra root above the home" "--extra-bind-root $BASE" 'it holds'
args "the home as extra root" "--extra-bind-root $HOME" 'home'
mkdir "$HOME/.ssh" "$HOME/data"
args "a dot directory as extra root" "--extra-bind-root $HOME/.ssh" 'dot'
args "a backend in the project" "--backend docker=$P/x.sock" 'write grant'
args "a kind of backend" '--backend other' 'auto'
args "a port" '--egress-port 99999' 'port'
args "a duration" '--idle-timeout soon' 'duration'
args "a missing value" '--egress' 'missing'
MAGPIE_CONTAINER_GATEWAY_ARGS="--egress off  --idle-timeout=30m
	--extra-bind-root $HOME/data"
export MAGPIE_CONTAINER_GATEWAY_ARGS
accepts "arguments on the list"
unset MAGPIE_CONTAINER_GATEWAY_ARGS
project_settings p '{"env":{"MAGPIE_CONTAINER_GATEWAY_ARGS":"--egress off"}}'
refuses "arguments set by the project" 'which a project may not'
rm -r "$P/.claude"
if readelf -lW "$HOOKCTL" 2>/dev/null | grep -q INTERP; then
	LD_LIBRARY_PATH=$P
	export LD_LIBRARY_PATH
	refuses "LD_LIBRARY_PATH for a dynamic hookctl" 'LD_LIBRARY_PATH is set'
	unset LD_LIBRARY_PATH
else
	LD_PRELOAD=$P/x.so
	export LD_PRELOAD
	accepts "LD_PRELOAD, which a static hookctl does not read"
	unset LD_PRELOAD
fi
accepts "everything as it was"
finish
