"""Values of fields: what a client may well send, and what one must not.

Written from the daemons' documentation, not from policyd's tables.  A row:
where the field stands, values of good will, hostile values.  A value that is
a function gets (rng, world) and returns one.
"""

MIB = 1024 * 1024


def number(low, high):
    return lambda rng, world: rng.randint(low, high)


def inside(name):
    return lambda rng, world: world.project + "/" + name


def named(what):
    return lambda rng, world: rng.choice(world.names[what])


def label_map(rng, world):
    return {"l%d" % i: rng.choice(["", "v", "a=b", "\u00e9"])
            for i in range(rng.randint(0, 3))}


def bind(rng, world):
    source = rng.choice([world.project, world.project + "/sub",
                         world.project + "/sub/", world.project + "/./file",
                         world.project + "/inside",
                         world.project + "/new%d" % rng.randint(0, 3),
                         rng.choice(world.names["own-volume"]),
                         world.mark + "v%d" % rng.randint(0, 3)])
    return "%s:/m%d%s" % (source, rng.randint(0, 9), rng.choice(
        ["", ":ro", ":rw", ":z", ":Z", ":ro,z", ":nocopy", ":cached"]))


def hostile_bind(rng, world):
    source = rng.choice([
        "/", "/etc", "/etc/passwd", "/proc", "/proc/1/root", "/dev", "/sys",
        "/var/run/docker.sock", "/run", world.project + "/..",
        world.project + "/../../etc", world.project + "/out",
        world.project + "/out/passwd", world.project + "-evil",
        world.run_dir, world.run_dir + "/docker.sock", world.daemon,
        world.project + "/to-run", "//etc", "/./etc", "./sub", "../x", "~",
        "/etc/", rng.choice(world.names["foreign-volume"])])
    return "%s:%s%s" % (source, rng.choice(["/m", "/", "/proc/x", "/sys",
                                            "/dev/shm/x", "m", ""]),
                        rng.choice(["", ":ro", ":shared", ":rslave",
                                    ":ro,shared", ":ro:x", ":dev"]))


def mount(rng, world):
    target = "/t%d" % rng.randint(0, 9)
    kind = rng.choice(["bind", "volume", "tmpfs", "anonymous"])
    if kind == "bind":
        return {"Type": "bind", "Target": target, "ReadOnly": rng.choice(
            [True, False]), "Source": world.project + rng.choice(
                ["", "/sub", "/file", "/inside"]),
                "BindOptions": rng.choice([
                    None, {}, {"Propagation": "rprivate"},
                    {"NonRecursive": True}])}
    if kind == "tmpfs":
        return {"Type": "tmpfs", "Target": target, "TmpfsOptions": rng.choice(
            [None, {"SizeBytes": MIB}, {"SizeBytes": 4 * MIB, "Mode": 511}])}
    source = rng.choice(world.names["own-volume"] + [world.mark + "w1"])
    return {"Type": "volume", "Target": target,
            "Source": source if kind == "volume" else "",
            "VolumeOptions": rng.choice([
                None, {"NoCopy": True}, {"Labels": {"a": "b"}},
                {"DriverConfig": {"Name": "local", "Options": {}}}])}


def hostile_mount(rng, world):
    return rng.choice([
        {"Type": "bind", "Source": "/etc", "Target": "/m"},
        {"Type": "bind", "Source": world.project + "/out", "Target": "/m"},
        {"Type": "bind", "Source": world.project, "Target": "/proc"},
        {"Type": "bind", "Source": world.project, "Target": "/m",
         "BindOptions": {"Propagation": rng.choice(["shared", "rslave"])}},
        {"Type": "volume", "Source": "x", "Target": "/m", "VolumeOptions": {
            "DriverConfig": {"Name": "local", "Options": {
                "type": "none", "o": "bind", "device": "/etc"}}}},
        {"Type": "volume", "Source": rng.choice(
            world.names["foreign-volume"]), "Target": "/m"},
        {"Type": "npipe", "Source": "/etc", "Target": "/m"},
        {"Type": "image", "Source": "busybox", "Target": "/m"},
        {"Type": "BIND", "Source": "/etc", "Target": "/m"},
        {"Type": "", "Source": "/etc", "Target": "/m"},
        {"Type": "tmpfs", "Target": "/sys/x"},
        {"Source": "/etc", "Target": "/m"},
    ])


def ports(rng, world):
    return {"%d/%s" % (rng.randint(1, 9000), rng.choice(["tcp", "udp"])):
            rng.choice([None, [], [{"HostIp": "", "HostPort": ""}],
                        [{"HostPort": "0"}], [{"HostIp": "127.0.0.1"}],
                        [{"HostIp": "10.1.2.3", "HostPort": "8000-8010"}]])
            for _ in range(rng.randint(0, 2))}


def many(make, most=3):
    return lambda rng, world: [make(rng, world)
                               for _ in range(rng.randint(1, most))]


def limits(rng, world):
    return [{"Name": rng.choice(["nofile", "nproc", "memlock", "core"]),
             "Soft": 0, "Hard": 0} for _ in range(rng.randint(0, 2))]


def health(rng, world):
    return {"Test": rng.choice([["CMD", "true"], ["CMD-SHELL", "exit 0"],
                                ["NONE"], []]),
            "Interval": rng.choice([0, 10 ** 9]),
            "Timeout": rng.choice([0, 2 * 10 ** 9]), "Retries":
            rng.randint(0, 5), "StartPeriod": rng.choice([0, 10 ** 9])}


BOOL = [True, False, None]
YES = [True]
PATHS = [["/proc/kcore"], [], ["/etc"]]
DEVICE = [[{"PathOnHost": "/dev/kmsg", "PathInContainer": "/dev/kmsg",
            "CgroupPermissions": "rwm"}]]
THROTTLE = [[{"Path": "/dev/sda", "Rate": 1}]]

# name, values of good will, hostile values
TOP = [
    ("Hostname", ["h", "box.local", "", "a" * 60], ["a\nb"]),
    ("Domainname", ["d.example", ""], ["x\u0000y"]),
    ("User", ["0", "1000:1000", "nobody", ""], ["0\n"]),
    ("AttachStdin", BOOL, ["true"]),
    ("AttachStdout", BOOL, [1]),
    ("AttachStderr", BOOL, []),
    ("Tty", BOOL, ["yes"]),
    ("OpenStdin", BOOL, []),
    ("StdinOnce", BOOL, []),
    ("Env", [[], ["A=1"], ["A=1", "B=", "C=x=y"], ["http_proxy=http://x:1"],
             None], [["A"], ["=x"], ["LD_*"], [1]]),
    ("Cmd", [["true"], ["sh", "-c", "exit 3"], "true", [], None], [{"a": 1}]),
    ("Entrypoint", [["sh"], "sh", [], None], [5]),
    ("WorkingDir", ["/", "/w", "/w/../v", "", "/w//x"],
     ["/proc/self/fd/8", "/sys", "/w/../proc", "//proc/1", "rel"]),
    ("Labels", [label_map, {}, None],
     [{"org.apache.magpie.project": "other"}, {"a=b": "c"},
      {" org.apache.magpie.project": "x"}, {"x": 1}]),
    ("ExposedPorts", [{"80/tcp": {}}, {"1-3/udp": {}}, {"7": {}}, {}],
     [{"80/foo": {}}, {"80/tcp": {"a": 1}}, {"99999/tcp": {}}]),
    ("Volumes", [{"/vol": {}}, {"/a/../b": {}}, {}],
     [{"/etc:/m": {}}, {"/proc": {}}, {"rel": {}}, {"/": {}}]),
    ("StopSignal", ["SIGTERM", "9", "SIGINT", ""], ["SIG\n"]),
    ("StopTimeout", [0, 5, 100], ["5"]),
    ("Healthcheck", [health, None, {}], [{"Test": "x"}, {"Foo": 1}]),
    ("NetworkDisabled", [False, None], []),
    ("MacAddress", ["02:42:ac:11:00:09", ""], ["x\ny"]),
    ("OnBuild", [None, []], [{}, ["RUN id"]]),
    ("Shell", [None, ["sh"]], []),
    ("ArgsEscaped", [False, None], []),
    ("Image", ["busybox", "busybox:latest"],
     ["docker-archive:/etc/x", "busybox\n", "", None, "../x"]),
    # Not there, or not at this place.
    ("Privileged", [], YES),
    ("Binds", [], [["/etc:/m"]]),
    ("Memory", [], [4096]),
    ("Cpuset", ["", None], ["0"]),
    ("name", ["ignored"], []),
    ("Foo", [None], [1, {"HostConfig": {"Privileged": True}}]),
    ("UnsetEnvAll", [False], [True]),
]

HOST = [
    ("Privileged", [False, None], YES + ["true", 1]),
    ("CapAdd", [None, []], [["SYS_ADMIN"], ["ALL"], "ALL", ["sys_ptrace"]]),
    ("CapDrop", [None, [], ["ALL"], ["NET_RAW", "MKNOD"], ["CAP_CHOWN"]],
     [{"a": 1}]),
    ("Capabilities", [None, []], [["SYS_ADMIN"]]),
    ("Devices", [None, []], DEVICE),
    ("DeviceRequests", [None, []],
     [[{"Driver": "nvidia", "Count": -1, "Capabilities": [["gpu"]]}]]),
    ("DeviceCgroupRules", [None, []], [["a *:* rwm"], ["c 1:3 mr"]]),
    ("PidMode", ["", "private", named("own-join")],
     ["host", "Host", named("foreign-join"), "container:", "ns:/proc/1"]),
    ("IpcMode", ["", "private", "shareable", "none", named("own-join")],
     ["host", named("foreign-join"), "Host", "ns:/x"]),
    ("UTSMode", ["", None], ["host", "HOST", "host "]),
    ("UsernsMode", ["", None], ["host", "Host"]),
    ("CgroupnsMode", ["", "private"], ["host", "Host"]),
    ("NetworkMode", ["", "default", "bridge", "none", named("own-network"),
                     named("own-join")],
     ["host", "Host", named("foreign-network"), named("foreign-join"),
      "nat", "ns:/proc/1/ns/net", "container:x:y"]),
    ("SecurityOpt", [None, [], ["no-new-privileges"],
                     ["no-new-privileges:true"], ["no-new-privileges=true"]],
     [["seccomp=unconfined"], ["seccomp:unconfined"],
      ["apparmor=unconfined"], ["label=disable"], ["label:disable"],
      ["systempaths=unconfined"], ["no-new-privileges=false"],
      ["no-new-privileges=0"], ["seccomp={}"], [" seccomp=unconfined"],
      ["SECCOMP=unconfined"], ["label:type:spc_t"], ["credentialspec=x"]]),
    ("Sysctls", [None, {}], [{"kernel.shm_rmid_forced": "1"},
                             {"net.ipv4.ip_forward": "1"}]),
    ("CgroupParent", ["", None], ["/", "/system.slice", "x"]),
    ("Cgroup", ["", None], [named("own-join"), named("foreign-join")]),
    ("Runtime", ["", None], ["runc", "crun", "io.containerd.runc.v2"]),
    ("Isolation", ["", "default"], ["hyperv", "process"]),
    ("StorageOpt", [None, {}], [{"size": "1G"}]),
    ("Annotations", [None, {}], [{"run.oci.keep_original_groups": "1"}]),
    ("Links", [None, [], named("own-links")],
     [named("foreign-links"), ["nobody:x"]]),
    ("ContainerIDFile", ["", None], ["/etc/cron.d/x"]),
    ("VolumeDriver", ["", None], ["local", "nfs"]),
    ("MaskedPaths", [None], PATHS),
    ("ReadonlyPaths", [None], PATHS),
    ("OomScoreAdj", [0, 100, 1000], [-1, -1000]),
    ("OomKillDisable", [False, None], YES),
    ("GroupAdd", [None, ["wheel"], ["0", "44"]],
     [["keep-groups"], ["a b"], [1]]),
    ("Ulimits", [None, limits, [{"Name": "nofile", "Soft": 64, "Hard": 64}]],
     [[{"Name": "core", "Soft": -1, "Hard": -1}],
      [{"Name": "CORE", "Soft": 1, "Hard": 1}],
      [{"Name": "RLIMIT_CORE", "Soft": 1, "Hard": 1}]]),
    ("BlkioWeightDevice", [None, []], [[{"Path": "/dev/sda", "Weight": 10}]]),
    ("BlkioDeviceReadBps", [None, []], THROTTLE),
    ("BlkioDeviceWriteIOps", [None, []], THROTTLE),
    ("CpuRealtimePeriod", [0], [1000]),
    ("CpuRealtimeRuntime", [0], [1000]),
    ("Binds", [None, [], many(bind), many(bind, 1)],
     [many(hostile_bind, 1), many(hostile_bind), ["sub:"], [""], [None]]),
    ("Mounts", [None, [], many(mount, 2), many(mount, 1)],
     [many(hostile_mount, 1), [1], [None]]),
    ("VolumesFrom", [None, [], named("own-from")], [named("foreign-from")]),
    ("Tmpfs", [None, {}, {"/tt": ""}, {"/tu": "size=1m,mode=1777"},
               {"/tv": "rw,noexec,dev,suid"}],
     [{"/proc/x": ""}, {"/tt": "bind"}, {"/dev": ""}, {"/tt": "x=/etc"}]),
    ("PortBindings", [None, ports, {}],
     [{"80/tcp": [{"HostIp": "0", "HostPort": "1"}]},
      {"80/tcp": [{"HostIp": "127.0.0.1", "HostPort": "8899"}]},
      {"80/tcp": [{"HostIp": "127.1", "HostPort": "x"}]},
      {"80/tcp": "80"}, {"-1/tcp": []}]),
    ("PublishAllPorts", BOOL, [1]),
    ("LogConfig", [None, {}, {"Type": "", "Config": {}}, {"Type": "none"},
                   {"Type": "local", "Config": {"max-size": "1m"}},
                   {"Type": "json-file", "Config": {"max-file": "2"}}],
     [{"Type": "syslog", "Config": {}}, {"Type": "json-file", "Config": {
         "path": "/etc/x"}}, {"Config": {"max-size": "1m"}},
      {"Type": "fluentd"}]),
    ("RestartPolicy", [None, {}, {"Name": "no"}, {"Name": "always"},
                       {"Name": "on-failure", "MaximumRetryCount": 3},
                       {"Name": "unless-stopped"}], [{"Name": "ever"}, "no"]),
    ("ExtraHosts", [None, [], ["a:10.0.0.1"], ["db:host-gateway"]],
     [["a"], ["a:1\n2"], ["a b:1.2.3.4"]]),
    ("AutoRemove", [False, None], []),
    ("ConsoleSize", [[0, 0], [24, 80], None], [["x", 1]]),
    ("Dns", [None, ["9.9.9.9"], []], [["9.9.9.9\nsearch x"]]),
    ("DnsOptions", [None, [], ["ndots:2"]], [["a\nb"]]),
    ("DnsSearch", [None, [], ["example.org"]], []),
    ("ReadonlyRootfs", BOOL, []),
    ("Init", BOOL, []),
    ("ShmSize", [0, MIB, 64 * MIB], [-1, 2 ** 63]),
    ("CpuShares", [0, 2, 512, 1024], []),
    ("Memory", [0, 16 * MIB, 64 * MIB], [2 ** 64, 1.5]),
    ("MemoryReservation", [0, 8 * MIB], []),
    ("MemorySwap", [0, -1, 128 * MIB], []),
    ("NanoCpus", [0, 10 ** 8], []),
    ("CpuPeriod", [0, 100000], []),
    ("CpuQuota", [0, -1, 50000], []),
    ("CpusetCpus", ["", "0"], ["0\n"]),
    ("CpusetMems", ["", "0"], []),
    ("PidsLimit", [0, -1, 64, None], []),
    ("KernelMemory", [0], []),
    ("IOMaximumIOps", [0], []),
]

UPDATE = [row for row in HOST if row[0] in (
    "CpuShares", "Memory", "MemoryReservation", "MemorySwap", "NanoCpus",
    "CpuPeriod", "CpuQuota", "CpusetCpus", "CpusetMems", "PidsLimit",
    "RestartPolicy", "OomKillDisable", "Devices", "DeviceCgroupRules",
    "CgroupParent", "CpuRealtimePeriod", "BlkioWeightDevice", "Ulimits")] + [
        ("Privileged", [], YES), ("Binds", [], [["/etc:/m"]]),
        ("CapAdd", [], [["ALL"]])]

EXEC = [
    ("Cmd", [["true"], ["sh", "-c", "id"]], [{}, 1]),
    ("Privileged", [False, None], YES + ["true"]),
    ("Env", [[], ["A=1"], None], [["A"], [1]]),
    ("WorkingDir", ["", "/", "/w/../tmp"], ["/proc/self/fd/8", "/sys"]),
    ("User", ["", "0", "nobody"], ["0\n"]),
    ("Tty", BOOL, []),
    ("AttachStdin", BOOL, []),
    ("AttachStdout", BOOL, []),
    ("AttachStderr", BOOL, []),
    ("DetachKeys", ["", "ctrl-p,ctrl-q"], []),
    ("Detach", [False, None], []),
    ("CapAdd", [], [["ALL"]]),
    ("Foo", [None], [1]),
]

SUBNETS = ["10.%d.%d.0/24", "172.16.%d.%d/32", "192.168.%d.%d/30",
           "fd00:%d:%d::/64"]


def ipam(rng, world):
    return {"Driver": rng.choice(["", "default"]), "Options": rng.choice(
        [None, {}]), "Config": [{"Subnet": "10.%d.%d.0/24" % (
            rng.randint(1, 254), rng.randint(0, 254))}]}


NETWORK = [
    ("CheckDuplicate", BOOL, []),
    ("Driver", ["", "bridge", None],
     ["host", "macvlan", "ipvlan", "overlay", "null", "Bridge"]),
    ("Scope", ["", "local"], ["swarm", "global"]),
    ("Internal", BOOL, []),
    ("Attachable", [False, None], []),
    ("Ingress", [False, None], YES),
    ("ConfigOnly", [False, None], YES),
    ("ConfigFrom", [None, {"Network": ""}], [{"Network": "x"}]),
    ("IPAM", [None, {}, ipam, ipam],
     [{"Driver": "null"}, {"Config": [{"Subnet": "8.8.8.0/24"}]},
      {"Config": [{"Subnet": "0.0.0.0/0"}]}, {"Options": {"a": "b"}},
      {"Config": [{"Subnet": "10.0.0.0/7"}]}]),
    ("EnableIPv6", [False, None], []),
    ("Options", [None, {}, {"com.docker.network.driver.mtu": "1400"}],
     [{"com.docker.network.bridge.name": "docker0"},
      {"com.docker.network.bridge.host_binding_ipv4": "0.0.0.0"},
      {"parent": "eth0"}]),
    ("Labels", [label_map, {}, None],
     [{"org.apache.magpie.project": "other"}, {"a=b": "c"}]),
    ("Foo", [None], [1]),
]

VOLUME = [
    ("Driver", ["", "local", None], ["nfs", "Local"]),
    ("DriverOpts", [None, {}],
     [{"type": "none", "o": "bind", "device": "/etc"}]),
    ("Labels", [label_map, {}, None],
     [{"org.apache.magpie.project": "other"}, {"a=b": "c"}]),
    ("ClusterVolumeSpec", [None], [{"Group": "x"}]),
    ("Foo", [None], [1]),
]

# of lists: key, values of good will, hostile keys' values
FILTERS = {
    "containers": [("label", ["of", "of=own", "nothing"]),
                   ("name", [named("own-name"), named("foreign-name"), "c"]),
                   ("id", [named("own-id"), named("foreign-id")]),
                   ("status", ["running", "created", "exited"]),
                   ("ancestor", ["busybox"]), ("exited", ["0"]),
                   ("volume", ["/m", named("foreign-volume")]),
                   ("network", ["bridge", named("foreign-network")])],
    "networks": [("label", ["of", "of=own"]), ("driver", ["bridge", "host"]),
                 ("name", [named("own-network"), named("foreign-network"),
                           "bridge"]),
                 ("scope", ["local"]), ("type", ["custom", "builtin"]),
                 ("dangling", ["true", "false"])],
    "volumes": [("label", ["of", "of=own"]), ("driver", ["local"]),
                ("name", [named("own-volume"), named("foreign-volume")]),
                ("dangling", ["true", "0"])],
}
HOSTILE_FILTERS = [("label!", ["x"]), ("Label", ["x"]), ("foo", ["x"]),
                   ("label", ["org.apache.magpie.project"]),
                   ("label", ["*=x"]), ("label", ["=x"])]
