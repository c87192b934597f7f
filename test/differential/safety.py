"""What must hold for every object that the daemon has made, whoever judged it.

Written from the design's promises and the daemon's answers alone: nothing here
reads policyd's tables, nor what it forwarded.
"""
import ipaddress
import os

from lab import LABEL

SECURITY = {"no-new-privileges", "no-new-privileges:true",
            "no-new-privileges=true", "seccomp=builtin",
            "apparmor=docker-default"}
TMPFS = {"rw", "ro", "exec", "noexec", "nosuid", "nodev"}
KERNEL = ("/proc", "/sys", "/dev")
EMPTY = ["CapAdd", "Devices", "DeviceRequests", "DeviceCgroupRules",
         "Sysctls", "CgroupParent", "Cgroup", "StorageOpt", "Annotations",
         "ContainerIDFile", "VolumeDriver", "BlkioWeightDevice",
         "BlkioDeviceReadBps", "BlkioDeviceWriteBps", "BlkioDeviceReadIOps",
         "BlkioDeviceWriteIOps", "CpuRealtimePeriod", "CpuRealtimeRuntime",
         "Privileged", "PublishAllPorts", "UTSMode", "UsernsMode",
         "Capabilities"]
EGRESS_PORT = 8899
AS_BARE = ["MaskedPaths", "ReadonlyPaths", "Runtime"]


def below(path, root):
    return path == root or path.startswith(root + "/")


def in_kernel(path):
    path = os.path.normpath("/" + (path or ""))
    return not below(path, "/dev/shm") and any(below(path, k) for k in KERNEL)


def own(lab, ref):
    """container:ID of the project, by full id."""
    word, _, one = ref.partition(":")
    return word == "container" and len(one) == 64 and \
        has_label(lab, lab.direct.get("/containers/%s/json" % one)["Config"])


def has_label(lab, thing):
    return ((thing or {}).get("Labels") or {}).get(LABEL) == lab.slug


def namespaces(lab, host):
    yield "PidMode", host["PidMode"] in ("", "private") or \
        own(lab, host["PidMode"])
    yield "IpcMode", host["IpcMode"] in ("", "private", "shareable", "none") \
        or own(lab, host["IpcMode"])
    yield "CgroupnsMode", host["CgroupnsMode"] in (
        "private", lab.bare["HostConfig"]["CgroupnsMode"])
    mode = host["NetworkMode"]
    yield "NetworkMode", mode in ("default", "bridge", "none") or \
        own(lab, mode) or has_label(lab, lab.direct.get("/networks/" + mode))


def mounts(lab, shown):
    host = shown["HostConfig"]
    bound = [m for m in shown["Mounts"] if m["Type"] == "bind"]
    for one in shown["Mounts"]:
        where = "Mounts " + one["Destination"]
        yield where, not in_kernel(one["Destination"]) and \
            one["Destination"] != "/"
        if one["Type"] == "bind":
            source = one["Source"]
            yield where + " source", below(source, lab.project) and \
                os.path.realpath(source) == source and \
                not below(source, lab.run_dir)
            yield where + " propagation", one["Propagation"] in (
                "", "private", "rprivate")
        elif one["Type"] == "volume":
            volume = lab.direct.get("/volumes/" + one["Name"])
            yield where + " volume", has_label(lab, volume) and \
                volume["Driver"] == "local" and not volume["Options"]
        else:
            yield where + " type", one["Type"] == "tmpfs"
    if bound:
        yield "MKNOD with a bind", "MKNOD" in host["CapDrop"]
    if any(m["Source"] != lab.project for m in bound):
        yield "bind with restart", host["RestartPolicy"]["Name"] in ("", "no")
    for path, options in (host.get("Tmpfs") or {}).items():
        yield "Tmpfs " + path, not in_kernel(path) and all(
            o in TMPFS or o.split("=")[0] in ("size", "mode", "uid", "gid")
            for o in options.split(",") if o)


def ports(shown):
    for port, bindings in (shown["HostConfig"]["PortBindings"] or {}).items():
        yield "PortBindings " + port, bool(bindings) and all(
            is_address(b["HostIp"]) and not takes_egress(b["HostPort"])
            for b in bindings)


def takes_egress(ports):
    ends = [int(p) for p in (ports or "0").split("-")]
    return ends[0] <= EGRESS_PORT <= ends[-1]


def is_address(text):
    try:
        return bool(ipaddress.ip_address(text))
    except ValueError:
        return False


def container(lab, shown):
    host, config = shown["HostConfig"], shown["Config"]
    for name in EMPTY:
        yield name, not host.get(name)
    for name in AS_BARE:
        yield name, host.get(name) == lab.bare["HostConfig"].get(name)
    yield "OomScoreAdj", host["OomScoreAdj"] >= 0
    yield "OomKillDisable", not host["OomKillDisable"]
    yield "SecurityOpt", set(host["SecurityOpt"] or []) <= SECURITY
    yield "GroupAdd", "keep-groups" not in (host["GroupAdd"] or [])
    yield "Ulimits", all(u["Name"].lower().replace("rlimit_", "") != "core" or
                         (u["Soft"], u["Hard"]) == (0, 0)
                         for u in host["Ulimits"] or [])
    yield "Isolation", host["Isolation"] in ("", "default")
    yield "Links", all(has_label(lab, lab.direct.get(
        "/containers%s/json" % link.split(":")[0])["Config"])
        for link in host["Links"] or [])
    log = host["LogConfig"]
    yield "LogConfig", log["Type"] in ("json-file", "local", "none") and \
        not any("path" in k for k in log["Config"] or {})
    yield "label", has_label(lab, config)
    yield "WorkingDir", not in_kernel(config["WorkingDir"])
    yield "Env", all("=" in e.lstrip("=") for e in config["Env"] or [])
    yield "OnBuild", not config.get("OnBuild")
    yield "acted on", "PODMAN_SYSTEMD_UNIT" not in (config["Labels"] or {})
    yield "Image", config["Image"].split(":")[0] in (
        "busybox", "")
    for network in shown["NetworkSettings"]["Networks"]:
        yield "network " + network, network in (
            "bridge", "none", "default") or has_label(
                lab, lab.direct.get("/networks/" + network))
    yield from namespaces(lab, host)
    yield from mounts(lab, shown)
    yield from ports(shown)


def exec(lab, shown):
    process = shown["ProcessConfig"]
    yield "privileged", not process.get("privileged")
    yield "Running", not shown["Running"]
    yield "whose", has_label(lab, lab.direct.get(
        "/containers/%s/json" % shown["ContainerID"])["Config"])


def network(lab, shown):
    yield "Driver", shown["Driver"] == "bridge"
    yield "Scope", shown["Scope"] == "local"
    yield "kinds", not (shown["Ingress"] or shown["ConfigOnly"] or
                        shown["ConfigFrom"]["Network"])
    yield "Options", set(shown["Options"] or {}) <= {
        "com.docker.network.driver.mtu", "mtu", "isolate"}
    yield "IPAM", shown["IPAM"]["Driver"] in ("", "default", "host-local") \
        and set((shown["IPAM"]["Options"] or {}).values()) <= {"host-local"}
    for one in shown["IPAM"]["Config"] or []:
        subnet = ipaddress.ip_network(one["Subnet"])
        yield "Subnet", subnet.is_private and subnet.prefixlen >= 7
    yield "label", has_label(lab, shown)


def volume(lab, shown):
    yield "Driver", shown["Driver"] == "local"
    yield "Scope", shown["Scope"] == "local"
    yield "Options", not shown["Options"]
    yield "label", has_label(lab, shown)


CHECKS = {"container": container, "update": container, "exec": exec,
          "network": network, "volume": volume}


def failing(checks):
    """What does not hold, in words."""
    return ["unsafe: " + name for name, holds in checks if not holds]


def violations(kind, lab, shown):
    return failing(CHECKS[kind](lab, shown))
