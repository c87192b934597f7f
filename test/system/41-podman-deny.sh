#!/bin/sh
# What would let a podman container, or pod, reach the host is refused, each
# with its own reason: by podman's own flags where it has one, else by the
# field itself.  The podman command prints the reason.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/podman.sh"
gateway_start one
sweep_after

things() { # this project's: others may use the service at the same time
	past ps -aq --filter "label=$LABEL=$(slug one)"
	past pod ps -q --filter "label=$LABEL=$(slug one)"
}

# deny REASON podman-arguments ...: the command fails and prints the reason.
# That nothing was made is looked at once, at the end.
deny() {
	reason=$1
	shift
	refused "$reason: podman $*" "$reason" pm one "$@"
}

run() { # REASON options ...
	run_reason=$1
	shift
	deny "$run_reason" run --rm "$@" busybox true
}

# A field of the body, for what the command cannot say.
post() { # REASON path JSON
	is_first_engine || return 0
	answers "$1: $2 $3" "${4:-403}" "container-gateway: $1: " \
		podman-one POST "/v4.0.0/libpod/$2" \
		-H 'Content-Type: application/json' -d "$3"
}

# api() of lib.sh, on podman.sock.
api() {
	api_sock=$(gateway_sock one podman)
	api_method=$2 api_path=$3
	shift 3
	curl -s -m 30 -w '\n%{http_code}' --unix-socket "$api_sock" \
		-X "$api_method" "$@" "http://d$api_path"
}

spec() { # REASON JSON-members
	post "$1" containers/create "{\"image\":\"localhost/busybox\",$2}" \
		"${3:-403}"
}

pod_spec() {
	post "$1" pods/create "{\"name\":\"$MARK-p\",$2}" "${3:-403}"
}

deny_mounts() {
	run bind -v /:/host
	run bind -v /etc:/x:ro
	run bind -v "$(project one)/..:/x"
	run bind --mount type=bind,source=/etc,target=/x
	ln -sfn /etc "$(project one)/link"
	run bind -v "$(project one)/link:/x"
	run bind -v "$TMP/run-one:/x"
	run bind-protected -v "$(project one)/.apache-magpie-local:/x"
	run bind-socket -v "$CG_PODMAN_SOCK:/run/podman.sock"
	run propagation -v "$(project one):/x:shared"
	run propagation -v "$(project one):/x:rslave"
	run bind-option -v "$(project one):/x:U"
	run bind-option -v "$(project one):/x:idmap"
	run overlay-volume -v /etc:/x:O
	run overlay-volume -v "$(project one):/x:O"
	mkdir -p "$(project one)/sub"
	deny bind-restart run --restart always -v "$(project one)/sub:/x" \
		busybox true
	run mount-type --mount type=devpts,destination=/x
	run bind-option --mount type=image,source=busybox,destination=/x,rw=true
	run mount-target -v "$(project one):/proc/x"
	run workdir -w /proc/1
	for type in proc sysfs cgroup cgroup2 overlay mqueue devpts none ext4 \
	    BIND ''; do
		spec mount-type "\"mounts\":[{\"type\":\"$type\",\"source\":\"/etc\",\"destination\":\"/x\",\"options\":[\"bind\"]}]"
	done
	spec mount-type '"mounts":[{"type":"tmpfs","source":"tmpfs","destination":"/x","options":["rbind"]}]'
	spec mount-type '"mounts":[{"type":"tmpfs","source":"/etc","destination":"/x","options":["bind"]}]'
	spec mount-type '"mounts":[{"type":"overlay","source":"overlay","destination":"/x","options":["lowerdir=/etc"]}]'
	spec bind '"mounts":[{"type":"bind","source":"/proc/self/root","destination":"/x"}]'
	spec bind-option "\"mounts\":[{\"type\":\"bind\",\"source\":\"$(project one)\",\"destination\":\"/x\",\"options\":[\"upperdir=/etc\"]}]"
	spec bind-option "\"mounts\":[{\"type\":\"bind\",\"source\":\"$(project one)\",\"destination\":\"/x\",\"uidMappings\":[{\"containerID\":0,\"hostID\":0,\"size\":1}]}]"
	spec overlay-volume '"overlay_volumes":[{"destination":"/x","source":"/etc"}]'
	spec rootfs '"rootfs":"/"'
	spec rootfs '"rootfs_overlay":true'
	deny rootfs run --rm --rootfs / true
	spec volume "\"volumes\":[{\"Name\":\"$MARK-foreign\",\"Dest\":\"/x\"}]"
	absent "\"volumes_from\":[\"$foreign\"]"
}

deny_namespaces() {
	for ns in pid ipc uts user cgroup network; do
		flag=$ns
		[ $ns != user ] || flag=userns
		[ $ns != cgroup ] || flag=cgroupns
		run $ns-namespace --$flag host
		run $ns-namespace --$flag ns:/proc/1/ns/net
		key=$(echo "$ns" | sed 's/network/net/')ns
		spec $ns-namespace \
			"\"$key\":{\"nsmode\":\"path\",\"value\":\"/proc/self/ns/net\"}"
		spec $ns-namespace "\"$key\":{\"nsmode\":\"host\"}"
	done
	for flag in pid ipc network; do
		refused_as_absent "--$flag container:<another's>" \
			run --rm --$flag "container:$foreign" busybox true
	done
	run network-option --network slirp4netns:allow_host_loopback=true
	run network --network "$MARK-no-such-network"
	run network --network "$MARK-foreign"
	spec user-namespace '"idmappings":{"UIDMap":[{"container_id":0,"host_id":0,"size":1}],"GIDMap":[]}'
	spec user-namespace '"userns":{"nsmode":"keep-id","value":"uid=0"}'
	run user-namespace --uidmap 0:0:1
	spec network-option '"network_options":{"slirp4netns":["allow_host_loopback=true"]}'
	spec cni-network '"cni_networks":["x"]'
}

deny_powers() {
	run privileged --privileged
	run capability --cap-add SYS_ADMIN
	run capability --cap-add all
	run device --device /dev/null
	run device --device-cgroup-rule 'c 1:3 rwm'
	run security-opt --security-opt seccomp=unconfined
	run security-opt --security-opt seccomp=/etc/shadow
	run security-opt --security-opt apparmor=unconfined
	run security-opt --security-opt label=disable
	run security-opt --security-opt proc-opts=hidepid=0
	run masked-paths --security-opt unmask=ALL
	run masked-paths --security-opt unmask=/proc/kcore
	run sysctl --sysctl net.ipv4.ip_forward=1
	run cgroup-parent --cgroup-parent /x
	run cgroup --cgroups=disabled
	spec storage-opt '"storage_opts":{"size":"1G"}'
	run oom --oom-score-adj=-500
	run oom --oom-kill-disable -m 64m
	run limits --ulimit core=-1
	spec group '"groups":["keep-groups"]'
	run annotation --annotation run.oci.keep_original_groups=1
	run limits --cgroup-conf memory.max=1
	run device --device-read-bps /dev/null:1mb
	spec runtime '"oci_runtime":"/bin/sh"'
	spec security-opt '"seccomp_profile_path":"/etc/shadow"'
	spec device '"host_device_list":[{"path":"/dev/null"}]'
	spec device '"resource_limits":{"devices":[{"allow":true,"access":"rwm"}]}'
}

deny_files() {
	run log-path --log-opt path=/tmp/x
	spec log-path '"log_configuration":{"driver":"k8s-file","path":"/tmp/x"}'
	spec host-field '"conmon_pid_file":"/tmp/x"'
	run host-field --tz ../../../etc/passwd
	spec host-field '"timezone":"../../../etc/passwd"'
	spec host-field '"chroot_directories":["/x"]'
	spec host-field '"hostusers":["root"]'
	spec host-field '"init_path":"/bin/sh"'
	spec host-field '"base_hosts_file":"/etc/shadow"'
	spec host-field '"healthLogDestination":"/etc"'
	run secret --secret s
	run secret --secret s,type=env
	spec secret '"secret_env":{"A":"s"}'
	spec host-environment '"env_host":true'
	spec environment '"env":{"A=B":"x"}'
	run environment --unsetenv HTTP_PROXY
	spec extra-host '"hostadd":["x"]'
	spec unknown-field '"nonsense":1'
	spec privileged '"PRIVILEGED":true'
	spec field-spelling '"Cap_add":[]'
	post image-name containers/create '{"image":"docker-archive:/etc/passwd"}'
}

deny_foreign() {
	absent "\"dependencyContainers\":[\"$foreign\"]"
	absent "\"pod\":\"$(past pod inspect "$MARK-fpod" | sed -n \
		's/^ *"Id": "\([0-9a-f]*\)".*/\1/p' | head -1)\""
	refused_as_absent "--requires another's container" \
		run --rm --requires "$MARK-foreign" busybox true
	refused_as_absent "--pod of another" \
		run --rm --pod "$MARK-fpod" busybox true
	# With -f podman itself is content when there is nothing to remove.
	pm one rm -f -t 0 "$MARK-foreign" >/dev/null
	pm one pod rm -f -t 0 "$MARK-fpod" >/dev/null
	for act in start stop kill pause unpause init restart top logs inspect \
	    rm port diff export attach wait 'healthcheck run'; do
		# shellcheck disable=SC2086
		refused_as_absent "$act of another's container" \
			$act "$MARK-foreign"
	done
	refused_as_absent "exec in another's container" \
		exec "$MARK-foreign" true
	for act in start stop kill pause unpause restart rm inspect top; do
		refused_as_absent "$act of another's pod" pod $act \
			"$MARK-fpod"
	done
	status_is "another's container does not exist" 1 \
		pm one container exists "$MARK-foreign"
	status_is "another's pod does not exist" 1 \
		pm one pod exists "$MARK-fpod"
	is "it has been left alone" "running" "$(past inspect \
		-f '{{.State.Status}}' "$foreign")"
}

absent() { # JSON-members that name what is another's
	answers "not there: $1" 404 'no such' podman-one POST \
		/v4.0.0/libpod/containers/create \
		-H 'Content-Type: application/json' \
		-d "{\"image\":\"localhost/busybox\",$1}"
}

# What is not ours looks like what is not there, in the service's own words.
# `podman logs` takes the refusal for a stream.
refused_as_absent() { # name, podman-arguments ...
	abs_name=$1
	shift
	abs_out=$(pm one "$@" 2>&1 </dev/null)
	abs_status=$?
	if [ $abs_status -ne 0 ] && printf '%s\n' "$abs_out" |
	    grep -q -e "no such" -e "no container with" -e "not found" \
	    -e "no pod with" -e "lost synchronization"; then
		pass "$abs_name"
	else
		fail "$abs_name" "exit status $abs_status: $abs_out"
	fi
}

deny_pods() {
	deny port pod create -p 8899:80
	deny name pod create --name 0123456789ab
	deny label pod create --label io.containers.autoupdate=local
	deny bind pod create -v /etc:/x
	deny network-namespace pod create --network host
	deny pid-namespace pod create --pid host
	deny user-namespace pod create --userns host
	deny sysctl pod create --sysctl net.ipv4.ip_forward=1
	deny device pod create --device /dev/null
	deny security-opt pod create --security-opt label=disable
	deny cgroup-parent pod create --cgroup-parent /x
	deny host-field pod create --infra-conmon-pidfile /tmp/x
	deny host-field pod create --infra-command /bin/sh
	deny image-name pod create --infra-image docker-archive:/etc/passwd
	refused_as_absent "pod create --volumes-from another's" \
		pod create --volumes-from "$MARK-foreign"
	pod_spec pid-namespace '"pidns":{"nsmode":"path","value":"/proc/1/ns/pid"}'
	pod_spec uts-namespace '"utsns":{"nsmode":"host"}'
	pod_spec mount-type '"mounts":[{"type":"proc","source":"proc","destination":"/x"}]'
	pod_spec overlay-volume '"overlay_volumes":[{"destination":"/x","source":"/etc"}]'
	pod_spec network-option '"network_options":{"pasta":["-t","22"]}'
}

deny_routes() {
	deny image-push push busybox localhost:1/x
	answers "secrets are not listed" 403 ': secrets: ' podman-one GET \
		/v4.0.0/libpod/secrets/json
	deny secrets secret create s /etc/hostname
	printf 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n' \
		>"$TMP/pod.yaml"
	deny kube play kube "$TMP/pod.yaml"
	pm one create --name "$MARK-own" busybox sleep 600 >/dev/null
	deny kube generate kube "$MARK-own"
	deny kube generate systemd "$MARK-own"
	deny checkpoint container checkpoint "$MARK-own"
	deny privileged exec --privileged "$MARK-own" true
	deny prune pod prune -f
	deny pull-source pull docker-archive:/etc/passwd
	deny pull-source pull dir:/etc
	deny parameter run --tls-verify=false --pull always --rm busybox true
	deny image-import load -i "$TMP/pod.yaml"
	deny pull-source import "$TMP/pod.yaml"
	pm one rm -f "$MARK-own" >/dev/null
}

foreign=$(past run -d --name "$MARK-foreign" busybox sleep 600)
past volume create "$MARK-foreign" >/dev/null
past network create "$MARK-foreign" >/dev/null
past pod create --name "$MARK-fpod" >/dev/null
deny_mounts
deny_namespaces
deny_powers
deny_files
deny_foreign
deny_pods
deny_routes
is "nothing was made" "" "$(things)"
status_is "a plain run still works" 0 pm one run --rm busybox true
past rm -f -t 0 "$foreign" >/dev/null
[ -n "${CG_DIRECT:-}" ] || like "refusals are in the log" \
	'event=deny .*reason=privileged' "$(gateway_log one)"
finish
