#!/bin/sh
# What would turn a container into host access is refused, each with its own
# reason, and the docker command prints that reason.
. "$(dirname "$0")/lib.sh"
need_docker
gateway_start one

# This project's, since others may use the daemon at the same time.
containers() {
	direct ps -aq --filter "label=$LABEL=$(slug one)" | wc -l
}

# deny REASON docker-arguments ...: the command fails, prints the reason, and
# nothing was made.
deny() {
	reason=$1
	shift
	before=$(containers)
	out=$(gw one "$@" 2>&1 </dev/null)
	status=$?
	name="$CLI: $reason: docker $*"
	after=$(containers)
	if [ $status -ne 0 ] && [ "$before" = "$after" ] &&
	    printf '%s\n' "$out" | grep -q "container-gateway: $reason: "; then
		pass "$name"
	else
		fail "$name" "status $status, containers $before -> $after" \
			"$out"
	fi
}

run() { # REASON options ...
	run_reason=$1
	shift
	deny "$run_reason" run --rm "$@" busybox true
}

deny_binds() {
	run bind -v /:/host
	run bind -v /etc:/x:ro
	run bind -v "$(project one)/..:/x"
	run bind --mount type=bind,source=/etc,target=/x
	run bind-socket -v "$CG_DOCKER_SOCK:/var/run/docker.sock"
	run bind -v "$TMP/run-one:/x"
	run bind-protected -v "$(project one)/.apache-magpie-local:/x"
	ln -sfn /etc "$(project one)/link"
	run bind -v "$(project one)/link:/x"
	run propagation -v "$(project one):/x:shared"
	mkdir -p "$(project one)/sub"
	run bind-restart --rm=false --restart always -v "$(project one)/sub:/x"
	run volume-option --mount \
		'type=volume,source=v,target=/x,volume-opt=type=none,volume-opt=o=bind,volume-opt=device=/etc'
	run volume-driver --volume-driver other -v v:/x
	run tmpfs-option --tmpfs /x:nr_inodes=1
	run workdir --tmpfs /proc/x
}

deny_namespaces() {
	run network-namespace --net host
	run network-namespace --net "container:$foreign"
	run network-namespace --net container:"$MARK-foreign"
	run pid-namespace --pid host
	run pid-namespace --pid "container:$foreign"
	run ipc-namespace --ipc host
	run ipc-namespace --ipc "container:$foreign"
	run uts-namespace --uts host
	run user-namespace --userns host
	run cgroup-namespace --cgroupns host
	run network --net "$MARK-no-such-network"
}

deny_powers() {
	run privileged --privileged
	run capability --cap-add SYS_ADMIN
	run capability --cap-add ALL
	run device --device /dev/null
	run device --device-cgroup-rule 'c 1:3 rwm'
	run device --gpus all
	run security-opt --security-opt seccomp=unconfined
	run security-opt --security-opt apparmor=unconfined
	run security-opt --security-opt label=disable
	run security-opt --security-opt no-new-privileges=false
	run masked-paths --security-opt systempaths=unconfined
	run sysctl --sysctl net.ipv4.ip_forward=1
	run cgroup-parent --cgroup-parent /x
	run runtime --runtime runc
	run isolation --isolation hyperv
	run storage-opt --storage-opt size=1G
	run oom --oom-score-adj=-500
	run oom --oom-kill-disable -m 64m
	run limits --ulimit core=-1
	run group --group-add keep-groups
	run workdir -w /proc/1
	run log-driver --log-driver syslog
	run log-option --log-driver json-file --log-opt path=/x
	run link --link "$foreign:x"
	run port -p 8899:80
	run port -p 0.0.0.0:8890-8900:80
	run name --name "$(printf '%.12s' "$foreign")"
	run label --label PODMAN_SYSTEMD_UNIT=sshd.service
}

deny_routes() {
	deny image-push push busybox
	deny registry-login login -u u -p p localhost:1
	deny swarm swarm init
	deny swarm service ls
	deny swarm node ls
	deny secrets secret ls
	deny secrets config ls
	deny plugins plugin ls
	deny image-import load -i "$TMP/empty.tar"
}

deny_execs() {
	gw one run -d --name "$MARK-own" busybox sleep 600 >/dev/null
	deny privileged exec --privileged "$MARK-own" true
	deny workdir exec -w /proc/1 "$MARK-own" true
	is "$CLI: the container itself is well" "hi" \
		"$(gw one exec "$MARK-own" echo hi)"
	gw one rm -f "$MARK-own" >/dev/null
}

all_denied() {
	foreign=$(direct run -d --name "$MARK-foreign" busybox sleep 600)
	deny_binds
	deny_namespaces
	deny_powers
	deny_routes
	deny_execs
	status_is "$CLI: a plain run still works" 0 gw one run --rm busybox true
	direct rm -f "$foreign" >/dev/null
}

: >"$TMP/empty.tar"
for_each_docker_cli all_denied
[ -n "${CG_DIRECT:-}" ] || like "refusals are in the log" \
	'event=deny .*reason=privileged' "$(gateway_log one)"
finish
